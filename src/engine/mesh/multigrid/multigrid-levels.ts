/**
 * A V-cycle of the multigrid solver on the GPU: red–black relaxation, residual and restriction, prolongation, and the small
 * levels in one workgroup (in float64: engine/reference/mesh/multigrid-levels.ts). The finest level holds the potential, the coarser
 * ones corrections. After each change of a level its slabs' ghosts are brought up to date.
 */
import compactRelaxWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-compact-relax.wgsl";
import compactRestrictWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-compact-restrict.wgsl";
import exchangeWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-exchange.wgsl";
import prolongWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-prolong.wgsl";
import relaxWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-relax.wgsl";
import restrictWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-restrict.wgsl";
import tailWgsl from "../../../../wgsl/engine/mesh/multigrid/multigrid-tail.wgsl";
import { type Step, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslConstants, WgslSource } from "../../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import type { LevelArrays } from "./multigrid-arrays.ts";
import {
  coarsestRelaxation,
  type MultigridSettings,
  multigridSides,
  RELAXATION,
  TAIL_SIDE,
  tailStart,
  wallShare,
} from "./multigrid-settings.ts";
import { exchangePasses, faceCopies, meetings, slabUniform } from "./multigrid-slabs.ts";

const GROUP = 64;
const TAIL_GROUP = 64;
/** Numbers of the uniform for a slab: behind the buffers of one level, and of two. */
const SLAB_OF_LEVEL = 3;
const SLAB_OF_TWO = 5;

type LevelKernels = Awaited<ReturnType<typeof compileLevelKernels>>;

interface KernelOptions {
  /** Sides of the levels. */
  sizes: readonly number[];
  boundary: Boundary;
  order: 2 | 4;
}

/**
 * Kernels of the cycles: one pipeline each for all levels, whose sizes and slabs come as uniforms, and the small levels'
 * own; the finest level has its own where it is of fourth order.
 */
export async function compileLevelKernels(gpu: GpuContext, { sizes, boundary, order }: KernelOptions) {
  const constants = { ISOLATED: boundary === "isolated" };
  const kernel = (entry: string, source: WgslSource, slab: number, more: WgslConstants = {}) =>
    gpu.kernel({
      label: `multigrid/${entry}`,
      ...{ sources: [source], entry, constants: { ...constants, SLAB: slab, ...more } },
    });
  const tailSizes = sizes.slice(tailStart(sizes)).filter((n) => n <= TAIL_SIDE);
  const tail = () => {
    const cells = tailSizes.reduce((sum, n) => sum + n ** 3, 0);
    const own = { TOP: `${tailSizes[0]}u`, TAIL_CELLS: cells, TAIL_GROUP: `${TAIL_GROUP}u` };
    return kernel("tail", tailWgsl, SLAB_OF_TWO, own);
  };
  const [relax, restrict, prolong, exchange] = await Promise.all([
    kernel("relax", relaxWgsl, SLAB_OF_LEVEL),
    kernel("restrictResidual", restrictWgsl, SLAB_OF_TWO),
    kernel("prolong", prolongWgsl, SLAB_OF_LEVEL),
    gpu.kernel({ label: "multigrid/exchange", sources: [exchangeWgsl], entry: "exchangePlanes" }),
  ]);
  const compact = order === 4;
  return {
    ...{ relax, restrict, prolong, exchange },
    finestRelax: compact ? await kernel("relaxCompact", compactRelaxWgsl, SLAB_OF_LEVEL) : relax,
    finestRestrict: compact ? await kernel("restrictCompact", compactRestrictWgsl, SLAB_OF_TWO) : restrict,
    tail: tailSizes.length > 0 ? await tail() : undefined,
  };
}

/** Half sweeps come in pairs, red and black. */
const OPERATION = { relax: 0, solve: 2, restrict: 4, prolong: 5 } as const;

/** What a cycle does on the levels of the tail: pairs of words as multigrid-tail.wgsl reads them. */
function tailProgram(sizes: readonly number[], settings: MultigridSettings, boundary: Boundary, k = 0): number[] {
  const n = sizes[k];
  const word = (operation: number, cells: number) => [operation | (cells << 8), k | (8 << 8)];
  const sweeps = (operation: "relax" | "solve", count: number) =>
    Array.from({ length: 2 * count }, (_, half) => word(OPERATION[operation] + (half % 2), n ** 3 / 2)).flat();
  if (k === sizes.length - 1) return sweeps("solve", coarsestRelaxation(n, boundary).sweeps);
  return [
    ...sweeps("relax", settings.presmooth),
    ...word(OPERATION.restrict, (n / 2) ** 3),
    ...tailProgram(sizes, settings, boundary, k + 1),
    ...word(OPERATION.prolong, n ** 3),
    ...sweeps("relax", settings.postsmooth),
  ];
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
  const sizes = multigridSides(levels[0].cells, settings.levels);
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
