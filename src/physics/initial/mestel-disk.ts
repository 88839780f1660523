/**
 * Mestel's disk with tapers, the active part of one whose circular speed V is the same everywhere (Σ = V²/2πGR in all):
 *   f = ξ C L^q e^{−E/σ²} T_i(L) T_o(L),   σ = V/√(1 + q),   T_i = L^ν/(L_i^ν + L^ν),   T_o = L_o^μ/(L_o^μ + L^μ),
 * with L_i = R_i V and L_o = R_o V. Without tapers v_R is normal with σ at all radii and v_φ follows v^q e^{−v²/2σ²},
 *   v̄_φ = √2 σ Γ(q/2 + 1)/Γ(q/2 + ½),   ⟨v_φ²⟩ = (1 + q) σ² = V²;
 * tapers take their share of each L. Orbits that reach beyond the cutoff R_c in that field are left out, as a cut in R alone
 * would lose stars outwards for which none come back:
 *   v_R² < 2V² ln(R_c/R) − v_φ² (1 − R²/R_c²).
 * What they and the inactive share take of the mass has to act as a fixed field: the disk's own of `complete`, or potentials
 * of the deck. So that none is forgotten, the circular speed of all that acts is compared with V.
 * Sources: Mestel 1963, MNRAS 126, 553; Zang 1976, PhD thesis; Toomre 1977, ARA&A 15, 437; Fouvry, Pichon, Magorrian &
 * Chavanis 2015, A&A 584, A129, section 3 and appendix C.
 */

import { maxIndex } from "d3-array";
import type { z } from "zod";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { derived, entry, flag, nonNegative, optional, positive, required } from "../../foundation/deck/keys.ts";
import { tablesOf } from "../../foundation/deck/kinds.ts";
import { shortest } from "../../foundation/deck/problems.ts";
import { lowerGammaShare } from "../potentials/incomplete-gamma.ts";
import type { CompositePart } from "../potentials/potential.ts";
import { type Draw, setPlanar } from "./draw.ts";
import { besselJ0, type FlatDensity, flatForces } from "./flat-field.ts";
import { centre, count, cutoffFrom } from "./keys.ts";
import { initialModel } from "./model.ts";
import { type ScaledProfile, tabulatedProfile } from "./profiles.ts";
import { placeBelow, uniformTable } from "./tables.ts";
import type { TotalField } from "./total-field.ts";
import { dispersionTable, givenColumn, gridHeights, sechLayer } from "./vertical-structure.ts";

const keys = {
  count,
  speed: required(positive, { unit: "velocity", meaning: "circular speed V of all that acts, at all radii" }),
  innerRadius: required(positive, { unit: "length", meaning: "R_i of the inner taper, L^ν/((R_i V)^ν + L^ν)" }),
  innerTaper: optional(positive, 4, { meaning: "index ν; 1 is gentle, 4 and more are as sharp as an edge" }),
  outerRadius: required(positive, { unit: "length", meaning: "R_o of the outer taper, 1/(1 + (L/R_o V)^μ)" }),
  outerTaper: optional(positive, 5, { meaning: "index μ" }),
  q: optional(positive, 6, {
    meaning: "how cold it is: σ = V/√(1 + q), Toomre's Q = 2.645 (σ/V)/ξ: 1 at 6 for all of the mass, 2 for half of it",
  }),
  activeFraction: optional(positive, 0.5, {
    meaning: "share ξ of V²/2πGR that the particles hold between the tapers",
  }),
  complete: derived(
    flag,
    {
      text: "true without any [[potential]]",
      value: ({ deck }) => entry(deck, "box", "boundary") !== "periodic" && tablesOf(deck, "potential").length === 0,
    },
    {
      meaning: "adds a fixed field that makes the circular speed V at all radii; false: other tables have it",
    },
  ),
  scaleHeight: optional(nonNegative, 0, { unit: "length", meaning: "z0 of sech²(z/z0); 0: all in the plane" }),
  cutoff: cutoffFrom("outerRadius", 2, "cylindrical radius where the disk ends"),
  centre,
};

type MestelDisk = { name: string } & z.output<z.ZodObject<typeof keys>>;

