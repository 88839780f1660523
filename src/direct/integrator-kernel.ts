/** Kernels on top of an integrator's functions: how they are composed and compiled. */
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BindingKind, Kernel } from "../gpu/kernel.ts";
import { kindsOf, potentialSources } from "../potentials/kernel.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { type IntegratorName, integrators } from "./integrators.ts";
import type { StepScheme } from "./settings.ts";

/** Settings, control, particles, derivatives, bodies: what every kernel of an integrator may bind first. */
const SHARED_BINDINGS: readonly BindingKind[] = ["uniform", "read-write", "read-write", "read-write", "read-write"];

export interface IntegratorKernelOptions {
  label: string;
  integrator: IntegratorName;
  scheme: StepScheme;
  externalPotentials: readonly ExternalPotential[];
  /** The file with the entry point. */
  source: WgslSource;
  entry: string;
  /** After settings, control, particles, derivatives and bodies. */
  bindings: readonly BindingKind[];
  constants?: WgslConstants;
}

/** An entry point on top of an integrator's functions. Throws "device" when it doesn't compile. */
export function integratorKernel(gpu: GpuContext, options: IntegratorKernelOptions): Promise<Kernel> {
  const { label, integrator, scheme, externalPotentials, source, entry, bindings, constants } = options;
  const { source: method } = integrators[integrator].gpu;
  return gpu.kernel({
    label: `direct/${label} ${integrator}`,
    sources: [...potentialSources(kindsOf(externalPotentials), "forces"), method, source],
    entry,
    bindings: [...SHARED_BINDINGS, ...bindings],
    constants: {
      POTENTIALS: `${Math.max(1, externalPotentials.length)}u`,
      SHARED: scheme === "shared",
      TOGETHER: scheme !== "block",
      ...constants,
    },
  });
}
