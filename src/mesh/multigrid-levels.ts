/**
 * A V-cycle of the multigrid solver on the GPU over its levels: red–black relaxation, residual and restriction,
 * prolongation, and the small levels in one workgroup (wgsl/mesh/multigrid-*.wgsl; the same algorithm in float64:
 * reference/mesh/multigrid-levels.ts). The finest level holds the potential, the coarser ones corrections. Where they lie,
 * whole or in slabs: multigrid-arrays.ts. After each change of a level its slabs' ghosts are brought up to date.
 */
import { type Step, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { Boundary } from "../particles/box.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";
import { type LevelKernels, tailProgram } from "./multigrid-kernels.ts";
import {
  coarsestRelaxation,
  levelSizes,
  type MultigridSettings,
  RELAXATION,
  tailStart,
  wallShare,
} from "./multigrid-settings.ts";
import { exchangePasses, faceCopies, meetings, slabUniform } from "./multigrid-slabs.ts";

const GROUP = 64;

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

export interface LevelSteps {
  cycle: readonly Step[];
  /** The finest level's ghosts, after others than the cycles have changed its potential. */
  exchange: readonly Step[];
  /** Its slabs' part of the faces' ghosts. */
  faces: readonly Step[];
}

/** The steps of a cycle; `pool` gets their uniforms. */
export function levelSteps(pool: BufferPool, options: LevelsOptions): LevelSteps {
  const { kernels, levels, settings, boundary, run } = options;
  const sizes = levelSizes(levels[0].cells, settings.levels);
  const start = tailStart(sizes);

  /** WGSL struct Level. */
  const uniform = (l: number, colour = 0, omega = RELAXATION): GPUBuffer => {
    const { cells, sourcePitch } = levels[l];
    const walls = [l, l + 1].map((level) => wallShare(level, boundary));
    return pool.uniform("multigrid level", [
      ...u32(cells, sourcePitch, runLength(cells, run), colour),
      ...f32(walls[0], l === 0 ? 1 : 0, omega, walls[1]),
    ]);
  };
  const exchange = levels.map((level) => exchangePasses(pool, kernels.exchange, level, boundary));

  const relax = (l: number, sweeps: number, omega = RELAXATION): Step[] => {
    const { slabs, cells, ghosts, sourceGhosts } = levels[l];
    const colours = l === 0 ? settings.order : 2;
    const kernel = l === 0 ? kernels.finestRelax : kernels.relax;
    const inRun = (colours / 2) * runLength(cells, run);
    const sweep = Array.from({ length: colours }, (_, colour): Step[] => {
      const level = uniform(l, colour, omega);
      const passes = slabs.map(({ first, planes, source, potential }) => ({
        kernel: kernel.bind(level, source, potential, slabUniform(pool, { first, planes, ghosts, sourceGhosts })),
        groups: workgroups((planes * cells ** 2) / inRun, GROUP),
      }));
      return [...passes, ...exchange[l]];
    }).flat();
    return Array.from({ length: sweeps }, () => sweep).flat();
  };

  /** Between level l and the next coarser one: a pass for every two slabs that meet. */
  const transfer = (name: "restrict" | "prolong", l: number): Step[] => {
    const [fine, coarse] = [levels[l], levels[l + 1]];
    const level = uniform(l);
    const inPlane = fine.cells ** 2 / 2 / runLength(fine.cells, run); // invocations for a plane of the coarse level
    const passes = meetings(fine, coarse).map(({ fine: above, coarse: below, planes }) => {
      const slab = slabUniform(pool, {
        ...{ first: above.first, planes: above.planes, ghosts: fine.ghosts, sourceGhosts: fine.sourceGhosts },
        transfer: planes,
        coarse: { first: below.first, ghosts: coarse.ghosts },
      });
      const kernel =
        name === "prolong"
          ? kernels.prolong.bind(level, below.potential, above.potential, slab)
          : (l === 0 ? kernels.finestRestrict : kernels.restrict).bind(
              ...[level, above.source, above.potential, below.source, below.potential, slab],
            );
      return { kernel, groups: workgroups(planes.count * inPlane, GROUP) };
    });
    return [...passes, ...exchange[name === "restrict" ? l + 1 : l]];
  };

  const tail = (): Step[] => {
    if (!kernels.tail) {
      const { omega, sweeps } = coarsestRelaxation(levels[start].cells, boundary);
      return relax(start, sweeps, omega);
    }
    const [{ source, potential }] = levels[start].slabs;
    const small = sizes.slice(start);
    const relaxation = [...small, 1].flatMap((n, k) => [
      wallShare(start + k, boundary),
      coarsestRelaxation(n, boundary).omega,
    ]);
    const program = Uint32Array.from(tailProgram(small, settings, boundary));
    const steps = pool.upload("multigrid tail program", program, "other");
    const table = pool.upload("multigrid tail relaxation", Float32Array.from(relaxation), "other");
    return [{ kernel: kernels.tail.bind(uniform(start), source, potential, steps, table), groups: [1, 1] }];
  };

  const cycle = (l: number): Step[] =>
    l === start
      ? tail()
      : [
          ...relax(l, settings.presmooth),
          ...transfer("restrict", l),
          ...cycle(l + 1),
          ...transfer("prolong", l),
          ...relax(l, settings.postsmooth),
        ];

  return { cycle: cycle(0), exchange: exchange[0], faces: faceCopies(levels[0]) };
}
