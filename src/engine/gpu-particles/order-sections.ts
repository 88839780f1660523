/**
 * Ordering where particles or mesh are larger than a binding: the same counting sort as order.ts, a section at a time
 * (wgsl/engine/gpu-particles/order-sections.wgsl), and a pair of windows at a time where particles move (order-move.wgsl).
 */
import massKernel from "../../../wgsl/engine/gpu-particles/mass-by-slot.wgsl";
import moveKernel from "../../../wgsl/engine/gpu-particles/order-move.wgsl";
import sectionsKernel from "../../../wgsl/engine/gpu-particles/order-sections.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Range } from "../../foundation/gpu/windows.ts";
import { type CellGrid, cellConstants } from "../../physics/particles/grid.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { Scan, type ScanPart, type ScanShape } from "./scan.ts";
import { boundInSections, type CellStarts, sectionConstants, sectionsOf } from "./sections.ts";
import { type BothHalves, FAULT_WORDS, type ParticleHalf, SLOTS_A_MARK } from "./windows.ts";

/** Marks whose slots a workgroup takes (order-marks.wgsl). */
const MARKS = 8;
/** Invocations of a workgroup and slots of an invocation in mass-by-slot.wgsl. */
const GROUP = 64;
const MASS_RUN = 8;
const SECTION = 6;

type Entry = "count" | "countStrays" | "slot";

/** A kernel bound for either half, and its invocations. */
interface Bound {
  kernel: BothHalves;
  groups: readonly [number, number];
}

const groupsOf = ({ count }: Range) => workgroups(Math.ceil(count / SLOTS_A_MARK), MARKS);

/** The words that a scan goes over: the cells, and of the last slab the outside and the end. */
export function scanParts({ cells, slabs }: CellStarts): ScanPart[] {
  return slabs.map(({ first, planes, starts }) => ({
    buffer: starts,
    count: planes * cells ** 2 + (first + planes === cells ? 2 : 0),
  }));
}

export class SectionOrder {
  private constructor(
    private readonly particles: ParticleBuffers,
    private readonly starts: CellStarts,
    private readonly scan: Scan,
    private readonly parts: Record<Entry | "move" | "masses", readonly Bound[]>,
    private readonly own: BufferPool,
  ) {}

  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    starts: CellStarts,
    grid: CellGrid,
    { scan: scanShape }: { scan?: ScanShape } = {},
  ): Promise<SectionOrder> {
    const own = gpu.buffers.pool();
    const { windows, massWindows } = particles;
    const constants = {
      ...{ SLOTS_A_MARK, CHUNK_SLOTS: windows[0].count, FAULTS: FAULT_WORDS },
      SPREAD: `${gpu.threads}u`,
    };
    const all = sectionsOf(own, particles, starts);
    const sections = async (entry: Entry): Promise<Bound[]> => {
      const kernel = await gpu.kernel({
        label: `order/${entry} in sections`,
        sources: [sectionsKernel],
        entry,
        constants: {
          ...cellConstants(grid, particles.boundary),
          ...sectionConstants(particles, starts, SECTION),
          ...constants,
        },
      });
      const bound = boundInSections(kernel, particles, all, ({ positions, images }, { window, starts: ofSlab }) => {
        return [positions, window.places, ofSlab, images, window.marks, window.bound];
      });
      return bound.map((kernel, s) => ({ kernel, groups: groupsOf(all[s].window) }));
    };
    const move = async (names: readonly (keyof ParticleHalf)[]): Promise<Bound[]> => {
      const IMAGES = names.includes("images");
      const kernel = await gpu.kernel({
        ...{ label: `order/${IMAGES ? "moveImages" : "moveParticles"}`, sources: [moveKernel], entry: "moveMarked" },
        constants: { ...constants, IMAGES },
      });
      return windows.flatMap((from) =>
        windows.map((to) => {
          const uniform = own.uniform("move", u32(from.count, to.first, to.count));
          const [here, there] = [particles.ofWindow(from, (half) => half), particles.ofWindow(to, (_, other) => other)];
          const bind = (half: 0 | 1) =>
            kernel.bind(
              ...[uniform, from.places, from.bound],
              ...names.map((name) => here[half][name]),
              ...names.map((name) => there[half][name]),
            );
          return { kernel: [bind(0), bind(1)], groups: groupsOf(from) };
        }),
      );
    };
    const masses = async (): Promise<Bound[]> => {
      if (!massWindows || windows.length === 1) return [];
      const kernel = await gpu.kernel({ label: "order/mass by slot", sources: [massKernel], entry: "massBySlot" });
      return windows.flatMap((window) =>
        windows.map((ids, k) => {
          const uniform = own.uniform("window of ids", u32(window.count, ids.first, ids.count));
          return {
            kernel: particles.ofWindow(window, (half) => kernel.bind(uniform, half.ids, massWindows[k], window.places)),
            groups: workgroups(Math.ceil(window.count / MASS_RUN), GROUP),
          };
        }),
      );
    };
    const [count, countStrays, slot, particlesMoved, imagesMoved, bySlot, scan] = await Promise.all([
      sections("count"),
      sections("countStrays"),
      sections("slot"),
      move(["positions", "velocities", "ids"]),
      particles.boundary === "isolated" ? move(["images"]) : [],
      masses(),
      Scan.create(gpu, scanParts(starts), scanShape),
    ]);
    const parts = { count, countStrays, slot, move: [...particlesMoved, ...imagesMoved], masses: bySlot };
    return new SectionOrder(particles, starts, scan, parts, own);
  }

  /** Counts all particles, whatever is known of them. */
  encodeCount(batch: Batch): void {
    for (const { starts } of this.starts.slabs) batch.clear(starts);
    this.#clearMarks(batch);
    this.#dispatch(batch, "count");
  }

  /** From counts to particles in order in the other half, which isn't made current. */
  encodeMove(batch: Batch): void {
    const { windows } = this.particles;
    this.#dispatch(batch, "countStrays");
    this.scan.encode(batch);
    this.#encodeStarts(batch);
    for (const { bound } of windows) batch.clear(bound);
    this.#dispatch(batch, "slot");
    this.#dispatch(batch, "move");
    this.#clearMarks(batch); // for the update
  }

  /** Mass units by slot where a kernel can't look them up by id; for the half that is current, instead of the places in cells. */
  encodeMasses(batch: Batch): void {
    this.#dispatch(batch, "masses");
  }

  destroy(): void {
    this.scan.destroy();
    this.own.destroyAll();
  }

  #dispatch(batch: Batch, part: keyof SectionOrder["parts"]): void {
    for (const { kernel, groups } of this.parts[part]) batch.dispatch(kernel[this.particles.current], groups);
  }

  #clearMarks(batch: Batch): void {
    for (const { marks } of this.particles.windows) batch.clear(marks, 4 * FAULT_WORDS);
  }

  /** What the slabs have of one another, and the starts of planes. */
  #encodeStarts(batch: Batch): void {
    const { cells, slabs, planeStarts } = this.starts;
    const plane = 4 * cells ** 2;
    for (const [s, { first, planes, starts }] of slabs.entries()) {
      const next = slabs.at(s + 1);
      if (next) batch.copy(next.starts, 0, starts, plane * planes, 4);
      for (let z = 0; z < planes; z += 2) batch.copy(starts, plane * z, planeStarts, 2 * (first + z), 4);
      if (!next) batch.copy(starts, plane * planes, planeStarts, 2 * cells, 8);
    }
  }
}