export const mestelDisk = initialModel({
  name: "mestel-disk",
  meaning: "Active part of a Mestel disk, f ∝ L^q exp(−E/σ²) with tapers in L, in a field of constant circular speed",
  species: "disk",
  keys,
  scales: ["innerRadius"],
  heights: ["scaleHeight"],
  extent: { reach: ({ cutoff }) => cutoff, keys: ["cutoff", "outerRadius"] },
  profile: mestelProfile,
  flat: mestelDensity,
  fixedField: (disk, G) => (disk.complete ? completion(disk, G) : []),
  problems: ({ activeFraction, innerRadius, outerRadius, complete }, { box }) => [
    ...(complete && box.boundary === "periodic"
      ? [{ key: "complete", expected: "false in a periodic box", hint: 'Set box.boundary = "isolated"' }]
      : []),
    ...(activeFraction > 1 ? [{ key: "activeFraction", expected: "at most 1", hint: "1 is all of the disk" }] : []),
    ...(innerRadius < outerRadius
      ? []
      : [{ key: "outerRadius", expected: `more than innerRadius = ${innerRadius}`, hint: "Exchange them" }]),
  ],
  particles: (disk, { field, G }) => mestelDraw(disk, field(), G),
});

const SPEEDS = 400;
/** Speeds go up to this many dispersions above V. */
const FASTEST = 7;
const RADII = 1024;
/** S(k) vanishes beyond this many inverse inner radii, where the taper is smooth; points of its integral to a radian of it. */
const LAST_WAVENUMBER = 40;
const POINTS_TO_RADIAN = 2;
/** The circular speed is looked at on so many radii between the tapers, and may differ from V by this part of its square. */
const LOOKS = 24;
const MOST_OFF = 0.2;

/** T_i T_o of L = RVx. */
function taper(disk: MestelDisk, R: number, x: number): number {
  const { innerRadius, innerTaper, outerRadius, outerTaper } = disk;
  if (x <= 0) return 0;
  return 1 / (1 + (innerRadius / (R * x)) ** innerTaper) / (1 + ((R * x) / outerRadius) ** outerTaper);
}

/** x = v_φ/V in even steps, and the share of the stars of a disk without tapers that are in each of its cells. */
function speedCells({ q }: MestelDisk): { x: Float64Array; shares: Float64Array } {
  const square = 1 / (1 + q);
  const step = (1 + FASTEST * Math.sqrt(square)) / SPEEDS;
  const x = Float64Array.from({ length: SPEEDS }, (_, n) => (n + 0.5) * step);
  // x^q e^{−x²/2σ²} is highest at x² = qσ².
  const logs = x.map((value) => q * Math.log(value) - (value * value) / (2 * square));
  const highest = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - highest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { x, shares: weights.map((weight) => weight / sum) };
}

/** (v_R/V)² from which on a star at R with v_φ = Vx leaves the cutoff; negative where any does. */
function largestRadial({ cutoff }: MestelDisk, R: number, x: number): number {
  return 2 * Math.log(cutoff / R) - x * x * (1 - (R / cutoff) ** 2);
}

/** Σ(R) R · 2πG/ξV²: what the tapers and the cutoff leave at R. */
function leftByTapers(disk: MestelDisk): (R: number) => number {
  const { x, shares } = speedCells(disk);
  /** Share of the normal v_R that stays. */
  const staying = (R: number, at: number) => {
    const most = largestRadial(disk, R, at);
    return most > 0 ? lowerGammaShare(0.5, 0.5 * (1 + disk.q) * most) : 0;
  };
  return uniformTable(0, disk.cutoff, RADII, (R) =>
    R === 0 ? 0 : shares.reduce((sum, share, n) => sum + share * taper(disk, R, x[n]) * staying(R, x[n]), 0),
  );
}

/** Field, profile and particles ask for the same tables, which take a while. */
const made = new WeakMap<MestelDisk, ReturnType<typeof tabulated>>();

function massTables(disk: MestelDisk, G: number) {
  const known = made.get(disk);
  const tables = known?.G === G ? known : tabulated(disk, G);
  made.set(disk, tables);
  return tables;
}

