/**
 * The force of the particles on each other: particles in cell order → [deposit] → [Poisson] → [gradient] → acceleration
 * and potential on the mesh. Where none of them has mass there is nothing to do, and the mesh stays as it was made: zero.
 */
import type { Batch } from "../gpu/batch.ts";
import type { ArraysInPieces } from "../particles/saved-arrays.ts";
import { Deposit } from "./deposit.ts";
import type { MeshStage } from "./field.ts";
import { MeshForce } from "./force.ts";

/** Force evaluations between two looks at how crowded the cells have become, which decides the deposit's shape. */
const EVALUATIONS_BETWEEN_CHOICES = 256;

export class SelfGravity {
  #evaluations = 0;

  private constructor(
    private readonly stage: MeshStage,
    private readonly parts: { deposit: Deposit; force: MeshForce } | undefined,
  ) {}

  /** For particles in cell order, on which kernels are measured. */
  static async create(stage: MeshStage): Promise<SelfGravity> {
    if (stage.particles.massless) return new SelfGravity(stage, undefined);
    const deposit = await Deposit.create({ ...stage, settings: stage.settings.mesh });
    return new SelfGravity(stage, { deposit, force: await MeshForce.create(stage) });
  }

  /** Records an evaluation for particles in cell order; what comes after it goes into the batch returned. */
  async encode(batch: Batch): Promise<Batch> {
    if (!this.parts) {
      const { phase } = this.stage.particles;
      phase.advance("no deposit", "sorted", "deposited");
      phase.advance("no force", "deposited", "accelerated");
      return batch;
    }
    const { deposit, force } = this.parts;
    let rest = batch;
    this.#evaluations += 1;
    if (deposit.hasChoice && this.#evaluations % EVALUATIONS_BETWEEN_CHOICES === 0) {
      await batch.submit();
      await deposit.choose();
      rest = this.stage.gpu.batch(batch.label);
    }
    return force.encode(await rest.through(deposit));
  }

  saveState(): ArraysInPieces {
    return this.parts?.force.poisson.saveState?.() ?? {};
  }

  async restoreState(arrays: ArraysInPieces): Promise<void> {
    await this.parts?.force.poisson.restoreState?.(arrays);
  }
}
