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
/** Many targets; on an adapter that does these within QUICK [ms], so many more that it is kept busy. */
const MANY: Size = { targets: 8192, sources: 4096 };
const MANY_MORE: Size = { targets: 131_072, sources: 16_384 };
const QUICK = 4;
/** Where the shape for few targets is held against that for many, while a measurement takes less than PATIENCE [ms]. */
const BETWEEN: readonly Size[] = [1024, 4096, 16_384, 65_536].map((targets) => ({ targets, sources: 8192 }));
const PATIENCE = 500;
/** Most targets of a workgroup in a shape that competes where targets are few. */
const SMALL_GROUP = 128;

/** All shapes are measured for this; for other kinds those that read sources in the way that won here. */
const FIRST: ForceKind = { order: "acceleration", precision: "single" };

/** Measures, or remembers: the choice for a kind of force on this adapter. */
export async function measuredChoice(gpu: GpuContext, kind: ForceKind, make: ForceMaker): Promise<ForceChoice> {
  const shapes = availableShapes(gpu);
  const known = remembered(gpu, kind, shapes);
  if (known) return known;
  const isFirst = kind.order === FIRST.order && kind.precision === FIRST.precision;
  const first = isFirst ? undefined : await measuredChoice(gpu, FIRST, make);
  const bench = new Bench(gpu, kind, make);
  try {
    const choice = await measure(bench, shapes, first);
    gpu.choices.set(keyOf(gpu, kind), namesOf(choice));
    return choice;
  } finally {
    bench.destroy();
  }
}

async function measure(bench: Bench, shapes: readonly ForceShape[], first?: ForceChoice): Promise<ForceChoice> {
  const like = (winner: ForceShape | undefined) => (shape: ForceShape) => !winner || shape.family === winner.family;
  const splits = shapes.filter(({ split }) => split);
  const wholes = shapes.filter(({ split }) => !split);
  const few = await bench.quickest(FEW, splits.filter(like(first?.few)));
  const small = wholes.filter(({ group, targets }) => group * targets <= SMALL_GROUP);
  const short = first?.short ?? (await bench.quickest(BRIEF, [few, ...small]));
  const large = wholes.filter(like(first?.many));
  const many = await bench.quickest((await bench.time(large[0], MANY)) < QUICK ? MANY_MORE : MANY, large);
  if (first) return { short, few, many, fewBelow: first.fewBelow };
  for (const size of BETWEEN) {
    const started = performance.now();
    if ((await bench.quickest(size, [few, many])) === many) return { short, few, many, fewBelow: size.targets };
    if (performance.now() - started > PATIENCE) return { short, few, many, fewBelow: 4 * size.targets };
  }
  return { short, few, many, fewBelow: 4 * BETWEEN[BETWEEN.length - 1].targets };
}

const keyOf = ({ adapter }: GpuContext, { order, precision }: ForceKind): string =>
  [adapter.vendor, adapter.architecture, adapter.description, `direct force shapes, ${order}, ${precision}`].join("|");

const namesOf = ({ short, few, many, fewBelow }: ForceChoice): string =>
  [short.name, few.name, many.name, fewBelow].join(" ");

function remembered(gpu: GpuContext, kind: ForceKind, shapes: readonly ForceShape[]): ForceChoice | undefined {
  const words = gpu.choices.get(keyOf(gpu, kind))?.split(" ") ?? [];
  const [short, few, many] = words.map((name) => shapes.find((shape) => shape.name === name));
  const fewBelow = Number(words[3]);
  return short && few && many && Number.isInteger(fewBelow) ? { short, few, many, fewBelow } : undefined;
}

/** Runs shapes on zeroed bodies: the time doesn't depend on where they are. */
class Bench {
  readonly #gpu: GpuContext;
  readonly #kind: ForceKind;
  readonly #make: ForceMaker;
  readonly #made = new Map<ForceShape, Awaited<ReturnType<ForceMaker>>>();
  readonly #owned: GPUBuffer[] = [];

  constructor(gpu: GpuContext, kind: ForceKind, make: ForceMaker) {
    this.#gpu = gpu;
    this.#kind = kind;
    this.#make = make;
  }

  async quickest(size: Size, among: readonly ForceShape[]): Promise<ForceShape> {
    const { order, precision } = this.#kind;
    const candidates = among.map(
      (shape): Candidate => ({ name: shape.name, run: (times) => this.#run(shape, size, times) }),
    );
    const purpose = `direct force, ${order}, ${precision}, ${size.targets} on ${size.sources}`;
    const name = await fastest(this.#gpu, purpose, candidates);
    return among.find((shape) => shape.name === name)!;
  }

  /** Of one run, warmed up [ms]. */
  async time(shape: ForceShape, size: Size): Promise<number> {
    await this.#run(shape, size, 1);
    const started = performance.now();
    await this.#run(shape, size, 1);
    return performance.now() - started;
  }

  async #run(shape: ForceShape, { targets, sources }: Size, times: number): Promise<void> {
    let forces = this.#made.get(shape);
    if (!forces) {
      forces = await this.#make({ ...this.#kind, softening: 1, shape: shape.name });
      this.#made.set(shape, forces);
    }
    const bodies = this.#buffer("bodies", Math.max(targets, sources) * bodyBytes(this.#kind.order));
    const result = this.#buffer("result", targets * forceBytes(this.#kind.order));
    const batch = this.#gpu.batch(`measuring direct force/${shape.name}`).stage("tuning");
    const job = { targets: bodies, targetCount: targets, sources: bodies, sourceCount: sources, result };
    for (let k = 0; k < times; k++) forces.encode(batch, job);
    await batch.submit();
  }

  #buffer(name: string, bytes: number): GPUBuffer {
    const label = `direct force measurement ${name}`;
    const fitting = this.#owned.find((buffer) => buffer.label === label && buffer.size >= bytes);
    if (fitting) return fitting;
    const buffer = this.#gpu.buffers.storage(label, bytes, "other");
    this.#owned.push(buffer);
    return buffer;
  }

  destroy(): void {
    this.#gpu.buffers.release(...this.#owned);
    for (const forces of this.#made.values()) forces.destroy();
  }
}
