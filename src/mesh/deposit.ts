/**
 * Mass assignment to the mesh (Hockney & Eastwood 1988, ch. 5; AAD09 §2): ρ_c = Σ_i m_i W(x_c − x_i), in integer mass
 * units, 64 bits a cell. Several shapes of the same sum, all with the same bits, so that the choice between them may
 * change at any time: by adapter, by how crowded the cells are, or by the deck's `mesh.deposit`.
 */
import occupancyKernel from "../../wgsl/mesh/occupancy.wgsl";
import { type Batch, type HostStage, workgroups } from "../gpu/batch.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { fastest, type Question, recorded, settled } from "../gpu/tune.ts";
import { inSections } from "../particles/sections.ts";
import { atomicDeposit } from "./deposit-atomic.ts";
import { type HostDeposit, hostDeposit } from "./deposit-host.ts";
import { rowDeposit, rowsFit } from "./deposit-rows.ts";
import type { DepositShape, DepositStage, DriftedDeposit } from "./deposit-shape.ts";
import { tileDeposit } from "./deposit-tiles.ts";
import type { DepositMethod } from "./settings.ts";

/**
 * "rows": row windows, no atomics; "runs-8", "runs-128": running sums along runs of particles, then atomics; "direct":
 * atomics; "bounded": the same, without returned values where no sum can overflow; "tiles": blocks of cells in workgroup
 * memory. "host": the CPU accumulates.
 */
export type DepositShapeName = DepositShape["name"] | "host";

/** Shapes that a method of the deck allows. */
const SHAPES: Record<DepositMethod, readonly DepositShapeName[]> = {
  auto: ["rows", "runs-8", "runs-128", "tiles", "direct", "bounded"],
  sort: ["rows", "runs-8", "runs-128", "tiles"],
  atomic: ["direct", "bounded"],
  host: ["host"],
};
/** Of no use on a CPU: its atomics return values anyway, and its workgroup memory is memory like any other. */
const FOR_GPUS: readonly DepositShapeName[] = ["bounded", "tiles"];

/**
 * Shapes that a method of the deck has for an assignment, and for particles and mesh in parts: tiles need the particles around
 * a cell in one buffer, rows room for the partial sums of a plane.
 */
function shapesOf(stage: DepositStage): readonly DepositShapeName[] {
  const { particles, mesh, settings } = stage;
  const parts = inSections(particles, mesh.starts);
  const has = (name: DepositShapeName) => {
    if (name === "tiles") return settings.assignment !== "ngp" && !parts;
    return name !== "rows" || !parts || rowsFit(stage);
  };
  return SHAPES[settings.deposit].filter(has);
}

/** Those that are measured on an adapter. */
function offeredOn(stage: DepositStage): readonly DepositShapeName[] {
  return shapesOf(stage).filter((name) => !stage.gpu.adapter.software || !FOR_GPUS.includes(name));
}

const GROUP = 64;
/**
 * An invocation of the row windows takes the particles of up to a whole pencil of cells (2 × 2 rows) one after the other:
 * with more than this it could keep a GPU busy for so long that the system resets it.
 */
const MOST_IN_A_PENCIL = 10 ** 6;

/** Up to 2^this particles in a cell that holds any row windows usually win on a CPU. */
const SPREAD_OUT = 1;

/** What the shape depends on, but for how crowded the cells are, which is asked only where it is worth measuring. */
function sizeQuestion({ settings: { assignment, cells }, particles, mesh }: DepositStage): Question {
  const { count } = particles;
  const cut = inSections(particles, mesh.starts) ? " in parts" : "";
  return {
    stage: "deposit",
    purpose: `deposit ${assignment}, ${cells}^3 cells${cut}, 2^${Math.round(Math.log2(count))} particles`,
    elements: Math.max(count, cells ** 3),
    usual: { software: "runs-128", hardware: "runs-8" },
  };
}

export class Deposit implements HostStage {
  readonly method: DepositMethod;
  /** True when the host takes part: `run` must be awaited between batches, `encode` is not available. */
  readonly needsHost: boolean;
  #shape: DepositShape | undefined;

  private constructor(
    private readonly stage: DepositStage,
    private readonly shapes: readonly DepositShape[],
    private readonly byHost: HostDeposit | undefined,
    private readonly occupancy: Kernel,
  ) {
    this.method = stage.settings.deposit;
    this.needsHost = byHost !== undefined;
    this.#shape = shapes[0];
  }

