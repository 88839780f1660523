/**
 * The isolated solution from two meshes, mesh.kernel = "split": the force of a cell-integrated −1/r, without a doubled mesh of
 * fine cells. What is short in r is found on a periodic mesh of the box and a margin, the smooth rest by a convolution on a
 * mesh of cells twice as large, which mass reaches by restriction and potential leaves by prolongation with
 * B-splines. With h, H = 2h the sides of the cells, s = 1.25 H the split, and
 *   S = e^{−k²s²}/(W² F):  W the mass assignment ∏ sinc(k_i h/2)^q,  F = k·D/k² of the 4-point difference D,
 *   fine    h³ DFT[−erfc(r/2s)/r; its mean over the cell at 0]  −  (4π/k²)(e^{−k²s²} − S)
 *   coarse  H³ DFT[−erf(r/2s)/r]  −  (4π/k²)(S/B² − e^{−k²s²}),  B = ∏ sinc(k_i H/2)⁸
 * so that the coarse mesh adds, deconvolved, what the fine one takes away. Each is a lattice sample of what is plain in r and
 * a spectrum of what is smooth in k: the other way round they would ring. Errors are those of one padded mesh of fine cells
 * (docs/accuracy.md). A 2-point difference has F = 1: its error at long range is that of one mesh, too.
 */
import { erfc } from "../../../foundation/base/erfc.ts";
import { assignments } from "../../../physics/particles/assignments.ts";
import { LEVEL_SPLIT } from "../levels/level-grid.ts";
import type { MeshSettings } from "../settings.ts";
import { bySquaredDistance, CELL_MEAN_OF_INVERSE_RADIUS, evenSpectrum, offsetsToModes } from "./greens.ts";
import { type Coarsening, SPLIT, splitPeriod } from "./split-mesh.ts";

/** Differences over derivatives below which a mode isn't undone: it has 1e-6 of the force at most. */
const LEAST_DIFFERENCE = 0.05;
const ROOT_PI = Math.sqrt(Math.PI);

/** What S undoes on the mesh that takes a smooth force away. */
export type ForceScheme = Pick<MeshSettings, "assignment" | "gradient">;
/** What the kernels depend on. */
export type SplitMesh = ForceScheme & Pick<MeshSettings, "cells">;

/** What is short in an isolated box, on its own mesh: an octant [(period/2 + 1)³] as isolatedKernelSteps', as all of these. */
export function fineSpectrum(mesh: SplitMesh, h: number): Generator<void, Float64Array> {
  return shortSpectrum(mesh, { period: splitPeriod(mesh.cells), ratio: SPLIT.ratio }, h);
}

/** What a mesh of smaller cells adds to a force split off at 1.25 cells that are `ratio` times as long; h: its own [length]. */
export function* shortSpectrum(
  scheme: ForceScheme,
  { period, ratio }: { period: number; ratio: number },
  h: number,
): Generator<void, Float64Array> {
  const split = LEVEL_SPLIT * ratio;
  const kernel = (r: number) =>
    r === 0 ? 1 / (split * ROOT_PI) - CELL_MEAN_OF_INVERSE_RADIUS : -erfc(r / (2 * split)) / r;
  return yield* withExcess(scheme, sampled(period, h, kernel), [{ sign: 1, split, fine: 1 }], { period, h });
}

/** The smooth rest of an isolated box, on its mesh of larger cells; h: the box's own [length]. */
export function* coarseSpectrum(mesh: SplitMesh, h: number): Generator<void, Float64Array> {
  const lattice = { period: splitPeriod(mesh.cells), h: SPLIT.ratio * h };
  const split = LEVEL_SPLIT;
  const kernel = (r: number) => (r === 0 ? -1 / (split * ROOT_PI) : (erfc(r / (2 * split)) - 1) / r);
  return yield* withExcess(
    mesh,
    sampled(lattice.period, lattice.h, kernel),
    [{ sign: -1, split, ...finerBy(SPLIT) }],
    lattice,
  );
}

/** A mesh's period in its own cells, and their side [length]. */
interface Lattice {
  period: number;
  h: number;
}

