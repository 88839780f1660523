/**
 * The levels of the multigrid solver on the GPU and the cycles over them: red–black relaxation, residual and restriction,
 * prolongation, and the small levels in one workgroup (wgsl/multigrid-*.wgsl; the same algorithm in float64:
 * reference/mesh/multigrid-levels.ts). The finest level's potential is a buffer of its own, its source lies in the mesh
 * field; the coarser levels borrow the force mesh, 1.15 words a cell.
 */
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import type { Boundary } from "../particles/box.ts";
import type { MeshBuffers } from "./field.ts";
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

const GROUP = 64;
/** Offsets of bindings into a shared buffer, in words (WebGPU's default alignment is 256 bytes). */
const ALIGNMENT = 64;

/** What a level's top role is: holding the potential itself, or a correction. */
type Role = "full" | "correction";

interface GpuLevel {
  cells: number;
  source: BufferSlice;
  potential: BufferSlice;
  sourcePitch: number;
}

/** Cells along x per invocation on a level: near `wanted`, even, a divisor of the side. */
export function runLength(cells: number, wanted: number): number {
  for (let parts = Math.ceil(cells / wanted); parts < cells; parts++) {
    if (cells % parts === 0 && (cells / parts) % 2 === 0) return cells / parts;
  }
  return 2;
}

interface LevelsOptions {
  kernels: LevelKernels;
  mesh: MeshBuffers;
  /** [n³ + 6(n+2)²] f32. */
  potential: GPUBuffer;
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
  readonly #levels: GpuLevel[];
  readonly #start: number;
  readonly #steps = new Map<string, Pass>();
  readonly #own: BufferPool;

  constructor(gpu: GpuContext, { kernels, mesh, potential, settings, boundary, run }: LevelsOptions) {
    this.run = run;
    this.#own = gpu.buffers.pool();
    this.#kernels = kernels;
    this.#settings = settings;
    this.#boundary = boundary;
    const sizes = levelSizes(mesh.cells, settings.levels);
    this.#start = tailStart(sizes);
    this.#levels = placeLevels(sizes.slice(0, this.#start + 1), mesh, potential, settings.order);
  }

  get sizes(): number[] {
    return this.#levels.map(({ cells }) => cells);
  }

  /** Where the finest level's source lies, and the pitch of its rows [words]. */
  get finest(): { cells: number; source: BufferSlice; sourcePitch: number } {
    return this.#levels[0];
  }

  /** Space in the force mesh that the second level's source takes, free until a cycle runs. */
  get scratch(): BufferSlice {
    return this.#levels[1].source;
  }

  /** One cycle of the settings' kind on the finest level. */
  encodeCycle(batch: Batch): void {
    this.#cycle(batch, 0, "full", this.#settings.cycle);
  }

