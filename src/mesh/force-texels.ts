/**
 * The force mesh as texels of a three-dimensional texture, 16 bytes a cell more, for adapters that read a texel at once
 * but a buffer word by word for each invocation: those on CPUs.
 */
import forceTexelsWgsl from "../../wgsl/mesh/force-texels.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { BufferPool } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { forceParts, type MeshBuffers } from "./field.ts";
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
    readonly view: GPUTextureView,
    private readonly copy: BoundKernel,
    /** Invocations for all cells. */
    private readonly invocations: number,
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
    const view = own.texels("force texels", cells, "mesh").createView();
    const { xy, z } = forceParts(mesh);
    return new ForceTexels(view, kernel.bind(xy, z, view), cells ** 3 / run);
  }

  /** Copies the force mesh, or a share of it, for a measurement of as much. */
  encode(batch: Batch, share = 1): Batch {
    return batch.dispatch(this.copy, workgroups(Math.ceil(share * this.invocations), GROUP));
  }
}
