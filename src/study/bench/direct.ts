/**
 * `gravmesh bench direct`: interactions a second of the direct sum by kernel variant, precision and order, and what few
 * targets cost. Targets and sources are Plummer spheres; an interaction counts 38 operations (Fujiwara & Nakasato
 * 2009).
 */
import { FORCE_ORDERS, type ForceOrder } from "../../engine/direct/bodies.ts";
import { shapeFor } from "../../engine/direct/force-choice.ts";
import { availableShapes } from "../../engine/direct/force-shapes.ts";
import type { DirectForces } from "../../engine/direct/forces.ts";
import type { Precision } from "../../engine/direct/settings.ts";
import type { Bodies } from "../../engine/reference/direct/forces.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { grouped, milliseconds, plainNumber, prefixed } from "../../run/page/numbers.ts";
import { tableOf } from "../../run/page/text.ts";
import { completeScenario } from "../../scenario/parse.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { ForceBench, type ForceTiming, timesWithin } from "./force-timing.ts";
import { particlesOf } from "./stages.ts";

export interface DirectRequest {
  /** Where one is left out: as many as keep the adapter busy. */
  targets?: number;
  sources?: number;
  /** All shapes for jerk and snap too; else those in use. */
  all?: boolean;
}

interface ShapeResult {
  order: ForceOrder;
  precision: Precision;
  shape: string;
  /** What this variant is taken for: many targets, few, or numbers between. */
  use: string[];
  ms: number;
  interactionsPerSecond: number;
  /** With acceleration. */
  gflops?: number;
}

const PRECISIONS: readonly Precision[] = ["single", "double-single"];
const OPERATIONS = 38;
const SOFTENING = 1 / 256;
const REPETITIONS = 3;
/** Time for the repetitions of a measurement [ms]: slow shapes get fewer. */
const ENOUGH = 300;
/** A submission should last this long [ms], or what it costs by itself shows. */
const LONG_ENOUGH = 30;

/** Sizes to choose from: where none are asked for, the first that takes BUSY [ms]. */
export const SUMS = [
  { targets: 2048, sources: 16_384 },
  { targets: 16_384, sources: 65_536 },
  { targets: 131_072, sources: 131_072 },
];
const BUSY = 5;

const FEW_SOURCES = 131_072;
const FEW = [1, 4, 16, 64, 256, 1024];
const FULL = 8192;

export async function benchDirect(gpu: GpuContext, request: DirectRequest) {
  const bodies = await benchSphere(Math.max(request.targets ?? 0, request.sources ?? 0, SUMS[SUMS.length - 1].targets));
  const benches = new Map(
    FORCE_ORDERS.map((order) => [order, new ForceBench(gpu, { order, softening: SOFTENING, bodies })]),
  );
  const accelerations = benches.get("acceleration")!;
  try {
    const { targets, sources, all = false } = { ...(await busySize(accelerations)), ...request };
    const shapes: ShapeResult[] = [];
    for (const [order, bench] of benches) {
      for (const precision of PRECISIONS) {
        const used = usesOf((await bench.forces({ precision })).choice);
        const listed = availableShapes(gpu).filter(({ name }) => all || order === "acceleration" || used.has(name));
        for (const { name: shape } of listed) {
          const ms = await msOf(bench, { precision, targets, sources, shape });
          const interactionsPerSecond = (1000 * targets * sources) / ms;
          const gflops = (OPERATIONS * interactionsPerSecond) / 1e9;
          const result = { order, precision, shape, use: used.get(shape) ?? [], ms, interactionsPerSecond };
          shapes.push(order === "acceleration" ? { ...result, gflops } : result);
        }
      }
    }
    const few: { precision: Precision; targets: number; shape: string; ms: number; timesShare: number }[] = [];
    for (const precision of PRECISIONS) {
      const { choice } = await accelerations.forces({ precision });
      const full = await msOf(accelerations, { precision, targets: FULL, sources: FEW_SOURCES });
      for (const count of FEW) {
        const ms = await msOf(accelerations, { precision, targets: count, sources: FEW_SOURCES });
        const shape = shapeFor(choice, count, FEW_SOURCES).name;
        // Over their share of an evaluation for FULL targets.
        few.push({ precision, targets: count, shape, ms, timesShare: (ms * FULL) / (full * count) });
      }
    }
    return { adapter: adapterName(gpu.adapter), targets, sources, shapes, few, pin: pinOf(shapes) };
  } finally {
    for (const bench of benches.values()) bench.destroy();
  }
}

