/**
 * Levels (multilevel summation: Hardy+ 2016; meshes that move with galaxies: Fellhauer+ 2000): meshes of smaller cells about
 * galaxies, each of which adds what the mesh that it lies in has smoothed away. A particle is deposited on the finest mesh
 * of a chain that it is on; mass goes up by restriction, the smooth potential comes down by prolongation:
 *   places → [deposit, box and levels] → mass up → [Poisson of the box, smooth parts, levels] → [gradients] → field of each particle
 */
import aroundLevels from "../../../../wgsl/engine/mesh/levels/deposit-around-levels.wgsl";
import type { Batch } from "../../../foundation/gpu/batch.ts";
import { DEPOSIT_PLACES, type DepositSelection } from "../deposit/deposit.ts";
import { LineKernels, shapeForLines } from "../fft/fft-kernel.ts";
import { problemOf } from "../poisson/poisson.ts";
import { splitPeriod } from "../poisson/split-mesh.ts";
import type { MeshStage } from "../stage.ts";
import { levelChains, requireLevelsFit } from "./level-grid.ts";
import { LevelMesh } from "./level-mesh.ts";
import { LevelPlaces } from "./level-places.ts";
import { ParticleField } from "./particle-field.ts";
import { SmoothPart } from "./smooth-part.ts";

interface Parts {
  kernels: LineKernels;
  /** Of the box, by refinement. */
  smooth: ReadonlyMap<number, SmoothPart>;
  meshes: readonly LevelMesh[];
  fields: ParticleField;
  /** Of the levels alone, for substeps. */
  fast: ParticleField | undefined;
}

export class Levels {
  private constructor(
    private readonly stage: MeshStage,
    readonly places: LevelPlaces,
    private readonly parts: Parts,
  ) {}

  /** `coarse`: of the box's solver, if it has one. Undefined where there are none. Throws "usage" for what they don't go with. */
  static async create(stage: MeshStage, coarse: GPUBuffer | undefined): Promise<Levels | undefined> {
    const { gpu, particles, mesh, settings } = stage;
    const { levels = [] } = settings;
    if (levels.length === 0 || particles.massless) return undefined;
    requireLevelsFit(settings);
    const places = await LevelPlaces.create(stage, levels);
    const problem = problemOf(particles, mesh, settings);
    const isolated = settings.boundary === "isolated";
    const periods = [isolated ? splitPeriod(mesh.cells) : mesh.cells, ...levels.map(({ cells }) => cells)];
    const kernels = new LineKernels(
      gpu,
      shapeForLines(
        gpu,
        periods.flatMap((length) => [length / 2, length]),
      ),
    );
    const on = { stage, kernels, places };
    const smooth = new Map<number, SmoothPart>();
    for (const { parent, refinement } of levels) {
      if (parent !== undefined || smooth.has(refinement)) continue;
      smooth.set(
        refinement,
        await SmoothPart.create({ gpu, kernels }, mesh, { ...problem, mesh: settings.mesh }, refinement, coarse),
      );
    }
    const chains = levelChains(levels);
    const meshes: LevelMesh[] = [];
    for (const [l, { parent, refinement }] of levels.entries()) {
      const chain = chains.findIndex((one) => one.includes(l));
      const earlier = chains.slice(0, chain).reduce((bits, [outermost]) => bits | (1 << outermost), 0);
      const child = chains[chain][chains[chain].indexOf(l) + 1];
      const above = parent === undefined ? undefined : meshes[parent];
      const within = above
        ? { mesh: above.mesh, words: above.mesh.slabs, guests: above.guests && [above.guests], smooth: above.smooth! }
        : { mesh, words: mesh.slabs, guests: undefined, smooth: smooth.get(refinement)!.mesh };
      meshes.push(await LevelMesh.create(on, { l, child, earlier: earlier >>> 0 }, within, problem));
    }
    const fields = await ParticleField.create(stage, places, meshes);
    const fast = stage.fast && (await ParticleField.create(stage, places, meshes, { fast: true }));
    return new Levels(stage, places, { kernels, smooth, meshes, fields, fast });
  }

  get meshes(): readonly LevelMesh[] {
    return this.parts.meshes;
  }

  /** The field at points; their fields lie where `at` says. */
  fieldAt(at: { points: GPUBuffer; fields: GPUBuffer }): Promise<ParticleField> {
    return ParticleField.create(this.stage, this.places, this.parts.meshes, { at });
  }

  encodeDeposit(batch: Batch): Batch {
    for (const level of this.parts.meshes) level.encodeDeposit(batch);
    return batch;
  }

  /** Deposited mass to the meshes above; their smooth parts take what they need of it. */
  encodeMassUp(batch: Batch): Batch {
    for (const level of this.parts.meshes.toReversed()) level.encodeMassUp(batch);
    for (const part of this.parts.smooth.values()) part.encodeCopy(batch);
    return batch;
  }

  encodeSolve(batch: Batch): Batch {
    for (const part of this.parts.smooth.values()) part.encode(batch);
    for (const level of this.parts.meshes) level.encodeSolve(batch);
    return batch;
  }

  /** The forces of the levels, then the field of each particle. */
  encodeFields(batch: Batch): Batch {
    const { meshes, fields, fast } = this.parts;
    if (fast) {
      this.#encodeForces(batch, fast);
      for (const level of meshes) level.encodeSmooth(batch);
    }
    return this.#encodeForces(batch, fields);
  }

  /** Within a step: from deposited mass to what levels add to the field of each particle. */
  encodeOwn(batch: Batch): Batch {
    const { meshes, fast } = this.parts;
    for (const level of meshes.toReversed()) level.encodeMassUp(batch, { toBox: false });
    for (const level of meshes) level.encodeSolve(batch);
    return this.#encodeForces(batch, fast!);
  }

  #encodeForces(batch: Batch, fields: ParticleField): Batch {
    for (const level of this.parts.meshes) level.encodeGradient(batch);
    return fields.encode(batch.stage("levels"));
  }

  destroy(): void {
    for (const level of this.parts.meshes) level.destroy();
    this.parts.kernels.destroy();
  }
}

/** What the mesh of the box deposits itself: particles on no level. */
export function depositAround(places: LevelPlaces): DepositSelection {
  const outermost = places.levels.reduce((bits, { parent }, l) => (parent === undefined ? bits | (1 << l) : bits), 0);
  const constants = { ...places.constants(DEPOSIT_PLACES), OUTERMOST: `${outermost >>> 0}u` };
  return { sources: [aroundLevels], constants, buffers: [places.buffer] };
}
