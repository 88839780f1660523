/**
 * The field of models on a mesh, which is softer than that of points: mass assignment, interpolation, kernel and differences
 * smooth it over about a cell. To second order in the cell h that is a Gaussian of variance s² per axis,
 *   s²/h² = 2·p/12 + kernel + differences,   p = 1, 2, 3 for NGP, CIC, TSC (each of p boxes of a cell, twice),
 * kernel 1/12 where it is the mean over a cell, −1/10 for the 7-point Laplacian, and 1/5 for 2-point differences, means over
 * all directions. A shell of radius r' then has inside r the mass of a noncentral chi distribution,
 *   F(r|r') = ½[erf a + erf b] − s/(r'√2π) (e^{−b²} − e^{−a²}),   a, b = (r ± r')/√2s,
 * so that M_s(r) = −∫ M(r') ∂F/∂r' dr'. Models that are set up in this field, with the density they are asked for, are in
 * equilibrium on the mesh.
 * Source: Barnes 2012, MNRAS 425, 1104 (softening as a smoothing of the density; distribution functions in its potential).
 */
import { type Assignment, assignments } from "../particles/assignments.ts";
import type { Boundary, BoxSettings } from "../particles/box.ts";
import type { DiskLayer, FlatDensity } from "./flat-field.ts";
import { profileOfMasses, type SphericalProfile } from "./profiles.ts";

/** The keys of the table [mesh] that its softness depends on. */
export interface MeshOfModels {
  softenedModels: boolean;
  cells: number;
  assignment: Assignment;
  poisson: string;
  green: "exact" | "discrete";
  kernel: "split" | "truncated" | "cell-integrated";
  gradient: "2-point" | "4-point" | "spectral";
}

/** s [length] of the field that models are set up in; 0: that of points. Decks with levels have none (scenario/level-sizes.ts). */
export function softeningOf({ box, mesh }: { box: BoxSettings; mesh?: MeshOfModels }): number {
  return mesh?.softenedModels ? (box.size / mesh.cells) * softeningInCells(mesh, box.boundary) : 0;
}

/** s/h of a mesh's force. */
export function softeningInCells(mesh: Omit<MeshOfModels, "cells" | "softenedModels">, boundary: Boundary): number {
  const { assignment, poisson, green, kernel, gradient } = mesh;
  const smoothing = (2 * assignments[assignment].order) / 12 + (gradient === "2-point" ? 1 / 5 : 0);
  const laplacian = poisson !== "fft" || (boundary === "periodic" && green === "discrete") ? -1 / 10 : 0;
  const mean = poisson === "fft" && boundary === "isolated" && kernel !== "truncated" ? 1 / 12 : 0;
  return Math.sqrt(smoothing + laplacian + mean);
}

/** Nodes of M_s, in s: what is farther out is as it was, to 1e-5. */
const [INNERMOST, OUTERMOST, NODES] = [1e-3, 200, 480];
/** The integral over r' goes so far to both sides of r, in steps that a Gaussian is exact in. */
const [WINDOW, STEPS_TO_S] = [8, 8];

/** The profile, smoothed by `s` [length]. */
export function softenedProfile(profile: SphericalProfile, s: number): SphericalProfile {
  const step = Math.log(OUTERMOST / INNERMOST) / (NODES - 1);
  const radii = Float64Array.from({ length: NODES }, (_, i) => INNERMOST * s * Math.exp(i * step));
  const masses = radii.map((r) => softenedMass(profile, s, r));
  const inner = profileOfMasses(radii, masses, step);
  const edge = radii[NODES - 1];
  const shift = profile.depth(edge) - inner.depth(edge);
  return {
    mass: (r) => (r < edge ? inner : profile).mass(r),
    density: (r) => (r < edge ? inner : profile).density(r),
    depth: (r) => (r < edge ? inner.depth(r) + shift : profile.depth(r)),
  };
}

/** M_s(r) of a profile smoothed by `s` [mass], by the trapezium: the integrand is even in r' and falls like a Gaussian. */
export function softenedMass({ mass }: Pick<SphericalProfile, "mass">, s: number, r: number): number {
  const step = s / STEPS_TO_S;
  const first = Math.max(1, Math.ceil((r - WINDOW * s) / step));
  const last = Math.floor((r + WINDOW * s) / step);
  let sum = 0;
  for (let j = first; j <= last; j++) sum += mass(j * step) * shellRate(j * step, s, r);
  return sum * step;
}

/**
 * −∂F/∂r' = (r/r') e^{−b²} [1 + e^{−2y} − (1 − e^{−2y})/y]/(√2π s) with y = rr'/s². The bracket is 2e^{−y} (cosh y − sinh y/y):
 * by its series where that cancels.
 */
function shellRate(shell: number, s: number, r: number): number {
  const y = (r * shell) / (s * s);
  const fall = Math.exp(-2 * y);
  const bracket =
    y < 0.1
      ? 2 * Math.exp(-y) * (y * y) * (1 / 3 + y * y * (1 / 30 + (y * y) / 840))
      : 1 + fall + Math.expm1(-2 * y) / y;
  const b = (r - shell) / s;
  return ((r / shell) * Math.exp(-0.5 * b * b) * bracket) / (Math.sqrt(2 * Math.PI) * s);
}

/** A disk's matter, smoothed by `s` [length] in its plane and across it. */
export function softenedFlat({ spectrum, scale, layer }: FlatDensity, s: number): FlatDensity {
  return { spectrum: (k) => spectrum(k) * Math.exp(-0.5 * (k * s) ** 2), scale, layer: softenedLayer(layer, s) };
}

function softenedLayer({ scale, density }: DiskLayer, s: number): DiskLayer {
  const gaussian = (z: number) => Math.exp(-0.5 * (z / s) ** 2) / (Math.sqrt(2 * Math.PI) * s);
  if (scale === 0) return { scale: s, density: gaussian };
  // Steps that the layer is smooth in as well.
  const step = Math.min(s, scale) / STEPS_TO_S;
  const count = Math.ceil((WINDOW * s) / step);
  return {
    scale: Math.hypot(scale, s),
    density(z) {
      let sum = 0;
      for (let j = -count; j <= count; j++) sum += density(Math.abs(z + j * step)) * gaussian(j * step);
      return sum * step;
    },
  };
}
