/** What `#platform` resolves to in Node: the default device comes from Dawn. */
import type { GpuContext } from "./gpu/context.ts";
import { acquireNodeContext } from "./gpu/device.node.ts";

/** A context on Dawn's preferred adapter. Throws "device" when there is none. */
export function acquireDefaultContext(): Promise<GpuContext> {
  return acquireNodeContext();
}
