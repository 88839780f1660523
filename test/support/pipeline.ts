/** The GPU pipeline for physics tests: settings with defaults, and a fresh pipeline on the test file's context. */

import type { MeshSettings, PipelineSettings } from "../../src/engine/mesh/settings.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { meshSettings } from "./point-mass.ts";

/** G = 1, no external fields. */
export function pipelineSettings(
  mesh: Partial<MeshSettings>,
  boundary: Boundary,
  boxSize: number,
  rest: Partial<PipelineSettings> = {},
): PipelineSettings {
  return { mesh: meshSettings(mesh), boundary, boxSize, G: 1, externalPotentials: [], ...rest };
}

/** Makes a pipeline, lends it to `use`, and destroys it whatever happens. */
export async function withPipeline<T>(
  gpu: GpuContext,
  settings: PipelineSettings,
  particles: ParticleSet,
  use: (pipeline: MeshPipeline) => Promise<T>,
): Promise<T> {
  const pipeline = await MeshPipeline.create(gpu, settings, particles);
  try {
    return await use(pipeline);
  } finally {
    pipeline.destroy();
  }
}
