/**
 * Ordering particles by cell: counting sort by the base cell of their assignment, so that neighbours in space are
 * neighbours in memory for deposit and interpolation (AAD09 §2). Counting is usually fused into the kernel that
 * moves the particles; `encodeCount` does it alone, for a cold start. On GPUs velocities may stay behind: the update, which
 * reads and writes them all, then moves them in passing (fewer bytes; CPUs wait longer for what is fetched by index).
 */
import countKernel from "../../wgsl/particles/order-count.wgsl";
import isolatedPart from "../../wgsl/particles/order-isolated.wgsl";
import periodicPart from "../../wgsl/particles/order-periodic.wgsl";
import scatterKernel from "../../wgsl/particles/order-scatter.wgsl";
import partsKernel from "../../wgsl/particles/order-scatter-parts.wgsl";
import velocityLeftPart from "../../wgsl/particles/order-velocity-left.wgsl";
import velocityMovedPart from "../../wgsl/particles/order-velocity-moved.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import { shapeByKind } from "../gpu/shapes.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { type CellGrid, type CellStarts, cellConstants } from "./cells.ts";
import { SectionOrder, scanParts } from "./order-sections.ts";
import { Scan, type ScanShape } from "./scan.ts";
import { inSections } from "./sections.ts";
import type { BothHalves, ParticleHalf } from "./windows.ts";

const GROUP = 64;
/** Particles that an invocation counts, as in order-count.wgsl. */
const COUNT_RUN = 16;
/** Particles that an invocation moves: one (coalesced) suits GPUs, several suit CPUs. */
const COALESCED = 1;
const RUNS: Record<string, number> = { "run 1": COALESCED, "run 8": 8 };
const BY_KIND = { processor: "run 8", gpu: "run 1" };
/** Storage buffers of the scatter that moves an isolated particle at once, and of the update that fetches velocities. */
const ISOLATED_SCATTER_BUFFERS = 10;

/** Kernels that move the particles into order, `run` an invocation. */
interface Scatter {
  run: number;
  /** All that a particle has. */
  whole: readonly BothHalves[];
  /** All but the velocity; undefined where that wins nothing, or the adapter binds too few buffers for the update to fetch it. */
  leaving: readonly BothHalves[] | undefined;
}

/** Of particles and a mesh that a dispatch sees whole. */
interface WholeOrder {
  scan: Scan;
  count: BothHalves;
  scatter: Scatter;
}

export interface OrderOptions {
  /** Shape of the scan; that of the kind of adapter unless given. */
  scan?: ScanShape;
  /** Particles that an invocation moves; that of the kind of adapter unless given. */
  run?: number;
  /** Storage buffers that a kernel may bind; the adapter's limit unless given. */
  storageBuffers?: number;
}

export class Order {
  private constructor(
    private readonly particles: ParticleBuffers,
    private readonly starts: CellStarts,
    /** By sections, or of the whole. */
    private readonly stages: SectionOrder | WholeOrder,
  ) {}

  /** Orders `particles` by the cells of `grid`. */
  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    starts: CellStarts,
    grid: CellGrid,
    options: OrderOptions = {},
  ): Promise<Order> {
    if (inSections(particles, starts)) {
      return new Order(particles, starts, await SectionOrder.create(gpu, particles, starts, grid, options));
    }
    const kernels = new OrderKernels(gpu, particles, starts.slabs[0].starts, grid);
    const [scan, count] = await Promise.all([Scan.create(gpu, scanParts(starts), options.scan), kernels.count()]);
    const order = (scatter: Scatter) => new Order(particles, starts, { scan, count, scatter });
    const storageBuffers = options.storageBuffers ?? gpu.device.limits.maxStorageBuffersPerShaderStage;
    if (storageBuffers < ISOLATED_SCATTER_BUFFERS) {
      const whole = particles.images ? await kernels.scatterInParts() : await kernels.scatterAtOnce(COALESCED);
      return order({ run: COALESCED, whole, leaving: undefined });
    }
    const run = options.run ?? RUNS[shapeByKind(gpu, "order", Object.keys(RUNS), BY_KIND)];
    const shape = { run, whole: await kernels.scatterAtOnce(run) };
    const leaving = shape.run === COALESCED ? await kernels.scatterLeaving(COALESCED) : undefined;
    return order({ ...shape, leaving });
  }

  /** Counts into the cell starts and ranks, from any phase: what a cold start or a restored state lacks. */
  encodeCount(batch: Batch): void {
    const { count, current, phase } = this.particles;
    phase.recount();
    batch.stage("order");
    if (this.stages instanceof SectionOrder) {
      this.stages.encodeCount(batch);
    } else {
      batch.clear(this.starts.slabs[0].starts);
      batch.dispatch(this.stages.count[current], workgroups(Math.ceil(count / COUNT_RUN), GROUP));
    }
  }

  /**
   * Scans the counts, moves the particles into cell order in the other half, and makes that half current. With
   * `leaveVelocities`, and where that pays, the velocities stay behind until the next update moves them.
   */
  encodeSort(batch: Batch, { leaveVelocities = false } = {}): void {
    const { phase } = this.particles;
    const { stages } = this;
    const leaving = stages instanceof SectionOrder ? undefined : stages.scatter.leaving;
    phase.expectVelocities("order");
    phase.advance("order", "counted", "sorted", { velocitiesBehind: leaveVelocities && leaving !== undefined });
    batch.stage("order");
    if (stages instanceof SectionOrder) {
      stages.encodeMove(batch);
      this.particles.flip();
      stages.encodeMasses(batch);
    } else {
      const { scan, scatter } = stages;
      scan.encode(batch);
      const { count, current } = this.particles;
      const groups = workgroups(Math.ceil(count / scatter.run), GROUP);
      const kernels = leaveVelocities && leaving ? leaving : scatter.whole;
      for (const kernel of kernels) batch.dispatch(kernel[current], groups);
      this.particles.flip();
    }
  }

  destroy(): void {
    if (this.stages instanceof SectionOrder) this.stages.destroy();
    else this.stages.scan.destroy();
  }
}

