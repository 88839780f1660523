/**
 * What a simulation asks of whatever evaluates its forces: the WebGPU pipeline (simulation.ts) and the
 * float64 CPU pipeline (reference/) implement it side by side.
 * Between calls the state is synchronous: positions and velocities belong to the same time.
 */
import type { StageTime } from "./gpu/timing.ts";
import type { ParticleSet, SavedArrays } from "./particles/state.ts";
import type { Sums } from "./particles/sums.ts";

export type { StageTime } from "./gpu/timing.ts";

/** Formats of an exact state, by what the forces are of and what they are computed on. */
export const STATE_FORMATS = {
  mesh: { webgpu: "webgpu-1", cpu: "cpu-1" },
  direct: { webgpu: "direct-webgpu-1", cpu: "direct-cpu-1" },
} as const;

/** What a state of this format was computed with; undefined for one of another version. */
export function originOf(format: string): { gravity: "mesh" | "direct"; backend: Backend["kind"] } | undefined {
  for (const gravity of ["mesh", "direct"] as const) {
    for (const backend of ["webgpu", "cpu"] as const) {
      if (STATE_FORMATS[gravity][backend] === format) return { gravity, backend };
    }
  }
  return undefined;
}

/** Exact state for a checkpoint: what restores identical bits. */
export interface ExactState {
  /** One of STATE_FORMATS: a checkpoint resumes only on the backend kind that wrote it. */
  format: string;
  arrays: SavedArrays;
  /** On the GPU: the kernel shapes that the run was computed with, by purpose. Others round differently. */
  choices?: Readonly<Record<string, string>> | undefined;
}

/**
 * Factors of n kick–drift–kick steps, in their order kicks[0], drifts[0], kicks[1], …, drifts[n − 1], kicks[n]: the
 * inner kicks are the half kicks before and after merged. Without a clock of its own a run has drifts dt and kicks dt,
 * half ones at the ends.
 */
export interface KickDriftFactors {
  /** [n + 1]: velocities gain kick · acceleration. */
  kicks: ArrayLike<number>;
  /** [n]: positions gain drift · velocity. */
  drifts: ArrayLike<number>;
}

export function uniformFactors(steps: number, dt: number): KickDriftFactors {
  const kicks = new Float64Array(steps + 1).fill(dt);
  kicks[0] = kicks[steps] = dt / 2;
  return { kicks, drifts: new Float64Array(steps).fill(dt) };
}

/** For backends that divide a step: how far it is, and how to stop within it. */
export interface AdvanceControl {
  /** Factors of the steps, of a clock that doesn't run evenly; uniform ones of dt when left out. */
  factors?: KickDriftFactors | undefined;
  /** Steps done, a fraction included. */
  onProgress?: (steps: number) => void;
  /**
   * Ends the advance with a GravmeshError of kind "aborted"; the state can be saved, and the next `advance` first
   * finishes the step that was begun.
   */
  signal?: AbortSignal | undefined;
}

/** What is read of the particles besides where they are and how they move. */
export interface ReadRequest {
  potential?: boolean;
  accelerations?: boolean;
}

export type ReadParticles = ParticleSet & { potential?: Float32Array; accelerations?: Float32Array };

export interface Backend {
  readonly kind: "webgpu" | "cpu";
  /** Advances by `steps` kick–drift–kick steps of `dt`, the inner half kicks merged. */
  advance(steps: number, dt: number, control?: AdvanceControl): Promise<void>;
  sums(): Promise<Sums>;
  /** Largest |a| and |v| over all particles, for the adaptive step. */
  extremes(): Promise<{ acceleration: number; speed: number }>;
  /** Particles in id order. `potential` and `accelerations` are present when asked for. */
  readParticles(want?: ReadRequest): Promise<ReadParticles>;
  saveState(): Promise<ExactState>;
  restoreState(state: ExactState): Promise<void>;
  /** Accumulated time per stage of the step, of this backend alone. */
  stageTimes(): StageTime[];
  /** Forgets the times so far, where preparing takes any. */
  resetTimes?(): void;
  /** Bytes held on the device, in all and per purpose. */
  memory(): { total: number; particles: number; mesh: number; other: number };
  /** What else there is to count, by name: "blocks", "particle steps"…; since the run's start: part of its state. */
  counters?(): Record<string, number>;
  destroy(): void;
}
