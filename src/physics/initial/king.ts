/**
 * King's model, f ∝ e^{(Ψ − Ψ_t)/σ² − v²/2σ²} − 1 inside the tidal radius r_t. With W = (Ψ − Ψ_t)/σ² and r in core radii
 * r_0 = √(9σ²/4πGρ(0)),
 *   ρ(W) ∝ e^W erf√W − √(4W/π) (1 + 2W/3),   W'' + 2W'/r = −9 ρ(W)/ρ(W0),   W(0) = W0,
 * integrated by Runge and Kutta's method in ln r until W = 0. e^W erf√W is a series of positive terms: ρ and its derivatives
 * by W are what is left of it from the third, the second and the first on.
 * Sources: King 1966, AJ 71, 64; Binney & Tremaine 2008, section 4.3.3(c).
 */
import { z } from "zod";
import {
  type DerivedDefault,
  derived,
  kindOfValue,
  positive,
  positiveNumber,
  required,
  STAND_IN,
} from "../../foundation/deck/keys.ts";
import { mass } from "./keys.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphericalModel } from "./spherical-model.ts";
import { cubic } from "./tables.ts";

/** The central potential: from nearly a polytrope of index 5/2 to nearly an isothermal sphere. */
const depthRange = { least: 0.1, most: 16 };
const centralPotential = kindOfValue(
  () => z.number().min(depthRange.least).max(depthRange.most),
  `a number from ${depthRange.least} to ${depthRange.most}`,
  `${depthRange.least} ≤ number ≤ ${depthRange.most}`,
);

const tidalRadius: DerivedDefault = {
  text: "the model's tidal radius",
  value({ table }) {
    const [scale, W0] = [positiveNumber(table.scale), positiveNumber(table.W0)];
    if (scale === undefined || W0 === undefined || W0 < depthRange.least || W0 > depthRange.most) return STAND_IN;
    return scale * kingTable(W0).end;
  },
};

export const king = sphericalModel({
  name: "king",
  meaning: "King's model, an isothermal sphere that a tidal field has cut off (King 1966)",
  species: "stars",
  keys: {
    mass,
    scale: required(positive, { unit: "length", meaning: "core radius r_0 = √(9σ²/4πGρ(0))" }),
    cutoff: derived(positive, tidalRadius, {
      unit: "length",
      meaning: "where the density ends; lower it to cut deeper",
    }),
  },
  shapeKeys: { W0: required(centralPotential, { meaning: "depth of the potential at the centre, in σ²" }) },
  massOf: "particles",
  shape: (total, r0, { W0 }) => kingShape(total, r0, W0),
});

/** `mass` M [mass], core radius `r0` [length]. */
export function kingShape(mass: number, r0: number, W0: number): SphericalShape {
  const table = kingTable(W0);
  const perMass = mass / table.mass;
  const central = (9 * perMass) / (4 * Math.PI * r0 ** 3 * densities(W0)[2]);
  /** dW/d ln r and its derivative. */
  const rates = (x: number, W: number) => {
    const first = -table.at(x).mass / x;
    return [first, -first - (9 * x * x * densities(W)[2]) / densities(W0)[2]];
  };
  return {
    scale: r0,
    mass: (r) => (r < r0 * table.end ? perMass * table.at(r / r0).mass : mass),
    density: (r) => (r < r0 * table.end ? central * densities(table.at(r / r0).W)[2] : 0),
    depth: (r) => (r < r0 * table.end ? (perMass / r0) * (table.at(r / r0).W + table.mass / table.end) : mass / r),
    slope(r) {
      const W = table.at(r / r0).W;
      const [, first, whole] = densities(W);
      return whole > 0 ? (first / whole) * rates(r / r0, W)[0] : 0;
    },
    slopeGradient(r) {
      const W = table.at(r / r0).W;
      const [second, first, whole] = densities(W);
      if (!(whole > 0)) return 0;
      const [rate, rateSlope] = rates(r / r0, W);
      return (second / whole - (first / whole) ** 2) * rate * rate + (first / whole) * rateSlope;
    },
  };
}

