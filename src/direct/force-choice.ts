/**
 * Which kernel shape sums a job, by how many targets and sources it has: known for adapters that run on the CPU; on GPUs
 * chosen once per adapter, order and precision by measurements of a fraction of a second, and remembered
 * (src/gpu/tune.ts). While the answer to one of its questions is in doubt, later starts ask that one again.
 *   fewest  targets, many sources: fewer than keep a workgroup busy
 *   few     targets, many sources: the shapes that share out the sources compete
 *   short   few targets, few sources: what a second kernel costs counts
 *   middle  too many to share out the sources, too few to unroll targets: on adapters with many processors
 *   many    targets
 */
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { Stopwatch } from "../gpu/stopwatch.ts";
import { fastest } from "../gpu/tune.ts";
import { bodyBytes, type ForceOrder, forceBytes } from "./bodies.ts";
import { availableShapes, type ForceShape } from "./force-shapes.ts";
import type { Precision } from "./settings.ts";

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

/** What a choice is for. */
export interface ForceKind {
  order: ForceOrder;
  precision: Precision;
}

/**
 * What wins on software adapters with and without subgroups, in the words of `namesOf`: invocations that are lanes of a
 * processor leave little to measure, and compiling the rivals takes them half a minute. GPUs are measured.
 */
const SOFTWARE = [
  "subgroups split-slices split-subgroups subgroups-targets-4 subgroups-targets-4 3 512 512",
  "plain split-slices split targets-4 targets-4 9 512 512",
];

/** What a GPU should do best with, for those who don't want it measured; itself never measured. */
const HARDWARE = "split-tiles split-slices split-tiles tiles tiles-targets-4 9 2048 65536";

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

/** Numbers of targets, each double the last, at which slices an invocation compete with targets an invocation. */
const FEWEST: readonly Size[] = [1, 2, 4, 8].map((targets) => ({ targets, sources: 131_072 }));
const FEW: Size = { targets: 16, sources: 32_768 };
const BRIEF: Size = { targets: 16, sources: 1024 };
/** Many targets. An adapter that does these within QUICK [ms] has a middle, and takes more to be busy. */
const MANY: Size = { targets: 8192, sources: 4096 };
const QUICK = 1;
const MIDDLE: Size = { targets: 32_768, sources: 8192 };
const MANY_MORE: Size = { targets: 524_288, sources: 8192 };
/** Where shapes are held against those for more targets, while a measurement takes less than PATIENCE [ms]. */
const BETWEEN: readonly Size[] = [512, 1024, 4096, 16_384, 65_536, 262_144].map((targets) => ({
  targets,
  sources: 8192,
}));
const PATIENCE = 500;
/** At this many targets, sums of slices would take more memory than they are worth. */
const MOST_FEW = 32_768;
/** Most targets of a workgroup in a shape that competes where targets are few. */
const SMALL_GROUP = 128;

/** All shapes are measured for this; for other kinds those that read sources in the way that won here. */
const FIRST: ForceKind = { order: "acceleration", precision: "single" };

/** One shape for jobs of any size. */
export function everywhere(shape: ForceShape): ForceChoice {
  const all = { short: shape, fewest: shape, few: shape, middle: shape, many: shape };
  return { ...all, fewestBelow: 0, fewBelow: 0, middleBelow: 0 };
}

/** The choice for a kind of force on this adapter: pinned, known, remembered, or measured. */
export async function measuredChoice(gpu: GpuContext, kind: ForceKind, make: ForceMaker): Promise<ForceChoice> {
  const shapes = availableShapes(gpu);
  const likely = (gpu.adapter.software ? SOFTWARE : [HARDWARE]).find((names) => named(names, shapes));
  const names = shapes.map(({ name }) => name);
  const pinned = gpu.choices.pinned("direct", names, likely);
  const fixed = shapes.find(({ name }) => name === pinned);
  if (fixed) return everywhere(fixed);
  const known = named(pinned ?? gpu.choices.get(purposeOf(kind)), shapes);
  if (known) return known;
  if (gpu.adapter.software && likely) {
    gpu.choices.settle(purposeOf(kind), likely);
    return named(likely, shapes)!;
  }
  const isFirst = kind.order === FIRST.order && kind.precision === FIRST.precision;
  const first = isFirst ? undefined : await measuredChoice(gpu, FIRST, make);
  const bench = new Bench(gpu, kind, make);
  try {
    const choice = await measure(bench, shapes.filter(worthMeasuring(gpu)), first);
    const sure = !bench.inDoubt && (isFirst || gpu.choices.isSettledForGood(purposeOf(FIRST)));
    if (sure) gpu.choices.set(purposeOf(kind), namesOf(choice));
    else gpu.choices.settle(purposeOf(kind), namesOf(choice));
    return choice;
  } finally {
    bench.destroy();
  }
}

/** Whether a shape could win: a workgroup that leaves lanes of its subgroup idle can't. */
function worthMeasuring({ adapter, device }: GpuContext): (shape: ForceShape) => boolean {
  const lanes = adapter.software ? 1 : (device.adapterInfo.subgroupMinSize ?? 32);
  return ({ group }) => group >= lanes;
}

