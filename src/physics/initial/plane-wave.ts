/**
 * A lattice displaced along x by one wave, x = q − (D₁(a)/D₁(crossing)) sin(kq)/k: ψ₁ = −sin(kq)/(k D₁(crossing)), and no
 * second order. Exact until shells cross. Source: Zel'dovich 1970.
 */
import { integer, optional, positive } from "../../foundation/deck/keys.ts";
import { countProblems, displacedLattice, latticeKeys } from "./lattice.ts";
import { initialModel } from "./model.ts";

export const planeWave = initialModel({
  name: "plane-wave",
  meaning: "Lattice displaced along x by a single wave (Zel'dovich 1970)",
  species: "halo",
  keys: {
    ...latticeKeys,
    waves: optional(integer(1, 1000), 1, { meaning: "waves across the box, along x" }),
    crossing: optional(positive, 1, { meaning: "scale factor at which shells cross" }),
  },
  comoving: true,
  problems: countProblems,
  particles: (component, context) =>
    displacedLattice(component, context, async (growth) => {
      const { perSide, waves, crossing } = component;
      const boxSize = context.box.size;
      const k = (2 * Math.PI * waves) / boxSize;
      const growthAtCrossing = growth.D1(crossing);
      const row = Float64Array.from({ length: perSide }, (_, i) => {
        const q = (i + 0.5) * (boxSize / perSide);
        return -Math.sin(k * q) / (k * growthAtCrossing);
      });
      const read = (_: number, planes: number) => {
        const first = new Float64Array(3 * planes * perSide ** 2);
        for (let i = 0; i < planes * perSide ** 2; i++) first[3 * i] = row[i % perSide];
        return { first };
      };
      return { fields: { read } };
    }),
});
