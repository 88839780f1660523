/** Sources from the mesh pipeline's particles, by id: fixed point to pairs about the centre of the box. */
import meshWgsl from "../../../wgsl/engine/direct/source-mesh.wgsl";
import { workgroups } from "../../foundation/gpu/batch.ts";
import { f32, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { RECORD_BYTES } from "./bodies.ts";
import type { SourceBlocks } from "./source-blocks.ts";
import { VECTOR_BYTES } from "./source-records.ts";

/** Buffers of some of the mesh's particles. */
export interface MeshParticleBuffers {
  /** [3n] u32 fixed point, x = boxSize·u/2³². */
  positions: GPUBuffer;
  /** [n] u32 */
  ids: GPUBuffer;
  /** [n] u32, packed box images (physics/particles/fixed-point.ts); isolated runs. Without them all lie in the box. */
  images?: GPUBuffer;
  /** [3n] f32 [velocity]; for jerks. */
  velocities?: GPUBuffer;
}

/** Some of the mesh's particles, where a buffer doesn't hold them all. */
export interface MeshParticleWindow extends MeshParticleBuffers {
  /** n */
  count: number;
}

/** Particles on the GPU, in any order; their ids are 0 … count − 1, each once. */
export type MeshParticles = {
  /** N */
  count: number;
  /** Side of the box [length]. */
  boxSize: number;
} & (MeshParticleBuffers | { windows: readonly MeshParticleWindow[] });

/** The buffers, one chunk or more. */
export function windowsOf(particles: MeshParticles): readonly MeshParticleWindow[] {
  return "windows" in particles ? particles.windows : [particles];
}

const GROUP = 64;
const TURN = 2 ** 32;
/** Blocks filled in one submission. */
const BLOCKS_AT_ONCE = 8;

/** Replaces all sources by the mesh's particles. `masses`: G·m [N] by id. */
export async function fillFromMesh(
  gpu: GpuContext,
  sources: SourceBlocks,
  particles: MeshParticles,
  masses: Float64Array,
): Promise<void> {
  const { count, boxSize } = particles;
  const windows = windowsOf(particles);
  const kernel = await gpu.kernel({
    label: "direct sources/mesh",
    sources: [meshWgsl],
    entry: "convert",
    constants: {
      BODY: `${RECORD_BYTES[sources.order] / VECTOR_BYTES}u`,
      IMAGES: windows.some(({ images }) => images !== undefined),
      VELOCITIES: windows.some(({ velocities }) => velocities !== undefined),
    },
  });
  sources.reset(count, false, [boxSize / 2, boxSize / 2, boxSize / 2]);
  const { blocks } = sources;
  const unit = boxSize / TURN;
  for (let at = 0; at < blocks.length; at += BLOCKS_AT_ONCE) {
    const batch = gpu.batch("sources from the mesh").stage("sources");
    const own = gpu.buffers.pool();
    for (const { first, count: rows, bodies } of blocks.slice(at, at + BLOCKS_AT_ONCE)) {
      const ofBlock = own.upload("source masses", Float32Array.from(masses.subarray(first, first + rows)), "particles");
      for (const { count: slots, positions, ids, images = ids, velocities = ids } of windows) {
        const uniform = own.uniform("mesh conversion", [
          ...u32(slots, first, first + rows, 0),
          ...f32(Math.fround(unit), unit - Math.fround(unit)),
        ]);
        batch.dispatch(
          kernel.bind(uniform, positions, ids, images, velocities, ofBlock, bodies),
          workgroups(slots, GROUP),
        );
      }
    }
    try {
      await batch.submit();
    } finally {
      own.destroyAll();
    }
  }
}
