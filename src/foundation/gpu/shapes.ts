/** Variants ("shapes") of kernels, all with the same bits: a rule says which is taken, and users may pin another. */
import { GravmeshError } from "../base/errors.ts";
import type { AdapterSummary } from "./adapter.ts";

/** Stages whose kernels have several variants. */
export const SHAPED_STAGES = [
  "scan",
  "order",
  "deposit",
  "gradient",
  "update",
  "multigrid",
  "direct",
  "pairs",
] as const;

export type ShapedStage = (typeof SHAPED_STAGES)[number];

/** Variants that are taken whatever the rule says. */
export interface ShapePins {
  /** The variant of a stage; undefined leaves it to the rule. Throws "usage" for one that isn't among `shapes`. */
  pinned(stage: ShapedStage, shapes: readonly string[]): string | undefined;
}

/** Pins as a user writes them, "deposit=direct; update=1 in a run"; "usual" is none. Throws "usage". */
export function pinnedShapes(text: string): ShapePins {
  const pins = new Map<ShapedStage, string>();
  for (const part of text.split(";").map((one) => one.trim())) {
    if (part === "" || part === "usual") continue;
    const [name, shape] = part.split("=").map((word) => word.trim());
    const stage = SHAPED_STAGES.find((known) => known === name);
    if (!stage || !shape) {
      const stages = SHAPED_STAGES.join(", ");
      throw new GravmeshError(
        "usage",
        `kernel shapes: expected stage=shape, with a stage of ${stages}, found "${part}"`,
      );
    }
    pins.set(stage, shape);
  }
  return {
    pinned(stage, shapes) {
      const shape = pins.get(stage);
      if (shape === undefined || shapes.includes(shape)) return shape;
      throw new GravmeshError(
        "usage",
        `kernel shape of the stage "${stage}": expected one of ${shapes.join("; ")}, found "${shape}"`,
      );
    },
  };
}

export interface ShapeGround {
  adapter: Pick<AdapterSummary, "software">;
  shapes: ShapePins | undefined;
}

/** The variant that is pinned for a stage, else `rule`. Throws "usage". */
function shapeOf<T extends string>(
  { shapes }: Pick<ShapeGround, "shapes">,
  stage: ShapedStage,
  offered: readonly T[],
  rule: T,
): T {
  const pinned = offered.length > 1 ? shapes?.pinned(stage, offered) : undefined;
  return offered.find((shape) => shape === pinned) ?? rule;
}

/** The same where the kind of adapter is the rule: processors (software adapters) or GPUs. */
export function shapeByKind<T extends string>(
  gpu: ShapeGround,
  stage: ShapedStage,
  offered: readonly T[],
  { processor, gpu: onGpu }: { processor: T; gpu: T },
): T {
  return shapeOf(gpu, stage, offered, gpu.adapter.software ? processor : onGpu);
}
