/** gravmesh: particle-mesh gravity on any GPU. The library's door, in the order of the pipeline. */

// Device

export type { AdapterSummary } from "./foundation/gpu/adapter.ts";
export type { GpuContext } from "./foundation/gpu/context.ts";
export { acquireContext, wrapDevice } from "./foundation/gpu/device.ts";
export { pinnedShapes, type ShapePins } from "./foundation/gpu/shapes.ts";

// Simulation

export type { ExactState, StageTime } from "./engine/backend/backend.ts";
export { type ErrorKind, GravmeshError } from "./foundation/base/errors.ts";
export { version } from "./foundation/base/version.ts";
export type { PhantomMatter } from "./scenario/simulation/phantom-matter.ts";
export {
  type AdvanceOptions,
  type BackendChoice,
  type Progress,
  Simulation,
  type SimulationCheckpoint,
  type SimulationOptions,
} from "./scenario/simulation/simulation.ts";

// Scenario

export type { IntegratorName as Integrator } from "./engine/direct/integrators.ts";
export type { DirectSettings, Precision, StepScheme } from "./engine/direct/settings.ts";
export type {
  Assignment,
  DepositMethod,
  GradientScheme,
  GreenFunction,
  IsolatedKernel,
  MeshSettings,
  PoissonMethod,
} from "./engine/mesh/settings.ts";
export type { Output, Schedule } from "./engine/time/schedule.ts";
export type { TimeSettings } from "./engine/time/settings.ts";
export { isMeshSize, nearestMeshSizes } from "./foundation/deck/mesh-sizes.ts";
export { type UnitSystem, type UnitSystemName, unitSystem } from "./foundation/deck/units.ts";
export type { Boundary } from "./physics/particles/box.ts";
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

// Initial conditions

export type { GivenParticles } from "./physics/initial/given.ts";
export {
  type InitialModel,
  initialModel,
  type LoadedSnapshot,
  type ModelDefinition,
  type SnapshotLoader,
} from "./physics/initial/model.ts";
export {
  type ComponentOf,
  type DeckComponent,
  type ParticleComponent,
  registerModel,
} from "./physics/initial/models.ts";
export type { SphericalShape } from "./physics/initial/profiles.ts";
export { type InitialConditions, type InitialConditionsOptions, initialConditions } from "./physics/initial/source.ts";
export { type SphericalDefinition, sphericalModel } from "./physics/initial/spherical-model.ts";
export type { BlockRequest, ParticleBlock } from "./physics/particles/blocks.ts";
export type { ComponentRange, ParticleSet, Species } from "./physics/particles/state.ts";

// Snapshots

export {
  type ReadOptions,
  readSnapshot,
  type Snapshot,
  type SnapshotDeck,
  type SnapshotParticles,
  writeSnapshot,
} from "./run/io/snapshots.ts";

// External potentials

export { type PotentialFormula, type SphericalFormula, spherical } from "./physics/potentials/formula.ts";
export * as jets from "./physics/potentials/jets.ts";
export {
  type ExternalPotential,
  externalPotential,
  type PotentialDefinition,
  type PotentialRecord,
} from "./physics/potentials/potential.ts";
export { type DeckPotential, registerPotential } from "./physics/potentials/potentials.ts";

// Diagnostics

export { type BarProfile, type BarRequest, barProfile } from "./engine/diagnostics/bar-profile.ts";
export { type BarMeasurement as Bar, type BarRow, barOf, barRows } from "./engine/diagnostics/bar-strength.ts";
export type { ColumnChart, ColumnMoment as Moment, DiagnosticsColumn } from "./engine/diagnostics/columns/column.ts";
export { type Diagnostics, type DiagnosticsRow, registerColumn } from "./engine/diagnostics/columns.ts";
export { FriendsOfFriends, type FriendsOptions } from "./engine/diagnostics/friends-of-friends.ts";
export {
  type HaloCatalogue,
  haloMassFunction as massFunction,
  type MassFunction,
} from "./engine/diagnostics/friends-of-friends-catalogue.ts";
export { type SpectrogramRequest, spectrogram } from "./engine/diagnostics/pattern-speed.ts";
export { PowerSpectrum, type PowerSpectrumOptions, type Spectrum } from "./engine/diagnostics/power-spectrum.ts";
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
} from "./engine/diagnostics/profiles.ts";
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
} from "./physics/particles/reductions.ts";
export { LAGRANGIAN_FRACTIONS, type Sums } from "./physics/particles/sums.ts";

// Cosmology

export { Background, type BackgroundParameters } from "./physics/cosmology/background.ts";
export { Growth } from "./physics/cosmology/growth.ts";
export { Halofit } from "./physics/cosmology/halofit.ts";
export { massFunction as predictedMassFunction } from "./physics/cosmology/mass-function.ts";
export { LinearPower, type PowerOptions } from "./physics/cosmology/power.ts";
export type { CosmologySettings } from "./physics/cosmology/settings.ts";
export { ComovingClock, stepEdges } from "./physics/cosmology/steps.ts";
export { spectrumTable } from "./physics/cosmology/table.ts";

// Outputs, and what a deck key is, for records of one's own

export * as deckKeys from "./foundation/deck/keys.ts";
export {
  type OutputRun,
  type OutputWriter,
  type RunOutput,
  type RunSnapshot,
  registerOutput,
} from "./run/outputs/output.ts";
