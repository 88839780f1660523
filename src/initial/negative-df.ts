/**
 * Distribution functions that come out negative: no equilibrium has that density, that anisotropy and that potential.
 * f is linear in 1/r_a² (osipkov-merritt.ts), so the least anisotropy radius that leaves it positive follows from its two parts.
 * Source: Merritt 1985, AJ 90, 1027, section III.
 */

import { GravmeshError } from "../base/errors.ts";
import { shortest } from "../deck/problems.ts";
import type { Sphere } from "./profiles.ts";

/** A negative distribution function is set to zero where it holds less than this fraction of the mass. */
const NEGATIVE_MASS_ALLOWED = 0.01;
/** The same of an anisotropic one, whose limit is a matter of the innermost orbits. */
const NEGATIVE_CENTRE_ALLOWED = 1e-4;

/** f = isotropic + rest/r_a² at the nodes [K]. */
export interface AnisotropyLimit {
  isotropic: Float64Array;
  rest: Float64Array;
}

/** Puts tiny positive numbers where f isn't positive. Throws "scenario" where that would change more than a little. */
export function clearNegative(
  sphere: Sphere,
  radii: Float64Array,
  values: Float64Array,
  limit?: AnisotropyLimit,
): void {
  const share = negativeShare(sphere, radii, values);
  if (!(share <= (limit ? NEGATIVE_CENTRE_ALLOWED : NEGATIVE_MASS_ALLOWED))) refuse(sphere, radii, share, limit);
  let smallest = Number.POSITIVE_INFINITY;
  for (const value of values) if (value > 0) smallest = Math.min(smallest, value);
  for (let i = 0; i < values.length; i++) if (!(values[i] > 0)) values[i] = smallest * 1e-6;
}

/** Share of the mass at nodes where f isn't positive. */
function negativeShare({ shape, cutoff }: Sphere, radii: Float64Array, values: Float64Array): number {
  let negativeMass = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] > 0) continue;
    negativeMass += shape.mass(radii[Math.min(i + 1, values.length - 1)]) - shape.mass(i > 0 ? radii[i - 1] : 0);
  }
  return negativeMass / shape.mass(cutoff);
}

function refuse(sphere: Sphere, radii: Float64Array, share: number, limit: AnisotropyLimit | undefined): never {
  const { name, anisotropyRadius } = sphere;
  const least = limit && leastAnisotropyRadius(sphere, radii, limit);
  const where = `over ${percentOf(share)} of its mass`;
  if (least === undefined) {
    throw new GravmeshError(
      "scenario",
      `component "${name}": expected an isotropic equilibrium in the potential of all components about the same centre, ` +
        `found a negative distribution function ${where} (its density is too flat for that potential). ` +
        "Try a larger scale, a cuspier kind or less mass in the other components.",
    );
  }
  throw new GravmeshError(
    "scenario",
    `component "${name}": expected an equilibrium whose orbits become radial outside anisotropyRadius = ` +
      `${shortest(anisotropyRadius!)}, found a negative distribution function ${where} (so many radial orbits would put more ` +
      `mass at the centre than its density has). Try anisotropyRadius = ${shortest(least)} or more.`,
  );
}

const percentOf = (share: number) => {
  const percent = 100 * Math.min(1, share);
  return `${percent < 1 ? Number(percent.toPrecision(1)) : percent.toFixed(0)} %`;
};

/** To three digits, rounded up; undefined where not even an isotropic f is positive. */
function leastAnisotropyRadius(
  sphere: Sphere,
  radii: Float64Array,
  { isotropic, rest }: AnisotropyLimit,
): number | undefined {
  const works = (ra: number) => {
    const values = isotropic.map((value, i) => value + rest[i] / ra ** 2);
    return negativeShare(sphere, radii, values) <= NEGATIVE_CENTRE_ALLOWED;
  };
  let low = sphere.anisotropyRadius!;
  let high = 2 * low;
  while (!works(high)) {
    low = high;
    high *= 2;
    if (high > 1e6 * sphere.cutoff) return undefined;
  }
  while (high / low > 1 + 1e-5) {
    const middle = Math.sqrt(low * high);
    if (works(middle)) high = middle;
    else low = middle;
  }
  const unit = 10 ** (Math.floor(Math.log10(high)) - 2);
  return Number((Math.ceil(high / unit) * unit).toPrecision(3));
}
