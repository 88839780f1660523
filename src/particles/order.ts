/**
 * Ordering particles by cell: counting sort by the base cell of their assignment, so that neighbours in space are
 * neighbours in memory for deposit and interpolation (AAD09 §2). Counting is usually fused into the kernel that
 * moves the particles; `encodeCount` does it alone, for a cold start. Velocities may stay behind: the update, which
 * reads and writes them all, then moves them in passing.
 */
import countKernel from "../../wgsl/particles/order-count.wgsl";
import isolatedPart from "../../wgsl/particles/order-isolated.wgsl";
import periodicPart from "../../wgsl/particles/order-periodic.wgsl";
import scatterKernel from "../../wgsl/particles/order-scatter.wgsl";
import partsKernel from "../../wgsl/particles/order-scatter-parts.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BindingKind, BoundKernel } from "../gpu/kernel.ts";
import { fastest } from "../gpu/tune.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { type CellGrid, cellConstants } from "./cells.ts";
import { Scan, type ScanShape } from "./scan.ts";

const GROUP = 64;
/** Particles that an invocation counts, as in order-count.wgsl. */
const COUNT_RUN = 16;
/** Particles that an invocation moves: one (coalesced) suits GPUs, several suit CPUs. */
const RUNS = [1, 16];
/** Storage buffers of the scatter that moves an isolated particle at once. */
const ISOLATED_SCATTER_BUFFERS = 10;
/** A binding number that no kernel here uses: where images go that an entry point doesn't read. */
const FREE_BINDING = 100;

/** The kernels of a stage, bound to read half 0 and half 1 of the particles. */
type BothHalves = readonly [readonly BoundKernel[], readonly BoundKernel[]];

/** Kernels that move the particles into order, `run` an invocation. */
interface Scatter {
  run: number;
  /** All that a particle has. */
  whole: BothHalves;
  /** All but the velocity; undefined where the adapter binds too few buffers for the update to fetch it. */
  leaving: BothHalves | undefined;
}

export interface OrderOptions {
  /** Shape of the scan; measured unless given. */
  scan?: ScanShape;
  /** Particles that an invocation moves; measured unless given. */
  run?: number;
  /** Storage buffers that a kernel may bind; the adapter's limit unless given. */
  storageBuffers?: number;
}

export class Order {
  readonly #particles: ParticleBuffers;
  readonly #cellStart: GPUBuffer;
  readonly #scan: Scan;
  readonly #count: BothHalves;
  readonly #scatter: Scatter;

  private constructor(
    particles: ParticleBuffers,
    cellStart: GPUBuffer,
    scan: Scan,
    count: BothHalves,
    scatter: Scatter,
  ) {
    this.#particles = particles;
    this.#cellStart = cellStart;
    this.#scan = scan;
    this.#count = count;
    this.#scatter = scatter;
  }

