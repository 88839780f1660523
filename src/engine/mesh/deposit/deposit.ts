/**
 * Mass assignment to the mesh (Hockney & Eastwood 1988, ch. 5; AAD09 §2): ρ_c = Σ_i m_i W(x_c − x_i), in integer mass
 * units, 64 bits a cell. Variants with the same bits are chosen by the kind of adapter, by how crowded the cells are, and by
 * the deck's `mesh.deposit`: by atomics, where an invocation sums a run of particles before it touches the mesh
 * (deposit-runs.wgsl; "direct" has runs of one) or a workgroup sums a window of cells (deposit-windows.wgsl); by rows, without
 * atomics (deposit-rows.ts); by the host (deposit-host.ts).
 */
import inSection from "../../../../wgsl/engine/mesh/deposit/deposit-in-section.wgsl";
import inside from "../../../../wgsl/engine/mesh/deposit/deposit-inside.wgsl";
import runsKernel from "../../../../wgsl/engine/mesh/deposit/deposit-runs.wgsl";
import windowsKernel from "../../../../wgsl/engine/mesh/deposit/deposit-windows.wgsl";
import type { Batch, HostStage } from "../../../foundation/gpu/batch.ts";
import type { WgslConstants, WgslSource } from "../../../foundation/gpu/compose.ts";
import { cellsBeside } from "../../../physics/particles/assignments.ts";
import {
  boundInSections,
  dispatchSections,
  inSections,
  type Planes,
  type SlabStarts,
  sectionConstants,
  sectionsOf,
} from "../../gpu-particles/sections.ts";
import { FIELD_GHOSTS } from "../field.ts";
import type { DepositMethod } from "../settings.ts";
import { type DepositStage, type DepositVariant, depositConstants } from "../stage.ts";
import { crowding } from "./crowding.ts";
import { type HostDeposit, hostDeposit } from "./deposit-host.ts";
import { rowDeposit, rowsFit } from "./deposit-rows.ts";
import { depositSums } from "./deposit-sums.ts";

/** Particles that an invocation takes which adds to the mesh by atomics. */
const RUN = { direct: 1, "runs-8": 8, "runs-128": 128 } as const;
/** Particles that a workgroup takes which adds windows: their mass has 32 bits. */
const SLOTS = 1020;
/** Cells of a window, whose sums with TSC fit the 16 KiB of workgroup memory that every device has. */
const MOST_IN_A_WINDOW = 248;
type AtomicShapeName = keyof typeof RUN | "windows";
export type DepositShapeName = AtomicShapeName | "rows" | "host";

/** Variants that a method of the deck allows. */
const SHAPES: Record<DepositMethod, readonly DepositShapeName[]> = {
  auto: ["rows", "windows", "runs-8", "runs-128", "direct"],
  sort: ["rows", "windows", "runs-8", "runs-128"],
  atomic: ["direct"],
  host: ["host"],
};
/** What deposits on a processor where cells are crowded, and on a GPU: the first that there is. */
const BY_KIND = {
  processor: ["runs-128"],
  gpu: ["windows", "runs-8"],
  sparseOnGpu: ["direct", "windows", "runs-8"],
} as const;
/** With fewer particles a cell a window has more words than particles. */
const SPARSE = 1 / 8;

/** Variants that a method of the deck has, for particles and mesh in parts: rows need room for the partial sums of a plane. */
function shapesOf(stage: DepositStage): readonly DepositShapeName[] {
  const { particles, mesh, settings } = stage;
  const cut = inSections(particles, mesh.starts);
  const has = { rows: depositSums[settings.assignment].rows && (!cut || rowsFit(stage)), windows: !cut };
  return SHAPES[settings.deposit].filter(
    (name) => (name !== "rows" || has.rows) && (name !== "windows" || has.windows),
  );
}

/** An invocation of the deposit by rows takes up to a pencil's particles: with more it would keep the others waiting. */
const MOST_IN_A_PENCIL = 10 ** 6;
/** Up to so many particles in a cell that holds any, rows are the quickest on a processor. */
const SPREAD_OUT = 2 * Math.SQRT2;
/** With as many cells and particles or fewer it isn't worth a look at the cells. */
const SMALL = 2 ** 18;

export class Deposit implements HostStage {
  /** True when the host takes part: `run` must be awaited between batches, `encode` is not available. */
  readonly needsHost: boolean;
  #shape: DepositShapeName = "host";
  readonly #made = new Map<DepositShapeName, DepositVariant>();

  private constructor(
    private readonly stage: DepositStage,
    private readonly shapes: readonly DepositShapeName[],
    private readonly selection?: DepositSelection | undefined,
    private readonly byHost?: HostDeposit,
  ) {
    this.needsHost = byHost !== undefined;
  }

  /** The deposit by the deck's method, or by one variant when it is given. */
  static async create(
    stage: DepositStage,
    options: { shape?: DepositShapeName; selection?: DepositSelection | undefined } = {},
  ): Promise<Deposit> {
    const { gpu, particles, settings } = stage;
    const { selection } = options;
    const offered = shapesOf(stage).filter((name) => !selection || name in RUN);
    const pinned = options.shape ?? (offered.length > 1 ? gpu.shapes?.pinned("deposit", offered) : undefined);
    const kind = !gpu.adapter.software
      ? particles.count < SPARSE * settings.cells ** 3
        ? "sparseOnGpu"
        : "gpu"
      : "processor";
    const usual = BY_KIND[kind].find((name) => offered.includes(name)) ?? offered[0];
    const crowded = (pinned as DepositShapeName) ?? usual;
    if (crowded === "host") return new Deposit(stage, [crowded], selection, await hostDeposit(stage));
    const small = Math.max(particles.count, settings.cells ** 3) <= SMALL;
    const looks = !pinned && !small && kind === "processor" && usual === "runs-128" && offered.includes("rows");
    const self = new Deposit(stage, looks ? [crowded, "rows"] : [crowded], selection);
    await self.#take(crowded);
    return self;
  }