interface OrderKernel {
  source: WgslSource;
  /** What the source expects beside the images' part. */
  parts?: readonly WgslSource[];
  entry: string;
  constants?: WgslConstants;
  /** The buffers but for the images, which follow the others in an isolated run. */
  buffers(here: ParticleHalf, there: ParticleHalf): GPUBuffer[];
}

/** Compiles and binds the kernels of the ordering. */
class OrderKernels {
  constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
    private readonly cellStart: GPUBuffer,
    private readonly grid: CellGrid,
  ) {}

  count(): Promise<BothHalves> {
    return this.#kernel({
      source: countKernel,
      entry: "count",
      buffers: ({ positions }) => [positions, this.particles.rank, this.cellStart],
    });
  }

  async scatterAtOnce(run: number): Promise<BothHalves[]> {
    const { rank } = this.particles;
    const kernel = await this.#kernel({
      source: scatterKernel,
      parts: [velocityMovedPart],
      entry: "scatter",
      constants: { RUN: run },
      buffers: ({ positions, velocities, ids }, there) => [
        ...[positions, rank, this.cellStart, velocities, ids],
        ...[there.positions, there.velocities, there.ids],
      ],
    });
    return [kernel];
  }

  async scatterLeaving(run: number): Promise<BothHalves[]> {
    const { rank } = this.particles;
    const origins = this.particles.makeOrigins();
    const kernel = await this.#kernel({
      source: scatterKernel,
      parts: [velocityLeftPart],
      entry: "scatter",
      constants: { RUN: run },
      buffers: ({ positions, velocities, ids }, there) => [
        ...[positions, rank, this.cellStart, velocities, ids],
        ...[there.positions, there.velocities, there.ids, origins],
      ],
    });
    return [kernel];
  }

  scatterInParts(): Promise<BothHalves[]> {
    const { rank } = this.particles;
    return Promise.all([
      this.#kernel({
        source: partsKernel,
        entry: "scatter",
        buffers: ({ positions, velocities }, there) => [
          ...[positions, rank, this.cellStart, velocities],
          ...[there.positions, there.velocities],
        ],
      }),
      this.#kernel({
        source: partsKernel,
        entry: "scatterIds",
        constants: { IMAGES: 6 }, // as for the other entry point of the file
        buffers: ({ ids }, there) => [rank, ids, there.ids],
      }),
    ]);
  }

  async #kernel({ source, parts = [], entry, constants, buffers }: OrderKernel): Promise<BothHalves> {
    const isolated = this.particles.images !== undefined;
    const kernel = await this.gpu.kernel({
      label: `order/${entry}`,
      sources: [isolated ? isolatedPart : periodicPart, ...parts, source],
      entry,
      constants: {
        ...cellConstants(this.grid),
        IMAGES: this.particles.eachHalf(buffers)[0].length,
        ...constants,
      },
    });
    return this.particles.eachHalf((here, there) =>
      kernel.bind(...buffers(here, there), ...(isolated ? [here.images, there.images] : [])),
    );
  }
}
