/**
 * The force of deposited mass: mass → [Poisson] → potential → [gradient] → acceleration and potential on the mesh. With
 * the spectral gradient the Poisson solver writes both.
 */
import type { Batch } from "../gpu/batch.ts";
import { encodeFieldGhosts, encodeForceGhosts } from "./ghosts.ts";
import { MeshGradient } from "./gradient.ts";
import { createPoisson } from "./poisson.ts";
import type { PoissonSolver } from "./poisson-solver.ts";
import type { MeshStage } from "./stage.ts";

export class MeshForce {
  private constructor(
    private readonly stage: MeshStage,
    /** Undefined where another rank solves. */
    readonly poisson: PoissonSolver | undefined,
    private readonly gradient: MeshGradient | undefined,
  ) {}

  /** Compiles the solver, unless another rank solves, and the gradient, unless the solver writes the force. */
  static async create(stage: MeshStage): Promise<MeshForce> {
    const { gpu, particles, mesh, settings } = stage;
    const solves = stage.solving === undefined || stage.solving.group.rank === 0;
    const poisson = solves ? await createPoisson(gpu, particles, mesh, settings) : undefined;
    const { gradient } = settings.mesh;
    const differences =
      poisson?.writesGradient || gradient === "spectral"
        ? undefined
        : await MeshGradient.create(gpu, mesh, { ...settings, gradient });
    return new MeshForce(stage, poisson, differences);
  }

  /** Whether the solver writes the force, too. */
  get solverWritesForce(): boolean {
    return this.gradient === undefined;
  }

  /** Records the way from mass to force; what comes after it goes into the batch returned. */
  async encode(batch: Batch): Promise<Batch> {
    return this.encodeForce(await this.solve(batch));
  }

  /** Mass to potential; nothing where another rank solves. */
  async solve(batch: Batch): Promise<Batch> {
    this.stage.particles.phase.expect("force", "deposited");
    return this.poisson ? batch.through(this.poisson) : batch;
  }

  /** Potential to force. */
  encodeForce(batch: Batch): Batch {
    const { mesh, particles } = this.stage;
    const cut = mesh.slabs.length > 1;
    if (cut) encodeFieldGhosts(batch.stage("gradient"), mesh);
    this.gradient?.encode(batch);
    if (cut) encodeForceGhosts(batch, mesh);
    particles.phase.advance("force", "deposited", "accelerated");
    return batch;
  }

  destroy(): void {
    this.poisson?.destroy();
    this.gradient?.destroy();
  }
}
