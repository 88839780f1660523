/**
 * Particles on a lattice, displaced by Lagrangian perturbation theory: comoving positions and canonical momenta
 *   x = q + D₁ ψ₁ + D₂ ψ₂      p = a² dx/dt = P₁ ψ₁ + P₂ ψ₂      P = a³ H dD/da
 * (Bouchet et al. 1995, eqs 6, 17; Scoccimarro 1998, appendix D). q lie at the centres of the lattice's cells. The
 * displacement fields come from whoever can make them, a GPU or the float64 oracle.
 */
import { Background } from "../cosmology/background.ts";
import { Growth } from "../cosmology/growth.ts";
import { linearPowerOf } from "../cosmology/linear-power.ts";
import { cosmologyDefaults, matterOf } from "../cosmology/settings.ts";
import {
  type DerivedDefault,
  derived,
  either,
  entry,
  flag,
  integer,
  LARGEST_U32,
  optional,
  positive,
  positiveNumber,
  required,
  STAND_IN,
} from "../deck/keys.ts";
import { isMeshSize, nearestMeshSizes } from "../deck/mesh-sizes.ts";
import { GravmeshError } from "../errors.ts";
import {
  type ComponentProblem,
  type Displacements,
  initialModel,
  type ModelComponent,
  type ModelContext,
  type Placement,
} from "./model.ts";

const matterInBox: DerivedDefault = {
  text: "cosmology.omegaM times the critical density times the box",
  value({ deck }) {
    const size = positiveNumber(entry(deck, "box", "size")) ?? STAND_IN;
    return matterOf(positiveNumber(entry(deck, "cosmology", "omegaM")) ?? cosmologyDefaults.omegaM, size);
  },
};

/** Keys of every lattice. */
export const latticeKeys = {
  perSide: required(integer(2, 1625), { meaning: "particles per side of the lattice" }),
  count: derived(
    integer(8, LARGEST_U32),
    { text: "perSide³", value: ({ table }) => (positiveNumber(table.perSide) ?? 2) ** 3 },
    { meaning: "number of particles" },
  ),
  mass: derived(positive, matterInBox, { unit: "mass", meaning: "total mass" }),
};

export const lattice = initialModel({
  name: "lattice",
  meaning: "Lattice displaced by a Gaussian random field with the power spectrum of the table cosmology",
  species: "halo",
  keys: {
    ...latticeKeys,
    order: optional(either(1, 2), 2, { meaning: "1: Zel'dovich displacements; 2: second order (2LPT)" }),
    fixedAmplitudes: optional(flag, false, {
      meaning: "modes with the amplitude that they have on average (Angulo & Pontzen 2016)",
    }),
    opposite: optional(flag, false, { meaning: "phases turned by π: the pair of the same seed without" }),
  },
  comoving: true,
  problems(component) {
    const { perSide } = component;
    if (isMeshSize(perSide)) return countProblems(component);
    const hint = `Nearest: ${nearestMeshSizes(perSide).join(" and ")}`;
    const expected = "2^k or 3*2^k, from 16 up: what the transform divides";
    return [{ key: "perSide", expected, hint }, ...countProblems(component)];
  },
  particles: (component, context) =>
    displacedLattice(component, context, async (growth) => {
      const { box, cosmology, start, displacements, loadText } = context;
      if (!displacements) {
        throw new GravmeshError(
          "usage",
          `initial conditions, component "${component.name}": a lattice needs what makes displacement fields; pass options.displacements`,
        );
      }
      const { perSide, seed, order, fixedAmplitudes, opposite } = component;
      const linear = await linearPowerOf(cosmology, loadText);
      linear.requireModes((2 * Math.PI) / box.size, (Math.sqrt(3) * Math.PI * perSide) / box.size);
      const unity = growth.D1(1);
      const fields = await displacements({
        ...{ perSide, seed, order, fixedAmplitudes, opposite },
        boxSize: box.size,
        power: (k) => linear.power(k) / unity ** 2,
      });
      return { ...fields, D2: growth.D2(start), P2: growth.momentum2(start) };
    }),
});

export function countProblems({ perSide, count }: { perSide: number; count: number }): ComponentProblem[] {
  if (count === perSide ** 3) return [];
  return [{ key: "count", expected: `perSide³ = ${perSide ** 3}`, hint: "Leave count out" }];
}

type LatticeComponent = Pick<ModelComponent, "offset" | "velocity"> & { perSide: number; count: number; mass: number };

/** The lattice of `component` in the displacement fields; those of first order alone have no D2 and P2. */
export function displacedLattice(
  component: LatticeComponent,
  { cosmology, box, start }: ModelContext,
  fieldsFor: (growth: Growth) => Promise<Displacements & { D2?: number; P2?: number }>,
): Placement {
  const { perSide, count, mass, offset, velocity } = component;
  const spacing = box.size / perSide;
  return {
    count,
    async place({ positions, velocities, masses }, at) {
      const growth = new Growth(new Background(cosmology));
      const { first: psi1, second: psi2, D2 = 0, P2 = 0 } = await fieldsFor(growth);
      const [D1, P1] = [growth.D1(start), growth.momentum1(start)];
      masses.fill(mass / count, at, at + count);
      for (let i = 0; i < count; i++) {
        const cell = [i % perSide, Math.floor(i / perSide) % perSide, Math.floor(i / perSide ** 2)];
        for (let axis = 0; axis < 3; axis++) {
          const [from, to] = [3 * i + axis, 3 * (at + i) + axis];
          const [one, two] = [psi1[from], psi2 ? psi2[from] : 0];
          const x = (cell[axis] + 0.5) * spacing + offset[axis] + D1 * one + D2 * two;
          positions[to] = x - box.size * Math.floor(x / box.size);
          velocities[to] = velocity[axis] + P1 * one + P2 * two;
        }
      }
    },
  };
}
