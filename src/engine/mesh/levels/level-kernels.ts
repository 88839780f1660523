/**
 * Transfer functions of levels, Hardy+ (2016)'s multilevel summation with Gaussians: each takes away what the mesh that it lies in
 * has smoothed, and smooths for the one that lies in it. With h_l the side of level l's cells, R its refinement, s_l = 1.25 h_l, and
 *   S_l = e^{−k²s_l²}/(W² F)   W, F of assignment and differences in the mesh of the finer cells, h_{l+1} (split-kernels.ts)
 *   B_l = ∏ sinc(k_i h_l/2)⁴   the B-splines by which mass leaves the finer mesh and potential comes back
 * each is −4π/k² times
 *   top     1 − S_{l−1}                   all that is left, for particles on level l
 *   band    S_l/B_l² − S_{l−1}            what level l adds for the one in it
 *   smooth  S_0/B_0²                      what the mesh of the box gives to the first level; S_0 where pairs take its place (P³M)
 * as h³ DFT of what is plain in r, and what is smooth in k. Octants [(period/2 + 1)³] in isolatedKernelSteps' layout and
 * normalisation, to be made inTurns.
 */
import { erfc } from "../../../foundation/base/erfc.ts";
import {
  addByModes,
  type ForceScheme,
  finerBy,
  type Smoothing,
  type SplitMesh,
  sampled,
  shortSpectrum,
  withExcess,
} from "../poisson/split-kernels.ts";
import { SPLIT, splitPeriod } from "../poisson/split-mesh.ts";
import { coarsenedBy, LEVEL_SPLIT } from "./level-grid.ts";
import type { Level } from "./level-settings.ts";

type Octant = Generator<void, Float64Array>;

/** The whole force of a level but for what its parent has smoothed; h: side of its cells [length]. */
export function topSpectrum(scheme: ForceScheme, level: Pick<Level, "cells" | "refinement">, h: number): Octant {
  return shortSpectrum(scheme, { period: level.cells, ratio: level.refinement }, h);
}

/** What a level adds, smoothed, to its parent's smooth part for the level in it. */
export function bandSpectrum(
  scheme: ForceScheme,
  { cells, refinement }: Pick<Level, "cells" | "refinement">,
  childRefinement: number,
  h: number,
): Octant {
  return betweenSplits(scheme, { period: cells, ratio: refinement, childRefinement }, h);
}

/** The smooth part of a periodic box for levels of a refinement, or without one for pairs; h: side of the box's cells [length]. */
export function* smoothSpectrum(mesh: SplitMesh, refinement: number | undefined, h: number): Octant {
  const spectrum = new Float64Array((mesh.cells / 2 + 1) ** 3);
  const lattice = { period: mesh.cells, h };
  yield* addByModes(mesh, spectrum, splitFor(refinement), lattice, (smooth) => -smooth);
  return spectrum;
}

/** That of an isolated box on its own mesh; the coarse one has its coarseSpectrum. */
export function smoothFine(mesh: SplitMesh, refinement: number | undefined, h: number): Octant {
  return betweenSplits(mesh, { period: splitPeriod(mesh.cells), ratio: SPLIT.ratio, childRefinement: refinement }, h);
}

/** −(4π/k²)(S/B² − S of the mesh whose cells are `ratio` times as long). */
function betweenSplits(
  scheme: ForceScheme,
  { period, ratio, childRefinement }: { period: number; ratio: number; childRefinement: number | undefined },
  h: number,
): Octant {
  const [own, parent] = [LEVEL_SPLIT, LEVEL_SPLIT * ratio];
  const kernel = (r: number) =>
    r === 0 ? (1 / parent - 1 / own) / Math.sqrt(Math.PI) : (erfc(r / (2 * own)) - erfc(r / (2 * parent))) / r;
  return withExcess(
    scheme,
    sampled(period, h, kernel),
    [
      { ...splitFor(childRefinement), sign: -1 },
      { split: parent, fine: 1, sign: 1 },
    ],
    { period, h },
  );
}

/** What a mesh smooths for cells `refinement` times as small, or for pairs of its own particles. */
function splitFor(refinement: number | undefined): Smoothing {
  return { split: LEVEL_SPLIT, ...(refinement ? finerBy(coarsenedBy(refinement)) : { fine: 1 }) };
}
