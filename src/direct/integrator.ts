/**
 * The integrators of direct summation on the GPU: which WGSL an integrator is, what it asks of a force and keeps from
 * step to step, and how its kernels are composed. All are P(EC)¹: predict, one force at the predicted place, correct.
 *   leapfrog   kick–drift–kick (Quinn et al. 1997)
 *   hermite-4  Makino & Aarseth 1992; Portegies Zwart+ 2007, eqs. 3–9
 *   hermite-6  Nitadori & Makino 2008
 */
import bodyAcceleration from "../../wgsl/direct/lib/body-acceleration.wgsl";
import bodyJerk from "../../wgsl/direct/lib/body-jerk.wgsl";
import bodySnap from "../../wgsl/direct/lib/body-snap.wgsl";
import hermite4 from "../../wgsl/direct/lib/hermite-4.wgsl";
import hermite6 from "../../wgsl/direct/lib/hermite-6.wgsl";
import advance from "../../wgsl/direct/lib/hermite-advance.wgsl";
import external from "../../wgsl/direct/lib/hermite-external.wgsl";
import leapfrog from "../../wgsl/direct/lib/hermite-leapfrog.wgsl";
import state from "../../wgsl/direct/lib/hermite-state.wgsl";
import steps from "../../wgsl/direct/lib/hermite-steps.wgsl";
import doubleSingle from "../../wgsl/lib/double-single.wgsl";
import grid from "../../wgsl/lib/grid.wgsl";
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BindingKind, Kernel } from "../gpu/kernel.ts";
import type { Integrator, StepScheme } from "../scenario/scenario.ts";
import type { ForceOrder } from "./bodies.ts";

export interface IntegratorShape {
  /** What it asks of a force. */
  order: ForceOrder;
  /** Of a `Derivatives` record. */
  derivativeBytes: number;
  /** Force passes from positions and velocities alone: the snap needs the acceleration first. */
  startPasses: number;
  source: WgslSource;
  body: WgslSource;
}

export const INTEGRATORS: Record<Integrator, IntegratorShape> = {
  leapfrog: { order: "acceleration", derivativeBytes: 32, startPasses: 1, source: leapfrog, body: bodyAcceleration },
  "hermite-4": { order: "jerk", derivativeBytes: 64, startPasses: 1, source: hermite4, body: bodyJerk },
  "hermite-6": { order: "snap", derivativeBytes: 80, startPasses: 2, source: hermite6, body: bodySnap },
};

/** Settings, control, particles, derivatives, bodies: what every kernel of an integrator may bind first. */
const SHARED_BINDINGS: readonly BindingKind[] = ["uniform", "read-write", "read-write", "read-write", "read-write"];

export interface IntegratorKernelOptions {
  label: string;
  integrator: Integrator;
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

/** Kernels are the same for every number of particles: compiled once per context. */
const compiled = new WeakMap<GpuContext, Map<string, Promise<Kernel>>>();

/** An entry point on top of an integrator's functions. Throws "device" when it doesn't compile. */
export function integratorKernel(gpu: GpuContext, options: IntegratorKernelOptions): Promise<Kernel> {
  const known = compiled.get(gpu) ?? new Map<string, Promise<Kernel>>();
  compiled.set(gpu, known);
  const { integrator, scheme, fields, source, entry } = options;
  const key = [integrator, scheme, Math.max(1, fields), source.path, entry].join(" ");
  const kernel = known.get(key) ?? compile(gpu, options);
  known.set(key, kernel);
  return kernel;
}

function compile(gpu: GpuContext, options: IntegratorKernelOptions): Promise<Kernel> {
  const { label, integrator, scheme, fields, source, entry, bindings, constants } = options;
  const { source: method, body } = INTEGRATORS[integrator];
  return gpu.kernel({
    label: `direct/${label} ${integrator}`,
    sources: [grid, doubleSingle, body, method, state, steps, external, advance, source],
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
