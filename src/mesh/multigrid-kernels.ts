/**
 * Kernels of the multigrid cycles (wgsl/mesh/multigrid-*.wgsl): one pipeline each for all levels, whose sizes and slabs come as
 * uniforms, and the small levels' own, whose sizes are constants.
 */
import compactRelaxWgsl from "../../wgsl/mesh/multigrid-compact-relax.wgsl";
import compactRestrictWgsl from "../../wgsl/mesh/multigrid-compact-restrict.wgsl";
import fullWgsl from "../../wgsl/mesh/multigrid-full.wgsl";
import prolongWgsl from "../../wgsl/mesh/multigrid-prolong.wgsl";
import relaxWgsl from "../../wgsl/mesh/multigrid-relax.wgsl";
import restrictWgsl from "../../wgsl/mesh/multigrid-restrict.wgsl";
import tailWgsl from "../../wgsl/mesh/multigrid-tail.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import type { Boundary } from "../particles/box.ts";
import { coarsestRelaxation, type MultigridSettings, TAIL_SIDE, tailStart } from "./multigrid-settings.ts";
import { exchangeKernel, planesConstants, planesSource } from "./multigrid-slabs.ts";

const TAIL_GROUP = 64;
/** Numbers of the uniform for a slab: behind the buffers of one level, and of two. */
const SLAB_OF_LEVEL = 3;
const SLAB_OF_TWO = 5;

/** Kernels of the cycles, shared by every run length. */
export interface LevelKernels {
  relax: Kernel;
  restrict: Kernel;
  /** Of the finest level where that is of fourth order; as the others otherwise. */
  finestRelax: Kernel;
  finestRestrict: Kernel;
  prolong: Kernel;
  restrictSource: Kernel;
  restrictFaces: Kernel;
  interpolate: Kernel;
  tail: Kernel | undefined;
  /** Of levels in slabs. */
  exchange: Kernel | undefined;
}

interface KernelOptions {
  /** Sides of the levels. */
  sizes: readonly number[];
  boundary: Boundary;
  order: 2 | 4;
  /** Whether levels lie in slabs. */
  cut: boolean;
}

export async function compileLevelKernels(
  gpu: GpuContext,
  { sizes, boundary, order, cut }: KernelOptions,
): Promise<LevelKernels> {
  const isolated = boundary === "isolated";
  const kernel = (entry: string, source: WgslSource, slab: number) =>
    gpu.kernel({
      label: `multigrid/${entry}`,
      sources: [source, planesSource(cut)],
      entry,
      constants: { ISOLATED: isolated, ...planesConstants(slab) },
    });
  const start = tailStart(sizes);
  const tailSizes = sizes.slice(start).filter((n) => n <= TAIL_SIDE);
  const tail =
    tailSizes.length === 0
      ? undefined
      : gpu.kernel({
          label: "multigrid/tail",
          sources: [tailWgsl, planesSource(false)],
          entry: "tail",
          constants: {
            ISOLATED: isolated,
            TOP: `${tailSizes[0]}u`,
            TAIL_CELLS: tailSizes.reduce((sum, n) => sum + n ** 3, 0),
            TAIL_GROUP: `${TAIL_GROUP}u`,
          },
        });
  const [relax, restrict, prolong, restrictSource, restrictFaces, interpolate] = await Promise.all([
    kernel("relax", relaxWgsl, SLAB_OF_LEVEL),
    kernel("restrictResidual", restrictWgsl, SLAB_OF_TWO),
    kernel("prolong", prolongWgsl, SLAB_OF_LEVEL),
    kernel("restrictSource", fullWgsl, SLAB_OF_TWO),
    kernel("restrictFaces", fullWgsl, SLAB_OF_TWO),
    kernel("interpolate", fullWgsl, SLAB_OF_TWO),
  ]);
  const [finestRelax, finestRestrict] =
    order === 2
      ? [relax, restrict]
      : await Promise.all([
          kernel("relaxCompact", compactRelaxWgsl, SLAB_OF_LEVEL),
          kernel("restrictCompact", compactRestrictWgsl, SLAB_OF_TWO),
        ]);
  return {
    ...{ relax, restrict, finestRelax, finestRestrict, prolong, restrictSource, restrictFaces, interpolate },
    tail: await tail,
    exchange: cut ? await exchangeKernel(gpu) : undefined,
  };
}

/** Half sweeps come in pairs, red and black. */
const OPERATION = { relax: 0, solve: 2, restrict: 4, prolong: 5 } as const;

/** What a cycle does on the levels of the tail: pairs of words as multigrid-tail.wgsl reads them. */
export function tailProgram(
  sizes: readonly number[],
  settings: MultigridSettings,
  boundary: Boundary,
  kind: "v" | "f",
  k = 0,
): number[] {
  const n = sizes[k];
  const word = (operation: number, cells: number) => [operation | (cells << 8), k | (8 << 8)];
  const sweeps = (operation: "relax" | "solve", count: number) =>
    Array.from({ length: 2 * count }, (_, half) => word(OPERATION[operation] + (half % 2), n ** 3 / 2)).flat();
  const last = sizes.length - 1;
  if (k === last) return sweeps("solve", coarsestRelaxation(n, boundary).sweeps);
  const below = tailProgram(sizes, settings, boundary, kind, k + 1);
  const again = kind === "f" && k + 1 < last ? tailProgram(sizes, settings, boundary, "v", k + 1) : [];
  return [
    ...sweeps("relax", settings.presmooth),
    ...word(OPERATION.restrict, (n / 2) ** 3),
    ...below,
    ...again,
    ...word(OPERATION.prolong, n ** 3),
    ...sweeps("relax", settings.postsmooth),
  ];
}
