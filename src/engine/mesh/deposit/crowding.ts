/** How crowded the cells of a mesh are, counted on the device from the cell starts. */
import occupancyKernel from "../../../../wgsl/engine/mesh/deposit/occupancy.wgsl";
import { workgroups } from "../../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { MeshBuffers } from "../field.ts";

const GROUP = 64;

export interface Crowding {
  /** Particles per cell that holds any; 1 without particles. */
  perCell: number;
  /** Particles in the pencil of cells (2 × 2 rows) that holds most. */
  fullestPencil: number;
}

/** Looks at particles that are in cell order. */
export async function crowding(gpu: GpuContext, { cells, starts: { slabs } }: MeshBuffers): Promise<Crowding> {
  const kernel = await gpu.kernel({
    label: "deposit/occupancy",
    sources: [occupancyKernel],
    entry: "occupancy",
    constants: { CELLS: cells },
  });
  const found = gpu.buffers.storage("occupied cells", 8, "other");
  let [occupied, fullestPencil, inside] = [0, 0, 0];
  const batch = gpu.batch("occupancy").stage("deposit");
  for (const { starts, planes } of slabs)
    batch.dispatch(kernel.bind(starts, found), workgroups((cells * planes) / 4, GROUP));
  const last = slabs[slabs.length - 1];
  await batch
    .read(found, 0, 8, (data) => {
      [occupied, fullestPencil] = new Uint32Array(data);
    })
    .read(last.starts, 4 * last.planes * cells ** 2, 4, (data) => {
      [inside] = new Uint32Array(data);
    })
    .submit();
  gpu.buffers.release(found);
  return { perCell: Math.max(1, inside) / Math.max(1, occupied), fullestPencil };
}
