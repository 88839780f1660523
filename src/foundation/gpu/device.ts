/** Acquiring a device: from an adapter with everything it offers, or around the caller's own device. */
import { GravmeshError } from "../base/errors.ts";
import type { AdapterSummary } from "./adapter.ts";
import { GpuContext } from "./context.ts";
import type { ShapePins } from "./shapes.ts";
import type { WindowLimits } from "./windows.ts";

/** Limits we ask for at the adapter's maximum. */
const WANTED_LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
] as const;

/** Optional features that make runs faster, or tell how fast they are. */
export const WANTED_FEATURES = ["timestamp-query", "subgroups"] as const satisfies GPUFeatureName[];

/** The features and limits requested from an adapter: all that help, unless said otherwise. */
export interface AdapterRequest {
  /** Kernel shapes that are wanted in place of the usual ones: `pinnedShapes("deposit=direct")`. */
  shapes?: ShapePins | undefined;
  /** Cut large arrays into smaller ranges than the device needs: results stay the same. */
  windows?: WindowLimits | undefined;
  /** Threads of the processor that a software adapter runs on; what the browser says when left out. */
  threads?: number | undefined;
  /** "default": those that every WebGPU device has, whatever the adapter offers. */
  limits?: "adapter" | "default";
  /** Optional features to use where the adapter has them. */
  features?: readonly (typeof WANTED_FEATURES)[number][];
  /** "gpu": those for GPUs on a software adapter, too. */
  kernels?: "adapter" | "gpu";
}

const SOFTWARE = /llvmpipe|lavapipe|swiftshader|softpipe|basic render|warp/i;

export function adapterSummary(info: GPUAdapterInfo): AdapterSummary {
  const text = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return {
    vendor: info.vendor,
    architecture: info.architecture,
    device: info.device,
    description: info.description,
    software: info.isFallbackAdapter || SOFTWARE.test(text),
  };
}

/** A context on a new device of `gpu`'s preferred adapter. Throws "device" when there is none. */
export async function acquireContext(
  gpu: Pick<GPU, "requestAdapter">,
  { limits = "adapter", features = WANTED_FEATURES, kernels = "adapter", ...options }: AdapterRequest = {},
): Promise<GpuContext> {
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new GravmeshError("device", "no WebGPU adapter was found; run `gravmesh doctor` for advice");
  const requiredLimits: Record<string, number> = {};
  for (const name of limits === "adapter" ? WANTED_LIMITS : []) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({
    label: "gravmesh",
    requiredLimits,
    requiredFeatures: features.filter((feature) => adapter.features.has(feature)),
  });
  const summary = adapterSummary(adapter.info);
  if (kernels === "gpu") summary.software = false;
  return new GpuContext(device, summary, { owned: true, ...options });
}

/** A context around the caller's own device, which stays the caller's to destroy. */
export function wrapDevice(device: GPUDevice, options: AdapterRequest = {}): GpuContext {
  return new GpuContext(device, adapterSummary(device.adapterInfo), { owned: false, ...options });
}
