/** Direct sums on the GPU for tests: settings with defaults, pipelines that are destroyed, saved states as numbers. */

import type { ExactState } from "../../src/engine/backend/backend.ts";
import { DirectPipeline, type DirectPipelineOptions } from "../../src/engine/direct/pipeline.ts";
import type { DirectPipelineSettings, DirectSettings } from "../../src/engine/direct/settings.ts";
import { directDefaults } from "../../src/engine/direct/settings.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";

/** Side of the box: cuts a Plummer sphere of Hénon's units at 16. */
export const BOX = 40;

/** As Portegies Zwart+ 2007, §4: softening 1/256, largest step 1/8, ν = 0.01. */
export function directSettings(
  direct: Partial<DirectSettings> = {},
  rest: Partial<Omit<DirectPipelineSettings, "direct">> = {},
): DirectPipelineSettings {
  return {
    direct: { ...directDefaults, softening: 1 / 256, ...direct },
    ...{ boxSize: BOX, G: 1, externalPotentials: [], step: 1 / 8 },
    ...rest,
  };
}

/** Makes a pipeline, lends it to `use`, and destroys it whatever happens. */
export async function withDirect<T>(
  gpu: GpuContext,
  settings: DirectPipelineSettings,
  particles: ParticleSet,
  use: (pipeline: DirectPipeline) => Promise<T>,
  options: DirectPipelineOptions = {},
): Promise<T> {
  const pipeline = await DirectPipeline.create(gpu, settings, particles, options);
  try {
    return await use(pipeline);
  } finally {
    pipeline.destroy();
  }
}

/** A signal that aborts when it is asked for the (n + 1)-th time: after n submissions. */
export function abortAfter(n: number): AbortSignal {
  let asked = 0;
  return {
    get aborted() {
      return asked++ >= n;
    },
  } as AbortSignal;
}

/** A saved state by particle, in the pipeline's own units: high and low words added. */
export interface DirectRecords {
  /** [3N] */
  positions: Float64Array;
  velocities: Float64Array;
  accelerations: Float64Array;
  /** [3N] each, as many as the integrator keeps: jerk, snap, crackle. */
  higher: Float64Array[];
  /** [N] ticks */
  times: Uint32Array;
  steps: Uint32Array;
}

export function directRecords({ arrays }: ExactState, count: number): DirectRecords {
  const times = new Uint32Array(arrays.particles);
  const particles = new Float32Array(times.buffer);
  const derivatives = new Float32Array(new Uint32Array(arrays.derivatives).buffer);
  const words = derivatives.length / count;
  const vectors = (value: (i: number, axis: number) => number) =>
    Float64Array.from({ length: 3 * count }, (_, k) => value(Math.floor(k / 3), k % 3));
  return {
    positions: vectors((i, axis) => particles[16 * i + axis] + particles[16 * i + 4 + axis]),
    velocities: vectors((i, axis) => particles[16 * i + 8 + axis] + particles[16 * i + 12 + axis]),
    accelerations: vectors((i, axis) => derivatives[words * i + axis] + derivatives[words * i + 4 + axis]),
    higher: Array.from({ length: words / 4 - 2 }, (_, n) =>
      vectors((i, axis) => derivatives[words * i + 8 + 4 * n + axis]),
    ),
    times: Uint32Array.from({ length: count }, (_, i) => times[16 * i + 11]),
    steps: Uint32Array.from({ length: count }, (_, i) => times[16 * i + 15]),
  };
}

/** Total energy of a pipeline's present state. */
export async function energy(pipeline: Pick<DirectPipeline, "sums">): Promise<number> {
  const { kinetic, potential } = await pipeline.sums();
  return kinetic + potential;
}
