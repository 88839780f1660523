/**
 * What the suite `sapporo2` varies (Bédorf, Gaburov & Portegies Zwart 2015, section 3): how many targets and sources, how
 * the force is computed and how far it is differentiated. Bodies are those of a Plummer sphere, the deck plummer-hermite.
 */
import { pairArithmeticSurvives } from "../../../direct/arithmetic.ts";
import type { ForceOrder } from "../../../direct/bodies.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { initialConditions } from "../../../initial/index.ts";
import type { Bodies } from "../../../reference/direct/forces.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import type { LeftOut } from "../left-out.ts";
import type { SuiteSettings } from "../suite.ts";

/** Sources of figures 1 and 2. */
export const SOURCES = 131_072;

/** How forces are computed: on the GPU in single precision or in pairs of float32, on the CPU in float64. */
export const ENGINES = ["single", "double-single", "cpu"] as const;
export type Engine = (typeof ENGINES)[number];
export type GpuEngine = Exclude<Engine, "cpu">;

export const ENGINE_NAMES: Record<Engine, string> = {
  single: "single",
  "double-single": "double-single",
  cpu: "float64, CPU",
};

/** What Hermite's schemes of order 4 and 6 ask for. */
export const ORDERS = ["jerk", "snap"] as const satisfies readonly ForceOrder[];
export type Order = (typeof ORDERS)[number];
export const ORDER_NAMES: Record<Order, string> = { jerk: "order 4", snap: "order 6" };

/** What is compared over N (figures 3 and 4). */
export const KINDS: readonly { order: Order; engine: Engine }[] = [
  ...ENGINES.map((engine) => ({ order: "jerk" as const, engine })),
  ...(["double-single", "cpu"] as const).map((engine) => ({ order: "snap" as const, engine })),
];

const powersOfTwo = (first: number, last: number, by = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, i) => 2 ** (first + i * by));

/** Targets for which the kernel shapes are compared (figure 1). */
export const shapeTargets = ({ quick }: SuiteSettings): number[] =>
  quick ? [64, 256, 512] : [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/** Active targets (figure 2), the last of them what the shares are of. */
export const activeTargets = ({ quick }: SuiteSettings): number[] => [
  ...powersOfTwo(0, 3),
  ...(quick ? [16, 32, 64, 128, 192, 256] : Array.from({ length: 16 }, (_, i) => 16 * (i + 1))),
];
export const FULL = 256;
/** In which figure 2 is made: the paper's precision, and in full single as well. */
export const fewEngines = ({ quick }: SuiteSettings): GpuEngine[] => [
  "double-single",
  ...(quick ? [] : (["single"] as const)),
];

/** Targets, and as many sources (figures 3 and 4). */
export const squareCounts = ({ quick }: SuiteSettings): number[] =>
  quick ? powersOfTwo(10, 14, 2) : powersOfTwo(10, 20);

/** Targets and sources of the grid (figure 7). */
export const gridCounts = ({ quick }: SuiteSettings): number[] => (quick ? powersOfTwo(4, 12, 2) : powersOfTwo(3, 14));

/** Particles of the block-step runs (figure 6); the paper has those from 16384 on. */
export const runCounts = ({ quick }: SuiteSettings): number[] =>
  quick ? [256, 512, 1024] : [256, 512, 1024, 2048, 4096, 8192, ...powersOfTwo(14, 19)];

/** η₄ and η₆ of the paper's runs. */
const NU = 0.01;
const ETA = 0.1;

export function scenarioOf(count: number, engine: Engine = "double-single"): Scenario {
  return loadScenario("plummer-hermite", [
    `particles.plummer.count=${count}`,
    ...[`direct.integrator=hermite-6`, `direct.nu=${NU}`, `direct.eta=${ETA}`],
    ...(engine === "cpu" ? [] : [`direct.precision=${engine}`]),
  ]).scenario;
}

/** ε of the deck [length], in all measurements: the paper doesn't give its own. */
export const softening = (): number => scenarioOf(1).direct.softening;

let drawn: Bodies | undefined;

/** The first `count` bodies of a sphere, about the centre of its box, accelerations zero: no time depends on them. */
export async function sphereOf(count: number, signal: AbortSignal): Promise<Bodies> {
  if (drawn === undefined || drawn.count < count) drawn = await drawnSphere(Math.max(count, SOURCES), signal);
  const { positions, velocities, accelerations, masses, ids } = drawn;
  const vectors = (all: Float64Array) => all.subarray(0, 3 * count);
  return {
    count,
    positions: vectors(positions),
    velocities: vectors(velocities),
    accelerations: vectors(accelerations),
    masses: masses.subarray(0, count),
    ids: ids.subarray(0, count),
  };
}

async function drawnSphere(count: number, signal: AbortSignal): Promise<Bodies> {
  const scenario = scenarioOf(count);
  const { particles } = await initialConditions(scenario, { G: 1, signal });
  return {
    count,
    positions: particles.positions.map((x) => x - scenario.box.size / 2),
    velocities: Float64Array.from(particles.velocities),
    accelerations: new Float64Array(3 * count),
    masses: particles.masses,
    ids: Uint32Array.from({ length: count }, (_, i) => i),
  };
}

/** Why an engine can't be used on the adapter. */
export async function unable(gpu: GpuContext, engine: Engine): Promise<LeftOut | undefined> {
  if (engine !== "double-single") return undefined;
  const { passed, detail } = await pairArithmeticSurvives(gpu);
  return passed ? undefined : { leftOut: `the adapter’s compiler doesn’t keep pair arithmetic (${detail})` };
}
