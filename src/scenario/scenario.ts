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

/** A particle lattice displaced by a random field of the [cosmology] table's power spectrum. */
export interface LatticeComponent extends SampledComponent {
  kind: "lattice";
  /** Particles per side; count is its cube. */
  perSide: number;
  /** Of Lagrangian perturbation theory: 1, Zel'dovich, or 2. */
  order: 1 | 2;
  /** Amplitudes of the modes at their expectation instead of Rayleigh distributed. */
  fixedAmplitudes: boolean;
  /** Phases turned by π: the partner of the same seed without. */
  opposite: boolean;
}

/** A lattice displaced along x by one wave, x = q − (D(a)/D(crossing)) sin(kq)/k. */
export interface PlaneWaveComponent extends SampledComponent {
  kind: "plane-wave";
  perSide: number;
  /** Waves across the box. */
  waves: number;
  /** Scale factor at which shells cross. */
  crossing: number;
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
  | LatticeComponent
  | PlaneWaveComponent
  | SnapshotComponent;

/** Of the background, and of the random field of "lattice" components; used with time.clock = "comoving". */
export interface CosmologySettings {
  /** Ωm today, baryons included. */
  matter: number;
  baryons: number;
  /** Ωde today; "flat": what makes space flat. */
  darkEnergy: number | "flat";
  w0: number;
  wa: number;
  /** H0 / (100 km/s/Mpc) */
  h: number;
  /** Whether photons and massless neutrinos take part in the expansion. */
  radiation: boolean;
  /** Of the microwave background today [K]. */
  temperature: number;
  neutrinos: number;
  /** n_s */
  spectralIndex: number;
  /** Normalises the power spectrum, unless `amplitude` does. */
  sigma8: number;
  /** A_s at 0.05/Mpc; 0: sigma8 counts. */
  amplitude: number;
  transfer: "eisenstein-hu" | "no-wiggle" | "file";
  /** CLASS or CAMB text output, with transfer = "file". */
  file: string;
}

export interface TimeSettings {
  /** "static": Newtonian time; "comoving": the scale factor is the time, velocities are a² dx/dt. */
  clock: "static" | "comoving";
  /** Comoving: scale factor at the start. */
  start: number;
  end: number;
  /** Comoving: steps equal in a or in ln a. */
  spacing: "a" | "log-a";
  /** Comoving: integrals of the clock alone, or those that make Zel'dovich motion exact (FastPM). */
  factors: "growth-corrected" | "standard";
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
  /** Comoving: snapshots at these redshifts, instead of evenly spaced ones; the start and the end are always written. */
  redshifts: number[];
  /** A power spectrum with every snapshot of a periodic run. */
  powerSpectra: boolean;
  /** A catalogue of friends-of-friends haloes at the end of a periodic run. */
  haloes: boolean;
  /** In units of the mean separation. */
  linkingLength: number;
  leastMembers: number;
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
  cosmology: CosmologySettings;
  particles: ParticleComponent[];
  time: TimeSettings;
  output: OutputSettings;
}
