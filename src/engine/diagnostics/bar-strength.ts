/**
 * A bar in numbers, from profiles in rings (bar-profile.ts):
 *   strength        the largest A_2 of a ring within a radius, and of all that is within, |Σ M_k C_2| / Σ M_k over its rings
 *   phase           arg(Σ M_k C_2)/2 of the same rings
 *   length          where beyond its largest value A_2 falls to half of that; where φ_2 leaves that of the rings up to there
 *                   by more than 10° (Athanassoula & Misiriotis 2002 and Michel-Dansac & Wozniak 2006 compare such measures)
 *   corotation      where Ω falls to the pattern speed
 *   buckling        |Σ M_k B| / Σ M_k of the same rings as the phase [length]
 */
import type { BarProfile } from "./bar-profile.ts";
import { ringRadii } from "./disk-frequencies.ts";
import { patternSpeeds, unwrapped } from "./pattern-speed.ts";

/** A ring with fewer particles has more than 0.1 of A_2 from noise alone. */
export const LEAST_IN_RING = 100;
/** A_2 of the end of a bar over its largest. */
const HALF = 0.5;
/** [rad] */
const STRAIGHT = (10 * Math.PI) / 180;

interface BarColumn {
  name: string;
  unit: "" | "time" | "length" | "rad" | "rad/time";
  meaning: string;
}

/** Of what there isn't they have NaN: a ring of LEAST_IN_RING, a fall of A_2 or a turn of φ_2 that ends a bar, corotation. */
export const BAR_COLUMNS = [
  { name: "time", unit: "time", meaning: "of the row" },
  { name: "strength", unit: "", meaning: "largest A₂ of a ring within `bars.within` with at least 100 particles" },
  { name: "strengthRadius", unit: "length", meaning: "radius of that ring" },
  { name: "strengthWithin", unit: "", meaning: "A₂ of all within `bars.within`" },
  { name: "noise", unit: "", meaning: "what it is of as many particles at random, 1/√N" },
  { name: "phase", unit: "rad", meaning: "angle of the bar within `bars.within`, from row to row without jumps" },
  { name: "patternSpeed", unit: "rad/time", meaning: "slope of the phase over `bars.window` rows" },
  { name: "corotation", unit: "length", meaning: "radius where Ω falls to the pattern speed" },
  { name: "halfLength", unit: "length", meaning: "radius where A₂ falls to half of its largest value" },
  { name: "phaseLength", unit: "length", meaning: "radius where φ₂ is 10° off the bar’s" },
  { name: "buckling", unit: "length", meaning: "|⟨z e²ⁱᵠ⟩| of all within `bars.within`" },
  { name: "thickness", unit: "length", meaning: "√(⟨z²⟩ − ⟨z⟩²) of the same" },
  { name: "leastQ", unit: "", meaning: "least Toomre Q of a ring with at least 100 particles" },
] as const satisfies readonly BarColumn[];

/** A row of bars.csv, by the columns' names and in their units. */
export type BarRow = Record<(typeof BAR_COLUMNS)[number]["name"], number>;

/** What of it is known without the rows before and after; the phase in (−π/2, π/2] [rad]. */
export type BarMeasurement = Omit<BarRow, "time" | "patternSpeed" | "corotation">;

/** `within`: what the bar's strength and phase are taken of; whole rings, at least the innermost [length]. */
export function barOf(profile: BarProfile, edges: readonly number[], within: number): BarMeasurement {
  const radii = ringRadii(edges);
  const bins = radii.length;
  const [A, phi] = [profile.amplitude, profile.phase].map((all) => all.subarray(bins, 2 * bins));
  const good = radii.map((_, k) => profile.count[k] >= LEAST_IN_RING);
  const inner = Math.max(1, edges.filter((edge) => edge > 0 && edge <= within * (1 + 1e-9)).length);
  // Beyond it arms and what is torn off may well be stronger than the bar.
  const peak = good.slice(0, inner).reduce((best, is, k) => (is && (best < 0 || A[k] > A[best]) ? k : best), -1);
  const sums = sumsOf(profile, inner);
  const Q = Array.from(profile.Q).filter((value, k) => good[k] && value > 0);
  return {
    strength: peak < 0 ? Number.NaN : A[peak],
    strengthRadius: peak < 0 ? Number.NaN : radii[peak],
    ...sums,
    halfLength: peak < 0 ? Number.NaN : fallsTo(radii, A, peak, HALF * A[peak]),
    phaseLength: peak < 0 ? Number.NaN : fallsTo(radii, straightness(profile, A, phi, peak), peak, -STRAIGHT),
    leastQ: Q.length === 0 ? Number.NaN : Math.min(...Q),
  };
}

