/** What `#platform` resolves to in a browser: the default device is the page's own. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { acquireContext } from "../../foundation/gpu/device.ts";
import { type Ranks, SINGLE_RANK } from "../../foundation/ranks/ranks.ts";
import type { WorkerPoolMaker } from "../../physics/initial/worker-pool.ts";

/** A context on the browser's preferred adapter. Throws "device" when the browser offers none. */
export async function acquireDefaultContext(): Promise<GpuContext> {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu) {
    throw new GravmeshError(
      "device",
      'this browser offers no WebGPU (navigator.gpu is missing); serve the page from localhost or over https, in a browser that has WebGPU, or pass backend: "cpu"',
    );
  }
  return acquireContext(gpu);
}

/** A page is by itself. */
export async function mpiRanks(): Promise<Ranks> {
  return SINGLE_RANK;
}

/** A page draws initial particles on its own thread: a worker would need a file of its own beside the bundle. */
export const drawingCrew: WorkerPoolMaker | undefined = undefined;
