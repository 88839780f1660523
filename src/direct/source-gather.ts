/** Copies bodies of listed rows side by side on the GPU (wgsl/direct/source-gather.wgsl). */
import gatherWgsl from "../../wgsl/direct/source-gather.wgsl";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { bodyBytes, type ForceOrder } from "./bodies.ts";
import { VECTOR_BYTES } from "./source-records.ts";

/** Invocations of a workgroup, a row each. */
export const GATHER_GROUP = 64;

/** Bindings: the part of the list (first, count), the list (row, slot), bodies, and where they go. */
export function gatherKernel(gpu: GpuContext, order: ForceOrder): Promise<Kernel> {
  return gpu.kernel({
    label: "direct sources/gather",
    sources: [gatherWgsl],
    entry: "collect",
    constants: { BODY: `${bodyBytes(order) / VECTOR_BYTES}u` },
  });
}
