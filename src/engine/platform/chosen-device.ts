/** The device that something computes on, as its options say. */
import { acquireDefaultContext } from "#platform";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { wrapDevice } from "../../foundation/gpu/device.ts";

export interface DeviceOptions {
  /** The caller's own device: used and left alive. */
  device?: GPUDevice;
  /** A context made before, for several uses of one device; left alive. */
  gpu?: GpuContext;
  /** "auto" takes WebGPU when there is an adapter, else float64 on the CPU. */
  backend?: "auto" | "webgpu" | "cpu";
  acquire?: () => Promise<GpuContext>;
}

export interface ChosenDevice {
  /** Undefined for the CPU. */
  gpu: GpuContext | undefined;
  /** Whether it is destroyed with its user. */
  owned: boolean;
  /** Why WebGPU is not in use although it was looked for: one line for the user. */
  notice: string | undefined;
}

/** Throws "device" when WebGPU is asked for and there is no adapter, "usage" when another is asked for than there are. */
export async function chooseDevice(options: DeviceOptions, running = "running"): Promise<ChosenDevice> {
  const { device, gpu, backend = "auto", acquire = acquireDefaultContext } = options;
  if (backend === "cpu") return { gpu: undefined, owned: false, notice: undefined };
  if (gpu) return { gpu, owned: false, notice: undefined };
  if (device) return { gpu: wrapDevice(device), owned: true, notice: undefined };
  try {
    return { gpu: await acquire(), owned: true, notice: undefined };
  } catch (error) {
    if (backend === "webgpu" || (error instanceof GravmeshError && error.kind === "usage")) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { gpu: undefined, owned: false, notice: `${running} in float64 on the CPU: ${reason}` };
  }
}
