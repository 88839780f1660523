/**
 * How far from equilibrium, in the frame of the centre of mass. There the virial theorem of any particles is exact,
 *   ½ Ï = 2 (K − P²/2M) + Σ m a·(x − x̄)  with  I = Σ m (x − x̄)²,
 * in whatever field: a uniform one drops out, and a tide counts as a force. So a satellite on its orbit has 1.
 */
import type { Sums } from "../../../physics/particles/sums.ts";
import type { DiagnosticsColumn } from "./column.ts";

/** The ratio of any particles, from sums over them; 0 where no force acts. */
export function virialRatioOf({
  kinetic,
  momentum,
  mass,
  virial,
}: Pick<Sums, "kinetic" | "momentum" | "mass" | "virial">): number {
  if (virial === 0) return 0;
  const bulk = mass > 0 ? momentum.reduce((sum, p) => sum + p * p, 0) / (2 * mass) : 0;
  // Of a particle by itself no more than rounding is left.
  return (2 * Math.max(0, kinetic - bulk)) / Math.abs(virial);
}

export const virialRatio: DiagnosticsColumn<"virialRatio", number, "virial_ratio"> = {
  name: "virialRatio",
  heads: "virial_ratio",
  unit: "",
  meaning:
    "2K′/|Σ m a·(x − x̄)|, the kinetic energy about the mean velocity, K′ = K − P²/2M, over the virial of Clausius about the centre of mass x̄: 1 in equilibrium, on an orbit in external potentials, too; 0 where no force acts. With softening, a mesh or rigid components it isn't 2K/|W|. It is of all particles together; galaxies.csv has each galaxy's own",
  of: ({ sums }) => virialRatioOf(sums),
  chart: {
    title: "Virial ratio",
    about: "kinetic energy about the mean velocity over the virial of Clausius; 1 in equilibrium",
    quantity: "Virial ratio",
    label: "2K′ / |Σ m a·(x − x̄)|",
    domain: [0.95, 1.05],
    rule: 1,
    only: "static clock",
  },
};