  /** Whether the variant depends on how crowded the cells are. */
  get hasChoice(): boolean {
    return this.shapes.length > 1;
  }

  get shape(): DepositShapeName {
    return this.#shape;
  }

  /** Records the deposit of particles in cell order into field (but for the end of its rows) and high; the force is scratch. */
  encode(batch: Batch): void {
    const variant = this.#made.get(this.#shape);
    if (!variant) throw new Error("the host's deposit can't be recorded into a batch: await run() instead");
    this.stage.particles.phase.advance("deposit", "sorted", "deposited");
    variant.encode(batch.stage("deposit"));
  }

  /** Deposits in a submission of its own, whatever the method. */
  async run(): Promise<void> {
    if (this.byHost) {
      this.stage.particles.phase.advance("deposit", "sorted", "deposited");
      await this.byHost.run();
      return;
    }
    const batch = this.stage.gpu.batch("deposit");
    this.encode(batch);
    await batch.submit();
  }

  /** Looks at how crowded the cells are, of particles in cell order, and goes by that from here on. */
  async choose(): Promise<DepositShapeName> {
    if (!this.hasChoice) return this.shape;
    this.stage.particles.phase.expect("choosing the deposit", "sorted");
    const { perCell, fullestPencil } = await crowding(this.stage.gpu, this.stage.mesh);
    const [crowded, spread] = this.shapes;
    await this.#take(perCell <= SPREAD_OUT && fullestPencil <= MOST_IN_A_PENCIL ? spread : crowded);
    return this.shape;
  }

  async #take(name: DepositShapeName): Promise<void> {
    if (!this.#made.has(name)) {
      const { stage, selection } = this;
      const made =
        name === "rows" ? rowDeposit(stage) : atomicDeposit(stage, { name: name as AtomicShapeName, selection });
      this.#made.set(name, await made);
    }
    this.#shape = name;
  }

  destroy(): void {
    for (const variant of this.#made.values()) variant.destroy?.();
  }
}

const GROUP = 64;
const SECTION = 7;
/** Binding of the places of levels. */
export const DEPOSIT_PLACES = 9;
/** Planes of the mesh that a plane of pencils has, the least that particles are known by. */
const PENCIL_PLANES = 2;

/** Which particles are deposited, where it isn't all that lie on the mesh. */
export interface DepositSelection {
  /** `isDeposited` (wgsl/engine/mesh/deposit/deposit-inside.wgsl), and more. */
  sources: readonly WgslSource[];
  constants: WgslConstants;
  /** Where the levels are, and the one that gets the mass. */
  buffers: readonly GPUBuffer[];
}

/** A slab of the mesh takes the particles of its planes and of adjacent ones, and keeps only its own cells. */
async function atomicDeposit(
  stage: DepositStage,
  { name, selection }: { name: AtomicShapeName; selection: DepositSelection | undefined },
): Promise<DepositVariant> {
  const { gpu, particles, mesh, settings } = stage;
  const { runs, direct } = depositSums[settings.assignment];
  const windows = name === "windows";
  const slots = windows ? SLOTS : RUN[name] * GROUP;
  const selects = selection ?? { sources: [inside], constants: {}, buffers: [] };
  const kernel = await gpu.kernel({
    label: `deposit/${name} ${settings.assignment}`,
    sources: [
      ...(windows ? [windowsKernel] : [runsKernel, inSection]),
      (name === "direct" && direct) || runs,
      ...selects.sources,
    ],
    entry: "deposit",
    constants: {
      ...depositConstants(stage),
      ...(windows
        ? { WINDOW: `${Math.min(settings.cells, MOST_IN_A_WINDOW)}u`, SLOTS: `${SLOTS}u` }
        : { RUN: RUN[name] }),
      ...{ GHOSTS: mesh.slabs[0].cut ? FIELD_GHOSTS : 0 },
      ...sectionConstants(particles, mesh.starts, SECTION),
      ...selects.constants,
    },
  });
  const own = gpu.buffers.pool();
  const sections = sectionsOf(own, particles, mesh.starts, (slab) => planesThatReach(slab, stage));
  const kernels = boundInSections(
    kernel,
    particles,
    sections,
    (here, { slab, starts }) => {
      const { positions, ids, massUnits, images } = here;
      const { field, high } = mesh.slabs[slab];
      return [positions, ids, massUnits, field, high, images, starts];
    },
    selects.buffers,
  );
  return {
    encode(batch) {
      for (const { field, high } of mesh.slabs) batch.clear(field).clear(high);
      dispatchSections(batch, { sections, kernels, slots }, particles.current);
    },
    destroy: () => own.destroyAll(),
  };
}

/** The planes of pencils whose particles reach a slab, in ranges that don't go around the box. */
function planesThatReach({ first, planes }: SlabStarts, { settings, particles }: DepositStage): Planes[] {
  const { cells, assignment } = settings;
  if (planes === cells) return [{ from: 0, to: cells }];
  const { below, above } = cellsBeside(assignment);
  const pencils = (reach: number) => PENCIL_PLANES * Math.ceil(reach / PENCIL_PLANES);
  const [from, to] = [first - pencils(above), first + planes + pencils(below)];
  const ranges = [{ from: Math.max(0, from), to: Math.min(cells, to) }];
  if (particles.boundary === "isolated") return ranges; // particles inside never wrap
  if (from < 0) ranges.push({ from: from + cells, to: cells });
  if (to > cells) ranges.push({ from: 0, to: to - cells });
  return ranges;
}
