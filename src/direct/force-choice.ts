/**
 * Which kernel shape sums a job: by how many targets and sources it has, and by the kind of adapter. `gravmesh bench direct`
 * measures all shapes on an adapter.
 *   fewest  targets, many sources: fewer than keep a workgroup busy
 *   few     targets, many sources: the shapes that share out the sources
 *   short   few targets, few sources: what a second kernel costs counts
 *   middle  too many to share out the sources, too few to unroll targets: on adapters with many processors
 *   many    targets
 */
import type { GpuContext } from "../gpu/context.ts";
import { availableShapes, type ForceShape } from "./force-shapes.ts";

export interface ForceChoice {
  short: ForceShape;
  fewest: ForceShape;
  few: ForceShape;
  middle: ForceShape;
  many: ForceShape;
  /** Fewer targets than this are the fewest; 0: `few` serves for them, too. */
  fewestBelow: number;
  /** Fewer targets than this are few; fewer than `middleBelow` are not many. */
  fewBelow: number;
  middleBelow: number;
}

/** Up to this many sources are few, too. */
const SHORT = 2048;

/** The shape for so many targets and sources. */
export function shapeFor(choice: ForceChoice, targets: number, sources: number): ForceShape {
  if (targets >= choice.middleBelow) return choice.many;
  if (targets >= choice.fewBelow) return choice.middle;
  if (sources <= SHORT) return choice.short;
  return targets < choice.fewestBelow ? choice.fewest : choice.few;
}

/**
 * The shapes for any number of targets up to `targets`, in turn, each with the first number that it isn't meant for. A
 * shape without a second kernel serves twice as many as it is best for, if that spares the dispatch of another; for the
 * fewest there is none of their own, whose two dispatches all others would pay for.
 */
export function shapesUpTo(
  choice: ForceChoice,
  targets: number,
  sources: number,
): { shape: ForceShape; below: number }[] {
  const end = targets + 1;
  const found: { shape: ForceShape; below: number }[] = [];
  for (const [shape, below] of [
    [sources <= SHORT ? choice.short : choice.few, choice.fewBelow],
    [choice.middle, choice.middleBelow],
    [choice.many, end],
  ] as const) {
    const last = found.at(-1);
    if (Math.min(below, end) <= (last?.below ?? 1)) continue;
    const reach = !shape.split && end <= 2 * below ? end : Math.min(below, end);
    if (last?.shape === shape) last.below = reach;
    else found.push({ shape, below: reach });
  }
  return found;
}

/** Names of shapes, with the numbers of targets at which they part. */
type Rule = { [K in keyof ForceChoice]: ForceChoice[K] extends number ? number : string };

/** Measured on processors (docs/performance.md); on GPUs by reasoning alone. */
const RULES = {
  lanes: {
    ...{ short: "subgroups", fewest: "split-slices", few: "split-subgroups" },
    ...{ middle: "subgroups-targets-4", many: "subgroups-targets-4", fewestBelow: 3, fewBelow: 512, middleBelow: 512 },
  },
  noLanes: {
    ...{ short: "plain", fewest: "split-slices", few: "split", middle: "targets-4", many: "targets-4" },
    ...{ fewestBelow: 9, fewBelow: 512, middleBelow: 512 },
  },
  gpu: {
    ...{ short: "split-tiles", fewest: "split-slices", few: "split-tiles", middle: "tiles", many: "tiles-targets-4" },
    ...{ fewestBelow: 9, fewBelow: 2048, middleBelow: 65_536 },
  },
} satisfies Record<string, Rule>;

/** One shape for jobs of any size. */
export function everywhere(shape: ForceShape): ForceChoice {
  const all = { short: shape, fewest: shape, few: shape, middle: shape, many: shape };
  return { ...all, fewestBelow: 0, fewBelow: 0, middleBelow: 0 };
}

/** The shapes on an adapter: one that is pinned, or those of the rule for its kind. Throws "usage". */
export function shapesOn(gpu: GpuContext): ForceChoice {
  const shapes = availableShapes(gpu);
  const named = (name: string) => shapes.find((shape) => shape.name === name)!;
  const pinned = gpu.shapes?.pinned(
    "direct",
    shapes.map(({ name }) => name),
  );
  if (pinned) return everywhere(named(pinned));
  const lanes = shapes.some(({ family }) => family === "subgroups");
  const rule = gpu.adapter.software ? RULES[lanes ? "lanes" : "noLanes"] : RULES.gpu;
  const { short, fewest, few, middle, many, ...numbers } = rule;
  return {
    ...{ short: named(short), fewest: named(fewest), few: named(few), middle: named(middle), many: named(many) },
    ...numbers,
  };
}