/** Σ(R)R [mass/length] and its integral 2π∫ΣR dR [mass]. */
function tabulated(disk: MestelDisk, G: number) {
  const left = leftByTapers(disk);
  const factor = (disk.activeFraction * disk.speed ** 2) / (2 * Math.PI * G);
  const step = disk.cutoff / RADII;
  const masses = new Float64Array(RADII + 1);
  for (let i = 0; i < RADII; i++) masses[i + 1] = masses[i] + 2 * Math.PI * factor * left((i + 0.5) * step) * step;
  const mass = uniformTable(0, disk.cutoff, RADII + 1, (R) => masses[Math.round(R / step)]);
  const density = (R: number) => (R < disk.cutoff ? factor * left(R) : 0);
  return { G, density, mass, completion: undefined as CompositePart[] | undefined };
}

export function mestelDensity(disk: MestelDisk, G: number): FlatDensity {
  const { innerRadius, cutoff, scaleHeight } = disk;
  const { density } = massTables(disk, G);
  const points = Math.ceil((POINTS_TO_RADIAN * LAST_WAVENUMBER * cutoff) / innerRadius);
  const step = cutoff / points;
  const parts = Float64Array.from({ length: points }, (_, i) => step * density((i + 0.5) * step));
  return {
    spectrum(k) {
      if (k * innerRadius > LAST_WAVENUMBER) return 0;
      let sum = 0;
      for (let i = 0; i < points; i++) sum += parts[i] * besselJ0(k * (i + 0.5) * step);
      return sum;
    },
    scale: innerRadius,
    layer: scaleHeight > 0 ? sechLayer(scaleHeight) : { scale: 0, density: () => 0 },
  };
}

/** Plummer spheres of the fit: the smallest in inner radii, the ratio of each to the next, the largest in cutoffs; radii. */
const [SMALLEST, RATIO, LARGEST, FITTED] = [0.3, 1.5, 1.2, 64];
const RIDGE = 1e-6;

/**
 * A fixed field that makes the circular speed V at all radii in the plane, with that of the particles: the logarithmic one of
 * V, less a sum of Plummer spheres that pull in the plane as the disk does, to 1 % of V², by least squares:
 *   −R F_R = Σ m_k s_k R²/(R² + s_k²)^{3/2},   s_k from 0.3 R_i to 1.2 R_c
 * Some of their masses are negative: the sum is a field, not matter.
 */
function completion(disk: MestelDisk, G: number): CompositePart[] {
  const tables = massTables(disk, G);
  if (tables.completion) return tables.completion;
  const { innerRadius, cutoff, speed } = disk;
  const first = 0.25 * innerRadius;
  const R = Float64Array.from({ length: FITTED }, (_, i) => first * (cutoff / first) ** (i / (FITTED - 1)));
  const { radial } = flatForces(mestelDensity(disk, G), R, Float64Array.of(0), G);
  const scales: number[] = [];
  for (let s = SMALLEST * innerRadius; s < LARGEST * cutoff; s *= RATIO) scales.push(s);
  const pulls = scales.map((s) => R.map((r) => (s * r * r) / Math.hypot(r, s) ** 3));
  const product = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const wanted = R.map((r, i) => -r * radial[i]);
  // The normal equations, by Gauss's elimination; the last column is the right-hand side.
  const rows = pulls.map((a, i) => [...pulls.map((b, j) => product(a, b) + (i === j ? RIDGE : 0)), product(a, wanted)]);
  for (const [k, pivot] of rows.entries()) {
    for (const row of rows) {
      const factor = row === pivot ? 0 : row[k] / pivot[k];
      for (let j = k; j < row.length; j++) row[j] -= factor * pivot[j];
    }
  }
  const masses = scales.map((scale, k) => (-scale * rows[k][scales.length]) / rows[k][k] / G);
  tables.completion = [
    { kind: "logarithmic", parameters: { speed, core: 0, flattening: 1, elongation: 1 } },
    ...scales.map((scale, k) => ({ kind: "plummer", parameters: { mass: masses[k], scale } })),
  ];
  return tables.completion;
}

