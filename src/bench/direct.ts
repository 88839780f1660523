/**
 * `gravmesh bench direct`: interactions per second of the direct sum, by kernel shape, precision and order, and what
 * few targets cost beside their share of a full evaluation. Targets and sources are Plummer spheres; operations are
 * counted as Fujiwara & Nakasato 2009 do, 38 an interaction.
 */
import { FORCE_ORDERS, type ForceOrder, forceBytes, packBodies } from "../direct/bodies.ts";
import { shapeFor } from "../direct/force-choice.ts";
import { availableShapes } from "../direct/force-shapes.ts";
import { DirectForces } from "../direct/forces.ts";
import type { Precision } from "../direct/settings.ts";
import type { GpuContext } from "../gpu/context.ts";
import { initialConditions } from "../initial/index.ts";
import { prefixed } from "../page/numbers.ts";
import { table } from "../page/text.ts";
import { adapterText } from "../run/instrument.ts";
import { completeScenario } from "../scenario/parse.ts";

export interface DirectRequest {
  /** Where one is left out: as many as keep the adapter busy. */
  targets?: number;
  sources?: number;
  /** All shapes for jerk and snap too; else those in use. */
  all: boolean;
}

export interface ShapeResult {
  order: ForceOrder;
  precision: Precision;
  shape: string;
  /** What the choice by measurement takes this shape for: many targets, few, fewest, few targets and sources. */
  use: string[];
  ms: number;
  interactionsPerSecond: number;
  /** With acceleration. */
  gflops?: number;
}

export interface FewResult {
  precision: Precision;
  targets: number;
  shape: string;
  ms: number;
  /** Time over the targets' share of an evaluation for FULL targets. */
  timesShare: number;
}

export interface DirectResult {
  adapter: string;
  targets: number;
  sources: number;
  shapes: ShapeResult[];
  few: FewResult[];
}

const PRECISIONS: readonly Precision[] = ["single", "double-single"];
const OPERATIONS = 38;
const SOFTENING = 1 / 256;
const REPETITIONS = 3;
/** Time for the repetitions of a measurement [ms]: slow shapes get fewer. */
const ENOUGH = 300;
/** A submission should last this long [ms], or what it costs by itself shows. */
const LONG_ENOUGH = 30;
const MOST_TIMES = 64;

/** Sizes where none are asked for: the first that takes BUSY [ms]. */
const SIZES = [
  { targets: 2048, sources: 16_384 },
  { targets: 16_384, sources: 65_536 },
  { targets: 131_072, sources: 131_072 },
];
const BUSY = 5;

const FEW_SOURCES = 131_072;
const FEW = [1, 4, 16, 64, 256, 1024];
const FULL = 8192;

export async function benchDirect(gpu: GpuContext, request: DirectRequest): Promise<DirectResult> {
  const bench = new Bench(gpu, Math.max(request.targets ?? 0, request.sources ?? 0, SIZES[SIZES.length - 1].targets));
  try {
    const { targets, sources, all } = { ...(await bench.busySize()), ...request };
    const shapes: ShapeResult[] = [];
    for (const order of FORCE_ORDERS) {
      for (const precision of PRECISIONS) {
        const { short, fewest, few, middle, many, fewestBelow } = (await bench.made(order, precision)).choice;
        const uses: [string, string][] = [
          ["many", many.name],
          ...(middle === many ? [] : ([["middle", middle.name]] as [string, string][])),
          ["few", few.name],
          ...(fewestBelow > 0 ? ([["fewest", fewest.name]] as [string, string][]) : []),
          ["short", short.name],
        ];
        const inUse = availableShapes(gpu).filter(({ name }) => uses.some(([, used]) => used === name));
        const listed = all || order === "acceleration" ? availableShapes(gpu) : inUse;
        for (const { name } of listed) {
          const ms = await bench.time(order, precision, { targets, sources, shape: name });
          const interactionsPerSecond = (1000 * targets * sources) / ms;
          const gflops = (OPERATIONS * interactionsPerSecond) / 1e9;
          const use = uses.filter(([, used]) => used === name).map(([what]) => what);
          const result = { order, precision, shape: name, use, ms, interactionsPerSecond };
          shapes.push(order === "acceleration" ? { ...result, gflops } : result);
        }
      }
    }
    const few: FewResult[] = [];
    for (const precision of PRECISIONS) {
      const { choice } = await bench.made("acceleration", precision);
      const full = await bench.time("acceleration", precision, { targets: FULL, sources: FEW_SOURCES });
      for (const targets of FEW) {
        const ms = await bench.time("acceleration", precision, { targets, sources: FEW_SOURCES });
        const shape = shapeFor(choice, targets, FEW_SOURCES).name;
        few.push({ precision, targets, shape, ms, timesShare: (ms * FULL) / (full * targets) });
      }
    }
    return { adapter: adapterText(gpu), targets, sources, shapes, few };
  } finally {
    bench.destroy();
  }
}

