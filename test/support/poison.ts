import type { GpuContext } from "../../src/foundation/gpu/context.ts";

/** Fills a buffer with a pattern that no kernel would write, so that a missing write shows. */
export function poison(gpu: GpuContext, buffer: GPUBuffer): void {
  gpu.device.queue.writeBuffer(buffer, 0, new Uint32Array(buffer.size / 4).fill(0x7fc0dead));
}
