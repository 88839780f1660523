/**
 * The isolated solution from two meshes, mesh.kernel = "split": the force of a cell-integrated −1/r, without a doubled mesh of
 * fine cells. What is short in r is found on a periodic mesh of the box and a margin, the smooth rest by a convolution on a
 * mesh of cells twice as large, which mass reaches by restriction and potential leaves by prolongation with cubic
 * B-splines. With h, H = 2h the sides of the cells, s = 1.25 H the split, and
 *   S = e^{−k²s²}/(W² F):  W the mass assignment ∏ sinc(k_i h/2)^q,  F = k·D/k² of the 4-point difference D,
 *   fine    h³ DFT[−erfc(r/2s)/r; its mean over the cell at 0]  −  (4π/k²)(e^{−k²s²} − S)
 *   coarse  H³ DFT[−erf(r/2s)/r]  −  (4π/k²)(S/B² − e^{−k²s²}),  B = ∏ sinc(k_i H/2)⁴
 * so that the coarse mesh adds, deconvolved, what the fine one takes away. Each is a lattice sample of what is plain in r and
 * a spectrum of what is smooth in k: the other way round they would ring. Errors are those of one padded mesh of fine cells
 * (docs/accuracy.md). A 2-point difference has F = 1: its error at long range is that of one mesh, too.
 */
import { erfc } from "../base/erfc.ts";
import { bySquaredDistance, CELL_MEAN_OF_INVERSE_RADIUS, evenSpectrum, offsetsToModes } from "./greens.ts";
import type { MeshSettings } from "./settings.ts";
import { SPLIT_RATIO, splitPeriod } from "./split-mesh.ts";
import { SUPPORT } from "./stencil.ts";

/** s in cells, and the order of the B-splines between the meshes. */
const [SPLIT, SPLINE_ORDER] = [1.25 * SPLIT_RATIO, 4];

/** What the kernels depend on. */
export type SplitMesh = Pick<MeshSettings, "cells" | "assignment" | "gradient">;

/** Octants [(period/2 + 1)³] of both transfer functions, as isolatedKernelSpectrum's, by their own cells. */
export interface SplitSpectra {
  fine: Float64Array;
  coarse: Float64Array;
}

export function* splitSpectra(mesh: SplitMesh, h: number): Generator<void, SplitSpectra> {
  const half = splitPeriod(mesh.cells) / 2;
  const part = (cell: number, kernel: (r: number) => number) =>
    evenSpectrum({
      ...{ half, inputs: half + 1, values: bySquaredDistance(half, kernel) },
      ...{ map: offsetsToModes(half), scale: (h * cell) ** 2 },
    });
  const inverseAtZero = 1 / (SPLIT * Math.sqrt(Math.PI));
  const fine = yield* part(1, (r) =>
    r === 0 ? inverseAtZero - CELL_MEAN_OF_INVERSE_RADIUS : -erfc(r / (2 * SPLIT)) / r,
  );
  const split = SPLIT / SPLIT_RATIO;
  const coarse = yield* part(SPLIT_RATIO, (r) =>
    r === 0 ? -1 / (split * Math.sqrt(Math.PI)) : (erfc(r / (2 * split)) - 1) / r,
  );
  yield* addSpectra(mesh, h, fine, coarse);
  return { fine, coarse };
}

/** Adds the parts that are smooth in k; at k = 0 their limits. */
function* addSpectra(mesh: SplitMesh, h: number, fine: Float64Array, coarse: Float64Array): Generator<void, void> {
  const period = splitPeriod(mesh.cells);
  const modes = period / 2 + 1;
  const order = SUPPORT[mesh.assignment];
  const [onFine, onCoarse] = [1, SPLIT_RATIO].map((cell) => axisFactors(mesh, modes, (2 * Math.PI) / (period * cell)));
  const unit = (4 * Math.PI * h * h) / period ** 3;
  for (let z = 0, i = 0; z < modes; z++) {
    for (let y = 0; y < modes; y++) {
      for (let x = 0; x < modes; x++, i++) {
        if (i === 0) continue;
        const f = factorsAt(onFine, x, y, z);
        fine[i] -= (unit * (f.gaussian - f.split)) / f.k2;
        const c = factorsAt(onCoarse, x, y, z);
        coarse[i] -= (unit * (c.split / c.spline ** 2 - c.gaussian)) / c.k2;
      }
    }
    yield;
  }
  // 1/(W² F) − 1 → q (kh)²/12 and 1/B² − 1 → 4 (kH)²/12.
  fine[0] += (unit * order) / 12;
  coarse[0] -= (unit * (order + SPLINE_ORDER * SPLIT_RATIO ** 2)) / 12;
}

/** One axis' modes: kh, W, h·D and B. */
function axisFactors({ assignment, gradient }: SplitMesh, modes: number, step: number) {
  const k = Float64Array.from({ length: modes }, (_, i) => i * step);
  const sinc = (x: number) => (x === 0 ? 1 : Math.sin(x) / x);
  return {
    k,
    window: k.map((t) => sinc(t / 2) ** SUPPORT[assignment]),
    difference: gradient === "4-point" ? k.map((t) => (8 * Math.sin(t) - Math.sin(2 * t)) / 6) : k,
    spline: k.map((t) => sinc((t * SPLIT_RATIO) / 2) ** SPLINE_ORDER),
  };
}

/** (kh)², e^{−k²s²}, S and B of a mode. */
function factorsAt({ k, window, difference, spline }: ReturnType<typeof axisFactors>, x: number, y: number, z: number) {
  const k2 = k[x] ** 2 + k[y] ** 2 + k[z] ** 2;
  const gaussian = Math.exp(-k2 * SPLIT ** 2);
  const gradient = (k[x] * difference[x] + k[y] * difference[y] + k[z] * difference[z]) / k2;
  const assigned = (window[x] * window[y] * window[z]) ** 2;
  // At the corner modes the difference vanishes, and so does, much faster, the Gaussian.
  const split = gaussian < 1e-20 ? 0 : gaussian / (assigned * gradient);
  return { k2, gaussian, split, spline: spline[x] * spline[y] * spline[z] };
}
