/** A whole pipeline as the probe of point-mass.ts: forces of a unit mass at `source` on targets without mass. */
import type { Backend } from "../backend/backend.ts";
import type { GpuContext } from "../gpu/context.ts";
import { poissonMethods } from "../mesh/poisson-methods.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import { toFixedPoint } from "../particles/fixed-point.ts";
import type { ParticleSet } from "../particles/state.ts";
import { MeshPipeline } from "../pipeline/pipeline.ts";
import { ReferencePipeline } from "../reference/mesh/pipeline.ts";
import type { PointMassForces } from "./point-mass.ts";

/** The source first, then the targets. */
function particlesAt(positions: Float64Array): ParticleSet {
  const count = positions.length / 3;
  const masses = new Float64Array(count);
  masses[0] = 1;
  const components = [{ name: "point mass and targets", species: "halo" as const, first: 0, count }];
  return { count, positions, velocities: new Float32Array(3 * count), masses, components };
}

/**
 * On the GPU, or (without one) in float64 on the CPU. One pipeline whose particles are moved, where that is quicker:
 * not where a solve would begin with the last place's potential, nor on the CPU, where nothing has to be compiled.
 */
export function pipelineForces(settings: PipelineSettings, gpu?: GpuContext) {
  const moves = gpu !== undefined && !poissonMethods[settings.mesh.poisson].warmStart;
  const create = (particles: ParticleSet): Promise<Backend> =>
    gpu ? MeshPipeline.create(gpu, settings, particles) : ReferencePipeline.create(settings, particles);
  let pipeline: Backend | undefined;
  const destroy = () => {
    pipeline?.destroy();
    pipeline = undefined;
  };
  const forces: PointMassForces = async (source, targets) => {
    const positions = Float64Array.from([...source, ...targets]);
    if (!pipeline) pipeline = await create(particlesAt(positions));
    else {
      const { format, arrays } = await pipeline.saveState();
      const moved = Uint32Array.from(positions, (x) => toFixedPoint(x, settings.boxSize).u);
      await pipeline.restoreState({ format, arrays: { ...arrays, positions: moved } });
    }
    const { accelerations } = await pipeline.readParticles({ accelerations: true });
    if (!moves) destroy();
    return accelerations!.subarray(3);
  };
  return { forces, destroy };
}
