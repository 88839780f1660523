/**
 * The cycles of the multigrid solver on the GPU over its levels: red–black relaxation, residual and restriction,
 * prolongation, and the small levels in one workgroup (wgsl/mesh/multigrid-*.wgsl; the same algorithm in float64:
 * reference/mesh/multigrid-levels.ts). Where the levels lie, whole or in slabs: multigrid-arrays.ts. After each change of a
 * potential its slabs' ghosts are brought up to date.
 */
import { type Batch, type Step, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Boundary } from "../particles/box.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";
import { type LevelKernels, tailProgram } from "./multigrid-kernels.ts";
import {
  coarsestRelaxation,
  levelSizes,
  type MultigridSettings,
  RELAXATION,
  START_CYCLES,
  tailStart,
  wallShare,
} from "./multigrid-settings.ts";
import { exchangePasses, faceCopies, facesBegin, meetings, slabUniform } from "./multigrid-slabs.ts";

const GROUP = 64;

/** What a level's top role is: holding the potential itself, or a correction. */
type Role = "full" | "correction";

/** Cells along x per invocation on a level: near `wanted`, even, a divisor of the side. */
export function runLength(cells: number, wanted: number): number {
  for (let parts = Math.ceil(cells / wanted); parts < cells; parts++) {
    if (cells % parts === 0 && (cells / parts) % 2 === 0) return cells / parts;
  }
  return 2;
}

interface LevelsOptions {
  kernels: LevelKernels;
  /** Down to the largest of those in one workgroup, or to the last of all. */
  levels: readonly LevelArrays[];
  settings: MultigridSettings;
  boundary: Boundary;
  /** Cells along x per invocation. */
  run: number;
}

export class MultigridLevels {
  readonly run: number;
  readonly #kernels: LevelKernels;
  readonly #settings: MultigridSettings;
  readonly #boundary: Boundary;
  readonly #levels: readonly LevelArrays[];
  readonly #start: number;
  readonly #steps = new Map<string, Step[]>();
  readonly #own: BufferPool;

  constructor(gpu: GpuContext, { kernels, levels, settings, boundary, run }: LevelsOptions) {
    this.run = run;
    this.#own = gpu.buffers.pool();
    this.#kernels = kernels;
    this.#settings = settings;
    this.#boundary = boundary;
    this.#levels = levels;
    this.#start = tailStart(levelSizes(levels[0].cells, settings.levels));
  }

  /** One cycle of the settings' kind on the finest level. */
  encodeCycle(batch: Batch): void {
    this.#cycle(batch, 0, "full", this.#settings.cycle);
  }

