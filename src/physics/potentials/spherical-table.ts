/**
 * A spherical mass distribution from a table of M(r), as a sum of shells: M keeps to Hermite's cubics through the table, with the
 * slopes of the natural cubic spline of ln M in ln r. Inside the first radius r₁ the mass is of the form b r² + c r³ with the
 * slope of the spline at r₁ (r³, a core, where ln M rises with 3 ln r); beyond the last one there is none.
 */
import { numbers, required } from "../../foundation/deck/keys.ts";
import { mismatchIf, type Path, type Problem } from "../../foundation/deck/problems.ts";
import { Spline } from "../cosmology/interpolation.ts";
import { type CompositePart, compositePotential } from "./potential.ts";
import { shell } from "./shell.ts";

/** With slopes of at most this, over the mean one, a cubic rises everywhere (Fritsch & Carlson 1980). */
const STEEPEST = 3;
const MOST = 500;

type Columns = Record<"radii" | "masses", readonly number[]>;

export const sphericalTable = compositePotential({
  name: "spherical-table",
  meaning: "Sphere with a table of the mass within r, as shells; without mass beyond the last radius",
  keys: {
    radii: required(numbers, { unit: "length", meaning: "radii r, ascending, above 0; at most 500" }),
    masses: required(numbers, { unit: "mass", meaning: "mass within each, above 0, not falling" }),
  },
  snapJumps: true,
  problems({ radii, masses }: Columns, at: Path): Problem[] {
    const ascending = radii.every((r, i) => r > (radii[i - 1] ?? 0));
    const rising = masses.every((mass, i) => mass > 0 && mass >= (masses[i - 1] ?? 0));
    const fit = radii.length >= 2 && radii.length <= MOST;
    return [
      ...mismatchIf(!fit || !ascending, [...at, "radii"], `2 to ${MOST} ascending radii above 0`, radii),
      ...mismatchIf(
        masses.length !== radii.length || !rising,
        [...at, "masses"],
        `${radii.length} masses above 0, as many as radii, none below the one before`,
        masses,
      ),
    ];
  },
  parts({ radii, masses }: Columns): CompositePart[] {
    const logs = (values: readonly number[]) => Float64Array.from(values, Math.log);
    const spline = new Spline(logs(radii), logs(masses));
    const slopes = radii.map((r, i) => (masses[i] / r) * Math.max(0, spline.jet(Math.log(r))[1]));
    return radii.flatMap((outer, i) => {
      const inner = radii[i - 1] ?? 0;
      const mass = masses[i] - (masses[i - 1] ?? 0);
      if (mass === 0) return [];
      const over = (slope: number) => Math.min(STEEPEST, (slope * (outer - inner)) / mass);
      const ends = { innerSlope: i === 0 ? 0 : over(slopes[i - 1]), outerSlope: over(slopes[i]) };
      return [{ kind: shell.name, parameters: { mass, inner, outer, ...ends } }];
    });
  },
});
