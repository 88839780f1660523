/** Which variant of the kernel sums a job: `gravmesh bench direct` measures all (docs/direct.md). */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { availableShapes, FORCE_SHAPES, type ForceShape } from "./force-shapes.ts";

/** A variant, and the jobs that it is for, unless one before it is. */
export interface ForceTier {
  shape: ForceShape;
  /** Fewer targets than this. */
  below: number;
  /** So many sources at least. */
  sources: number;
}

/** In ascending order of `below`; the last takes any job. */
export type ForceChoice = readonly ForceTier[];

const isFor = (sources: number) => (tier: ForceTier) => sources >= tier.sources;

/** The variant for so many targets and sources. */
export function shapeFor(choice: ForceChoice, targets: number, sources: number): ForceShape {
  return choice.filter(isFor(sources)).find(({ below }) => targets < below)!.shape;
}

/** A variant for jobs of `fewest` to `most` targets. */
export interface ForceSpan {
  shape: ForceShape;
  fewest: number;
  most: number;
}

/** The variants for any number of targets up to `targets`, in turn. */
export function shapesUpTo(choice: ForceChoice, targets: number, sources: number): ForceSpan[] {
  let fewest = 0;
  const spans = choice.filter(isFor(sources)).map(({ shape, below }) => {
    const span = { shape, fewest, most: Math.min(below - 1, targets) };
    fewest = Math.max(fewest, below);
    return span;
  });
  return spans.filter((span) => span.fewest <= span.most);
}

/** A variant's name, fewer targets than what it is for, and sources at least; any where left out. */
type Rule = readonly (readonly [name: string, below?: number, sources?: number])[];

/** Below so many sources a second kernel costs a processor more than sharing them out gains. */
const MANY_SOURCES = 2049;

/** Measured on processors, with subgroups and without, and on a GPU (docs/direct.md). */
const RULES = {
  lanes: [["split-subgroups", 512, MANY_SOURCES], ["subgroups"]],
  noLanes: [["split", 512, MANY_SOURCES], ["plain", 512], ["targets-4"]],
  gpu: [["split-tiles", 65_536], ["tiles"]],
} as const satisfies Record<string, Rule>;

/** One variant for any job. */
export const everywhere = (shape: ForceShape): ForceChoice => [{ shape, below: Number.POSITIVE_INFINITY, sources: 0 }];

/** The variants on an adapter: one that is named or pinned, or those of the rule for its kind. Throws "usage". */
export function shapesOn(gpu: GpuContext, wanted?: string): ForceChoice {
  const shapes = availableShapes(gpu);
  const names = shapes.map(({ name }) => name);
  const only = wanted ?? gpu.shapes?.pinned("direct", names);
  if (only !== undefined && !names.includes(only)) {
    const known = FORCE_SHAPES.some(({ name }) => name === only) ? ", which this adapter can't run" : "";
    throw new GravmeshError(
      "usage",
      `kernel shape of the direct sum: expected one of ${names.join(", ")}, found "${only}"${known}`,
    );
  }
  const kind = !gpu.adapter.software ? "gpu" : names.includes("subgroups") ? "lanes" : "noLanes";
  const rule: Rule = only === undefined ? RULES[kind] : [[only]];
  return rule.map(([name, below = Number.POSITIVE_INFINITY, sources = 0]) => {
    return { shape: shapes.find((shape) => shape.name === name)!, below, sources };
  });
}
