/** What a Poisson solver on the GPU does for a step, and its settings. */
import type { Batch, HostStage } from "../../../foundation/gpu/batch.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import type { ArraysInPieces } from "../../../physics/particles/saved-arrays.ts";
import type { FftShape } from "../fft/fft-plan.ts";
import type { Assignment, GradientScheme, GreenFunction, IsolatedKernel } from "../settings.ts";

export interface PoissonSolver extends HostStage {
  /** Of a solution by two meshes the coarse one, which has its potential from a solve until the next. */
  readonly coarse?: GPUBuffer | undefined;
  /** What massive neutrinos multiply the potential by from now on, by |m| (neutrino-force.ts); where `neutrinos` was wanted. */
  encodeResponse?(batch: Batch, factors: Float64Array): void;
  /** [n³] Newton's potential of the last solve in modified gravity [velocity²]; left out where there is no other. */
  newtonPotential?(): Promise<Float32Array>;
  /** What a resumed run needs for the same bits, by the names that the checkpoint has for it. */
  saveState?(): ArraysInPieces;
  /** The next solve is for the particles of that state. Throws "input" for the state of another mesh. */
  restoreState?(arrays: ArraysInPieces): Promise<void>;
  destroy(): void;
}

/** What every solver solves. */
export interface PoissonProblem {
  /** A periodic solution, or that of open space. */
  boundary: Boundary;
  /** Side of the grid [length]. */
  boxSize: number;
  /** [length³/(mass·time²)] */
  G: number;
  /** What one unit of `field` and `high` stands for [mass]. */
  massUnit: number;
  /** Units on the mesh in all. Given, a periodic solver subtracts the mean exactly before rounding to float. */
  totalUnits?: number;
}

export interface PoissonSettings extends PoissonProblem {
  /** Periodic Green's function. */
  green: GreenFunction;
  /** Open-space kernel of an isolated mesh. */
  kernel: IsolatedKernel;
  /** What a split solution undoes the smoothing of. */
  assignment: Assignment;
  /** The smooth part alone, to which pairs of particles add the rest (P³M). */
  smooth?: boolean | undefined;
  /** Whether massive neutrinos are to act; of a periodic solution. */
  neutrinos?: boolean;
  /** "spectral": also write the force mesh, −∇φ by −ikφ̂, and φ. */
  gradient: GradientScheme;
  /** By the kind of adapter when left out. */
  shape?: FftShape;
}
