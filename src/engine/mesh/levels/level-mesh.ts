/**
 * A level: its mass, restricted to the mesh that it lies in, and its field:
 *   φ = prolonged smooth potential of that mesh + what it adds itself (level-kernels.ts)
 * and, where another level lies in it, the smooth part of that. In levels that overlap, the mass of particles that count in
 * another one for the box is that of guests, which goes up within the chain of levels alone: it is added when the level's own has
 * gone up, or has words of its own where levels nest or ranks add them up.
 */

import onLevel from "../../../../wgsl/engine/mesh/levels/deposit-on-level.wgsl";
import blockWgsl from "../../../../wgsl/engine/mesh/levels/level-block.wgsl";
import firstWgsl from "../../../../wgsl/engine/mesh/levels/level-first.wgsl";
import guestsWgsl from "../../../../wgsl/engine/mesh/levels/level-guests.wgsl";
import { type Batch, type Pass, type Step, workgroups } from "../../../foundation/gpu/batch.ts";
import { gridSide } from "../../../physics/particles/grid.ts";
import { DEPOSIT_PLACES, type DepositSelection } from "../deposit/deposit.ts";
import { walkLength } from "../deposit/walk.ts";
import type { LineKernels } from "../fft/fft-kernel.ts";
import { createMeshBuffers, FIELD_GHOSTS, type MeshBuffers } from "../field.ts";
import { MeshGradient } from "../force/gradient.ts";
import { runYielding } from "../poisson/greens.ts";
import { isolatedPasses } from "../poisson/poisson-isolated.ts";
import type { PoissonProblem } from "../poisson/poisson-solver.ts";
import { coarseCells } from "../poisson/split-mesh.ts";
import type { MeshStage } from "../stage.ts";
import { BetweenMeshes } from "./between-meshes.ts";
import { depositOnLevel } from "./deposit-level.ts";
import { cellsRead, coarsenedBy, levelGrid } from "./level-grid.ts";
import { bandSpectrum, topSpectrum } from "./level-kernels.ts";
import type { LevelPlaces } from "./level-places.ts";
import { besideMesh } from "./smooth-part.ts";

const GROUP = 64;
const FLOAT_BYTES = 4;

/** Low and high words of a mesh in one piece. */
interface Words {
  field: GPUBuffer;
  high: GPUBuffer;
}

/** What a level needs to know of the others. */
export interface AmongLevels {
  /** Its number. */
  l: number;
  /** The level in it. */
  child: number | undefined;
  /** Bits of the outermost levels in which a particle counts for the box rather than here; none: there are no guests. */
  earlier: number;
}

/** The mesh that it lies in. */
interface Parent {
  mesh: MeshBuffers;
  /** Of mass that counts for the box. */
  words: readonly Words[];
  guests: readonly Words[] | undefined;
  /** With its smooth potential. */
  smooth: MeshBuffers;
}

type Deposits = (batch: Batch) => void;

interface LevelPasses {
  /** Its stage, among the times of a step. */
  stage: string;
  /** Whether it lies in the box itself. */
  outermost: boolean;
  deposit: Deposits;
  /** With words of their own, before mass goes up; else after that. */
  depositGuests: Deposits | undefined;
  /** To the parent, and that of guests within the chain. */
  up: readonly Pass[];
  guestsUp: readonly Pass[];
  copies: readonly Step[];
  down: readonly Pass[];
  /** The parent's smooth potential, for the level itself and for the one in it. */
  smooth: readonly Pass[];
  smoothBeside: readonly Pass[];
  gradient: MeshGradient;
}

export class LevelMesh {
  private constructor(
    readonly mesh: MeshBuffers,
    /** With the smooth potential for the level in it. */
    readonly smooth: MeshBuffers | undefined,
    readonly guests: Words | undefined,
    /** Of its potential in a periodic box, where the mean density exerts no force: of the whole, and of the smooth part [velocity²]. */
    readonly offsets: { top: number; band: number },
    private readonly passes: LevelPasses,
  ) {}

