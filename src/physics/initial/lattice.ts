/**
 * Particles on a lattice, displaced by Lagrangian perturbation theory: comoving positions and canonical momenta
 *   x = q + D₁ ψ₁ + D₂ ψ₂      p = a² dx/dt = P₁ ψ₁ + P₂ ψ₂      P = a³ H dD/da
 * (Bouchet et al. 1995, eqs 6, 17; Scoccimarro 1998, appendix D), q at the centres of the lattice's cells.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  anyNumber,
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
} from "../../foundation/deck/keys.ts";
import { isMeshSize, nearestMeshSizes } from "../../foundation/deck/mesh-sizes.ts";
import { Background } from "../cosmology/background.ts";
import { Growth } from "../cosmology/growth.ts";
import { linearPowerOf } from "../cosmology/power.ts";
import { coldMatterOf, cosmologyDefaults, matterOf } from "../cosmology/settings.ts";
import { blockRanges } from "../particles/blocks.ts";
import { ParticleMasses } from "../particles/masses.ts";
import {
  type ComponentProblem,
  type DisplacementFields,
  initialModel,
  type ModelComponent,
  type ModelContext,
  type Placement,
} from "./model.ts";

const matterInBox: DerivedDefault = {
  text: "that of cosmology.omegaM, massive neutrinos left out, in the box",
  value({ deck }) {
    const size = positiveNumber(entry(deck, "box", "size")) ?? STAND_IN;
    const given = (key: "omegaM" | "h" | "tCmb") =>
      positiveNumber(entry(deck, "cosmology", key)) ?? cosmologyDefaults[key];
    const listed = entry(deck, "cosmology", "neutrinoMasses");
    const neutrinoMasses = Array.isArray(listed) ? listed.map(positiveNumber).filter((mass) => mass !== undefined) : [];
    const omegaM = coldMatterOf({ omegaM: given("omegaM"), h: given("h"), tCmb: given("tCmb"), neutrinoMasses });
    return omegaM > 0 ? matterOf(omegaM, size) : STAND_IN;
  },
};

export const latticeKeys = {
  perSide: required(integer(2, 1625), { meaning: "particles per side of the lattice" }),
  count: derived(
    integer(8, LARGEST_U32),
    { text: "perSide³", value: ({ table }) => (positiveNumber(table.perSide) ?? 2) ** 3 },
    { meaning: "number of particles" },
  ),
  mass: derived(positive, matterInBox, { unit: "mass", meaning: "total mass" }),
};

/** Memory for a point of a padded row, for each order: three floats. */
const DISPLACEMENT_BYTES = 12;

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
    fNL: optional(anyNumber, 0, {
      meaning: "local non-Gaussianity: Bardeen's potential is φ + fNL (φ² − ⟨φ²⟩) (Komatsu & Spergel 2001)",
    }),
  },
  comoving: true,
  heldAtStart: ({ perSide, order }) => DISPLACEMENT_BYTES * order * (perSide + 2) * perSide ** 2,
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
        const needs = "a lattice needs what makes displacement fields; pass options.displacements";
        throw new GravmeshError("usage", `initial conditions, component "${component.name}": ${needs}`);
      }
      const { perSide, seed, order, fixedAmplitudes, opposite, fNL } = component;
      const linear = await linearPowerOf(cosmology, loadText);
      linear.requireModes((2 * Math.PI) / box.size, (Math.sqrt(3) * Math.PI * perSide) / box.size);
      // With neutrinos growth depends on k: D₁ψ₁ is that of the start.
      if (linear.background.neutrinos && fNL !== 0) {
        const message = "expected fNL = 0 with cosmology.neutrinoMasses, whose growth depends on scale, found";
        throw new GravmeshError("scenario", `initial conditions, component "${component.name}": ${message} ${fNL}`);
      }
      const [unity, since] = linear.background.neutrinos ? [growth.D1(start), start] : [growth.D1(1), 1];
      const power = (k: number) => linear.power(k, since) / unity ** 2;
      const request = { perSide, seed, fixedAmplitudes, opposite, boxSize: box.size };
      const fields = await displacements({
        ...{ ...request, order, power },
        local: fNL === 0 ? undefined : { fNL, response: (k) => linear.response(k) },
      });
      const relativeRate = (k: number) => linear.rate(k, start) / growth.f1(start);
      const motions = linear.background.neutrinos
        ? await displacements({ ...request, order: 1, power: (k) => power(k) * relativeRate(k) ** 2 })
        : undefined;
      return { fields, motions, D2: growth.D2(start), P2: growth.momentum2(start) };
    }),
});

export function countProblems({ perSide, count }: { perSide: number; count: number }): ComponentProblem[] {
  if (count === perSide ** 3) return [];
  const hint = "Leave count out: perSide says how many there are";
  return [{ key: "count", expected: `perSide³ = ${perSide ** 3}`, hint }];
}

type LatticeComponent = Pick<ModelComponent, "offset" | "velocity"> & { perSide: number; count: number; mass: number };

interface Displaced {
  fields: DisplacementFields;
  /** Of which momenta are in first order, where not of the same. */
  motions?: DisplacementFields | undefined;
  D2?: number;
  P2?: number;
}

/** Points of a block, in whole planes. */
const BLOCK_POINTS = 2 ** 18;

/** The lattice of `component` in displacement fields, made at once and released after use; of first order without D2 and P2. */
export async function displacedLattice(
  component: LatticeComponent,
  { cosmology, box, start }: ModelContext,
  make: (growth: Growth) => Promise<Displaced>,
): Promise<Placement> {
  const { perSide, count, mass, offset, velocity } = component;
  const growth = new Growth(new Background(cosmology));
  const [D1, P1] = [growth.D1(start), growth.momentum1(start)];
  const spacing = box.size / perSide;
  let made: Displaced | undefined = await make(growth);
  const release = () => {
    made?.fields.destroy?.();
    made?.motions?.destroy?.();
    made = undefined;
  };
  return {
    ...{ count, release },
    masses: new ParticleMasses([{ first: 0, count, mass: mass / count }]),
    async *blocks() {
      made ??= await make(growth);
      const { fields, motions, D2 = 0, P2 = 0 } = made;
      const plane = perSide ** 2;
      const planes = Math.max(1, Math.floor(BLOCK_POINTS / plane));
      const positions = new Float64Array(3 * planes * plane);
      const velocities = new Float64Array(3 * planes * plane);
      try {
        for (const { first: z, count: height } of blockRanges(perSide, planes)) {
          const [first, points] = [z * plane, height * plane];
          const { first: psi1, second: psi2 } = await fields.read(z, height);
          const moves = (await motions?.read(z, height))?.first ?? psi1;
          const displace = (at: number, axis: number, cell: number) => {
            const [one, two] = [psi1[at], psi2 ? psi2[at] : 0];
            const x = (cell + 0.5) * spacing + offset[axis] + D1 * one + D2 * two;
            positions[at] = x - box.size * Math.floor(x / box.size);
            velocities[at] = velocity[axis] + P1 * moves[at] + P2 * two;
          };
          for (let row = 0, at = 0; row < height * perSide; row++) {
            const [cellY, cellZ] = [row % perSide, z + Math.floor(row / perSide)];
            for (let cellX = 0; cellX < perSide; cellX++, at += 3) {
              displace(at, 0, cellX);
              displace(at + 1, 1, cellY);
              displace(at + 2, 2, cellZ);
            }
          }
          const [x, v] = [positions.subarray(0, 3 * points), velocities.subarray(0, 3 * points)];
          yield { first, count: points, positions: x, velocities: v };
        }
      } finally {
        release();
      }
    },
  };
}
