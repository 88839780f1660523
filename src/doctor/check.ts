/**
 * A check of `gravmesh doctor --report`: something that kernels compute beside their twin, the same in float64 or exact
 * integers on the host, and how far they may be apart. Small fixed sizes: a check takes a second or a few.
 */

import { GpuContext } from "../gpu/context.ts";
import type { ProbeCheck } from "../gpu/probe.ts";
import { pinnedShapes, type ShapePins } from "../gpu/shapes.ts";

/** One figure that was compared. */
export interface Comparison {
  what: string;
  /** As `measure` says; null where it is no finite number. */
  error: number | null;
  /** At most; null where a check tells it in its own words, as `detail` has them. */
  allowed: number | null;
  measure: "rms difference over rms" | "largest difference over largest" | "values that differ" | "as told";
  passed: boolean;
  detail?: string;
}

export interface Check {
  /** "deposit, cic, periodic" */
  name: string;
  /** The stage of docs/architecture.md that it belongs to. */
  part: string;
  /** What the kernels are held against. */
  twin: string;
  run(gpu: GpuContext): Promise<Comparison[]>;
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

function judged(what: string, error: number, allowed: number, measure: Comparison["measure"]): Comparison {
  return { what, error: finite(error), allowed, measure, passed: error <= allowed };
}

/** Root mean square of the difference over that of what is expected; infinite where a number is none. */
export function rmsError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (found.length !== expected.length) return Number.POSITIVE_INFINITY;
  let [difference, square] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference += (found[i] - expected[i]) ** 2;
    square += expected[i] ** 2;
  }
  const error = difference === 0 ? 0 : Math.sqrt(difference / square);
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

type Compare = (what: string, found: ArrayLike<number>, expected: ArrayLike<number>, allowed: number) => Comparison;

export const close: Compare = (what, found, expected, allowed) =>
  judged(what, rmsError(found, expected), allowed, "rms difference over rms");

/** By the largest difference, for values of which few are large. */
export const nowhereFar: Compare = (what, found, expected, allowed) => {
  let [error, size] = [found.length === expected.length ? 0 : Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(found[i] - expected[i]);
    if (!(difference <= error)) error = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    size = Math.max(size, Math.abs(expected[i]));
  }
  return judged(what, error === 0 ? 0 : error / size, allowed, "largest difference over largest");
};

/** Integers, or floats that must have the same bits. */
export function same(what: string, found: ArrayLike<number>, expected: ArrayLike<number>): Comparison {
  let differing = Math.abs(found.length - expected.length);
  for (let i = 0; i < Math.min(found.length, expected.length); i++) if (!Object.is(found[i], expected[i])) differing++;
  return judged(what, differing, 0, "values that differ");
}

/** A check that has judged itself. */
export function asTold({ name, passed, detail }: ProbeCheck): Comparison {
  return { what: name, error: null, allowed: null, measure: "as told", passed, detail };
}

/** Which kernel variants are usual depends on whether an adapter is a processor: those of the other kind are checked, too. */
export const asOtherKind = ({ adapter }: GpuContext): GpuContext["adapter"] => ({
  ...adapter,
  software: !adapter.software,
});

/** The same device with other wishes, and without measurements where nothing is wished for. */
export async function onContext<T>(
  gpu: GpuContext,
  wishes: { shapes?: ShapePins; windows?: GpuContext["windows"]; adapter?: GpuContext["adapter"] },
  use: (context: GpuContext) => Promise<T>,
): Promise<T> {
  const { shapes = pinnedShapes("usual"), windows, adapter = gpu.adapter } = wishes;
  const context = new GpuContext(gpu.device, adapter, { owned: false, parent: gpu, shapes, windows });
  try {
    return await use(context);
  } finally {
    context.destroy();
  }
}

/** Deterministic numbers in [0, 1): Numerical Recipes' linear congruence. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