  /** A first potential from nothing. */
  encodeFullMultigrid(batch: Batch): void {
    const start = this.#start;
    for (let l = 0; l < start; l++) batch.passes([this.#between("restrictSource", l)]);
    if (this.#kernels.tail) batch.passes([this.#tail("full", "start")]);
    else this.#solveCoarsest(batch, "full");
    for (let l = start - 1; l >= 0; l--) {
      batch.passes([this.#between("interpolate", l)]);
      this.#cycle(batch, l, "full", this.#settings.cycle);
    }
  }

  destroy(): void {
    this.#own.destroyAll();
  }

  #cycle(batch: Batch, l: number, role: Role, kind: "v" | "f"): void {
    if (l === this.#start) {
      if (this.#kernels.tail) batch.passes([this.#tail(role, kind)]);
      else this.#solveCoarsest(batch, role);
      return;
    }
    this.#relax(batch, l, role, this.#settings.presmooth, RELAXATION);
    batch.passes([this.#transfer("restrict", l, role)]);
    this.#cycle(batch, l + 1, "correction", kind);
    if (kind === "f" && !this.#isLast(l + 1)) this.#cycle(batch, l + 1, "correction", "v");
    batch.passes([this.#transfer("prolong", l, role)]);
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
      batch.passes([this.#colourSweep(l, role, part % colours, omega)]);
    }
  }

  #order(l: number): 2 | 4 {
    return l === 0 ? this.#settings.order : 2;
  }

  #colourSweep(l: number, role: Role, colour: number, omega: number): Pass {
    return this.#step(`relax ${l} ${role} ${colour} ${omega}`, () => {
      const { source, potential, cells } = this.#levels[l];
      const uniform = this.#uniform(l, role, colour, omega);
      const rows = this.#order(l) === 4 ? cells ** 2 / 2 : cells ** 2;
      const count = (rows * cells) / runLength(cells, this.run);
      const kernel = l === 0 ? this.#kernels.finestRelax : this.#kernels.relax;
      return { kernel: kernel.bind(uniform, source, potential), groups: workgroups(count, GROUP) };
    });
  }

  /** Between level l and the next coarser one, in runs. */
  #transfer(name: "restrict" | "prolong", l: number, role: Role): Pass {
    return this.#step(`${name} ${l} ${role}`, () => {
      const [fine, coarse] = [this.#levels[l], this.#levels[l + 1]];
      const uniform = this.#uniform(l, role, 0, RELAXATION);
      const { restrict, finestRestrict, prolong } = this.#kernels;
      const kernel =
        name === "restrict"
          ? (l === 0 ? finestRestrict : restrict).bind(
              uniform,
              fine.source,
              fine.potential,
              coarse.source,
              coarse.potential,
            )
          : prolong.bind(uniform, coarse.potential, fine.potential);
      const count = fine.cells ** 3 / 4 / runLength(fine.cells, this.run);
      return { kernel, groups: workgroups(count, GROUP) };
    });
  }

  /** Between level l and the next coarser one, for full multigrid. */
  #between(name: "restrictSource" | "interpolate", l: number): Pass {
    return this.#step(`${name} ${l}`, () => {
      const [fine, coarse] = [this.#levels[l], this.#levels[l + 1]];
      const uniform = this.#uniform(l, "full", 0, RELAXATION);
      const kernel = this.#kernels[name].bind(uniform, fine.source, fine.potential, coarse.source, coarse.potential);
      const count = name === "interpolate" ? fine.cells ** 3 : coarse.cells ** 2 * (coarse.cells + 6);
      return { kernel, groups: workgroups(count, GROUP) };
    });
  }

  #tail(role: Role, kind: "v" | "f" | "start"): Pass {
    return this.#step(`tail ${role} ${kind}`, () => {
      const { source, potential } = this.#levels[this.#start];
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
      return { kernel: this.#kernels.tail!.bind(uniform, source, potential, steps, table), groups: [1, 1] };
    });
  }

  #step(key: string, make: () => Pass): Pass {
    let step = this.#steps.get(key);
    if (!step) {
      step = make();
      this.#steps.set(key, step);
    }
    return step;
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

/**
 * The finest potential in its own buffer, the finest source in the mesh field, unless it is the fourth order's, and all the
 * rest one behind the other in the force mesh.
 */
function placeLevels(sizes: readonly number[], mesh: MeshBuffers, potential: GPUBuffer, order: 2 | 4): GpuLevel[] {
  let next = 0;
  const place = (words: number): BufferSlice => {
    const slice = { buffer: mesh.force, offset: 4 * next, size: 4 * words };
    next += Math.ceil(words / ALIGNMENT) * ALIGNMENT;
    return slice;
  };
  return sizes.map((cells, l) => {
    if (l === 0 && order === 2) return { cells, source: mesh.field, potential, sourcePitch: mesh.pitch };
    const source = place(cells ** 3);
    if (l === 0) return { cells, source, potential, sourcePitch: cells };
    return { cells, source, potential: place(cells ** 3 + 6 * (cells + 2) ** 2), sourcePitch: cells };
  });
}