/** The particles' mass spread over spheres; inside the inner taper hardly any. */
function mestelProfile(disk: MestelDisk, G: number): ScaledProfile {
  const { density, mass } = massTables(disk, G);
  const first = 0.05 * disk.innerRadius;
  const radii = Float64Array.from({ length: RADII }, (_, i) => first * (disk.cutoff / first) ** (i / (RADII - 1)));
  const densities = radii.map((r) => density(r) / (2 * r * r));
  return { scale: disk.innerRadius, ...tabulatedProfile(radii, radii.map(mass), densities) };
}

function mestelDraw(disk: MestelDisk, field: TotalField, G: number): Draw {
  const { speed, scaleHeight, cutoff } = disk;
  requireSpeed(disk, field);
  const { x, shares } = speedCells(disk);
  const cumulative = new Float64Array(SPEEDS + 1);
  for (let n = 0; n < SPEEDS; n++) cumulative[n + 1] = cumulative[n] + shares[n];
  const cell = x[1] - x[0];
  const sigma = speed / Math.sqrt(1 + disk.q);
  const vertical = scaleHeight > 0 ? verticalTable(disk, field) : undefined;
  const layer = sechLayer(scaleHeight);
  const draw: Draw = (random, point) => {
    let [R, turning, radial] = [0, 0, 0]; // speeds in V
    // Without tapers there is as much mass to each R.
    do {
      R = cutoff * random.uniform();
      const u = random.uniform() * cumulative[SPEEDS];
      const low = placeBelow(cumulative, u, 0, SPEEDS);
      turning = (low + (u - cumulative[low]) / shares[low]) * cell;
      const taken = random.uniform() >= taper(disk, R, turning);
      radial = taken ? Number.POSITIVE_INFINITY : (sigma / speed) * random.normal();
    } while (!(radial * radial < largestRadial(disk, R, turning)));
    setPlanar(point, R, 2 * Math.PI * random.uniform(), [speed * radial, speed * turning]);
    point[2] = vertical ? layer.height(random.uniform()) : 0;
    point[5] = vertical ? vertical(R, point[2]) * random.normal() : 0;
  };
  return Object.assign(draw, { mass: massTables(disk, G).mass(cutoff) });
}

/** σ_z(R, z) [velocity] by the vertical Jeans equation. */
function verticalTable({ scaleHeight, cutoff }: MestelDisk, field: TotalField): (R: number, z: number) => number {
  const radii = Float64Array.from({ length: 64 }, (_, i) => ((i + 1) / 64) * cutoff);
  const heights = gridHeights(scaleHeight);
  const { vertical } = field.forces(radii, heights);
  const layer = sechLayer(scaleHeight);
  const columns = Array.from(radii, (_, i) => {
    const pull = vertical.slice(i * heights.length, (i + 1) * heights.length).map((force) => -force);
    return givenColumn(layer, heights, pull);
  });
  return dispersionTable(columns, heights, (R) => Math.min(63, Math.max(0, (64 * R) / cutoff - 1)));
}

/** Throws "scenario" where what acts between the tapers is not a circular speed V. */
function requireSpeed(disk: MestelDisk, field: TotalField): void {
  const { name, speed, innerRadius, outerRadius, complete } = disk;
  const [from, to] = [1.5 * innerRadius, 0.75 * outerRadius];
  if (!(from < to)) return;
  const R = Float64Array.from({ length: LOOKS }, (_, i) => from * (to / from) ** (i / (LOOKS - 1)));
  const { radial } = field.forces(R, Float64Array.of(0));
  const squares = R.map((radius, i) => -radius * radial[i]);
  const worst = maxIndex(squares, (square) => Math.abs(square - speed ** 2));
  if (Math.abs(squares[worst] / speed ** 2 - 1) <= MOST_OFF) return;
  throw new GravmeshError(
    "scenario",
    `component "${name}": expected a circular speed of ${shortest(speed)} of all that acts about its centre, to ` +
      `${(50 * MOST_OFF).toFixed(0)} %, found ${Math.sqrt(Math.max(0, squares[worst])).toPrecision(3)} at ${R[worst].toPrecision(3)}. ` +
      (complete
        ? "Leave out what else acts there, or try complete = false."
        : "Try complete = true instead of other tables."),
  );
}
