/**
 * Which kernel shape sums a job, by how many targets and sources it has: chosen once per adapter, order and precision
 * by measurements of a fraction of a second, and remembered (src/gpu/tune.ts).
 *   few    targets, many sources: the shapes that share out the sources compete
 *   short  few targets, few sources: what a second kernel costs counts
 *   many   targets
 */
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { type Candidate, fastest } from "../gpu/tune.ts";
import type { Precision } from "../scenario/scenario.ts";
import { bodyBytes, type ForceOrder, forceBytes } from "./bodies.ts";
import { availableShapes, type ForceShape } from "./force-shapes.ts";

export interface ForceChoice {
  short: ForceShape;
  few: ForceShape;
  many: ForceShape;
  /** Fewer targets than this are few. */
  fewBelow: number;
}

/** Up to this many sources are few, too. */
const SHORT = 2048;

/** The shape for few targets of so many sources, and how many targets are few: fewer than `below`. */
export function shapeFor(choice: ForceChoice, targets: number, sources: number): ForceShape {
  if (targets >= choice.fewBelow) return choice.many;
  return sources <= SHORT ? choice.short : choice.few;
}

/** What a choice is for. */
export interface ForceKind {
  order: ForceOrder;
  precision: Precision;
}

/** Makes what is measured: a direct sum of one shape. */
export type ForceMaker = (options: ForceKind & { softening: number; shape: string }) => Promise<{
  encode(
    batch: Batch,
    job: { targets: GPUBuffer; targetCount: number; sources: GPUBuffer; sourceCount: number; result: GPUBuffer },
  ): void;
  destroy(): void;
}>;

interface Size {
  targets: number;
  sources: number;
}

const FEW: Size = { targets: 16, sources: 32_768 };
const BRIEF: Size = { targets: 16, sources: 1024 };
const MANY: Size = { targets: 8192, sources: 4096 };
/** Where the shape for few targets is held against that for many. */
const BETWEEN: readonly Size[] = [1024, 4096, 16_384].map((targets) => ({ targets, sources: 8192 }));
const MOST_TARGETS = 16_384;
/** Most targets of a workgroup in a shape that competes where targets are few. */
const SMALL_GROUP = 128;

/** All shapes are measured for this; for other kinds only those that read sources in the way that won here. */
const FIRST: ForceKind = { order: "acceleration", precision: "single" };

/** Measures, or remembers: the choice for a kind of force on this adapter. */
export async function measuredChoice(gpu: GpuContext, kind: ForceKind, make: ForceMaker): Promise<ForceChoice> {
  const bench = new Bench(gpu, make);
  try {
    const isFirst = kind.order === FIRST.order && kind.precision === FIRST.precision;
    const first = await choice(gpu, FIRST, bench);
    return isFirst ? first : await choice(gpu, kind, bench, first);
  } finally {
    await bench.destroy();
  }
}

async function choice(gpu: GpuContext, kind: ForceKind, bench: Bench, first?: ForceChoice): Promise<ForceChoice> {
  const shapes = availableShapes(gpu);
  const quickest = async (size: Size, among: readonly ForceShape[]): Promise<ForceShape> => {
    const candidates = among.map(
      ({ name }): Candidate => ({ name, run: (times) => bench.run(kind, name, size, times) }),
    );
    const purpose = `direct force, ${kind.order}, ${kind.precision}, ${size.targets} on ${size.sources}`;
    const name = await fastest(gpu, purpose, candidates);
    return shapes.find((shape) => shape.name === name)!;
  };
  const like = (winner: ForceShape | undefined) => (shape: ForceShape) => !winner || shape.family === winner.family;
  const splits = shapes.filter(({ split }) => split);
  const wholes = shapes.filter(({ split }) => !split);
  const few = await quickest(FEW, splits.filter(like(first?.few)));
  const small = wholes.filter(({ group, targets }) => group * targets <= SMALL_GROUP);
  const short = await quickest(BRIEF, first ? [first.short] : [few, ...small]);
  const many = await quickest(MANY, wholes.filter(like(first?.many)));
  let fewBelow = 4 * BETWEEN[BETWEEN.length - 1].targets;
  for (const size of BETWEEN) {
    if ((await quickest(size, [few, many])) === few) continue;
    fewBelow = size.targets;
    break;
  }
  return { short, few, many, fewBelow };
}

/** Runs shapes on zeroed bodies: the time doesn't depend on where they are. Nothing is made before it is needed. */
class Bench {
  readonly #gpu: GpuContext;
  readonly #make: ForceMaker;
  readonly #made = new Map<string, ReturnType<ForceMaker>>();
  #buffers: { bodies: GPUBuffer; result: GPUBuffer } | undefined;

  constructor(gpu: GpuContext, make: ForceMaker) {
    this.#gpu = gpu;
    this.#make = make;
  }

  async run(kind: ForceKind, shape: string, { targets, sources }: Size, times: number): Promise<void> {
    const key = `${kind.order} ${kind.precision} ${shape}`;
    if (!this.#made.has(key)) this.#made.set(key, this.#make({ ...kind, softening: 1, shape }));
    const forces = await this.#made.get(key)!;
    const { buffers } = this.#gpu;
    this.#buffers ??= {
      bodies: buffers.storage("direct force measurement", FEW.sources * bodyBytes("snap"), "other"),
      result: buffers.storage("direct force measurement result", MOST_TARGETS * forceBytes("snap"), "other"),
    };
    const { bodies, result } = this.#buffers;
    const batch = this.#gpu.batch(`measuring direct force/${shape}`).stage("tuning");
    const job = { targets: bodies, targetCount: targets, sources: bodies, sourceCount: sources, result };
    for (let k = 0; k < times; k++) forces.encode(batch, job);
    await batch.submit();
  }

  async destroy(): Promise<void> {
    this.#gpu.buffers.release(this.#buffers?.bodies, this.#buffers?.result);
    for (const made of await Promise.allSettled(this.#made.values())) {
      if (made.status === "fulfilled") made.value.destroy();
    }
  }
}
