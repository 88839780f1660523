/**
 * Mass assignment to the mesh (Hockney & Eastwood 1988, ch. 5; AAD09 §2): ρ_c = Σ_i m_i W(x_c − x_i), in integer mass
 * units, 64 bits a cell. Several shapes of the same sum, all with the same bits, so that it may change at any time which one
 * sums: it follows from the kind of adapter, from how crowded the cells are, and from the deck's `mesh.deposit`.
 */
import type { Batch, HostStage } from "../gpu/batch.ts";
import { inSections } from "../particles/sections.ts";
import { crowding } from "./crowding.ts";
import { atomicDeposit } from "./deposit-atomic.ts";
import { type HostDeposit, hostDeposit } from "./deposit-host.ts";
import { rowDeposit, rowsFit } from "./deposit-rows.ts";
import type { AtomicShapeName, DepositShape, DepositStage } from "./deposit-shape.ts";
import type { DepositMethod } from "./settings.ts";

/**
 * "rows": row windows, no atomics; "runs-8", "runs-128": running sums along runs of particles, then atomics; "direct":
 * atomics alone. "host": the CPU accumulates.
 */
export type DepositShapeName = DepositShape["name"] | "host";

/** Shapes that a method of the deck allows. */
const SHAPES: Record<DepositMethod, readonly DepositShapeName[]> = {
  auto: ["rows", "runs-8", "runs-128", "direct"],
  sort: ["rows", "runs-8", "runs-128"],
  atomic: ["direct"],
  host: ["host"],
};
/** What deposits on a processor where cells are crowded, and on a GPU. */
const BY_KIND = { processor: "runs-128", gpu: "runs-8" } as const;

/** Shapes that a method of the deck has, for particles and mesh in parts: rows need room for the partial sums of a plane. */
function shapesOf(stage: DepositStage): readonly DepositShapeName[] {
  const { particles, mesh, settings } = stage;
  const parts = inSections(particles, mesh.starts);
  return SHAPES[settings.deposit].filter((name) => name !== "rows" || !parts || rowsFit(stage));
}

/**
 * An invocation of the row windows takes the particles of up to a whole pencil of cells (2 × 2 rows) one after the other:
 * with more than this it would keep the others waiting.
 */
const MOST_IN_A_PENCIL = 10 ** 6;
/** Up to so many particles in a cell that holds any, row windows are the quickest on a processor. */
const SPREAD_OUT = 2 * Math.SQRT2;
/** With as many cells and particles or fewer it isn't worth a look at the cells. */
const SMALL = 2 ** 18;

export class Deposit implements HostStage {
  readonly method: DepositMethod;
  /** True when the host takes part: `run` must be awaited between batches, `encode` is not available. */
  readonly needsHost: boolean;
  #shape: DepositShape | undefined;
  readonly #made = new Map<DepositShapeName, DepositShape>();

  private constructor(
    private readonly stage: DepositStage,
    private readonly shapes: readonly DepositShapeName[],
    private readonly byHost: HostDeposit | undefined,
  ) {
    this.method = stage.settings.deposit;
    this.needsHost = byHost !== undefined;
  }

  /** The deposit by the deck's method, or by one shape when it is given. */
  static async create(stage: DepositStage, options: { shape?: DepositShapeName } = {}): Promise<Deposit> {
    const { gpu, particles, settings } = stage;
    const offered = shapesOf(stage);
    const pinned = options.shape ?? (offered.length > 1 ? gpu.shapes?.pinned("deposit", offered) : undefined);
    const kind = gpu.adapter.software ? BY_KIND.processor : BY_KIND.gpu;
    const crowded = (pinned as DepositShapeName) ?? offered.find((name) => name === kind) ?? offered[0];
    if (crowded === "host") return new Deposit(stage, [crowded], await hostDeposit(stage));
    const small = Math.max(particles.count, settings.cells ** 3) <= SMALL;
    const looks = !pinned && !small && crowded === BY_KIND.processor && offered.includes("rows");
    const self = new Deposit(stage, looks ? [crowded, "rows"] : [crowded], undefined);
    await self.#take(crowded);
    return self;
  }

  /** Whether the shape goes by how crowded the cells are. */
  get hasChoice(): boolean {
    return this.shapes.length > 1;
  }

  /** The shape in use. */
  get shape(): DepositShapeName {
    return this.#shape?.name ?? "host";
  }

  /**
   * Records the deposit of the current half of the particles, in cell order, into field (low words; the two words at
   * the end of each row are left undefined) and high. The force's space is scratch.
   */
  encode(batch: Batch): void {
    if (!this.#shape) throw new Error("the host's deposit can't be recorded into a batch: await run() instead");
    this.stage.particles.phase.advance("deposit", "sorted", "deposited");
    this.#shape.encode(batch.stage("deposit"));
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

  /**
   * Looks at how crowded the cells are, of particles in cell order, and goes by that from here on. It may be called at any
   * time, as particles gather: the bits stay the same.
   */
  async choose(): Promise<DepositShapeName> {
    if (!this.hasChoice) return this.shape;
    this.stage.particles.phase.expect("choosing the deposit", "sorted");
    const { perCell, fullestPencil } = await crowding(this.stage.gpu, this.stage.mesh);
    const [crowded, spread] = this.shapes;
    await this.#take(perCell <= SPREAD_OUT && fullestPencil <= MOST_IN_A_PENCIL ? spread : crowded);
    return this.shape;
  }

  async #take(name: DepositShapeName): Promise<void> {
    let shape = this.#made.get(name);
    if (!shape) {
      shape = name === "rows" ? await rowDeposit(this.stage) : await atomicDeposit(this.stage, name as AtomicShapeName);
      this.#made.set(name, shape);
    }
    this.#shape = shape;
  }

  destroy(): void {
    for (const shape of this.#made.values()) shape.destroy?.();
  }
}