/** What holds of the innermost `rings` together. */
function sumsOf(profile: BarProfile, rings: number) {
  const bins = profile.mass.length;
  let [mass, count, re, im, bendRe, bendIm, z, z2] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < rings; k++) {
    const m = profile.mass[k];
    if (!(m > 0)) continue;
    const [A, phase] = [profile.amplitude[bins + k], 2 * profile.phase[bins + k]];
    const [bend, angle] = [profile.buckling[k], 2 * profile.buckling_phase[k]];
    mass += m;
    count += profile.count[k];
    re += m * A * Math.cos(phase);
    im += m * A * Math.sin(phase);
    bendRe += m * bend * Math.cos(angle);
    bendIm += m * bend * Math.sin(angle);
    z += m * profile.height[k];
    z2 += m * (profile.thickness[k] ** 2 + profile.height[k] ** 2);
  }
  return {
    strengthWithin: Math.hypot(re, im) / mass,
    noise: count > 0 ? 1 / Math.sqrt(count) : Number.NaN,
    phase: mass > 0 ? Math.atan2(im, re) / 2 : Number.NaN,
    buckling: Math.hypot(bendRe, bendIm) / mass,
    thickness: Math.sqrt(Math.max(0, z2 / mass - (z / mass) ** 2)),
  };
}

/** Minus the angle by which φ_2 of each ring is off that of all up to the peak [rad]. */
function straightness({ mass }: BarProfile, A: ArrayLike<number>, phi: ArrayLike<number>, peak: number): number[] {
  let [re, im] = [0, 0];
  for (let k = 0; k <= peak; k++) {
    if (!(mass[k] > 0)) continue;
    re += mass[k] * A[k] * Math.cos(2 * phi[k]);
    im += mass[k] * A[k] * Math.sin(2 * phi[k]);
  }
  const bar = Math.atan2(im, re) / 2;
  return Array.from(phi, (phase) => {
    const off = phase - bar;
    return -Math.abs(off - Math.PI * Math.round(off / Math.PI));
  });
}

/** Where values fall to `level`, going out from a ring, between the rings on either side; NaN where they don't. */
function fallsTo(radii: readonly number[], values: ArrayLike<number>, from: number, level: number): number {
  if (values[from] < level) return radii[from];
  for (let k = from + 1; k < radii.length; k++) {
    if (!(values[k] < level)) continue;
    const share = (values[k - 1] - level) / (values[k - 1] - values[k]);
    return radii[k - 1] + (Number.isFinite(share) ? share : 0) * (radii[k] - radii[k - 1]);
  }
  return Number.NaN;
}

/** Where Ω [B] falls to `speed`; NaN where it is never so fast, or so slow [length]. */
export function corotation(edges: readonly number[], omega: ArrayLike<number>, speed: number): number {
  const radii = ringRadii(edges);
  const first = radii.findIndex((_, k) => omega[k] >= Math.abs(speed));
  return first < 0 ? Number.NaN : fallsTo(radii, omega, first, Math.abs(speed));
}

/** Rows of bars.csv, of bars at their times and Ω in the rings there. */
export function barRows(
  seen: readonly { time: number; bar: BarMeasurement; omega: ArrayLike<number> }[],
  edges: readonly number[],
  window: number,
): BarRow[] {
  const times = seen.map(({ time }) => time);
  const phases = unwrapped(
    seen.map(({ bar }) => bar.phase),
    2,
  );
  const speeds = patternSpeeds(times, phases, window);
  return seen.map(({ time, bar, omega }, i) => ({
    ...bar,
    time,
    phase: phases[i],
    patternSpeed: speeds[i],
    corotation: corotation(edges, omega, speeds[i]),
  }));
}
