/**
 * The force of the particles on each other: particles in cell order → [deposit] → [Poisson] → [gradient] → acceleration
 * and potential on the mesh. Where none of them has mass there is nothing to do, and the mesh stays as it was made: zero.
 */
import type { Batch } from "../gpu/batch.ts";
import type { ArraysInPieces } from "../particles/saved-arrays.ts";
import { Deposit } from "./deposit.ts";
import { FIELD_GHOSTS } from "./field.ts";
import { MeshForce } from "./force.ts";
import { SharedField } from "./shared-field.ts";
import { SharedMass } from "./shared-mass.ts";
import type { MeshStage } from "./stage.ts";

/** Force evaluations between two looks at how crowded the cells are, which decides the deposit's shape. */
const EVALUATIONS_BETWEEN_CHOICES = 256;

/** What several ranks exchange: mass before the solution, and the field after it where one solves for others. */
interface Shared {
  mass: SharedMass;
  field: SharedField | undefined;
}

export class SelfGravity {
  #evaluations = 0;

  private constructor(
    private readonly stage: MeshStage,
    private readonly parts: { deposit: Deposit; force: MeshForce; shared: Shared | undefined } | undefined,
  ) {}

  static async create(stage: MeshStage): Promise<SelfGravity> {
    if (stage.particles.massless) return new SelfGravity(stage, undefined);
    const deposit = await Deposit.create({ ...stage, settings: stage.settings.mesh });
    const force = await MeshForce.create(stage);
    return new SelfGravity(stage, { deposit, force, shared: await sharedOf(stage, force) });
  }

  /** Records an evaluation for particles in cell order; what comes after it goes into the batch returned. */
  async encode(batch: Batch): Promise<Batch> {
    const deposited = await this.#encodeDeposit(batch);
    return this.parts ? this.parts.force.encode(deposited) : this.#nothing(deposited);
  }

  async #encodeDeposit(batch: Batch): Promise<Batch> {
    if (!this.parts) {
      this.stage.particles.phase.advance("no deposit", "sorted", "deposited");
      return batch;
    }
    const { deposit, shared } = this.parts;
    let rest = batch;
    if (deposit.hasChoice && this.#evaluations % EVALUATIONS_BETWEEN_CHOICES === 0) {
      await batch.submit();
      await deposit.choose();
      rest = this.stage.gpu.batch(batch.label);
    }
    this.#evaluations += 1;
    const deposited = await rest.through(deposit);
    return shared ? shared.mass.encode(deposited) : deposited;
  }

  /**
   * The same of several ranks; `batch` has been submitted, and has ended, when this resolves. `meanwhile`: what all ranks do
   * together after their batches have ended, on the rank that solves for others while its device does. Until `handedOn`
   * nothing else may be done together.
   */
  async ofAllRanks(batch: Batch, meanwhile: () => Promise<void>): Promise<Batch> {
    const own = await this.#encodeDeposit(batch);
    const ended = own.submit();
    const afterwards = async () => {
      await ended;
      await meanwhile();
    };
    if (!this.parts?.shared) {
      await afterwards();
      return this.#nothing(this.stage.gpu.batch(batch.label));
    }
    const { force, shared } = this.parts;
    ended.catch(() => {}); // told where it is waited for
    await this.handedOn();
    if (!shared.mass.keepsOwn || own.inParts) await ended;
    const solved = await force.solve(await shared.mass.sum(ended));
    if (shared.field) return force.encodeForce(await shared.field.handOn(solved, afterwards));
    await afterwards();
    return force.encodeForce(solved);
  }

  /** Resolves when the ranks that don't solve have the field of `ofAllRanks`. */
  async handedOn(): Promise<void> {
    await this.parts?.shared?.field?.handed;
  }

  #nothing(batch: Batch): Batch {
    this.stage.particles.phase.advance("no force", "deposited", "accelerated");
    return batch;
  }

  saveState(): ArraysInPieces {
    return this.parts?.force.poisson?.saveState?.() ?? {};
  }

  async restoreState(arrays: ArraysInPieces): Promise<void> {
    await this.parts?.force.poisson?.restoreState?.(arrays);
  }
}

async function sharedOf({ gpu, mesh, solving }: MeshStage, force: MeshForce): Promise<Shared | undefined> {
  if (!solving) return undefined;
  const { group } = solving;
  const withForce = force.solverWritesForce;
  const field = group.size > 1 ? SharedField.of(gpu, group, mesh, { withForce }) : undefined;
  const slabs = mesh.slabs.map(({ field: low, high, planes, cut }) => {
    return { field: low, high, planes, ghostRows: cut ? FIELD_GHOSTS * mesh.cells : 0 };
  });
  const { cells, pitch } = mesh;
  return { mass: await SharedMass.create(gpu, solving, { cells, pitch, slabs, times: gpu.timer }), field };
}