  static async create(
    { stage, kernels, places }: { stage: MeshStage; kernels: LineKernels; places: LevelPlaces },
    { l, child, earlier }: AmongLevels,
    parent: Parent,
    problem: PoissonProblem,
  ): Promise<LevelMesh> {
    const { gpu, settings } = stage;
    const level = places.levels[l];
    const { cells, refinement } = level;
    const grid = levelGrid(level, places.geometry[l], [0, 0, 0]);
    const mesh = createMeshBuffers(gpu, grid, { starts: stage.mesh.starts, read: cellsRead(level) });
    const [own] = mesh.slabs;
    const { ranks } = stage.particles;
    const guestsGoUp = child !== undefined || parent.guests !== undefined || ranks.size > 1;
    const guests = earlier === 0 || !guestsGoUp ? undefined : guestWords(kernels, own);
    const beside = child === undefined ? undefined : besideMesh(kernels, mesh);
    const n = coarseCells(cells, coarsenedBy(refinement));
    const coarse = kernels.storage("level on its parent's mesh", FLOAT_BYTES * n ** 3);
    await kernels.settle();

    const selection = (guests: boolean): DepositSelection => ({
      sources: [onLevel, firstWgsl],
      constants: places.constants(DEPOSIT_PLACES),
      buffers: [places.buffer, places.thisLevel(l, { child, earlier, guests })],
    });
    const deposit = await depositOnLevel(stage, mesh, selection(false), own);
    const depositGuests = earlier === 0 ? undefined : await depositOnLevel(stage, mesh, selection(true), guests ?? own);

    const between = await BetweenMeshes.create(gpu, kernels, mesh, { coarse, by: coarsenedBy(refinement) });
    const thisLevel = places.thisLevel(l);
    const block = async (entry: string, on: MeshBuffers, bound: (slab: number) => readonly GPUBuffer[]) => {
      const kernel = await gpu.kernel({
        label: `level/${entry}`,
        sources: [blockWgsl],
        entry,
        constants: {
          ...places.constants(4),
          ...{ COARSE: `${n}u`, CELLS: `${on.cells}u`, PER_BOX: `${on.grid.perBox}u`, PITCH: `${on.pitch}u` },
        },
      });
      return on.slabs.map(({ first, planes, cut }, s): Pass => {
        const slab = kernels.uniform("slab of the parent", [first, planes, cut ? FIELD_GHOSTS : 0, 0]);
        const [field, high = field] = bound(s);
        const named = { block: coarse, field, high, potential: field, slab, places: places.buffer, thisLevel };
        const onSlab = kernel.bindNamed(named);
        return { kernel: onSlab, groups: workgroups(n ** 3, GROUP) };
      });
    };
    const addTo = (words: readonly Words[]) => block("addMass", parent.mesh, (s) => [words[s].field, words[s].high]);
    const up = [...between.restriction(), ...(await addTo(parent.words))];
    const guestsUp: Pass[] = [];
    if (guests) {
      if (parent.guests) guestsUp.push(...between.restriction([guests]), ...(await addTo(parent.guests)));
      const run = gpu.adapter.software ? walkLength(cells) : 1;
      const kernel = await gpu.kernel({
        ...{ label: "level/guests", sources: [guestsWgsl], entry: "addGuests" },
        constants: { CELLS: `${cells}u`, PITCH: `${mesh.pitch}u`, RUN: `${run}u` },
      });
      const { field, high } = own;
      const bound = kernel.bindNamed({ field, high, guests: guests.field, highGuests: guests.high });
      guestsUp.push({ kernel: bound, groups: workgroups(cells ** 3 / run, GROUP) });
    }

    const scheme = settings.mesh;
    const h = gridSide(grid, settings.boxSize) / cells;
    const factor = (settings.G * problem.massUnit) / h ** 3;
    const meanUnits = problem.boundary === "periodic" ? (problem.totalUnits ?? 0) / grid.perBox ** 3 : 0;
    const solved = async (on: MeshBuffers, spectrum: Float64Array) => ({
      offset: -factor * spectrum[0] * cells ** 3 * meanUnits,
      passes: await isolatedPasses(kernels, on, { cells, period: cells, length: h * cells, spectrum, factor }),
    });
    const top = await solved(mesh, await runYielding(topSpectrum(scheme, level, h)));
    const taken = await block("takePotential", parent.smooth, (s) => [parent.smooth.slabs[s].field]);
    const smooth = [...taken, ...between.prolongation()];
    // With substeps the field of the levels alone comes first.
    const alone = stage.fast !== undefined && level.parent === undefined;
    const down = alone ? [...top.passes] : [...top.passes, ...smooth];
    const smoothBeside: Pass[] = [];
    let band = 0;
    if (beside && child !== undefined) {
      const spectrum = await runYielding(bandSpectrum(scheme, level, places.levels[child].refinement, h));
      const smoothed = await solved(beside.mesh, spectrum);
      const again = await BetweenMeshes.create(gpu, kernels, beside.mesh, { coarse, by: coarsenedBy(refinement) });
      band = smoothed.offset;
      smoothBeside.push(...again.prolongation());
      down.push(...smoothed.passes, ...(alone ? [] : smoothBeside));
    }
    const gradient = await MeshGradient.create(gpu, mesh, {
      gradient: scheme.gradient as Exclude<typeof scheme.gradient, "spectral">,
      boxSize: settings.boxSize,
    });
    const offsets = { top: top.offset, band };
    return new LevelMesh(mesh, beside?.mesh, guests, offsets, {
      stage: `level ${level.name}`,
      outermost: level.parent === undefined,
      deposit,
      depositGuests,
      up,
      guestsUp,
      copies: beside?.copies ?? [],
      down,
      smooth,
      smoothBeside,
      gradient,
    });
  }

  /** The words that ranks add up: own, and those of guests. */
  get words(): readonly Words[] {
    const [own] = this.mesh.slabs;
    return this.guests ? [own, this.guests] : [own];
  }

  encodeDeposit(batch: Batch): void {
    batch.stage(this.passes.stage);
    for (const { field, high } of this.words) batch.clear(field).clear(high);
    this.passes.deposit(batch);
    if (this.guests) this.passes.depositGuests!(batch);
  }

  /** After those of the levels in it; within a step the box takes none. */
  encodeMassUp(batch: Batch, { toBox = true } = {}): void {
    batch.stage(this.passes.stage);
    if (toBox || !this.passes.outermost) batch.passes(this.passes.up);
    batch.passes(this.passes.guestsUp);
    if (!this.guests) this.passes.depositGuests?.(batch);
    batch.steps(this.passes.copies);
  }

  /** After that of its parent. */
  encodeSolve(batch: Batch): void {
    batch.stage(this.passes.stage).passes(this.passes.down);
  }

  /** With substeps: from the field of the levels alone to the whole, after that of its parent. */
  encodeSmooth(batch: Batch): void {
    batch.stage(this.passes.stage).passes(this.passes.smooth);
    if (!this.smooth) return;
    batch.clear(this.smooth.slabs[0].field);
    batch.passes(this.passes.smoothBeside);
  }

  encodeGradient(batch: Batch): void {
    this.passes.gradient.encode(batch, this.passes.stage);
  }

  destroy(): void {
    this.passes.gradient.destroy();
  }
}

function guestWords(kernels: LineKernels, { field, high }: Words): Words {
  return {
    field: kernels.storage("mass of guests", field.size),
    high: kernels.storage("mass of guests, high word", high.size),
  };
}
