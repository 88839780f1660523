/**
 * Particles on a lattice, displaced by Lagrangian perturbation theory: comoving positions and canonical momenta
 *   x = q + D₁ ψ₁ + D₂ ψ₂      p = a² dx/dt = P₁ ψ₁ + P₂ ψ₂      P = a³ H dD/da
 * (Bouchet et al. 1995, eqs 6, 17; Scoccimarro 1998, appendix D), q at the centres of the lattice's cells. Baryons and cold
 * matter, as two lattices, have ψ₁ of their own in x, δb − δc being constant (Rampf, Uhlemann & Hahn 2021), and that of both in p.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  anyNumber,
  choice,
  type DerivedDefault,
  derived,
  either,
  entry,
  flag,
  integer,
  isTable,
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
  type DeckAbout,
  type DisplacementFields,
  initialModel,
  type ModelComponent,
  type ModelContext,
  type Placement,
} from "./model.ts";

const matterInBox: DerivedDefault = {
  text: "that of cosmology.omegaM in the box, massive neutrinos left out, or the part that matter says",
  value({ deck, table }) {
    const size = positiveNumber(entry(deck, "box", "size")) ?? STAND_IN;
    const given = (key: "omegaM" | "h" | "tCmb") =>
      positiveNumber(entry(deck, "cosmology", key)) ?? cosmologyDefaults[key];
    const listed = entry(deck, "cosmology", "neutrinoMasses");
    const neutrinoMasses = Array.isArray(listed) ? listed.map(positiveNumber).filter((mass) => mass !== undefined) : [];
    const omegaM = coldMatterOf({ omegaM: given("omegaM"), h: given("h"), tCmb: given("tCmb"), neutrinoMasses });
    const omegaB = positiveNumber(entry(deck, "cosmology", "omegaB")) ?? cosmologyDefaults.omegaB;
    const part = table.matter === "baryons" ? omegaB : table.matter === "cold" ? omegaM - omegaB : omegaM;
    return part > 0 ? matterOf(part, size) : STAND_IN;
  },
};

/** A lattice of baryons or of cold matter alone; also of an unchecked table. */
export const isPartOfMatter = (one: unknown) => isTable(one) && (one.matter === "baryons" || one.matter === "cold");

/** Baryons and cold matter have the same random numbers. */
const sharedSeed: DerivedDefault = {
  text: "1, 2, … by position; that of the first lattice of a part of the matter",
  value({ table, index, siblings }) {
    const first = isPartOfMatter(table) ? siblings.findIndex(isPartOfMatter) : index;
    return first === index ? index + 1 : ((siblings[first] as typeof table).seed ?? first + 1);
  },
};

/** What the lattices of baryons and of cold matter have in common. */
const SHARED = ["seed", "order", "fixedAmplitudes", "opposite", "fNL"] as const;

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
    seed: derived(integer(0, LARGEST_U32), sharedSeed, {
      meaning: "random seed; a seed gives the same modes anywhere",
    }),
    matter: optional(choice("all", "baryons", "cold"), "all", {
      meaning: "a part, with a second lattice of the other: each by its own column of the table cosmology.file",
    }),
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
  heldAtStart: ({ perSide, order, matter }) =>
    DISPLACEMENT_BYTES * (order + (matter === "all" ? 0 : 1)) * (perSide + 2) * perSide ** 2,
  problems(component, deck) {
    const { perSide } = component;
    if (isMeshSize(perSide)) return [...countProblems(component), ...partProblems(component, deck)];
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
      const { perSide, seed, order, fixedAmplitudes, opposite, fNL, matter } = component;
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
      const fieldsOf = (most: 1 | 2, factor: (k: number) => number) =>
        displacements({
          ...{ ...request, order: most, power: (k: number) => power(k) * factor(k) ** 2 },
          local: fNL === 0 ? undefined : { fNL, response: (k) => linear.response(k) * factor(k) },
        });
      const relativeRate = (k: number) => linear.rate(k, start) / growth.f1(start);
      // The difference of baryons and cold matter stays as it is: momenta and the second order are those of both.
      const isPart = matter !== "all";
      const ratio = isPart ? linear.ratio(matter) : undefined;
      const fields = await fieldsOf(isPart ? 1 : order, (k) => ratio?.(k, start) ?? 1);
      const motions =
        isPart || linear.background.neutrinos ? await fieldsOf(isPart ? order : 1, relativeRate) : undefined;
      return { fields, motions, D2: growth.D2(start), P2: growth.momentum2(start) };
    }),
});

export function countProblems({ perSide, count }: { perSide: number; count: number }): ComponentProblem[] {
  if (count === perSide ** 3) return [];
  const hint = "Leave count out: perSide says how many there are";
  return [{ key: "count", expected: `perSide³ = ${perSide ** 3}`, hint }];
}

function partProblems(component: ModelComponent, { gravity, particles }: DeckAbout): ComponentProblem[] {
  if (component.matter === "all") return [];
  const part = component.matter === "baryons" ? "cold" : "baryons";
  const others = particles.filter(({ kind, matter }) => kind === "lattice" && matter === part);
  const hint = "Baryons and cold matter are two lattices of one field";
  if (others.length !== 1)
    return [{ key: "matter", expected: `"all", or one more lattice with matter = "${part}"`, hint }];
  if (gravity === "p3m") {
    const bound = "Forces between near pairs would bind each baryon to the cold particle from the same point";
    return [{ key: "matter", expected: '"all" with gravity = "p3m"', hint: bound }];
  }
  const differing = SHARED.filter((key) => component[key] !== others[0][key]);
  return differing.map((key) => ({ key, expected: `that of matter = "${part}", ${others[0][key]}`, hint }));
}

type LatticeComponent = Pick<ModelComponent, "offset" | "velocity"> & { perSide: number; count: number; mass: number };

interface Displaced {
  fields: DisplacementFields;
  /** Of which momenta are in first order, where not of the same; of its second order, where it has one. */
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
          const { first: psi1, second } = await fields.read(z, height);
          const { first: moves, second: psi2 = second } = (await motions?.read(z, height)) ?? { first: psi1 };
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
