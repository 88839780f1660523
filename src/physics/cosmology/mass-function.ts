/**
 * Number of haloes by mass from the linear variance, dn/d ln M = f(σ) (ρ̄/M) |d ln σ/d ln M|:
 *   Press & Schechter 1974    f = √(2/π) ν e^{−ν²/2},  ν = δc/σ
 *   Sheth & Tormen 1999       f = A √(2q/π) ν [1 + (q ν²)^{−p}] e^{−q ν²/2},  A = 0.3222, q = 0.707, p = 0.3
 *   Tinker et al. 2008        f = A [(σ/b)^{−a} + 1] e^{−c/σ²} (eq 3; table 2 and eqs 5–8 for 200 times the mean density)
 * σ is that of a sphere which holds M at the mean density of matter. Densities are comoving.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { criticalDensity } from "./constants.ts";
import type { LinearPower } from "./power.ts";

export type MassFunctionModel = "press-schechter" | "sheth-tormen" | "tinker";

/** Linear overdensity of collapse for Ωm = 1, (3/20)(12π)^{2/3} = 1.68647… */
export const COLLAPSE_OVERDENSITY = 0.15 * (12 * Math.PI) ** (2 / 3);
/** Overdensity in units of the mean that the Tinker masses have here. */
const TINKER_DELTA = 200;

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
  switch (model) {
    case "press-schechter":
      return Math.sqrt(2 / Math.PI) * nu * Math.exp(-0.5 * nu * nu);
    case "sheth-tormen": {
      // biome-ignore lint/suspicious/noApproximativeNumericConstant: a fitted number, not 1/√2
      const scaled = 0.707 * nu * nu;
      return 0.3222 * Math.sqrt((2 * scaled) / Math.PI) * (1 + scaled ** -0.3) * Math.exp(-0.5 * scaled);
    }
    case "tinker": {
      // Fitted between redshift 0 and 2.5.
      const alpha = 10 ** -((0.75 / Math.log10(TINKER_DELTA / 75)) ** 1.2);
      const A = 0.186 * a ** 0.14;
      const slope = 1.47 * a ** 0.06;
      const b = 2.57 * a ** alpha;
      return A * ((sigma / b) ** -slope + 1) * Math.exp(-1.19 / (sigma * sigma));
    }
  }
}
