/** Tables of φ(R, z) for tests. */
import { formulaOf } from "../../src/physics/potentials/external.ts";
import { mwPotential2014 } from "../../src/physics/potentials/mw-potential-2014.ts";

export const MILKY_WAY_PARTS = mwPotential2014.parts({ radius: 8, speed: 220, bulge: 1, disk: 1, halo: 1 }, 1);

/** With G = 1. */
export const milkyWay = (R: number, z: number) =>
  MILKY_WAY_PARTS.reduce((sum, part) => {
    const { formula, p } = formulaOf(part, 1);
    return sum + formula.potential(p, Float64Array.of(R, 0, z));
  }, 0);

/** 0, and 24 steps of equal ratio from 0.1 to 100, as radii and heights. */
export function tableOf(phi: (R: number, z: number) => number) {
  const radii = [0, ...Array.from({ length: 24 }, (_, i) => 0.1 * 1000 ** (i / 23))];
  return { radii, heights: radii, potentials: radii.flatMap((R) => radii.map((z) => phi(R, z))), tolerance: 0.002 };
}
