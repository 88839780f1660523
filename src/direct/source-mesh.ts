/**
 * Sources straight from the mesh pipeline's particle buffers (particles/buffers.ts): fixed point to pairs about the
 * centre of the box, on the GPU, rows in the order of ids whatever the order in memory.
 */
import meshWgsl from "../../wgsl/direct/source-mesh.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { bodyBytes } from "./bodies.ts";
import type { SourceBlocks } from "./source-blocks.ts";
import { VECTOR_BYTES } from "./source-records.ts";

/** Particles on the GPU, in any order; their ids are 0 … count − 1, each once. */
export interface MeshParticles {
  count: number;
  /** Side of the box [length]. */
  boxSize: number;
  /** [3N] u32 fixed point, x = boxSize·u/2³². */
  positions: GPUBuffer;
  /** [N] u32 */
  ids: GPUBuffer;
  /** [N] u32, packed box images (particles/fixed-point.ts); isolated runs. Without them all lie in the box. */
  images?: GPUBuffer;
  /** [3N] f32 [velocity]; for jerks. */
  velocities?: GPUBuffer;
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
  const { count, boxSize, positions, ids, images, velocities } = particles;
  const kernel = await gpu.kernel({
    label: "direct sources/mesh",
    sources: [meshWgsl],
    entry: "convert",
    constants: {
      BODY: `${bodyBytes(sources.order) / VECTOR_BYTES}u`,
      IMAGES: images !== undefined,
      VELOCITIES: velocities !== undefined,
    },
  });
  sources.reset(count, false, [boxSize / 2, boxSize / 2, boxSize / 2]);
  const { blocks } = sources;
  const massBuffer = gpu.buffers.upload("source masses", Float32Array.from(masses), "particles");
  const unit = boxSize / TURN;
  const uniforms = blocks.map(({ first, count: rows }) =>
    gpu.buffers.uniform("mesh conversion", [
      ...u32(count, first, first + rows, 0),
      ...f32(Math.fround(unit), unit - Math.fround(unit)),
    ]),
  );
  try {
    for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
      const batch = gpu.batch("sources from the mesh").stage("sources");
      for (let k = first; k < Math.min(blocks.length, first + BLOCKS_AT_ONCE); k++) {
        const { bodies } = blocks[k];
        const bound = kernel.bind(uniforms[k], positions, ids, images ?? ids, velocities ?? ids, massBuffer, bodies);
        batch.dispatch(bound, workgroups(count, GROUP));
      }
      await batch.submit();
    }
  } finally {
    gpu.buffers.release(massBuffer, ...uniforms);
  }
}
