/** gravmesh: particle-mesh gravity on any GPU. The library's door, in the order of the pipeline. */

// Simulation
export type { ExactState, StageTime } from "./backend.ts";
export { Background, type BackgroundParameters } from "./cosmology/background.ts";
export { Growth } from "./cosmology/growth.ts";
export { Halofit } from "./cosmology/halofit.ts";
export { massFunction as predictedMassFunction } from "./cosmology/mass-function.ts";
export { LinearPower, type PowerOptions } from "./cosmology/power.ts";
export { ComovingClock, stepEdges } from "./cosmology/steps.ts";
export { spectrumTable } from "./cosmology/table.ts";
export { type UnitSystem, unitSystem } from "./deck/units.ts";
export { FriendsOfFriends, type FriendsOptions } from "./diagnostics/friends-of-friends.ts";
export { type HaloCatalogue, type MassFunction, massFunction } from "./diagnostics/friends-of-friends-catalogue.ts";
export { PowerSpectrum, type PowerSpectrumOptions, type Spectrum } from "./diagnostics/power-spectrum.ts";
// Diagnostics
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
// Scenario
export { type ErrorKind, GravmeshError } from "./errors.ts";
// Device
export type { AdapterSummary, GpuContext } from "./gpu/context.ts";
export { acquireContext, wrapDevice } from "./gpu/device.ts";
// Initial conditions
export {
  type InitialConditions,
  type InitialConditionsOptions,
  initialConditions,
  type LoadedSnapshot,
  type SnapshotLoader,
} from "./initial/index.ts";
export type { ComponentRange, ExternalField, ParticleSet } from "./particles/state.ts";
export { LAGRANGIAN_FRACTIONS, type Sums } from "./particles/sums.ts";
export { deckText } from "./scenario/deck.ts";
export {
  type FitAdvice,
  fitAdvice,
  type MemoryEstimate,
  type MemoryLimits,
  memoryEstimate,
} from "./scenario/estimate.ts";
export { completeScenario, type ParseOptions, parseScenario } from "./scenario/parse.ts";
export type {
  Assignment,
  Boundary,
  CosmologySettings,
  DepositMethod,
  DirectSettings,
  ExponentialDiskComponent,
  GradientScheme,
  Gravity,
  GreenFunction,
  HernquistComponent,
  Integrator,
  IsolatedKernel,
  KeplerComponent,
  LatticeComponent,
  MeshSettings,
  OutputSettings,
  ParticleComponent,
  PlaneWaveComponent,
  PlummerComponent,
  PoissonMethod,
  Precision,
  Scenario,
  SnapshotComponent,
  Species,
  StepScheme,
  TimeSettings,
  UniformComponent,
  UnitSystemName,
} from "./scenario/scenario.ts";
export { isMeshSize, nearestMeshSizes } from "./scenario/sizes.ts";
export {
  type AdvanceOptions,
  type BackendChoice,
  type Diagnostics,
  type Progress,
  Simulation,
  type SimulationCheckpoint,
  type SimulationOptions,
} from "./simulation.ts";
export type { Output, Schedule } from "./time/schedule.ts";
export { version } from "./version.ts";
