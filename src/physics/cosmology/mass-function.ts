/**
 * Number of haloes by mass from the linear variance, dn/d ln M = f(σ) (ρ̄/M) |d ln σ/d ln M|:
 *   Press & Schechter 1974    f = √(2/π) ν e^{−ν²/2},  ν = δc/σ
 *   Sheth & Tormen 1999       f = A √(2q/π) ν [1 + (q ν²)^{−p}] e^{−q ν²/2},  A = 0.3222, q = 0.707, p = 0.3
 *   Tinker et al. 2008        f = A [(σ/b)^{−a} + 1] e^{−c/σ²} (eq 3; table 2, linear in log Δ, and eqs 5–8)
 * σ is that of a sphere which holds M at the mean density of matter. Densities are comoving.
 */
import { scaleLog } from "d3-scale";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { criticalDensity } from "./constants.ts";
import type { LinearPower } from "./power.ts";

/** `tinker`: the mean density of its haloes over that of matter, 200 to 3200; "tinker" alone: 200. */
export type MassFunctionModel = "press-schechter" | "sheth-tormen" | "tinker" | { tinker: number };

/** Linear overdensity of collapse for Ωm = 1, (3/20)(12π)^{2/3} = 1.68647… */
export const COLLAPSE_OVERDENSITY = 0.15 * (12 * Math.PI) ** (2 / 3);
/** Tinker's parameters today at overdensities Δ in units of the mean (table 2). */
const TINKER = {
  delta: [200, 300, 400, 600, 800, 1200, 1600, 2400, 3200],
  A: [0.186, 0.2, 0.212, 0.218, 0.248, 0.255, 0.26, 0.26, 0.26],
  a: [1.47, 1.52, 1.56, 1.61, 1.87, 2.13, 2.3, 2.53, 2.66],
  b: [2.57, 2.25, 2.05, 1.87, 1.59, 1.51, 1.46, 1.44, 1.41],
  c: [1.19, 1.27, 1.34, 1.45, 1.58, 1.8, 1.97, 2.24, 2.44],
};

/** dn/d ln M [(h/Mpc)³] at masses [10¹⁰ M☉/h]; G in [Mpc/h (km/s)² / 10¹⁰ M☉/h]. Throws "input" for masses that aren't above 0. */
export function massFunction(
  model: MassFunctionModel,
  linear: LinearPower,
  G: number,
  masses: ArrayLike<number>,
  a = 1,
): Float64Array {
  const density = linear.background.today.matter * criticalDensity(G);
  return Float64Array.from(masses, (mass) => {
    if (!(mass > 0 && Number.isFinite(mass))) {
      throw new GravmeshError(
        "input",
        `mass function: expected masses above 0, found ${mass}; give them in 1e10 Msun/h`,
      );
    }
    const { sigma, slope } = linear.sigmaAndSlope(lagrangianRadius(mass, density), a);
    return (multiplicity(model, sigma, a) * density * Math.abs(slope / 3)) / mass;
  });
}

/** Radius of the sphere that holds a mass at the mean density [Mpc/h]. */
export function lagrangianRadius(mass: number, density: number): number {
  return Math.cbrt((3 * mass) / (4 * Math.PI * density));
}

/** f(σ) at the scale factor a. */
export function multiplicity(model: MassFunctionModel, sigma: number, a: number): number {
  const nu = COLLAPSE_OVERDENSITY / sigma;
  const delta = typeof model === "object" ? model.tinker : 200;
  switch (typeof model === "object" ? "tinker" : model) {
    case "press-schechter":
      return Math.sqrt(2 / Math.PI) * nu * Math.exp(-0.5 * nu * nu);
    case "sheth-tormen": {
      // biome-ignore lint/suspicious/noApproximativeNumericConstant: a fitted number, not 1/√2
      const scaled = 0.707 * nu * nu;
      return 0.3222 * Math.sqrt((2 * scaled) / Math.PI) * (1 + scaled ** -0.3) * Math.exp(-0.5 * scaled);
    }
    case "tinker": {
      // Fitted between redshift 0 and 2.5.
      const alpha = 10 ** -((0.75 / Math.log10(delta / 75)) ** 1.2);
      const today = (of: "A" | "a" | "b" | "c") => scaleLog(TINKER.delta, TINKER[of]).clamp(true)(delta);
      const A = today("A") * a ** 0.14;
      const slope = today("a") * a ** 0.06;
      const b = today("b") * a ** alpha;
      return A * ((sigma / b) ** -slope + 1) * Math.exp(-today("c") / (sigma * sigma));
    }
  }
}
