/** The interface of force backends. Between calls all particles are at one time. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { HostTraffic, StageTime } from "../../foundation/gpu/timing.ts";
import type { BlockRequest, ParticleBlock, ReadRequest } from "../../physics/particles/blocks.ts";
import type { OrbitRow } from "../../physics/particles/chosen.ts";
import type { AskRanks } from "../../physics/particles/rank-tasks.ts";
import type { Reductions } from "../../physics/particles/reductions.ts";
import type { ArrayInPieces, ArraysInPieces, SavedArray } from "../../physics/particles/saved-arrays.ts";
import type { ParticleSet, SavedArrays } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import type { Look } from "../../physics/particles/thinned.ts";
import type { HaloCatalogue } from "../diagnostics/friends-of-friends-catalogue.ts";
import type { FieldAtPoints } from "../diagnostics/point-field.ts";
import type { Spectrum } from "../diagnostics/power-spectrum.ts";
import type { StepWatch } from "../time/observer.ts";

export type { HostTraffic, StageTime } from "../../foundation/gpu/timing.ts";
export type { BlockRequest, ParticleBlock, ReadRequest } from "../../physics/particles/blocks.ts";
export type { OrbitRow } from "../../physics/particles/chosen.ts";
export type { FieldAtPoints } from "../diagnostics/point-field.ts";

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
}

/** The same with arrays that may come in pieces, valid as long as the state stays as it is. */
export interface StateInPieces extends Omit<ExactState, "arrays"> {
  arrays: ArraysInPieces;
}

/**
 * Velocities of a state; those that lack a kick have another name, which earlier versions don't take for synchronous.
 */
export function savedVelocities<V extends SavedArray | ArrayInPieces>(
  synchronous: V,
  halfway: { owed: number; velocities: V } | undefined,
): Record<string, V | Float64Array> {
  if (!halfway) return { velocities: synchronous };
  return { halfwayVelocities: halfway.velocities, owedKick: Float64Array.of(halfway.owed) };
}

/** The velocities of a state, and the kick that they lack where they aren't synchronous. */
export function velocitiesOf<V extends SavedArray | ArrayInPieces>({
  velocities,
  halfwayVelocities,
  owedKick,
}: Record<string, V>): { velocities: V | undefined; halfway: number | undefined } {
  return halfwayVelocities && owedKick instanceof Float64Array && owedKick.length === 1
    ? { velocities: halfwayVelocities, halfway: owedKick[0] }
    : { velocities, halfway: undefined };
}

/** Factors of n kick–drift–kick steps [n each]; a closing kick and the next opening one are applied as their sum. */
export interface KickDriftFactors {
  /** Velocities gain kick · acceleration before the drift … */
  openings: ArrayLike<number>;
  /** … positions gain drift · velocity … */
  drifts: ArrayLike<number>;
  /** … and velocities gain kick · acceleration after it. */
  closings: ArrayLike<number>;
}

/** The factors of equal steps, for a run without a clock of its own. */
export function uniformFactors(steps: number, dt: number): KickDriftFactors {
  const halves = new Float64Array(steps).fill(dt / 2);
  return { openings: halves, drifts: new Float64Array(steps).fill(dt), closings: halves };
}

/** Largest |a| [velocity/time] and |v| [velocity]. */
export interface Extremes {
  acceleration: number;
  speed: number;
}

/** Steps that are taken without a look at the state between them. */
export interface StepSegment {
  factors: KickDriftFactors;
  /** Times of the steps' beginnings and of the last one's end [n + 1]; without them, those that drifts lead to. */
  times?: ArrayLike<number>;
  /** The state is synchronous at its end. */
  last: boolean;
  /** The extremes at its end are to be noted; of velocities before the closing kick, but for the last segment. */
  measured: boolean;
  /** Gets the sums over the particles at its end, where the closing kick is applied as at that of the last one; not of ranks. */
  onSums?: ((sums: Sums) => void) | undefined;
}

/** Whether the state is synchronous at a segment's end. */
export const isClosed = ({ last, onSums }: StepSegment): boolean => last || onSums !== undefined;

/** Segments of steps. What was found at the end of one is noted before the second after it is asked for. */
export interface StepPlan {
  next(): StepSegment;
  note(extremes: Extremes): void;
}

export const plainPlan = (factors: KickDriftFactors): StepPlan => ({
  next: () => ({ factors, last: true, measured: false }),
  note: () => {},
});

/** Times of a segment [n + 1] that begins at `from`. */
export function timesOf({ factors: { drifts }, times }: StepSegment, from: number): ArrayLike<number> {
  if (times) return times;
  const found = [from];
  for (let i = 0; i < drifts.length; i++) found.push(found[i] + drifts[i]);
  return found;
}

export interface AdvanceControl {
  /** Steps done; of a backend that divides a step, a fraction included. */
  onProgress?: (steps: number) => void;
  /**
   * Stops the advance before its end; an advance from there gives the same bits. A backend that divides its steps may
   * stop within one, which the next `advance` finishes first.
   */
  pause?: AbortSignal | undefined;
  /** Stops it likewise, with a GravmeshError "aborted". */
  signal?: AbortSignal | undefined;
  /** Longest submission to the GPU [ms], half a second by default; a longer step is submitted by itself. */
  submission?: number | undefined;
  /** Stops the advance after so many steps at the latest; ignored by backends that divide their steps. */
  most?: number | undefined;
  /** A sampler gets some of the particles between submissions; of backends that have `looks`. */
  look?: Look | undefined;
}