  /**
   * The deposit by the deck's method, or by one shape when it is given. Where the method has several shapes the
   * particles must be in cell order already: the shapes are measured on them, see `choose`.
   */
  static async create(stage: DepositStage, options: { shape?: DepositShapeName } = {}): Promise<Deposit> {
    const { gpu, settings } = stage;
    const known = settled(gpu, sizeQuestion(stage), shapesOf(stage)) as DepositShapeName | undefined;
    const names = options.shape || known ? [options.shape ?? known!] : offeredOn(stage);
    const shapes: DepositShape[] = [];
    let host: HostDeposit | undefined;
    for (const name of names) {
      if (name === "host") host = await hostDeposit(stage);
      else if (name === "rows") shapes.push(await rowDeposit(stage));
      else if (name === "tiles") shapes.push(await tileDeposit(stage));
      else shapes.push(await atomicDeposit(stage, name));
    }
    const occupancy = await gpu.kernel({
      label: "deposit/occupancy",
      sources: [occupancyKernel],
      entry: "occupancy",
      constants: { CELLS: settings.cells },
    });
    const self = new Deposit(stage, shapes, host, occupancy);
    // The particles of a run that goes on aren't there yet: what it had come to serves until it looks at them again.
    const begun = gpu.choices.earlier(`${sizeQuestion(stage).purpose}, `)?.choice;
    const going = self.shapes.find(({ name }) => name === begun);
    if (going) self.#shape = going;
    else await self.choose();
    return self;
  }

  /** Whether `choose` has anything to choose between. */
  get hasChoice(): boolean {
    return this.shapes.length > 1;
  }

  /** The shape in use. */
  get shape(): DepositShapeName {
    return this.#shape?.name ?? "host";
  }

  /**
   * Records the deposit of the current half of the particles, in cell order or where `drifted` says so in that of an
   * earlier step, into field (low words; the two words at the end of each row are left undefined) and high. The force's
   * space is scratch.
   */
  encode(batch: Batch): void {
    if (!this.#shape) throw new Error("the host's deposit can't be recorded into a batch: await run() instead");
    const { phase } = this.stage.particles;
    const { drifted } = this;
    const way = phase.now === "drifted" && drifted ? drifted : this.#shape;
    phase.advance("deposit", drifted ? ["sorted", "drifted"] : "sorted", "deposited");
    way.encode(batch.stage("deposit"));
  }

  /** Of particles that have moved since they were ordered; undefined where the shape in use wants them in order. */
  get drifted(): DriftedDeposit | undefined {
    return this.#shape?.drifted;
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
   * Measures the shapes on the particles as they lie now, in cell order, and uses the fastest from here on; a choice
   * known for as many particles in as crowded cells is taken from the cache, which costs next to nothing. It may be
   * called for sorted particles at any time, as they gather: the bits stay the same.
   * Overwrites field, high and force.
   */
  async choose(): Promise<DepositShapeName> {
    if (this.hasChoice) {
      this.stage.particles.phase.expect("choosing the deposit", "sorted");
      const { perCell, fullestPencil } = await this.#crowding();
      const crowd = Math.round(Math.log2(perCell));
      const question = sizeQuestion(this.stage);
      const { gpu } = this.stage;
      const offered = this.shapes.filter(({ name }) => name !== "rows" || fullestPencil <= MOST_IN_A_PENCIL);
      const candidates = offered.map((shape) => recorded("the deposit", shape.name, (batch) => shape.encode(batch)));
      const purpose = `${question.purpose}, 2^${crowd} a cell`;
      const usual = crowd <= SPREAD_OUT ? { ...question.usual, software: "rows" } : question.usual;
      const winner = await fastest(gpu, { ...question, purpose, usual }, candidates);
      this.#shape = this.shapes.find(({ name }) => name === winner);
    }
    return this.shape;
  }

  destroy(): void {
    for (const shape of this.shapes) shape.destroy?.();
  }

  /** Particles per cell that holds any, and in the pencil of cells that holds most. */
  async #crowding(): Promise<{ perCell: number; fullestPencil: number }> {
    const { gpu, mesh } = this.stage;
    const { cells } = mesh;
    const { slabs } = mesh.starts;
    const found = gpu.buffers.storage("occupied cells", 8, "other");
    let [occupied, fullestPencil, inside] = [0, 0, 0];
    const batch = gpu.batch("occupancy").stage("tuning");
    for (const { starts, planes } of slabs)
      batch.dispatch(this.occupancy.bind(starts, found), workgroups((cells * planes) / 4, GROUP));
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
}
