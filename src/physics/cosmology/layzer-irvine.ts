/**
 * The cosmic energy equation of Layzer and Irvine (Peebles 1980, section 24), the check of energy in a comoving run:
 *   d(K + W)/dt = −H (2K + W)      or      d[a (K + W)]/da = −K
 *   K = Σ ½ m v²,  v = a dx/dt = p/a the peculiar velocity
 *   W = ½ Σ m φ_pec,  φ_pec = φ/a with the comoving potential φ, ∇²φ = 4πG (ρ − ρ̄) in comoving coordinates
 * with p and φ those of the state. The residual
 *   R = a (K + W) − a₀ (K₀ + W₀) + ∫ K da
 * would vanish. Its integral is a trapezium from row to row, exact where K grows as a, as in linear growth with Ωm = 1.
 *
 * On a mesh it doesn't at early times, whatever the step: W holds the energy of every particle with its own cloud, which
 * depends on the place in the cell and pulls at nothing. While a lattice's particles leave their common place, a W changes
 * by a constant of the mesh, and where structure is slight |a W| is no more than that.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Assignment, assignments } from "../particles/assignments.ts";

/** The largest share that the energy of particles with their own clouds may have in the scale of residuals. */
const OWN_SHARE = 0.025;
/** Of GM²/L: peculiar energies below this are the rounding of the lattice. */
const ROUNDING = 1e-9;

/** The least |a W| that residuals are relative to [mass · (km/s)²]; `h`: side of the smallest cells, `size`: of the box. */
export function leastCosmicEnergy(of: Record<"G" | "mass" | "count" | "h" | "size", number>, assignment: Assignment) {
  const { G, mass, count, h, size } = of;
  const own = (assignments[assignment].ownEnergyChange * G * mass ** 2) / (2 * count * h);
  return Math.max(own / OWN_SHARE, (ROUNDING * G * mass ** 2) / size);
}

/** Energies of peculiar motion at one scale factor, both in [mass · (km/s)²]. */
export type CosmicEnergies = ReturnType<typeof cosmicEnergies>;

/** What an account knows; plain numbers, for a checkpoint. */
export interface CosmicEnergyState {
  /** a₀ (K₀ + W₀) */
  initial: number;
  /** ∫ K da so far */
  integral: number;
  last: CosmicEnergies;
}

/** Energies from sums over the state: kineticSum = Σ ½ m p², potentialSum = ½ Σ m φ, with p = a² dx/dt and comoving φ. */
export const cosmicEnergies = (a: number, kineticSum: number, potentialSum: number) => ({
  a,
  /** K = Σ ½ m (p/a)² */
  kinetic: kineticSum / (a * a),
  /** W = ½ Σ m φ/a, negative for clustered matter */
  potential: potentialSum / a,
});

export class CosmicEnergyAccount {
  constructor(
    /** The state of an earlier account that this one continues. */
    public state?: CosmicEnergyState,
    /** Residuals are in units of |a W|, or of this [mass · (km/s)²] where it is more: leastCosmicEnergy(). */
    private readonly least = 0,
  ) {}

  /** R [mass · (km/s)²] at the last row, and relative; both 0 at the first. */
  get residual(): { residual: number; relative: number } {
    if (this.state === undefined) return { residual: 0, relative: 0 };
    const { initial, integral, last } = this.state;
    const residual = last.a * (last.kinetic + last.potential) - initial + integral;
    const scale = Math.max(Math.abs(last.a * last.potential), this.least);
    return { residual, relative: residual === 0 ? 0 : residual / scale };
  }

  /** Takes the next row in and gives the residual there. Throws "numerical" for a row that isn't later than the last. */
  add(row: CosmicEnergies): { residual: number; relative: number } {
    const { a, kinetic, potential } = row;
    const { initial = a * (kinetic + potential), integral = 0, last }: Partial<CosmicEnergyState> = this.state ?? {};
    if (last && !(a > last.a)) {
      throw new GravmeshError(
        "numerical",
        `Layzer–Irvine: expected rows in order of the scale factor, found a = ${a} after ${last.a}; add each row once`,
      );
    }
    const step = last ? 0.5 * (kinetic + last.kinetic) * (a - last.a) : 0;
    this.state = { initial, integral: integral + step, last: row };
    return this.residual;
  }
}
