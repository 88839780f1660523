/** Whether a deck fits into the tab, and what would: said before anything is allocated. */

import { fixedSteps } from "../../../engine/time/settings.ts";
import { bytesText } from "../../../foundation/base/bytes.ts";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { OutOfMemory } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { sampledCount } from "../../../physics/initial/components.ts";
import { duration, thinGrouped } from "../../../run/page/numbers.ts";
import { fitAdvice, type MemoryLimits, memoryEstimate } from "../../../scenario/estimate.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { adapterLimits } from "../../../scenario/simulation/engine.ts";
import { AdvisedError, LargeRun } from "./problem.ts";

/** What the float64 pipeline does in a tab in a bearable time: cells and particles. */
const CPU_CELLS = 64;
const CPU_PARTICLES = 100_000;
const CPU_BODIES = 2000;
/** Share of the machine's memory that a run may take where the adapter is a CPU and the browser says how much there is. */
const SHARE_OF_MEMORY = 0.5;

/** The adapter's limits; where it is a CPU, a share of the machine's memory, as far as the browser says [GiB]. */
export function tabLimits(gpu: GpuContext): MemoryLimits {
  const { deviceMemory } = globalThis.navigator as { deviceMemory?: number };
  const total = gpu.adapter.software && deviceMemory ? SHARE_OF_MEMORY * deviceMemory * 2 ** 30 : undefined;
  return { ...adapterLimits(gpu), ...(total && { total }) };
}

/** Throws "memory" with what would fit. */
export function requireFit(scenario: Scenario, gpu: GpuContext | undefined): void {
  if (!gpu) {
    requireSmall(scenario);
    return;
  }
  const { fits, message, ways } = fitAdvice(scenario, tabLimits(gpu));
  if (!fits) throw new AdvisedError("memory", `not enough memory in this tab: ${message}`, ways);
}

/** Particles and cells, or pairs, that a step takes in a second, roughly: with integrated graphics, and on a CPU. */
const PACE = { gpu: { items: 2e8, pairs: 2e10 }, cpu: { items: 3e7, pairs: 1e8 } };
/** A run that holds more [byte], or takes longer for a step [s], isn't begun by a link alone. */
const LARGE = { bytes: 2 ** 29, step: 1 };

/** Throws LargeRun, with memory and time, for a run that its reader has to ask for. */
export function requireModest(scenario: Scenario, gpu: GpuContext | undefined): void {
  const bytes = memoryEstimate(scenario, gpu && tabLimits(gpu)).total;
  const [count, { cells }] = [sampledCount(scenario), scenario.mesh];
  const pace = gpu && !gpu.adapter.software ? PACE.gpu : PACE.cpu;
  const direct = scenario.gravity === "direct";
  const step = direct ? count ** 2 / pace.pairs : (count + cells ** 3) / pace.items;
  if (bytes <= LARGE.bytes && step <= LARGE.step) return;
  const steps = fixedSteps(scenario);
  const whole = steps === undefined ? "" : `, about ${duration(steps * step)} for its ${thinGrouped(steps)} steps`;
  const size = `${thinGrouped(count)} particles${direct ? "" : ` and ${cells}³ cells`}`;
  const time = `about ${duration(step)} a step${whole}; a large graphics card is 30 times as fast`;
  throw new LargeRun("usage", `It has ${size}: ${bytesText(bytes)} of memory, and ${time}.`);
}

/** An error of the device's that it has no room, with what would fit into what it held; any other as it is. */
export function advised(error: unknown, scenario: Scenario, gpu: GpuContext | undefined): unknown {
  const cause = error instanceof GravmeshError && error.kind === "memory" ? error.cause : undefined;
  if (!gpu || !(error instanceof GravmeshError) || !(cause instanceof OutOfMemory)) return error;
  const { ways } = fitAdvice(scenario, { ...tabLimits(gpu), total: cause.held });
  return new AdvisedError("memory", error.message, ways, { cause });
}

function requireSmall(scenario: Scenario): void {
  const count = sampledCount(scenario);
  const { cells } = scenario.mesh;
  const fewerThan = (most: number) => (count > most ? [`at most ${most} particles (now ${count})`] : []);
  const isDirect = scenario.gravity === "direct";
  const ways = isDirect
    ? fewerThan(CPU_BODIES)
    : [...(cells > CPU_CELLS ? [`mesh.cells=${CPU_CELLS}`] : []), ...fewerThan(CPU_PARTICLES)];
  if (ways.length === 0) return;
  const why = isDirect
    ? `sums at most ${CPU_BODIES} bodies directly, found ${count}`
    : `runs decks of up to ${CPU_CELLS}³ cells and ${CPU_PARTICLES} particles on the CPU, found ` +
      `${cells}³ and ${count}: try ${ways.join(" with ")}`;
  throw new AdvisedError("memory", `without WebGPU a page ${why}`, ways);
}