  /** A first potential from nothing. */
  encodeFullMultigrid(batch: Batch): void {
    const start = this.#start;
    for (let l = 0; l < start; l++) {
      batch.steps(this.#transfer("restrictSource", l, "full"));
      if (this.#boundary === "isolated") batch.steps(this.#restrictFaces(l)).steps(this.#faces(l + 1));
    }
    if (this.#kernels.tail) batch.steps(this.#tail("full", "start"));
    else this.#solveCoarsest(batch, "full");
    for (let l = start - 1; l >= 0; l--) {
      batch.steps(this.#transfer("interpolate", l, "full"));
      this.#cycle(batch, l, "full", this.#settings.cycle);
    }
  }

  /** The finest level's ghosts, after others than the cycles have changed its potential. */
  encodeExchange(batch: Batch): void {
    batch.steps(this.#exchange(0));
  }

  /** Its slabs' part of the faces' ghosts. */
  encodeFaces(batch: Batch): void {
    batch.steps(this.#faces(0));
  }

  destroy(): void {
    this.#own.destroyAll();
  }

  #cycle(batch: Batch, l: number, role: Role, kind: "v" | "f"): void {
    if (l === this.#start) {
      if (this.#kernels.tail) batch.steps(this.#tail(role, kind));
      else this.#solveCoarsest(batch, role);
      return;
    }
    this.#relax(batch, l, role, this.#settings.presmooth, RELAXATION);
    batch.steps(this.#transfer("restrict", l, role));
    this.#cycle(batch, l + 1, "correction", kind);
    if (kind === "f" && !this.#isLast(l + 1)) this.#cycle(batch, l + 1, "correction", "v");
    batch.steps(this.#transfer("prolong", l, role));
    this.#relax(batch, l, role, this.#settings.postsmooth, RELAXATION);
  }

  /** Whether no coarser level follows, not even in the tail. */
  #isLast(l: number): boolean {
    const sizes = levelSizes(this.#levels[0].cells, this.#settings.levels);
    return l === sizes.length - 1;
  }

  #solveCoarsest(batch: Batch, role: Role): void {
    const { omega, sweeps } = coarsestRelaxation(this.#levels[this.#start].cells, this.#boundary);
    this.#relax(batch, this.#start, role, sweeps, omega);
  }

  #relax(batch: Batch, l: number, role: Role, sweeps: number, omega: number): void {
    const colours = this.#order(l); // two or four
    for (let part = 0; part < colours * sweeps; part++) {
      batch.steps(this.#colourSweep(l, role, part % colours, omega));
    }
  }

  #order(l: number): 2 | 4 {
    return l === 0 ? this.#settings.order : 2;
  }

  #colourSweep(l: number, role: Role, colour: number, omega: number): Step[] {
    return this.#made(`relax ${l} ${role} ${colour} ${omega}`, () => {
      const { slabs, cells, ghosts, sourceGhosts } = this.#levels[l];
      const uniform = this.#uniform(l, role, colour, omega);
      const kernel = l === 0 ? this.#kernels.finestRelax : this.#kernels.relax;
      const inRun = this.#order(l) === 4 ? 2 * runLength(cells, this.run) : runLength(cells, this.run);
      const passes = slabs.map(({ first, planes, source, potential }) => {
        const slab = slabUniform(this.#own, { first, planes, ghosts, sourceGhosts });
        const count = (planes * cells ** 2) / inRun;
        return { kernel: kernel.bind(uniform, source, potential, slab), groups: workgroups(count, GROUP) };
      });
      return [...passes, ...this.#exchange(l)];
    });
  }

  /** Between level l and the next coarser one: a pass for every two slabs that meet. */
  #transfer(name: "restrict" | "prolong" | "restrictSource" | "interpolate", l: number, role: Role): Step[] {
    return this.#made(`${name} ${l} ${role}`, () => {
      const [fine, coarse] = [this.#levels[l], this.#levels[l + 1]];
      const uniform = this.#uniform(l, role, 0, RELAXATION);
      const down = name === "restrict" || name === "restrictSource";
      const kernel = this.#kernels[name === "restrict" && l === 0 ? "finestRestrict" : name];
      // Invocations for a plane of the coarse level.
      const count = {
        restrict: fine.cells ** 2 / 2 / runLength(fine.cells, this.run),
        prolong: fine.cells ** 2 / 2 / runLength(fine.cells, this.run),
        restrictSource: coarse.cells ** 2,
        interpolate: 2 * fine.cells ** 2,
      }[name];
      const passes = meetings(fine, coarse).map(({ fine: above, coarse: below, planes }) => {
        const slab = slabUniform(this.#own, {
          ...{ first: above.first, planes: above.planes, ghosts: fine.ghosts, sourceGhosts: fine.sourceGhosts },
          transfer: planes,
          coarse: { first: below.first, planes: below.planes, ghosts: coarse.ghosts },
        });
        const bound =
          name === "prolong"
            ? kernel.bind(uniform, below.potential, above.potential, slab)
            : kernel.bind(uniform, above.source, above.potential, below.source, below.potential, slab);
        return { kernel: bound, groups: workgroups(planes.count * count, GROUP) };
      });
      return [...passes, ...this.#exchange(down ? l + 1 : l)];
    });
  }

  /** Boundary values of the next coarser level. */
  #restrictFaces(l: number): Step[] {
    return this.#made(`faces ${l}`, () => {
      const [fine, coarse] = [this.#levels[l], this.#levels[l + 1]];
      const from = fine.faces ?? fine.slabs[0].potential;
      const into = coarse.faces ?? coarse.slabs[0].potential;
      const slab = slabUniform(this.#own, {
        ...{ first: 0, planes: fine.cells },
        facesBegin: facesBegin(fine),
        coarseFacesBegin: facesBegin(coarse),
      });
      const uniform = this.#uniform(l, "full", 0, RELAXATION);
      const kernel = this.#kernels.restrictFaces.bind(uniform, from, from, into, into, slab);
      return [{ kernel, groups: workgroups(6 * coarse.cells ** 2, GROUP) }];
    });
  }

  #faces(l: number): Step[] {
    return this.#made(`slabs' faces ${l}`, () => faceCopies(this.#levels[l]));
  }

  #exchange(l: number): Step[] {
    const { exchange } = this.#kernels;
    if (!exchange) return [];
    return this.#made(`exchange ${l}`, () => exchangePasses(this.#own, exchange, this.#levels[l], this.#boundary));
  }

  #tail(role: Role, kind: "v" | "f" | "start"): Step[] {
    return this.#made(`tail ${role} ${kind}`, () => {
      const [{ source, potential }] = this.#levels[this.#start].slabs;
      const sizes = levelSizes(this.#levels[0].cells, this.#settings.levels).slice(this.#start);
      const program =
        kind === "start"
          ? Array.from({ length: START_CYCLES }, () => tailProgram(sizes, this.#settings, this.#boundary, "v")).flat()
          : tailProgram(sizes, this.#settings, this.#boundary, kind);
      const relaxation = [...sizes, 1].flatMap((n, k) => [
        wallShare(this.#start + k, this.#boundary),
        coarsestRelaxation(n, this.#boundary).omega,
      ]);
      const steps = this.#own.upload("multigrid tail program", Uint32Array.from(program), "other");
      const table = this.#own.upload("multigrid tail relaxation", Float32Array.from(relaxation), "other");
      const uniform = this.#uniform(this.#start, role, 0, RELAXATION);
      return [{ kernel: this.#kernels.tail!.bind(uniform, source, potential, steps, table), groups: [1, 1] }];
    });
  }

  #made(key: string, make: () => Step[]): Step[] {
    let steps = this.#steps.get(key);
    if (!steps) {
      steps = make();
      this.#steps.set(key, steps);
    }
    return steps;
  }

  /** The uniform of WGSL's struct Level. */
  #uniform(l: number, role: Role, colour: number, omega: number): GPUBuffer {
    const { cells, sourcePitch } = this.#levels[l];
    const wall = wallShare(l, this.#boundary);
    return this.#own.uniform("multigrid level", [
      ...u32(cells, sourcePitch, runLength(cells, this.run), colour),
      ...f32(wall, role === "full" ? 1 + wall : 0, omega, wallShare(l + 1, this.#boundary)),
    ]);
  }
}
