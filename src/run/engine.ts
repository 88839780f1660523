/** What a run computes on: an adapter with room enough, or the CPU. */
import { totalmem } from "node:os";
import { GravmeshError } from "../foundation/base/errors.ts";
import type { GpuContext } from "../foundation/gpu/context.ts";
import { acquireNodeContext } from "../foundation/gpu/device.node.ts";
import { adapterSummary } from "../foundation/gpu/device.ts";
import { sizeHere } from "../foundation/ranks/mpi.node.ts";
import { fitAdvice, type MemoryLimits } from "../scenario/estimate.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { adapterLimits, chooseEngine as choose, type Engine } from "../scenario/simulation/engine.ts";
import type { BackendChoice } from "../scenario/simulation/simulation.ts";
import { withoutChatter } from "./driver-chatter.ts";
import { messageOf } from "./failure.ts";

export type { Engine } from "../scenario/simulation/engine.ts";

/** Share of the machine's memory that a run may take where the GPU's memory is the machine's own. */
const SHARE_OF_MEMORY = 0.8;

/** "auto" falls back to the CPU with a notice, "webgpu" throws "device"; `otherwise` says what to do instead. */
export async function engineWithFallback(
  choice: BackendChoice,
  otherwise = "--backend cpu runs in float64 on the CPU.",
) {
  const doctor = "`gravmesh doctor` says what to install";
  try {
    const engine = await choose({ backend: choice, acquire: () => acquireNodeContext(withoutChatter) });
    const notice = `No WebGPU adapter was found: running in float64 on the CPU (${doctor}).`;
    return engine.notice === undefined ? engine : { ...engine, notice };
  } catch (error) {
    if (error instanceof GravmeshError && error.kind === "usage") throw error;
    throw new GravmeshError("device", `${messageOf(error)}. ${doctor}; ${otherwise}`, { cause: error });
  }
}

/** What a run may allocate on the adapter: of a CPU's memory a share, of a GPU's what there turns out to be. */
export function memoryLimits(gpu: GpuContext): MemoryLimits {
  const shared = { total: SHARE_OF_MEMORY * totalmem(), sharing: sizeHere(process.env) };
  return { ...adapterLimits(gpu), ...(adapterSummary(gpu.device.adapterInfo).software && shared) }; // with kernels for GPUs, too
}

/** Throws "memory", with the settings that would fit, when the run is too large. */
export function requireMemory(scenario: Scenario, { gpu, ranks }: Engine, snapshotParticles = 0): void {
  // The float64 pipeline holds about twice what the float32 one does; it has no bindings to outgrow.
  const limits = gpu
    ? memoryLimits(gpu)
    : { total: (SHARE_OF_MEMORY * totalmem()) / 2, sharing: sizeHere(process.env) };
  const advice = fitAdvice(scenario, { ...limits, ranks: ranks?.size }, { snapshotParticles });
  if (!advice.fits) {
    throw new GravmeshError("memory", `Not enough memory: ${advice.message}. Nothing was allocated or written.`);
  }
}
