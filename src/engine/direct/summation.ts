/** What direct sums on the GPU (gpu-summation.ts) and in float64 (reference/direct) are asked; masses contain G. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { BodyArrays, ForceArrays } from "./bodies.ts";
import type { NewSources, SourceFields } from "./source-records.ts";

/** In place of an id: there is no other body. No source may have it. */
export const NO_NEIGHBOUR = 0xffffffff;

/** Bodies on which the sources act: a set of their own, or rows of the sources; all sources when left out. */
export type EngineTargets = TargetSet | { rows: Uint32Array } | undefined;

/** Targets that needn't be sources; the id of one that isn't is NO_NEIGHBOUR. */
export type TargetSet = Omit<BodyArrays, "masses">;

/** For evaluations that last. */
export interface EvaluationControl {
  /** Called after every part of the work with the fraction done, 0 … 1. */
  onProgress?: (fraction: number) => void;
  /** Ends the evaluation with a GravmeshError of kind "aborted" before the next part; the sources stay as they are. */
  signal?: AbortSignal;
}

export interface Neighbours {
  /** [N] id of the nearest source of another id, the smallest of several; NO_NEIGHBOUR without one. */
  nearestIds: Uint32Array;
  /** [N] its unsoftened distance [length]; infinite without one. */
  nearestDistances: Float64Array;
  /** Lists of the sources closer than the radii that were given. */
  lists?: NeighbourLists;
}

/** Ids of the neighbours of targets, `capacity` places each. */
export interface NeighbourLists {
  capacity: number;
  /** [N] true number of neighbours, also where it exceeds the capacity. */
  counts: Uint32Array;
  /** [capacity·N] ids in source order, those of target t from capacity·t on; NO_NEIGHBOUR where there are no more. */
  ids: Uint32Array;
  /** Targets with more neighbours than the capacity: listed are the first of them. */
  overflowed: Uint32Array;
}

export interface NeighbourSearch {
  /** [N] sources closer than this to a target are listed [length]; no lists when left out. */
  radii?: Float64Array | undefined;
  /** Ids that a list holds. */
  capacity: number;
}

/** Sources at the time that they stand at. */
export interface SourceState {
  /** [3N, xyzxyz…] [length] */
  positions: Float64Array;
  /** [3N]; with jerk and snap. */
  velocities?: Float64Array;
  /** [3N]; with snap. */
  accelerations?: Float64Array;
  /** [N] G·m */
  masses: Float64Array;
  ids: Uint32Array;
}

/** Body records on the GPU (bodies.ts), a block of rows each. */
export interface SourceBuffers {
  /** Positions are relative to it [length]. */
  origin: readonly [number, number, number];
  /** Bytes of a body record. */
  bodyBytes: number;
  blocks: readonly { first: number; count: number; bodies: GPUBuffer }[];
}

export interface SummationEngine {
  readonly kind: "webgpu" | "cpu";
  /** Sources. */
  readonly count: number;
  /** Replaces all sources; they stand at their own times. */
  setSources(sources: NewSources): Promise<void>;
  /** Overwrites the given fields of rows, each listed once. */
  updateSources(rows: Uint32Array, fields: SourceFields): Promise<void>;
  /** Sources stand at `time` from now on; each at its own for undefined. */
  predict(time: number | undefined): Promise<void>;
  forces(targets: EngineTargets, control: EvaluationControl): Promise<ForceArrays>;
  neighbours(targets: EngineTargets, search: NeighbourSearch, control: EvaluationControl): Promise<Neighbours>;
  readSources(): Promise<SourceState>;
  destroy(): void;
}

/** Results with nothing found yet. */
export function noNeighbours(count: number, { radii, capacity }: NeighbourSearch): Neighbours {
  const found: Neighbours = {
    nearestIds: new Uint32Array(count).fill(NO_NEIGHBOUR),
    nearestDistances: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  };
  if (radii) {
    const ids = new Uint32Array(count * capacity).fill(NO_NEIGHBOUR);
    found.lists = { capacity, counts: new Uint32Array(count), ids, overflowed: new Uint32Array(0) };
  }
  return found;
}

/** The results once all is found: with the targets whose true count exceeds the capacity. */
export function withOverflows(found: Neighbours): Neighbours {
  const { lists } = found;
  if (lists) lists.overflowed = Uint32Array.from(lists.counts.keys()).filter((t) => lists.counts[t] > lists.capacity);
  return found;
}

/** Throws "aborted" when the caller wants no more. */
export function throwIfAborted({ signal }: EvaluationControl): void {
  if (!signal?.aborted) return;
  throw new GravmeshError("aborted", "direct sum: the caller's signal ended it; the sources stay as they are");
}
