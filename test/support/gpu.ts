/** GPU tests fail, not skip, when there is no adapter: this throws then. */
import { afterAll, beforeAll } from "vitest";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { acquireNodeContext } from "../../src/foundation/gpu/device.node.ts";

export { poison } from "./poison.ts";

/** A process has one device, with the kernels that its files have in common, until something goes wrong with it. */
let device: GpuContext | undefined;

async function sharedDevice(): Promise<GpuContext> {
  try {
    device?.throwIfLost();
  } catch {
    device = undefined;
  }
  device ??= await acquireNodeContext();
  return device;
}

/** A context for the tests of one file: `const gpu = useGpu(); … gpu().device`. */
export function useGpu(): () => GpuContext {
  let context: GpuContext | undefined;
  beforeAll(async () => {
    context = (await sharedDevice()).account();
  });
  afterAll(() => context?.destroy());
  return () => {
    if (!context) throw new Error("the GPU context is available inside tests only");
    return context;
  };
}

/** The device as it would be with other limits; what is made is made on it. */
export function withLimits(device: GPUDevice, changes: Partial<Record<keyof GPUSupportedLimits, number>>): GPUDevice {
  // Properties of a prototype, which don't come with a copy.
  const limits = new Proxy(device.limits, {
    get: (target, key) => changes[key as keyof GPUSupportedLimits] ?? Reflect.get(target, key, target),
  });
  return new Proxy(device, {
    get(target, key) {
      const value = key === "limits" ? limits : Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
