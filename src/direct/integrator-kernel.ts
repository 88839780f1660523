/** Kernels on top of an integrator's functions: how they are composed and compiled. */
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BindingKind, Kernel } from "../gpu/kernel.ts";
import { type IntegratorName, integrators } from "./integrators.ts";
import type { StepScheme } from "./settings.ts";

/** Settings, control, particles, derivatives, bodies: what every kernel of an integrator may bind first. */
const SHARED_BINDINGS: readonly BindingKind[] = ["uniform", "read-write", "read-write", "read-write", "read-write"];

export interface IntegratorKernelOptions {
  label: string;
  integrator: IntegratorName;
  scheme: StepScheme;
  /** External fields. */
  fields: number;
  /** The file with the entry point. */
  source: WgslSource;
  entry: string;
  /** After settings, control, particles, derivatives and bodies. */
  bindings: readonly BindingKind[];
  constants?: WgslConstants;
}

/** An entry point on top of an integrator's functions. Throws "device" when it doesn't compile. */
export function integratorKernel(gpu: GpuContext, options: IntegratorKernelOptions): Promise<Kernel> {
  const { label, integrator, scheme, fields, source, entry, bindings, constants } = options;
  const { source: method } = integrators[integrator].gpu;
  return gpu.kernel({
    label: `direct/${label} ${integrator}`,
    sources: [method, source],
    entry,
    bindings: [...SHARED_BINDINGS, ...bindings],
    constants: {
      FIELDS: `${Math.max(1, fields)}u`,
      SHARED: scheme === "shared",
      TOGETHER: scheme !== "block",
      ...constants,
    },
  });
}