/** d²ρ/dW², dρ/dW and ρ at W, in units in which ρ(W) is as above; 0 from the tidal radius on. */
function densities(W: number): [second: number, first: number, whole: number] {
  if (!(W > 0)) return [0, 0, 0];
  // 2/√π 2^n W^{n+1/2}/(2n + 1)!! from n = 2 on
  const [zeroth, linear] = [2 * Math.sqrt(W / Math.PI), (4 / 3) * W * Math.sqrt(W / Math.PI)];
  let term = (linear * 2 * W) / 5;
  let whole = term;
  for (let n = 3; term > 1e-17 * whole; n++) {
    term *= (2 * W) / (2 * n + 1);
    whole += term;
  }
  return [whole + linear + zeroth, whole + linear, whole];
}

/** First radius [r_0], and steps of ln r. */
const INNERMOST = 1e-3;
const STEP = 0.01;

const tables = new Map<number, ReturnType<typeof integrated>>();

function kingTable(W0: number) {
  const table = tables.get(W0) ?? integrated(W0);
  tables.set(W0, table);
  return table;
}

type State = readonly [W: number, mass: number];

/** The model of a central W, in core radii. */
function integrated(W0: number) {
  const atCentre = densities(W0)[2];
  const rates = (x: number, [W, mass]: State): State => {
    const r = Math.exp(x);
    return [-mass / r, (9 * r ** 3 * densities(W)[2]) / atCentre];
  };
  const stepped = (x: number, y: State, h: number): State => {
    const moved = (k: State, by: number): State => [y[0] + by * k[0], y[1] + by * k[1]];
    const k1 = rates(x, y);
    const k2 = rates(x + h / 2, moved(k1, h / 2));
    const k3 = rates(x + h / 2, moved(k2, h / 2));
    const k4 = rates(x + h, moved(k3, h));
    const mean = (at: 0 | 1) => (k1[at] + 2 * k2[at] + 2 * k3[at] + k4[at]) / 6;
    return moved([mean(0), mean(1)], h);
  };
  const start = Math.log(INNERMOST);
  const xs = [start];
  const states: State[] = [[W0 - 1.5 * INNERMOST ** 2, 3 * INNERMOST ** 3]];
  while (states[states.length - 1][0] > 0) {
    const [x, y] = [xs[xs.length - 1], states[states.length - 1]];
    let h = STEP;
    if (stepped(x, y, h)[0] <= 0) {
      let low = 0;
      while (h - low > 1e-12 * STEP) {
        const middle = (low + h) / 2;
        if (stepped(x, y, middle)[0] > 0) low = middle;
        else h = middle;
      }
    }
    xs.push(x + h);
    states.push(stepped(x, y, h));
  }
  const slopes = states.map((state, i) => rates(xs[i], state));
  const last = xs.length - 1;
  return {
    /** r_t */
    end: Math.exp(xs[last]),
    /** 9 ∫ ρ/ρ(0) r² dr to r_t, which is GM/σ²r_0. */
    mass: states[last][1],
    /** W at r, and the same integral to there. */
    at(r: number): { W: number; mass: number } {
      const x = Math.log(r);
      if (!(x > start)) return { W: W0 - 1.5 * r * r, mass: 3 * r ** 3 };
      if (x >= xs[last]) return { W: 0, mass: states[last][1] };
      const i = Math.min(last - 1, Math.floor((x - start) / STEP));
      const width = xs[i + 1] - xs[i];
      const between = (of: readonly State[], at: 0 | 1) => [of[i][at], of[i + 1][at]];
      const value = (at: 0 | 1) => cubic((x - xs[i]) / width, width, between(states, at), between(slopes, at));
      return { W: value(0), mass: value(1) };
    },
  };
}