/** For GRAVMESH_SHAPES, a shape that is quicker for many targets than the one in use by this part; else empty. */
const WORTH_A_PIN = 1.03;

function pinOf(shapes: readonly ShapeResult[]): string {
  const first = shapes.filter(({ order, precision }) => order === "acceleration" && precision === "single");
  const rate = ({ interactionsPerSecond }: ShapeResult) => interactionsPerSecond;
  const best = first.reduce((a, b) => (rate(b) > rate(a) ? b : a));
  const inUse = first.find(({ use }) => use.includes("many"));
  return inUse && rate(best) > WORTH_A_PIN * rate(inUse) ? `direct=${best.shape}` : "";
}

/** What each shape is taken for. */
function usesOf(choice: DirectForces["choice"]): Map<string, string[]> {
  const use = (k: number) => (k === choice.length - 1 ? "many" : k === 0 ? "few" : "middle");
  return new Map(choice.map(({ shape: { name } }, k) => [name, [use(k)]]));
}

/** The time of one evaluation [ms]: the best of a few repetitions, each a submission of as many as it takes. */
export async function msOf(bench: ForceBench, job: ForceTiming): Promise<number> {
  await bench.seconds(job); // compiles
  const first = 1000 * (await bench.seconds(job));
  const times = timesWithin(LONG_ENOUGH, first);
  const repetitions = Math.min(REPETITIONS, Math.floor(ENOUGH / (first * times)));
  let best = first;
  for (let k = 0; k < repetitions; k++) best = Math.min(best, 1000 * (await bench.seconds(job, times)));
  return best;
}

async function busySize(bench: ForceBench): Promise<{ targets: number; sources: number }> {
  for (const size of SUMS) if ((await msOf(bench, { precision: "single", ...size })) > BUSY) return size;
  return SUMS[SUMS.length - 1];
}

/** Bodies of a Plummer sphere. */
export async function benchSphere(count: number): Promise<Bodies> {
  const scenario = completeScenario({
    title: "benchmark of direct summation",
    gravity: "direct",
    box: { size: 20, boundary: "isolated" },
    particles: [{ kind: "plummer", count, mass: 1, scale: 0.6, cutoff: 8 }],
    time: { end: 1, step: 1 },
  });
  return bodiesOf(await particlesOf(scenario), scenario);
}

/** Particles as bodies of a direct sum, about the centre of the box, accelerations zero: no time depends on them; G = 1. */
export function bodiesOf({ count, positions, velocities, masses }: ParticleSet, { box }: Scenario): Bodies {
  return {
    count,
    positions: positions.map((x) => x - box.size / 2),
    velocities: Float64Array.from(velocities),
    accelerations: new Float64Array(3 * count),
    masses,
    ids: Uint32Array.from({ length: count }, (_, i) => i),
  };
}

export function directText(result: Awaited<ReturnType<typeof benchDirect>>): string {
  const { adapter, targets, sources, shapes, few, pin } = result;
  const byShape = tableOf(shapes, {
    shape: ({ shape }) => shape,
    order: ({ order }) => order,
    precision: ({ precision }) => precision,
    ms: ({ ms }) => milliseconds(ms),
    "interactions/s": ({ interactionsPerSecond }) => prefixed(interactionsPerSecond),
    "Gflop/s": ({ gflops }) => (gflops === undefined ? "" : plainNumber(gflops)),
    "in use for": ({ use }) => use.join(", "),
  });
  const byTargets = tableOf(few, {
    targets: (one) => grouped(one.targets),
    precision: ({ precision }) => precision,
    shape: ({ shape }) => shape,
    ms: ({ ms }) => milliseconds(ms),
    "times the share": ({ timesShare }) => plainNumber(timesShare),
  });
  return [
    `Direct sum of ${grouped(targets)} targets and ${grouped(sources)} sources on ${adapter}`,
    byShape,
    "",
    `Accelerations of few targets from ${grouped(FEW_SOURCES)} sources; share: of an evaluation for ${grouped(FULL)} targets`,
    byTargets,
    "",
    `Gflop/s at ${OPERATIONS} operations an interaction. In use for: many targets, few, or numbers between them (middle).`,
    pin === ""
      ? "For many targets no shape is clearly quicker than the one in use."
      : `Quicker for many targets here: GRAVMESH_SHAPES="${pin}", for any number of them`,
  ].join("\n");
}
