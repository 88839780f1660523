/**
 * The force mesh as texels of a three-dimensional texture, 16 bytes a cell more, for adapters that read a texel at once
 * but a buffer word by word for each invocation: those on CPUs.
 */
import forceTexelsWgsl from "../../wgsl/mesh/force-texels.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { BufferPool } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { FORCE_BYTES, type MeshBuffers, slabForceParts } from "./field.ts";
import type { Assignment } from "./settings.ts";

const GROUP = 64;
/** Cells that an invocation copies; the largest of these that divides the side. */
const RUNS = [8, 4, 2, 1];

/**
 * Whether texels may win: where a particle reads 8 or 27 cells, on a CPU adapter whose browser reads storage textures. One
 * cell (NGP) doesn't pay for the copy.
 */
export function texelsMayWin({ adapter, device }: GpuContext, assignment: Assignment, cells: number): boolean {
  const languages = globalThis.navigator?.gpu?.wgslLanguageFeatures;
  const readable = languages === undefined || languages.has("readonly_and_readwrite_storage_textures");
  return assignment !== "ngp" && adapter.software && readable && cells <= device.limits.maxTextureDimension3D;
}

export class ForceTexels {
  private constructor(
    /** Room for a slab with its ghosts, the deepest. */
    readonly view: GPUTextureView,
    /** Copies of each slab, and their invocations. */
    private readonly copies: readonly { kernel: BoundKernel; invocations: number }[],
  ) {}

  /** The texture belongs to `own`. */
  static async create(gpu: GpuContext, mesh: MeshBuffers, own: BufferPool): Promise<ForceTexels> {
    const { cells } = mesh;
    const run = RUNS.find((length) => cells % length === 0)!;
    const kernel = await gpu.kernel({
      label: "force texels",
      sources: [forceTexelsWgsl],
      entry: "texels",
      constants: { CELLS: cells, RUN: run },
    });
    const depths = mesh.slabs.map(({ force }) => force.size / (FORCE_BYTES * cells ** 2));
    const view = own.texels("force texels", cells, Math.max(...depths), "mesh").createView();
    const copies = mesh.slabs.map((slab, s) => {
      const { xy, z } = slabForceParts(slab);
      return { kernel: kernel.bind(xy, z, view), invocations: (cells ** 2 * depths[s]) / run };
    });
    return new ForceTexels(view, copies);
  }

  /** Copies the force of a slab, or a share of it, for a measurement of as much. */
  encode(batch: Batch, slab = 0, share = 1): Batch {
    const { kernel, invocations } = this.copies[slab];
    return batch.dispatch(kernel, workgroups(Math.ceil(share * invocations), GROUP));
  }
}
