/**
 * A scenario: everything that defines a run, in deck units, with all defaults filled in.
 * The schema in schema.ts produces exactly this type; nothing else in the code reads a deck.
 */

import type { MultigridPreset, MultigridSettings } from "./multigrid.ts";

export type UnitSystemName = "nbody" | "galactic" | "cosmological";
export type Boundary = "isolated" | "periodic";
export type Assignment = "ngp" | "cic" | "tsc";
export type DepositMethod = "auto" | "sort" | "atomic" | "host";
export type PoissonMethod = "fft" | "multigrid";
export type GreenFunction = "exact" | "discrete";
export type IsolatedKernel = "truncated" | "cell-integrated";
export type GradientScheme = "2-point" | "4-point" | "spectral";
/** Where the acceleration comes from: the particle mesh, or the sum over all pairs. */
export type Gravity = "mesh" | "direct";
export type Integrator = "leapfrog" | "hermite-4" | "hermite-6";
/** One fixed step for all, one step for all chosen as the run goes, or a step of its own for every particle. */
export type StepScheme = "shared" | "adaptive" | "block";
export type Precision = "single" | "double-single";

/** GADGET particle types, the names a deck uses. */
export type Species = "gas" | "halo" | "disk" | "bulge" | "stars" | "black-holes";

export interface MeshSettings {
  /** Cells per side: 2^k or 3·2^k, from 16 up. */
  cells: number;
  assignment: Assignment;
  deposit: DepositMethod;
  poisson: PoissonMethod;
  /** Green's function of the periodic solver. */
  green: GreenFunction;
  /** Open-space kernel of the isolated solver. */
  kernel: IsolatedKernel;
  gradient: GradientScheme;
}

/** The [multigrid] table; used with mesh.poisson = "multigrid". */
export interface MultigridDeck extends MultigridSettings {
  /** Where the keys that the deck leaves out come from. */
  preset: MultigridPreset;
}

/** The [direct] table; used with gravity = "direct". */
export interface DirectSettings {
  integrator: Integrator;
  /** "adaptive" and "block" steps are time.step divided by powers of two. */
  steps: StepScheme;
  /** Plummer softening ε [length]; 0 for none. */
  softening: number;
  /** Of forces and integrator on the GPU; the CPU always works in float64. */
  precision: Precision;
  /** ν of the 4th-order criterion (Portegies Zwart+ 2007, eq. 9), and of leapfrog's √(2νε/|a|). */
  nu: number;
  /** η of the 6th-order criterion (Nitadori & Makino 2008). */
  eta: number;
}

interface ComponentBase {
  /** Label in diagnostics and reports; defaults to the kind. */
  name: string;
  species: Species;
  /** Offset of the component's centre from the centre of the box [length]. */
  offset: [number, number, number];
  /** Bulk velocity [velocity]. */
  velocity: [number, number, number];
  seed: number;
}

interface SampledComponent extends ComponentBase {
  count: number;
  /** Total mass of the component [mass]. */
  mass: number;
}

export interface PlummerComponent extends SampledComponent {
  kind: "plummer";
  /** Plummer radius a [length]; Hénon units: 3π/16. */
  scale: number;
  /** Particles beyond this radius are drawn again [length]. */
  cutoff: number;
  /** A rigid component is a fixed external field without particles (count is 0). */
  rigid: boolean;
}

export interface HernquistComponent extends SampledComponent {
  kind: "hernquist";
  /** Hernquist scale radius a [length]. */
  scale: number;
  cutoff: number;
  rigid: boolean;
}

export interface ExponentialDiskComponent extends SampledComponent {
  kind: "exponential-disk";
  /** Rd [length]. */
  scaleLength: number;
  /** z0 of sech²(z/z0) [length]. */
  scaleHeight: number;
  /** Toomre Q at 2.5 Rd. */
  toomreQ: number;
  /** Cylindrical radius where the disk ends [length]. */
  cutoff: number;
}

export interface UniformComponent extends SampledComponent {
  kind: "uniform";
  /** One-dimensional velocity dispersion [velocity]. */
  velocityDispersion: number;
  /** Side of the cube that is filled, centred on the offset [length]; the whole box by default. */
  side: number;
}

export interface KeplerComponent extends SampledComponent {
  kind: "kepler";
  /** Of the second body over the first, 0 < ratio ≤ 1. */
  massRatio: number;
  /** Of the relative orbit [length]. */
  semiMajorAxis: number;
  eccentricity: number;
}

export interface SnapshotComponent extends ComponentBase {
  kind: "snapshot";
  /** HDF5 file, relative to the deck. Its own masses, species, positions and velocities are used. */
  file: string;
}

export type ParticleComponent =
  | PlummerComponent
  | HernquistComponent
  | ExponentialDiskComponent
  | UniformComponent
  | KeplerComponent
  | SnapshotComponent;

export interface TimeSettings {
  end: number;
  /** Fixed step [time], or "adaptive": one global step from the largest acceleration and speed. */
  step: number | "adaptive";
  /** Adaptive: step ≤ accuracy·√(cell/|a|max). */
  accuracy: number;
  /** Adaptive: step ≤ courant·cell/|v|max. */
  courant: number;
  /** Adaptive: never longer than this [time]. */
  maxStep: number;
}

export interface OutputSettings {
  /** Snapshots after the initial one, evenly spaced; 0 writes none but the last. */
  snapshots: number;
  /** Rows of diagnostics.csv after the initial one, evenly spaced. */
  diagnostics: number;
  /** Wall-clock minutes between checkpoints; 0 writes one only at an interruption and at the end. */
  checkpointMinutes: number;
  /** Write the Potential dataset in snapshots. */
  potential: boolean;
  /** gzip level of snapshot datasets, 0 = off. */
  compression: number;
}

export interface Scenario {
  title: string;
  reference: string;
  /** What to expect, for the reader of the deck and the report. */
  expect: string;
  gravity: Gravity;
  units: { system: UnitSystemName };
  box: { size: number; boundary: Boundary };
  mesh: MeshSettings;
  multigrid: MultigridDeck;
  direct: DirectSettings;
  particles: ParticleComponent[];
  time: TimeSettings;
  output: OutputSettings;
}