/** Where an advance was stopped before its end. */
export interface Stopped {
  /** Steps done; of a backend that divides a step, a fraction included. */
  steps: number;
}

/** Whether an advance may go on: no signal has stopped it. */
export const goesOn = ({ pause, signal }: AdvanceControl): boolean => !(pause?.aborted || signal?.aborted);

/** Throws "aborted" where the signal has stopped it. */
export function stopped(steps: number, { signal }: AdvanceControl, what = "steps"): Stopped {
  if (signal?.aborted) throw new GravmeshError("aborted", `stopped after ${steps} ${what}`);
  return { steps };
}

export interface RankSharing {
  adapters: readonly string[];
  hosts: readonly string[];
  /** Which ranks solve the mesh for whom, or share out the forces, in words. */
  solvers: string;
}

export type ReadParticles = ParticleSet & { potential?: Float32Array; accelerations?: Float32Array };

export interface ModifiedPotentials {
  newton: Float32Array | Float64Array;
  /** That of the forces. */
  modified: Float32Array | Float64Array;
}

export interface Backend {
  readonly kind: "webgpu" | "cpu";
  /** Whether `follow` serves observers of the run in motion: a sampler of some of the particles, and sums between segments. */
  readonly looks?: true;
  /** Advances by `steps` kick–drift–kick steps of `dt`, the inner half kicks merged; undefined at their end. */
  advance(steps: number, dt: number, control?: AdvanceControl): Promise<Stopped | undefined>;
  /** The same along a plan of steps that needn't be equal; left out by backends that divide their steps. */
  follow?(plan: StepPlan, control?: AdvanceControl): Promise<Stopped | undefined>;
  /** These, and no earlier ones, watch the steps of `follow`; left out by backends that divide their steps. */
  watch?(watches: readonly StepWatch[]): Promise<void>;
  /** The present state of chosen particles, `ids` ascending; left out where all may be read for it. */
  readChosen?(ids: Uint32Array): Promise<Omit<OrbitRow, "step">>;
  sums(): Promise<Sums>;
  /** Sets the time of the present state; left out where no potential depends on it. */
  beginAt?(time: number): void;
  extremes(): Promise<Extremes>;
  /** Particles in id order. `potential` and `accelerations` are present when asked for. */
  readParticles(want?: ReadRequest): Promise<ReadParticles>;
  /** The same in blocks of ids, one after another; the state must stay as it is until the last. */
  readBlocks(want?: BlockRequest): AsyncIterable<ParticleBlock>;
  /**
   * The field of the particles and of the external potentials at `points` [3K, box coordinates], which act on nothing; left
   * out where ranks share the particles. Throws "input" for non-finite coordinates.
   */
  fieldAt?(points: Float64Array): Promise<FieldAtPoints>;
  /** The same at the particles, in float64; left out where it is float32 anyway. */
  ownField?(): Promise<FieldAtPoints>;
  /** Centres of the levels that are in use, as they are now [levels × 3, box coordinates]. */
  levelCentres?(): Promise<number[][]>;
  /** Potentials on the mesh [n³] [velocity²] where gravity is modified and some particle has mass. */
  modifiedPotentials?(): Promise<ModifiedPotentials | undefined>;
  /** Maps, centres, radii, profiles on the device; left out where particles are read by blocks instead. */
  reductions?(): Reductions;
  /** Power spectrum and friends-of-friends haloes of a periodic box, where they needn't be found in float64. */
  powerSpectrum?(request: { cells: number; subtractShotNoise?: boolean }): Promise<Spectrum>;
  haloes?(request: { linking: number; minimumMembers: number }): Promise<HaloCatalogue>;
  /** Has each rank do something with its own particles; left out where all particles are here. */
  readonly onRanks?: AskRanks;
  saveState(): Promise<ExactState>;
  /** The same to be written somewhere piece by piece; left out where all is in memory anyway. */
  saveInPieces?(): Promise<StateInPieces>;
  restoreState(state: StateInPieces): Promise<void>;
  /** Accumulated time per stage, of this backend alone. */
  stageTimes(): StageTime[];
  stageTimesOfRanks?(): Promise<StageTime[][]>;
  readonly sharing?: RankSharing;
  /** Has stages timed even where that takes a submission and a wait for every one of them. */
  timeStages?(): void;
  /** Forgets the times and the traffic so far, where preparing takes any. */
  resetTimes?(): void;
  /** Submissions, waits and bytes read back; undefined where there is no device. */
  traffic?(): HostTraffic;
  /** Bytes held on the device, in all and per purpose. */
  memory(): { total: number; particles: number; mesh: number; other: number };
  /** Further counts since the run's start, by name: "blocks", "particle steps" … */
  counters?(): Record<string, number>;
  destroy(): void;
}
