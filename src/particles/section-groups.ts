/**
 * Workgroups of sections, counted on the GPU, which alone knows where each plane's particles lie: a window and a slab that
 * have nothing in common then cost nothing (wgsl/particles/section-groups.wgsl).
 */
import groupsWgsl from "../../wgsl/particles/section-groups.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, USAGE } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { Range } from "../gpu/windows.ts";
import { type CellStarts, planeStartVectors } from "./cells.ts";
import type { Planes } from "./sections.ts";

const GROUP = 64;
/** Bytes of an indirect dispatch's arguments. */
const ARGUMENTS = 12;

export class SectionGroups {
  private constructor(
    private readonly kernel: BoundKernel,
    private readonly groups: readonly [number, number],
    private readonly args: GPUBuffer,
  ) {}

  /** For sections of windows and planes, and kernels of which a workgroup takes `slots` slots. Buffers belong to `own`. */
  static async create(
    gpu: GpuContext,
    own: BufferPool,
    starts: CellStarts,
    sections: readonly { window: Range; planes: Planes }[],
    slots: number,
  ): Promise<SectionGroups> {
    const words = sections.flatMap(({ window, planes }) => [window.first, window.count, planes.from, planes.to]);
    const list = own.upload("sections", Uint32Array.from(words), "other");
    const args = own.storage("workgroups of sections", ARGUMENTS * sections.length, "other", USAGE.INDIRECT);
    const kernel = await gpu.kernel({
      label: "sections/groups",
      sources: [groupsWgsl],
      entry: "count",
      constants: { PLANE_STARTS: planeStartVectors(starts.cells), SLOTS_A_GROUP: `${slots}u` },
    });
    return new SectionGroups(kernel.bind(starts.planeStarts, list, args), workgroups(sections.length, GROUP), args);
  }

  /** Counts them; to be recorded after the ordering and before `dispatch`. */
  encode(batch: Batch): Batch {
    return batch.dispatch(this.kernel, this.groups);
  }

  /** Dispatches a kernel for one of the sections, by its place among those given. */
  dispatch(batch: Batch, kernel: BoundKernel, section: number, dynamicOffset?: number): Batch {
    return batch.dispatchIndirect(kernel, this.args, ARGUMENTS * section, dynamicOffset);
  }
}
