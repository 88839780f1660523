/**
 * Ordering particles by cell: counting sort by the base cell of their assignment, so that neighbours in space are
 * neighbours in memory for deposit and interpolation (AAD09 §2). Counting is usually fused into the kernel that
 * moves the particles; `encodeCount` does it alone, for a cold start.
 */
import cells from "../../wgsl/lib/cells.wgsl";
import grid from "../../wgsl/lib/grid.wgsl";
import countKernel from "../../wgsl/order-count.wgsl";
import isolatedPart from "../../wgsl/order-isolated.wgsl";
import keyPart from "../../wgsl/order-key.wgsl";
import periodicPart from "../../wgsl/order-periodic.wgsl";
import scatterKernel from "../../wgsl/order-scatter.wgsl";
import partsKernel from "../../wgsl/order-scatter-parts.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BindingKind, BoundKernel } from "../gpu/kernel.ts";
import { type MeshBuffers, meshConstants } from "../mesh/field.ts";
import type { MeshSettings } from "../scenario/scenario.ts";
import type { ParticleBuffers } from "./buffers.ts";
import { Scan, type ScanShape } from "./scan.ts";

const GROUP = 64;
/** Particles that an invocation counts, as in order-count.wgsl. */
const COUNT_RUN = 16;
/** Storage buffers of the scatter that moves an isolated particle at once. */
const ISOLATED_SCATTER_BUFFERS = 10;
/** A binding number that no kernel here uses: where images go that an entry point doesn't read. */
const FREE_BINDING = 100;

/** The kernels of a stage, bound to read half 0 and half 1 of the particles. */
type BothHalves = readonly [readonly BoundKernel[], readonly BoundKernel[]];

export interface OrderOptions {
  /** Shape of the scan; measured unless given. */
  scan?: ScanShape;
  /** Storage buffers that a kernel may bind; the adapter's limit unless given. */
  storageBuffers?: number;
}

export class Order {
  readonly #particles: ParticleBuffers;
  readonly #cellStart: GPUBuffer;
  readonly #scan: Scan;
  readonly #count: BothHalves;
  readonly #scatter: BothHalves;

  private constructor(
    particles: ParticleBuffers,
    cellStart: GPUBuffer,
    scan: Scan,
    count: BothHalves,
    scatter: BothHalves,
  ) {
    this.#particles = particles;
    this.#cellStart = cellStart;
    this.#scan = scan;
    this.#count = count;
    this.#scatter = scatter;
  }

  /** Orders `particles` by the cells of `mesh`. */
  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    mesh: MeshBuffers,
    settings: MeshSettings,
    options: OrderOptions = {},
  ): Promise<Order> {
    const { images } = particles;
    const { cellStart } = mesh;
    const create: CreateKernel = (source, entry, bindings, imageBindings) =>
      gpu.kernel({
        label: `order/${entry}`,
        sources: [grid, cells, images ? isolatedPart : periodicPart, keyPart, source],
        entry,
        bindings: images ? [...bindings, ...imageBindings] : bindings,
        constants: {
          ...meshConstants(settings, particles.boundary),
          IMAGES: imageBindings.length > 0 ? bindings.length : FREE_BINDING,
        },
      });
    const storageBuffers = options.storageBuffers ?? gpu.device.limits.maxStorageBuffersPerShaderStage;
    const inParts = images && storageBuffers < ISOLATED_SCATTER_BUFFERS;
    const [scan, count, scatter] = await Promise.all([
      Scan.create(gpu, cellStart, settings.cells ** 3 + 2, options.scan),
      countKernels(particles, cellStart, create),
      (inParts ? scatterInParts : scatterAtOnce)(particles, cellStart, create),
    ]);
    return new Order(particles, cellStart, scan, count, scatter);
  }

  /** Counts into zeroed `cellStart` and ranks: what a cold start or a restored state lacks. */
  encodeCount(batch: Batch): void {
    const { count, current } = this.#particles;
    batch.stage("order");
    for (const kernel of this.#count[current]) batch.dispatch(kernel, workgroups(Math.ceil(count / COUNT_RUN), GROUP));
  }

  /** Scans the counts, moves the particles into cell order in the other half, and makes that half current. */
  encodeSort(batch: Batch): void {
    const { count, current } = this.#particles;
    batch.stage("order");
    this.#scan.encode(batch);
    for (const kernel of this.#scatter[current]) batch.dispatch(kernel, workgroups(count, GROUP));
    this.#particles.flip();
  }

  /** Zeroes the counts for the next round: before the update, when nothing needs the cell starts any more. */
  encodeReset(batch: Batch): void {
    batch.stage("order").clear(this.#cellStart);
  }

  destroy(): void {
    this.#scan.destroy();
  }
}

/** Compiles a kernel; `imageBindings` follow the others in an isolated run. */
type CreateKernel = (
  source: WgslSource,
  entry: string,
  bindings: BindingKind[],
  imageBindings: BindingKind[],
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
): Promise<BothHalves> {
  const kernel = await create(
    scatterKernel,
    "scatter",
    ["read", "read", "read", "read", "read", "read-write", "read-write", "read-write"],
    ["read", "read-write"],
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