async function measure(bench: Bench, shapes: readonly ForceShape[], first?: ForceChoice): Promise<ForceChoice> {
  const like = (winner: ForceShape | undefined) => (shape: ForceShape) => !winner || shape.family === winner.family;
  const splits = shapes.filter(({ split, perGroup }) => split && perGroup > 1);
  const wholes = shapes.filter(({ split }) => !split);
  const few = await bench.quickest(FEW, splits.filter(like(first?.few)));
  const small = wholes.filter(({ perGroup }) => perGroup <= SMALL_GROUP);
  const short = first?.short ?? (await bench.quickest(BRIEF, [few, ...small]));
  const large = wholes.filter(like(first?.many));
  const quick = (await bench.time(large[0], MANY)) < QUICK;
  const many = await bench.quickest(quick ? MANY_MORE : MANY, large);
  const middle = quick ? await bench.quickest(MIDDLE, wholes.filter(like(first?.middle))) : many;
  const fewest = shapes.find(({ split, perGroup }) => split && perGroup === 1)!;
  let fewestBelow = 0;
  for (const size of FEWEST) {
    if ((await bench.quickest(size, [fewest, few])) === few) break;
    fewestBelow = size.targets + 1;
  }
  const chosen = { short, fewest, few, middle, many, fewestBelow };
  if (first) return { ...first, ...chosen };
  let fewBelow = 0;
  for (const size of BETWEEN) {
    const started = performance.now();
    const rivals = fewBelow === 0 && size.targets < MOST_FEW ? [few, middle, many] : [middle, many];
    const winner = await bench.quickest(size, [...new Set(rivals)]);
    if (winner !== few) fewBelow ||= size.targets;
    if (winner === many) return { ...chosen, fewBelow, middleBelow: size.targets };
    if (performance.now() - started > PATIENCE) break;
  }
  fewBelow ||= MOST_FEW;
  return { ...chosen, fewBelow, middleBelow: middle === many ? fewBelow : 2 * BETWEEN[BETWEEN.length - 1].targets };
}

const purposeOf = ({ order, precision }: ForceKind): string => `direct force shapes, ${order}, ${precision}`;

const namesOf = ({ short, fewest, few, middle, many, fewestBelow, fewBelow, middleBelow }: ForceChoice): string =>
  [...[short, fewest, few, middle, many].map(({ name }) => name), fewestBelow, fewBelow, middleBelow].join(" ");

/** The choice that `namesOf` wrote; undefined when it has other names than there are shapes. */
function named(names: string | undefined, shapes: readonly ForceShape[]): ForceChoice | undefined {
  const words = names?.split(" ") ?? [];
  const [short, fewest, few, middle, many] = words.slice(0, 5).map((name) => shapes.find((one) => one.name === name));
  const [fewestBelow, fewBelow, middleBelow] = words.slice(5).map(Number);
  if (!short || !fewest || !few || !middle || !many) return undefined;
  if (!(fewestBelow <= fewBelow && fewBelow <= middleBelow)) return undefined;
  return { short, fewest, few, middle, many, fewestBelow, fewBelow, middleBelow };
}

/** Runs shapes on zeroed bodies: the time doesn't depend on where they are. */
class Bench {
  readonly #made = new Map<ForceShape, Awaited<ReturnType<ForceMaker>>>();
  readonly #owned: GPUBuffer[] = [];
  #inDoubt = false;

  constructor(
    private readonly gpu: GpuContext,
    private readonly kind: ForceKind,
    private readonly make: ForceMaker,
  ) {}

  /** Whether an answer was in doubt, so that it is worth asking again. */
  get inDoubt(): boolean {
    return this.#inDoubt;
  }

  async quickest(size: Size, among: readonly ForceShape[]): Promise<ForceShape> {
    const { order, precision } = this.kind;
    if (among.length === 1) return among[0];
    // With the rivals: those of a size follow from other answers, which may change as long as they are in doubt.
    const rivals = among.map(({ name }) => name).join(" ");
    const question = {
      purpose: `direct force, ${order}, ${precision}, ${size.targets} on ${size.sources}: ${rivals}`,
      elements: size.targets * size.sources,
      usual: { software: among[0].name, hardware: among[0].name },
    };
    const name = await fastest(
      this.gpu,
      question,
      among.map((shape) => ({ name: shape.name, run: (times, clock) => this.#run(shape, size, times, clock) })),
    );
    this.#inDoubt ||= !this.gpu.choices.isSettledForGood(question.purpose);
    return among.find((shape) => shape.name === name)!;
  }

  /** Of a run among several, warmed up [ms]. */
  async time(shape: ForceShape, size: Size): Promise<number> {
    const times = 4;
    const clock = new Stopwatch(this.gpu);
    try {
      await this.#run(shape, size, 1, clock);
      return (await this.#run(shape, size, times, clock)) / times;
    } finally {
      clock.destroy();
    }
  }

  async #run(shape: ForceShape, { targets, sources }: Size, times: number, clock: Stopwatch): Promise<number> {
    let forces = this.#made.get(shape);
    if (!forces) {
      forces = await this.make({ ...this.kind, softening: 1, shape: shape.name });
      this.#made.set(shape, forces);
    }
    const bodies = this.#buffer("bodies", Math.max(targets, sources) * bodyBytes(this.kind.order));
    const result = this.#buffer("result", targets * forceBytes(this.kind.order));
    const made = forces;
    const job = { targets: bodies, targetCount: targets, sources: bodies, sourceCount: sources, result };
    return clock.ofGpu(`direct force/${shape.name}`, times, (batch) => made.encode(batch, job));
  }

  #buffer(name: string, bytes: number): GPUBuffer {
    const label = `direct force measurement ${name}`;
    const fitting = this.#owned.find((buffer) => buffer.label === label && buffer.size >= bytes);
    if (fitting) return fitting;
    const buffer = this.gpu.buffers.storage(label, bytes, "other");
    this.#owned.push(buffer);
    return buffer;
  }

  destroy(): void {
    this.gpu.buffers.release(...this.#owned);
    for (const forces of this.#made.values()) forces.destroy();
  }
}