/** Direct sums and bodies, made when first asked for. */
class Bench {
  readonly #gpu: GpuContext;
  readonly #count: number;
  readonly #made = new Map<string, DirectForces>();
  readonly #buffers = new Map<ForceOrder, { bodies: GPUBuffer; result: GPUBuffer }>();

  constructor(gpu: GpuContext, count: number) {
    this.#gpu = gpu;
    this.#count = count;
  }

  /** Of one shape, or of those in use. */
  async made(order: ForceOrder, precision: Precision, shape?: string): Promise<DirectForces> {
    const key = `${order} ${precision} ${shape}`;
    let forces = this.#made.get(key);
    if (!forces) {
      const options = { order, precision, softening: SOFTENING, ...(shape !== undefined && { shape }) };
      forces = await DirectForces.create(this.#gpu, options);
      this.#made.set(key, forces);
    }
    return forces;
  }

  /** Of one evaluation [ms]: the best of a few repetitions, each a submission of as many as it takes. */
  async time(
    order: ForceOrder,
    precision: Precision,
    { targets, sources, shape }: { targets: number; sources: number; shape?: string },
  ): Promise<number> {
    const forces = await this.made(order, precision, shape);
    const { bodies, result } = await this.#buffersOf(order);
    const job = { targets: bodies, targetCount: targets, sources: bodies, sourceCount: sources, result };
    const run = async (times: number) => {
      const batch = this.#gpu.batch(`direct force, ${shape ?? "as chosen"}`).stage("direct force");
      for (let k = 0; k < times; k++) forces.encode(batch, job);
      const started = performance.now();
      await batch.submit();
      return (performance.now() - started) / times;
    };
    await run(1); // compiles
    const first = await run(1);
    const times = Math.min(MOST_TIMES, Math.max(1, Math.round(LONG_ENOUGH / first)));
    const repetitions = Math.min(REPETITIONS, Math.floor(ENOUGH / (first * times)));
    let best = first;
    for (let k = 0; k < repetitions; k++) best = Math.min(best, await run(times));
    return best;
  }

  async busySize(): Promise<{ targets: number; sources: number }> {
    for (const size of SIZES) if ((await this.time("acceleration", "single", size)) > BUSY) return size;
    return SIZES[SIZES.length - 1];
  }

  async #buffersOf(order: ForceOrder): Promise<{ bodies: GPUBuffer; result: GPUBuffer }> {
    let held = this.#buffers.get(order);
    if (!held) {
      const { buffers } = this.#gpu;
      const count = this.#count;
      const scenario = completeScenario({
        title: "benchmark of direct summation",
        gravity: "direct",
        box: { size: 20, boundary: "isolated" },
        particles: [{ kind: "plummer", count, mass: 1, scale: 0.6, cutoff: 8 }],
        time: { end: 1, step: 1 },
      });
      const { particles } = await initialConditions(scenario, { G: 1 });
      const { positions, velocities, masses } = particles;
      const ids = Uint32Array.from({ length: count }, (_, i) => i);
      const accelerations = new Float32Array(3 * count);
      const packed = packBodies(order, { count, positions, velocities, accelerations, masses, ids });
      held = {
        bodies: buffers.upload("benchmark bodies", new Uint8Array(packed), "other"),
        result: buffers.storage("benchmark forces", count * forceBytes(order), "other"),
      };
      this.#buffers.set(order, held);
    }
    return held;
  }

  destroy(): void {
    for (const forces of this.#made.values()) forces.destroy();
    for (const { bodies, result } of this.#buffers.values()) this.#gpu.buffers.release(bodies, result);
  }
}

export function directText({ adapter, targets, sources, shapes, few }: DirectResult): string {
  const number = (value: number) => value.toLocaleString("en");
  const time = (ms: number) => (ms < 10 ? ms.toPrecision(3) : ms.toFixed(1));
  const byShape = shapes.map(({ order, precision, shape, use, ms, interactionsPerSecond, gflops }) => [
    shape,
    order,
    precision,
    time(ms),
    prefixed(interactionsPerSecond),
    gflops === undefined ? "" : gflops.toFixed(1),
    use.join(", "),
  ]);
  const byTargets = few.map(({ precision, targets: count, shape, ms, timesShare }) => [
    number(count),
    precision,
    shape,
    time(ms),
    timesShare.toFixed(2),
  ]);
  return [
    `Direct sum of ${number(targets)} targets and ${number(sources)} sources on ${adapter}`,
    table(["shape", "order", "precision", "ms", "interactions/s", "Gflop/s", "in use for"], byShape),
    "",
    `Accelerations of few targets from ${number(FEW_SOURCES)} sources; share: of an evaluation for ${number(FULL)} targets`,
    table(["targets", "precision", "shape", "ms", "times the share"], byTargets),
    "",
    `Gflop/s at ${OPERATIONS} operations an interaction. In use for: many targets, few, fewest, short: few targets and sources.`,
  ].join("\n");
}
