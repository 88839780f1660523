/**
 * The force mesh as texels of a three-dimensional texture, 16 bytes a cell more, for adapters on CPUs, which read a texel at
 * once but a buffer word by word. Vectors are copied by the driver, pairs by a kernel, which takes four times as long.
 */
import forceTexelsWgsl from "../../../../wgsl/engine/mesh/force/force-texels.wgsl";
import { type Batch, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, TEXEL_BYTES } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { MeshBuffers } from "../field.ts";
import { forcePlanes, forceSource, slabForceParts } from "./force-mesh.ts";

const GROUP = 64;
/** Cells that an invocation copies; the largest of these that divides the side. */
const RUNS = [8, 4, 2, 1];

/** Whether a storage texture of the mesh's size can be read: on processors it pays, where a particle reads 8 or 27 cells. */
export function texelsAreReadable({ adapter, device }: GpuContext, cells: number): boolean {
  const languages = globalThis.navigator?.gpu?.wgslLanguageFeatures;
  const readable = languages === undefined || languages.has("readonly_and_readwrite_storage_textures");
  return adapter.software && readable && cells <= device.limits.maxTextureDimension3D;
}

export interface ForceTexels {
  /** Room for a slab with its ghosts, the deepest. */
  view: GPUTextureView;
  encode(batch: Batch, slab: number): Batch;
}

/** The texture belongs to `own`. */
export async function forceTexels(gpu: GpuContext, mesh: MeshBuffers, own: BufferPool): Promise<ForceTexels> {
  const { cells, slabs } = mesh;
  const depths = slabs.map(forcePlanes);
  const texture = own.texels("force texels", cells, Math.max(...depths), "mesh");
  const view = texture.createView();
  if (slabs[0].vectors) {
    return {
      view,
      encode: (batch, s) => batch.copyIntoTexels(slabs[s].force, TEXEL_BYTES * cells, texture, depths[s]),
    };
  }
  const run = RUNS.find((length) => cells % length === 0)!;
  const kernel = await gpu.kernel({
    label: "force texels",
    sources: [forceTexelsWgsl, forceSource(mesh)],
    entry: "texels",
    constants: { CELLS: cells, RUN: run, FORCE: 0, FORCE_Z: 1 },
  });
  const bound = slabs.map((slab) => kernel.bind(...slabForceParts(slab, cells), view));
  const groups = depths.map((planes) => workgroups((cells ** 2 * planes) / run, GROUP));
  return { view, encode: (batch, s) => batch.dispatch(bound[s], groups[s]) };
}
