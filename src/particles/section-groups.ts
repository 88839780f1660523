/**
 * Dispatches kernels for sections. How many workgroups each wants is counted on the GPU, which alone knows where each plane's
 * particles lie: a window and a slab that have nothing in common then cost nothing (wgsl/particles/section-groups.wgsl).
 */
import groupsWgsl from "../../wgsl/particles/section-groups.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, USAGE } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { type CellStarts, planeStartVectors } from "./cells.ts";
import { inSections, type Section } from "./sections.ts";

const GROUP = 64;
/** Bytes of an indirect dispatch's arguments. */
const ARGUMENTS = 12;

export class SectionGroups {
  private constructor(
    private readonly sections: readonly Pick<Section, "window">[],
    private readonly slots: number,
    /** Counts the workgroups; undefined where there is one section with all particles. */
    private readonly counted: { kernel: BoundKernel; args: GPUBuffer } | undefined,
  ) {}

  /** For kernels of which a workgroup takes `slots` slots. Buffers belong to `own`. */
  static async create(
    gpu: GpuContext,
    own: BufferPool,
    { particles, starts }: { particles: ParticleBuffers; starts: CellStarts },
    sections: readonly Pick<Section, "window" | "planes">[],
    slots: number,
  ): Promise<SectionGroups> {
    if (!inSections(particles, starts)) return new SectionGroups(sections, slots, undefined);
    const words = sections.flatMap(({ window, planes }) => [window.first, window.count, planes.from, planes.to]);
    const list = own.upload("sections", Uint32Array.from(words), "other");
    const args = own.storage("workgroups of sections", ARGUMENTS * sections.length, "other", USAGE.INDIRECT);
    const kernel = await gpu.kernel({
      label: "sections/groups",
      sources: [groupsWgsl],
      entry: "count",
      constants: { PLANE_STARTS: planeStartVectors(starts.cells), SLOTS_A_GROUP: `${slots}u` },
    });
    return new SectionGroups(sections, slots, { kernel: kernel.bind(starts.planeStarts, list, args), args });
  }

  /** Counts them; to be recorded after the ordering and before `dispatch`. */
  encode(batch: Batch): void {
    if (this.counted) batch.dispatch(this.counted.kernel, workgroups(this.sections.length, GROUP));
  }

  /** Dispatches a kernel for one of the sections, by its place among those given. */
  dispatch(batch: Batch, kernel: BoundKernel, section: number, dynamicOffset?: number): void {
    const { slots, counted } = this;
    if (counted) batch.dispatchIndirect(kernel, counted.args, ARGUMENTS * section, dynamicOffset);
    else batch.dispatch(kernel, workgroups(this.sections[section].window.count, slots), dynamicOffset);
  }
}