/** The octant of a kernel of r in cells. */
export function sampled(period: number, h: number, kernel: (r: number) => number): Generator<void, Float64Array> {
  const half = period / 2;
  return evenSpectrum({
    ...{ half, inputs: half + 1, values: bySquaredDistance(half, kernel) },
    ...{ map: offsetsToModes(half), scale: h ** 2 },
  });
}

/** S/B² of a split, by lengths in cells of the mesh. */
export interface Smoothing {
  split: number;
  /** Side of the cells whose assignment and differences S undoes. */
  fine: number;
  /** Order of the mesh's own B-splines, which are undone, there and back; undefined: B = 1. */
  spline?: number;
}

/** That for cells of which the mesh has those of a coarsening. */
export const finerBy = ({ ratio, order }: Coarsening) => ({ fine: 1 / ratio, spline: order });

/** Adds ±(4π/k²)(S/B² − e^{−k²s²}), which is smooth in k; at k = 0 the limit. */
export function* withExcess(
  scheme: ForceScheme,
  steps: Generator<void, Float64Array>,
  parts: readonly (Smoothing & { sign: 1 | -1 })[],
  lattice: Lattice,
): Generator<void, Float64Array> {
  const spectrum = yield* steps;
  for (const { sign, ...smoothing } of parts) {
    yield* addByModes(scheme, spectrum, smoothing, lattice, (smooth, gaussian) => sign * (smooth - gaussian));
    // 1/(W² F) − 1 → q (kh)²/12 and 1/B² − 1 → n (kh)²/12, each of its own h.
    const { fine, spline = 0 } = smoothing;
    spectrum[0] += (sign * unit(lattice) * (assignments[scheme.assignment].order * fine ** 2 + spline)) / 12;
  }
  return spectrum;
}

/** Adds (4π/k²) f(S/B², e^{−k²s²}) to every mode but k = 0. */
export function* addByModes(
  scheme: ForceScheme,
  spectrum: Float64Array,
  smoothing: Smoothing,
  lattice: Lattice,
  f: (smooth: number, gaussian: number) => number,
): Generator<void, void> {
  const modes = lattice.period / 2 + 1;
  const factor = unit(lattice);
  const { k, window, difference, spline } = axisFactors(scheme, smoothing, lattice.period);
  for (let z = 0, i = 0; z < modes; z++) {
    for (let y = 0; y < modes; y++) {
      for (let x = 0; x < modes; x++, i++) {
        if (i === 0) continue;
        const k2 = k[x] ** 2 + k[y] ** 2 + k[z] ** 2;
        const gaussian = Math.exp(-k2 * smoothing.split ** 2);
        const gradient = (k[x] * difference[x] + k[y] * difference[y] + k[z] * difference[z]) / k2;
        const assigned = (window[x] * window[y] * window[z]) ** 2;
        // Towards the Nyquist modes the difference vanishes, and so does, much faster, the Gaussian.
        const split = gaussian < 1e-20 || gradient < LEAST_DIFFERENCE ? 0 : gaussian / (assigned * gradient);
        spectrum[i] += (factor * f(split / (spline[x] * spline[y] * spline[z]) ** 2, gaussian)) / k2;
      }
    }
    yield;
  }
}

/** 4πh²/period³: what 4π/k² is worth with k in 1/h. */
function unit({ period, h }: Lattice): number {
  return (4 * Math.PI * h * h) / period ** 3;
}

/** One axis' modes: kh, W, h·D and B. */
function axisFactors({ assignment, gradient }: ForceScheme, { fine, spline }: Smoothing, period: number) {
  const k = Float64Array.from({ length: period / 2 + 1 }, (_, i) => i * ((2 * Math.PI) / period));
  const sinc = (x: number) => (x === 0 ? 1 : Math.sin(x) / x);
  return {
    k,
    window: k.map((t) => sinc((t * fine) / 2) ** assignments[assignment].order),
    difference:
      gradient === "4-point" ? k.map((t) => (8 * Math.sin(t * fine) - Math.sin(2 * t * fine)) / (6 * fine)) : k,
    spline: k.map((t) => sinc(t / 2) ** (spline ?? 0)),
  };
}
