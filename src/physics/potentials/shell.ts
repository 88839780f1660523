/**
 * A spherical shell between two radii, of which tables of M(r) are sums. With t = (r − r₀)/(r₁ − r₀) the mass within r is
 *   m [s₀ t + (3 − 2s₀ − s₁) t² + (s₀ + s₁ − 2) t³],
 * none inside and m outside: Hermite's cubic with the slopes s₀ and s₁ of its ends over the mean one. Acceleration and jerk
 * of shells whose slopes meet are continuous; the snap jumps from one to the next.
 */
import kernel from "../../../wgsl/physics/potentials/shell.wgsl";
import { nonNegative, optional, positive, required } from "../../foundation/deck/keys.ts";
import { mismatchIf } from "../../foundation/deck/problems.ts";
import { type Parameters, spherical } from "./formula.ts";
import { NONE, ofMass } from "./jets.ts";
import { externalPotential } from "./potential.ts";

type Shell = Parameters<"mass" | "inner" | "outer" | "innerSlope" | "outerSlope">;

/** Coefficients of t, t² and t³. */
const cubic = ({ innerSlope, outerSlope }: Shell) =>
  [innerSlope, 3 - 2 * innerSlope - outerSlope, innerSlope + outerSlope - 2] as const;

/** ∫ M′/u du from r to the outer radius. */
function beyond(p: Shell, r: number): number {
  const [a, b, c] = cubic(p);
  const { mass, inner, outer } = p;
  const width = outer - inner;
  const from = Math.max(r, inner);
  const start = inner / width;
  const constant = a - 2 * b * start + 3 * c * start * start; // M′ in powers of u/width
  const [low, high] = [from / width, outer / width];
  const rising = (2 * b - 6 * c * start) * (high - low) + 1.5 * c * (high * high - low * low);
  return (mass / width) * (rising + (constant === 0 ? 0 : constant * Math.log(high / low)));
}

export const shell = externalPotential({
  name: "shell",
  meaning: "Spherical shell between two radii, a piece of a table of M(r)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "its mass m" }),
    inner: required(nonNegative, { unit: "length", meaning: "inner radius r₀" }),
    outer: required(positive, { unit: "length", meaning: "outer radius r₁ > r₀" }),
    innerSlope: optional(nonNegative, 1, { meaning: "dM/dr at r₀ in units of m/(r₁ − r₀); at most 3" }),
    outerSlope: optional(nonNegative, 1, { meaning: "dM/dr at r₁, likewise" }),
  },
  snapJumps: true,
  problems: ({ inner, outer }: Shell, at) =>
    mismatchIf(outer <= inner, [...at, "outer"], `an outer radius above inner = ${inner}`, outer),
  formula: spherical({
    potential(p, r2) {
      const r = Math.sqrt(r2);
      if (r >= p.outer) return -p.mass / r;
      const t = Math.max(0, (r - p.inner) / (p.outer - p.inner));
      const [a, b, c] = cubic(p);
      const within = t === 0 ? 0 : (p.mass * t * (a + t * (b + t * c))) / r;
      return -within - beyond(p, r);
    },
    strength(p, r2) {
      const r = Math.sqrt(r2[0]);
      if (r <= p.inner) return NONE;
      const width = p.outer - p.inner;
      const t = (r - p.inner) / width;
      const [a, b, c] = cubic(p);
      const scale = p.mass / r ** 3;
      const [ratio, inside] = [r / width, t < 1];
      const within = inside ? t * (a + t * (b + t * c)) : 1;
      const rate = inside ? ratio * (a + t * (2 * b + 3 * t * c)) : 0;
      const second = inside ? ratio * ratio * (2 * b + 6 * t * c) : 0;
      return ofMass(r2, -scale * within, scale * (3 * within - rate), scale * (7 * rate - second - 15 * within));
    },
  }),
  kernel,
});
