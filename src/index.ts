/** gravmesh: particle-mesh gravity on any GPU. The library's door, in the order of the pipeline. */

// Device

export type { AdapterSummary } from "./gpu/adapter.ts";
export type { GpuContext } from "./gpu/context.ts";
export { acquireContext, wrapDevice } from "./gpu/device.ts";
export { pinnedShapes, type ShapePins } from "./gpu/shapes.ts";

// Simulation

export type { ExactState, StageTime } from "./backend/backend.ts";
export { type ErrorKind, GravmeshError } from "./base/errors.ts";
export { version } from "./base/version.ts";
export type { PhantomMatter } from "./simulation/phantom-matter.ts";
export {
  type AdvanceOptions,
  type BackendChoice,
  type Progress,
  Simulation,
  type SimulationCheckpoint,
  type SimulationOptions,
} from "./simulation/simulation.ts";

// Scenario

export { isMeshSize, nearestMeshSizes } from "./deck/mesh-sizes.ts";
export { type UnitSystem, type UnitSystemName, unitSystem } from "./deck/units.ts";
export type { IntegratorName as Integrator } from "./direct/integrators.ts";
export type { DirectSettings, Precision, StepScheme } from "./direct/settings.ts";
export type {
  Assignment,
  DepositMethod,
  GradientScheme,
  GreenFunction,
  IsolatedKernel,
  MeshSettings,
  PoissonMethod,
} from "./mesh/settings.ts";
export type { Boundary } from "./particles/box.ts";
export { deckText } from "./scenario/deck.ts";
export {
  type FitAdvice,
  fitAdvice,
  type MemoryEstimate,
  type MemoryLimits,
  memoryEstimate,
} from "./scenario/estimate.ts";
export type { OutputSettings } from "./scenario/output.ts";
export { completeScenario, type ParseOptions, parseScenario } from "./scenario/parse.ts";
export { type Resolved, resolutionOf } from "./scenario/resolution.ts";
export type { Deck, Gravity, Scenario } from "./scenario/scenario.ts";
export type { Output, Schedule } from "./time/schedule.ts";
export type { TimeSettings } from "./time/settings.ts";

// Initial conditions

export type { GivenParticles } from "./initial/given.ts";
export {
  type InitialModel,
  initialModel,
  type LoadedSnapshot,
  type ModelDefinition,
  type SnapshotLoader,
} from "./initial/model.ts";
export { type ComponentOf, type DeckComponent, type ParticleComponent, registerModel } from "./initial/models.ts";
export type { SphericalShape } from "./initial/profiles.ts";
export { type InitialConditions, type InitialConditionsOptions, initialConditions } from "./initial/source.ts";
export { type SphericalDefinition, sphericalModel } from "./initial/spherical-model.ts";
export type { BlockRequest, ParticleBlock } from "./particles/blocks.ts";
export type { ComponentRange, ParticleSet, Species } from "./particles/state.ts";

// Snapshots

export {
  type ReadOptions,
  readSnapshot,
  type Snapshot,
  type SnapshotDeck,
  type SnapshotParticles,
  writeSnapshot,
} from "./io/snapshots.ts";

// External potentials

export { type PotentialFormula, type SphericalFormula, spherical } from "./potentials/formula.ts";
export * as jets from "./potentials/jets.ts";
export {
  type ExternalPotential,
  externalPotential,
  type PotentialDefinition,
  type PotentialRecord,
} from "./potentials/potential.ts";
export { type DeckPotential, registerPotential } from "./potentials/potentials.ts";

// Diagnostics

export { type BarProfile, type BarRequest, barProfile } from "./diagnostics/bar-profile.ts";
export { type Bar, type BarRow, barOf, barRows } from "./diagnostics/bar-strength.ts";
export type { ColumnChart, DiagnosticsColumn, Moment } from "./diagnostics/columns/column.ts";
export { type Diagnostics, type DiagnosticsRow, registerColumn } from "./diagnostics/columns.ts";
export { FriendsOfFriends, type FriendsOptions } from "./diagnostics/friends-of-friends.ts";
export { type HaloCatalogue, type MassFunction, massFunction } from "./diagnostics/friends-of-friends-catalogue.ts";
export { type SpectrogramRequest, spectrogram } from "./diagnostics/pattern-speed.ts";
export { PowerSpectrum, type PowerSpectrumOptions, type Spectrum } from "./diagnostics/power-spectrum.ts";
export {
  centreOfMass,
  type DensityMap,
  densityProfile,
  dispersionProfile,
  linearEdges,
  logarithmicEdges,
  meanVelocity,
  projectedDensity,
  rotationCurve,
  surfaceDensityProfile,
} from "./diagnostics/profiles.ts";
export type {
  IdRange,
  MapAxis,
  MapView,
  MassCentre,
  MultipolesRequest,
  Radial,
  Reductions,
  Rings,
  RingsRequest,
  RingWaves,
  ShellMultipoles,
  Shells,
  Sphere,
  VelocityMap,
  WavesRequest,
} from "./particles/reductions.ts";
export { LAGRANGIAN_FRACTIONS, type Sums } from "./particles/sums.ts";

// Cosmology

export { Background, type BackgroundParameters } from "./cosmology/background.ts";
export { Growth } from "./cosmology/growth.ts";
export { Halofit } from "./cosmology/halofit.ts";
export { massFunction as predictedMassFunction } from "./cosmology/mass-function.ts";
export { LinearPower, type PowerOptions } from "./cosmology/power.ts";
export type { CosmologySettings } from "./cosmology/settings.ts";
export { ComovingClock, stepEdges } from "./cosmology/steps.ts";
export { spectrumTable } from "./cosmology/table.ts";

// Outputs, and what a deck key is, for records of one's own

export * as deckKeys from "./deck/keys.ts";
export {
  type OutputRun,
  type OutputWriter,
  type RunOutput,
  type RunSnapshot,
  registerOutput,
} from "./run/outputs/output.ts";
