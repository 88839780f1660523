/**
 * Ordering particles by cell: counting sort by the base cell of their assignment, so that neighbours in space are
 * neighbours in memory (AAD09 §2). The update counts the particles as it moves them; `encodeCount` does it alone.
 */
import countKernel from "../../../wgsl/engine/gpu-particles/order-count.wgsl";
import scatterKernel from "../../../wgsl/engine/gpu-particles/order-scatter.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { shapeByKind } from "../../foundation/gpu/shapes.ts";
import { type CellGrid, cellConstants } from "../../physics/particles/grid.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { SectionOrder, scanParts } from "./order-sections.ts";
import { Scan, type ScanShape } from "./scan.ts";
import { type CellStarts, inSections } from "./sections.ts";
import type { BothHalves } from "./windows.ts";

const GROUP = 64;
/** Particles that an invocation counts, as in order-count.wgsl. */
const COUNT_RUN = 16;
/** Particles that an invocation moves: one (coalesced) suits GPUs, several suit CPUs. */
const RUNS = { "run 1": 1, "run 8": 8 } as const;
type RunName = keyof typeof RUNS;
const BY_KIND = { processor: "run 8", gpu: "run 1" } as const;

/** The kernels for particles and a mesh that a dispatch sees whole. */
interface WholeOrder {
  scan: Scan;
  count: BothHalves;
  scatter: BothHalves;
  run: number;
}

export interface OrderOptions {
  /** Variant of the scan; that of the kind of adapter unless given. */
  scan?: ScanShape;
  /** Particles that an invocation moves; that of the kind of adapter unless given. */
  run?: number;
}

export class ParticleOrder {
  private constructor(
    private readonly particles: ParticleBuffers,
    private readonly starts: CellStarts,
    /** By sections, or of the whole. */
    private readonly stages: SectionOrder | WholeOrder,
  ) {}

  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    starts: CellStarts,
    grid: CellGrid,
    options: OrderOptions = {},
  ): Promise<ParticleOrder> {
    if (inSections(particles, starts)) {
      return new ParticleOrder(particles, starts, await SectionOrder.create(gpu, particles, starts, grid, options));
    }
    const cellStart = starts.slabs[0].starts;
    const run = options.run ?? RUNS[shapeByKind(gpu, "order", Object.keys(RUNS) as RunName[], BY_KIND)];
    const constants = { ...cellConstants(grid, particles.boundary), RUN: run };
    const [scan, count, scatter] = await Promise.all([
      Scan.create(gpu, scanParts(starts), options.scan),
      gpu.kernel({ label: "order/count", sources: [countKernel], entry: "count", constants }),
      gpu.kernel({ label: "order/scatter", sources: [scatterKernel], entry: "scatter", constants }),
    ]);
    const { places } = particles;
    return new ParticleOrder(particles, starts, {
      ...{ scan, run },
      count: particles.eachHalf(({ positions, images }) => count.bind(positions, places, cellStart, images)),
      scatter: particles.eachHalf((here, there) =>
        scatter.bind(
          ...[here.positions, places, cellStart, here.velocities, here.ids],
          ...[there.positions, there.velocities, there.ids, here.images, there.images],
        ),
      ),
    });
  }

  /** Counts into the cell starts and places, from any phase: what a cold start or a restored state lacks. */
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

  /** Scans the counts, moves the particles into cell order in the other half, and makes that half current. */
  encodeSort(batch: Batch): void {
    const { particles, stages } = this;
    particles.phase.advance("order", "counted", "sorted");
    batch.stage("order");
    if (stages instanceof SectionOrder) {
      stages.encodeMove(batch);
      particles.flip();
      stages.encodeMasses(batch);
    } else {
      const { scan, scatter, run } = stages;
      scan.encode(batch);
      batch.dispatch(scatter[particles.current], workgroups(Math.ceil(particles.count / run), GROUP));
      particles.flip();
    }
  }

  destroy(): void {
    if (this.stages instanceof SectionOrder) this.stages.destroy();
    else this.stages.scan.destroy();
  }
}
