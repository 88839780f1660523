/**
 * The force of the particles on each other: particles in cell order → [deposit] → [Poisson] → [gradient] → acceleration
 * and potential on the mesh. With the spectral gradient the Poisson solver writes both. Where no particle has mass there is
 * nothing to do, and the mesh stays as it was made: zero. Levels add their meshes to each stage.
 */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { ArraysInPieces } from "../../physics/particles/saved-arrays.ts";
import { Deposit } from "./deposit/deposit.ts";
import { MeshGradient } from "./force/gradient.ts";
import { encodeFieldGhosts, encodeForceGhosts } from "./ghosts.ts";
import { depositAround, Levels } from "./levels/levels.ts";
import { createPoisson } from "./poisson/poisson.ts";
import type { PoissonSolver } from "./poisson/poisson-solver.ts";
import type { MeshStage } from "./stage.ts";

/** Force evaluations between two looks at how crowded the cells are, which decides the deposit's variant. */
const EVALUATIONS_BETWEEN_CHOICES = 256;

interface Parts {
  deposit: Deposit;
  /** Undefined where another rank solves. */
  poisson: PoissonSolver | undefined;
  /** Undefined where the solver writes the force, too. */
  gradient: MeshGradient | undefined;
  levels: Levels | undefined;
}

export class SelfGravity {
  #evaluations = 0;

  private constructor(
    private readonly stage: MeshStage,
    /** Undefined without mass. */
    readonly parts: Parts | undefined,
  ) {}

  static async create(stage: MeshStage): Promise<SelfGravity> {
    const { gpu, particles, mesh, settings, solving } = stage;
    if (particles.massless) return new SelfGravity(stage, undefined);
    const solves = solving === undefined || solving.group.rank === 0;
    const poisson = solves ? await createPoisson(gpu, particles, mesh, settings) : undefined;
    const levels = await Levels.create(stage, poisson?.coarse);
    const selection = levels && depositAround(levels.places);
    const deposit = await Deposit.create({ ...stage, settings: settings.mesh }, { selection });
    const { gradient } = settings.mesh;
    const differences =
      gradient === "spectral" ? undefined : await MeshGradient.create(gpu, mesh, { ...settings, gradient });
    return new SelfGravity(stage, { deposit, poisson, gradient: differences, levels });
  }

  /** Records an evaluation for particles in cell order; what comes after it goes into the batch returned. */
  async encode(batch: Batch): Promise<Batch> {
    return this.encodeGradient(await this.solve(await this.encodeDeposit(batch)));
  }

  async encodeDeposit(batch: Batch): Promise<Batch> {
    const { deposit, levels } = this.parts ?? {};
    if (!deposit) {
      this.stage.particles.phase.advance("no deposit", "sorted", "deposited");
      return batch;
    }
    let rest = (await levels?.places.encode(batch)) ?? batch;
    if (deposit.hasChoice && this.#evaluations % EVALUATIONS_BETWEEN_CHOICES === 0) {
      await rest.submit();
      await deposit.choose();
      rest = this.stage.gpu.batch(batch.label);
    }
    this.#evaluations += 1;
    const deposited = await rest.through(deposit);
    return levels?.encodeDeposit(deposited) ?? deposited;
  }

  /** Mass to potential; nothing where another rank solves. */
  async solve(batch: Batch): Promise<Batch> {
    this.stage.particles.phase.expect("force", "deposited");
    const { poisson, levels } = this.parts ?? {};
    if (!poisson) return batch;
    const solved = await (levels?.encodeMassUp(batch) ?? batch).through(poisson);
    return levels?.encodeSolve(solved) ?? solved;
  }

  /** Potential to force. */
  encodeGradient(batch: Batch): Batch {
    const { mesh, particles } = this.stage;
    const cut = this.parts !== undefined && mesh.slabs.length > 1;
    if (cut) encodeFieldGhosts(batch.stage("gradient"), mesh);
    this.parts?.gradient?.encode(batch);
    if (cut) encodeForceGhosts(batch, mesh);
    this.parts?.levels?.encodeFields(batch);
    particles.phase.advance("force", "deposited", "accelerated");
    return batch;
  }

  /** Within a step: the force of the levels alone; `addUp` gives their mesh the mass of all ranks. */
  async encodeLevels(batch: Batch, addUp = async (own: Batch): Promise<Batch> => own): Promise<Batch> {
    const levels = this.parts!.levels!;
    this.stage.particles.phase.advance("force of levels", "drifted", "pulled");
    return levels.encodeOwn(await addUp(levels.encodeDeposit(await levels.places.encode(batch))));
  }

  saveState(): ArraysInPieces {
    const { poisson, levels } = this.parts ?? {};
    return { ...poisson?.saveState?.(), ...levels?.places.saveState() };
  }

  async restoreState(arrays: ArraysInPieces): Promise<void> {
    const { poisson, levels } = this.parts ?? {};
    await poisson?.restoreState?.(arrays);
    await levels?.places.restoreState(arrays);
  }

  destroy(): void {
    for (const part of Object.values(this.parts ?? {})) part?.destroy();
  }
}
