/** Copies listed rows on the GPU (wgsl/direct/source-gather.wgsl). */
import gatherWgsl from "../../wgsl/direct/source-gather.wgsl";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";

/** Invocations of a workgroup, a row each. */
export const GATHER_GROUP = 64;

/** Of rows of so many vectors of four words. Bindings: part of the list (first, count), list (from, to), rows, copies. */
export function gatherKernel(gpu: GpuContext, vectors: number): Promise<Kernel> {
  return gpu.kernel({
    label: "direct sources/gather",
    sources: [gatherWgsl],
    entry: "collect",
    constants: { WIDTH: `${vectors}u` },
  });
}
