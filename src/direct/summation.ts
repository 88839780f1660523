/**
 * What a direct sum is asked for and what it answers, and the engines behind it: the GPU's (gpu-summation.ts) and the
 * float64 one on the CPU (reference/direct/summation.ts) implement `SummationEngine` side by side. Engines get checked
 * arrays (summation-input.ts); masses contain G.
 */
import type { ForceArrays } from "./bodies.ts";
import type { NewSources, SourceFields } from "./source-records.ts";

/** In place of an id: there is no other body. No source may have it. */
export const NO_NEIGHBOUR = 0xffffffff;

/** Bodies on which the sources act: a set of their own, or rows of the sources; all sources when left out. */
export type EngineTargets = TargetSet | { rows: Uint32Array } | undefined;

/** Targets that needn't be sources. */
export interface TargetSet {
  count: number;
  /** [3N, xyzxyz…] [length] */
  positions: Float64Array;
  /** [3N]; with jerk and snap. */
  velocities?: Float64Array;
  /** [3N]; with snap. */
  accelerations?: Float64Array;
  /** [N]; NO_NEIGHBOUR for a target that is no source. */
  ids: Uint32Array;
}

/** For evaluations that last. */
export interface EvaluationControl {
  /** Called after every part of the work with the fraction done, 0 … 1. */
  onProgress?: (fraction: number) => void;
  /** Ends the evaluation with a GravmeshError of kind "aborted" before the next part; the sources stay as they are. */
  signal?: AbortSignal;
}

export interface NearestNeighbours {
  /** [N] id of the nearest source of another id, the smallest of several; NO_NEIGHBOUR without one. */
  nearestIds: Uint32Array;
  /** [N] its unsoftened distance [length]; infinite without one. */
  nearestDistances: Float64Array;
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
  radii?: Float64Array;
  /** Ids that a list holds. */
  capacity: number;
}

export interface Neighbours extends NearestNeighbours {
  lists?: NeighbourLists;
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
  const nearest: NearestNeighbours = {
    nearestIds: new Uint32Array(count).fill(NO_NEIGHBOUR),
    nearestDistances: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  };
  if (!radii) return nearest;
  const lists = {
    capacity,
    counts: new Uint32Array(count),
    ids: new Uint32Array(count * capacity).fill(NO_NEIGHBOUR),
    overflowed: new Uint32Array(0),
  };
  return { ...nearest, lists };
}

/** Targets whose true count exceeds the capacity. */
export function overflowsOf(counts: Uint32Array, capacity: number): Uint32Array {
  const targets: number[] = [];
  counts.forEach((count, target) => {
    if (count > capacity) targets.push(target);
  });
  return Uint32Array.from(targets);
}