  /**
   * Orders `particles` by the cells of `grid`. Measuring the shapes leaves the other half of the particles
   * undefined.
   */
  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    cellStart: GPUBuffer,
    grid: CellGrid,
    options: OrderOptions = {},
  ): Promise<Order> {
    const { images } = particles;
    const create: CreateKernel = (source, entry, bindings, imageBindings, constants = {}) =>
      gpu.kernel({
        label: `order/${entry}`,
        sources: [images ? isolatedPart : periodicPart, source],
        entry,
        bindings: images ? [...bindings, ...imageBindings] : bindings,
        constants: {
          ...cellConstants(grid),
          IMAGES: imageBindings.length > 0 ? bindings.length : FREE_BINDING,
          ...constants,
        },
      });
    const storageBuffers = options.storageBuffers ?? gpu.device.limits.maxStorageBuffersPerShaderStage;
    const [scan, count] = await Promise.all([
      Scan.create(gpu, cellStart, grid.cells ** 3 + 2, options.scan),
      countKernels(particles, cellStart, create),
    ]);
    if (storageBuffers < ISOLATED_SCATTER_BUFFERS) {
      const whole = images
        ? await scatterInParts(particles, cellStart, create)
        : await scatterAtOnce(particles, cellStart, create, 1, false);
      return new Order(particles, cellStart, scan, count, { run: 1, whole, leaving: undefined });
    }
    const scatter = async (run: number) => ({
      run,
      whole: await scatterAtOnce(particles, cellStart, create, run, false),
      leaving: await scatterAtOnce(particles, cellStart, create, run, true),
    });
    const runs = options.run === undefined ? RUNS : [options.run];
    const shapes = await Promise.all(runs.map(scatter));
    const orders = shapes.map((shape) => new Order(particles, cellStart, scan, count, shape));
    const size = Math.round(Math.log2(particles.count));
    const winner = await fastest(
      gpu,
      `order ${particles.boundary}, 2^${size} particles`,
      orders.map((order) => ({ name: `run ${order.#scatter.run}`, run: (times) => order.#measure(gpu, times) })),
    );
    return orders.find((order) => winner === `run ${order.#scatter.run}`)!;
  }

  /** Counts into `cellStart` and ranks, from any phase: what a cold start or a restored state lacks. */
  encodeCount(batch: Batch): void {
    const { count, current, phase } = this.#particles;
    phase.recount();
    batch.stage("order").clear(this.#cellStart);
    for (const kernel of this.#count[current]) batch.dispatch(kernel, workgroups(Math.ceil(count / COUNT_RUN), GROUP));
  }

  /**
   * Scans the counts, moves the particles into cell order in the other half, and makes that half current. With
   * `leaveVelocities`, and where the adapter allows it, the velocities stay behind until the next update moves them.
   */
  encodeSort(batch: Batch, { leaveVelocities = false } = {}): void {
    const { count, current, phase } = this.#particles;
    const { run, whole, leaving } = this.#scatter;
    const leave = leaveVelocities && leaving !== undefined;
    phase.expectVelocities("order");
    phase.advance("order", "counted", "sorted", { velocitiesBehind: leave });
    batch.stage("order");
    this.#scan.encode(batch);
    for (const kernel of (leave ? leaving : whole)[current]) {
      batch.dispatch(kernel, workgroups(Math.ceil(count / run), GROUP));
    }
    this.#particles.flip();
  }

  destroy(): void {
    this.#scan.destroy();
  }

  /** Moves the particles `times` times into the half that isn't in use. */
  async #measure(gpu: GpuContext, times: number): Promise<void> {
    const { count, current } = this.#particles;
    const { run, leaving } = this.#scatter;
    const batch = gpu.batch("measuring the order");
    this.encodeCount(batch);
    this.#scan.encode(batch.stage("tuning"));
    for (let k = 0; k < times; k++) {
      for (const kernel of leaving![current]) batch.dispatch(kernel, workgroups(Math.ceil(count / run), GROUP));
    }
    this.#particles.phase.reset();
    await batch.submit();
  }
}

/** Compiles a kernel; `imageBindings` follow the others in an isolated run. */
type CreateKernel = (
  source: WgslSource,
  entry: string,
  bindings: BindingKind[],
  imageBindings: BindingKind[],
  constants?: WgslConstants,
) => ReturnType<GpuContext["kernel"]>;

async function countKernels(
  { positions, images, rank }: ParticleBuffers,
  cellStart: GPUBuffer,
  create: CreateKernel,
): Promise<BothHalves> {
  const kernel = await create(countKernel, "count", ["read", "read-write", "read-write"], ["read"]);
  const from = (half: 0 | 1) => [kernel.bind(positions[half], rank, cellStart, ...(images ? [images[half]] : []))];
  return [from(0), from(1)];
}

async function scatterAtOnce(
  { positions, velocities, ids, images, rank }: ParticleBuffers,
  cellStart: GPUBuffer,
  create: CreateKernel,
  run: number,
  leave: boolean,
): Promise<BothHalves> {
  const kernel = await create(
    scatterKernel,
    "scatter",
    ["read", "read", "read", "read", "read", "read-write", "read-write", "read-write"],
    ["read", "read-write"],
    { RUN: run, LEAVE: leave },
  );
  const from = (half: 0 | 1, other: 0 | 1) => [
    kernel.bind(
      ...[positions[half], rank, cellStart, velocities[half], ids[half]],
      ...[positions[other], velocities[other], ids[other]],
      ...(images ? [images[half], images[other]] : []),
    ),
  ];
  return [from(0, 1), from(1, 0)];
}

async function scatterInParts(
  { positions, velocities, ids, images, rank }: ParticleBuffers,
  cellStart: GPUBuffer,
  create: CreateKernel,
): Promise<BothHalves> {
  const [place, rest] = await Promise.all([
    create(
      partsKernel,
      "scatter",
      ["read", "read-write", "read", "read", "read-write", "read-write"],
      ["read", "read-write"],
    ),
    create(partsKernel, "scatterIds", ["read", "read", "read-write"], []),
  ]);
  const from = (half: 0 | 1, other: 0 | 1) => [
    place.bind(
      ...[positions[half], rank, cellStart, velocities[half], positions[other], velocities[other]],
      ...(images ? [images[half], images[other]] : []),
    ),
    rest.bind(rank, ids[half], ids[other]),
  ];
  return [from(0, 1), from(1, 0)];
}
