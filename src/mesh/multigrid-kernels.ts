/**
 * Kernels of the multigrid cycles (wgsl/mesh/multigrid-*.wgsl): one pipeline each for all levels, whose sizes and slabs come as
 * uniforms, and the small levels' own, whose sizes are constants.
 */
import compactRelaxWgsl from "../../wgsl/mesh/multigrid-compact-relax.wgsl";
import compactRestrictWgsl from "../../wgsl/mesh/multigrid-compact-restrict.wgsl";
import exchangeWgsl from "../../wgsl/mesh/multigrid-exchange.wgsl";
import prolongWgsl from "../../wgsl/mesh/multigrid-prolong.wgsl";
import relaxWgsl from "../../wgsl/mesh/multigrid-relax.wgsl";
import restrictWgsl from "../../wgsl/mesh/multigrid-restrict.wgsl";
import tailWgsl from "../../wgsl/mesh/multigrid-tail.wgsl";
import type { WgslConstants, WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Boundary } from "../particles/box.ts";
import { coarsestRelaxation, type MultigridSettings, TAIL_SIDE, tailStart } from "./multigrid-settings.ts";

const TAIL_GROUP = 64;
/** Numbers of the uniform for a slab: behind the buffers of one level, and of two. */
const SLAB_OF_LEVEL = 3;
const SLAB_OF_TWO = 5;

export type LevelKernels = Awaited<ReturnType<typeof compileLevelKernels>>;

interface KernelOptions {
  /** Sides of the levels. */
  sizes: readonly number[];
  boundary: Boundary;
  order: 2 | 4;
}

/** Kernels of the cycles; those of the finest level where it is of fourth order, and as the others otherwise. */
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
    /** The small levels, where there are any. */
    tail: tailSizes.length > 0 ? await tail() : undefined,
  };
}

/** Half sweeps come in pairs, red and black. */
const OPERATION = { relax: 0, solve: 2, restrict: 4, prolong: 5 } as const;

/** What a cycle does on the levels of the tail: pairs of words as multigrid-tail.wgsl reads them. */
export function tailProgram(
  sizes: readonly number[],
  settings: MultigridSettings,
  boundary: Boundary,
  k = 0,
): number[] {
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
