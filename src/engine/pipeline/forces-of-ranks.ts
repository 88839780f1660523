/**
 * Force evaluations of several ranks: each deposits its own particles, the mass of all is added up where the mesh is solved,
 * and the field handed on where one rank solves for others; the monopole inside an isolated mesh is that of all, and so are the
 * centres of levels, each of which is solved by every rank.
 */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { Solving } from "../../foundation/ranks/solving.ts";
import { SharedMass } from "../mesh/deposit/shared-mass.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import { SharedField } from "../mesh/force/shared-field.ts";
import type { SelfGravity } from "../mesh/self-gravity.ts";
import type { MeshStage } from "../mesh/stage.ts";
import type { EscapedParticles } from "../time/escaped.ts";

interface Shared {
  /** Of the box, then of its levels. */
  masses: readonly SharedMass[];
  /** Undefined where every rank solves. */
  field: SharedField | undefined;
}

export class ForcesOfRanks {
  private constructor(
    private readonly stage: MeshStage,
    private readonly gravity: SelfGravity,
    private readonly escaped: EscapedParticles,
    /** Undefined without mass. */
    private readonly shared: Shared | undefined,
  ) {}

  static async create(
    stage: MeshStage,
    solving: Solving,
    gravity: SelfGravity,
    escaped: EscapedParticles,
  ): Promise<ForcesOfRanks> {
    return new ForcesOfRanks(stage, gravity, escaped, gravity.parts && (await shared(stage, solving, gravity)));
  }

  /**
   * The force of sorted particles; what comes after it goes into the batch returned, and `batch` has been submitted by then.
   * Until `handedOn` nothing else may be done together.
   */
  async encode(batch: Batch): Promise<Batch> {
    const { gravity, escaped } = this;
    const own = await gravity.encodeDeposit(escaped.encodeOwn(batch));
    for (const mass of this.shared?.masses ?? []) mass.encode(own);
    const ended = own.submit();
    const addedUp = async () => {
      await ended;
      await escaped.addUp();
    };
    const solved = await this.#solve(own, ended, addedUp);
    return escaped.encodeOfAll(gravity.encodeGradient(solved));
  }

  /** `meanwhile`: what all ranks do together after their batches have ended, also while one's device solves for others. */
  async #solve(own: Batch, ended: Promise<void>, meanwhile: () => Promise<void>): Promise<Batch> {
    if (!this.shared) {
      await meanwhile();
      return this.stage.gpu.batch(own.label);
    }
    const { masses, field } = this.shared;
    ended.catch(() => {}); // reported where it is waited for
    await this.handedOn();
    if (!masses[0].keepsOwn || own.inParts) await ended;
    const solved = await this.gravity.solve(await this.#sumOfLevels(await masses[0].sum(ended)));
    if (field) return field.handOn(solved, meanwhile);
    await meanwhile();
    return solved;
  }

  /** Within a step: the force of the levels alone. */
  encodeLevels(batch: Batch): Promise<Batch> {
    return this.gravity.encodeLevels(batch, (own) => {
      for (const mass of this.shared!.masses.slice(1)) mass.encode(own);
      return this.#sumOfLevels(own);
    });
  }

  async #sumOfLevels(batch: Batch): Promise<Batch> {
    let summed = batch;
    for (const mass of this.shared!.masses.slice(1)) {
      await summed.submit();
      summed = await mass.sum();
    }
    return summed;
  }

  /** Resolves when the ranks that don't solve have the field. */
  async handedOn(): Promise<void> {
    await this.shared?.field?.handed;
  }
}

async function shared({ gpu, mesh }: MeshStage, solving: Solving, { parts }: SelfGravity): Promise<Shared> {
  const { group } = solving;
  const withForce = parts?.gradient === undefined;
  const field = group.size > 1 ? SharedField.of(gpu, group, mesh, { withForce }) : undefined;
  const slabs = mesh.slabs.map(({ field: low, high, planes, cut }) => {
    return { field: low, high, planes, ghostRows: cut ? FIELD_GHOSTS * mesh.cells : 0 };
  });
  const { cells, pitch } = mesh;
  const ofBox = { cells, pitch, slabs };
  const ofLevels = (parts?.levels?.meshes ?? []).flatMap(({ mesh: { cells, pitch }, words }) =>
    words.map((own) => ({ cells, pitch, slabs: [{ ...own, planes: cells, ghostRows: 0 }] })),
  );
  const all = [ofBox, ...ofLevels].map((one) => SharedMass.create(gpu, solving, { ...one, times: gpu.timer }));
  return { masses: await Promise.all(all), field };
}
