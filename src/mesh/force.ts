/**
 * The force of deposited mass: mass → [Poisson] → potential → [gradient] → acceleration and potential on the mesh. With
 * the spectral gradient the Poisson solver writes both.
 */
import type { Batch } from "../gpu/batch.ts";
import type { MeshStage } from "./field.ts";
import { encodeFieldGhosts, encodeForceGhosts } from "./ghosts.ts";
import { MeshGradient } from "./gradient.ts";
import { createPoisson, type PoissonSolver } from "./poisson.ts";

export class MeshForce {
  private constructor(
    private readonly stage: MeshStage,
    readonly poisson: PoissonSolver,
    private readonly gradient: MeshGradient | undefined,
  ) {}

  /** Measuring the solver's shape loses what the mesh holds. */
  static async create(stage: MeshStage): Promise<MeshForce> {
    const { gpu, particles, mesh, settings } = stage;
    const poisson = await createPoisson(gpu, particles, mesh, settings);
    const { gradient } = settings.mesh;
    const differences =
      poisson.writesGradient || gradient === "spectral"
        ? undefined
        : await MeshGradient.create(gpu, mesh, { ...settings, gradient });
    return new MeshForce(stage, poisson, differences);
  }

  /** Records the way from mass to force; what comes after it goes into the batch returned. */
  async encode(batch: Batch): Promise<Batch> {
    const { mesh, particles } = this.stage;
    const { phase } = particles;
    phase.expect("force", "deposited");
    const rest = await batch.through(this.poisson);
    const cut = mesh.slabs.length > 1;
    if (cut) encodeFieldGhosts(rest.stage("gradient"), mesh);
    this.gradient?.encode(rest);
    if (cut) encodeForceGhosts(rest, mesh);
    phase.advance("force", "deposited", "accelerated");
    return rest;
  }

  destroy(): void {
    this.poisson.destroy();
    this.gradient?.destroy();
  }
}
