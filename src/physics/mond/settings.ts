/** The table [mond]: modified Newtonian dynamics, and its problems in a deck. */
import { z } from "zod";
import {
  choice,
  type DerivedDefault,
  derived,
  entry,
  optional,
  positive,
  type RawTable,
  STAND_IN,
  vector,
} from "../../foundation/deck/keys.ts";
import { mismatch, type Problem } from "../../foundation/deck/problems.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { type Interpolation, interpolatingFunctions } from "./interpolation.ts";

/** [m/s²] Begeman, Broeils & Sanders 1991. */
const USUAL_A0 = 1.2e-10;

const INTERPOLATIONS = Object.keys(interpolatingFunctions) as [Interpolation, ...Interpolation[]];

/** The usual a0 in galactic units [(km/s)²/kpc]. */
function usualA0(): number {
  const { UnitLength_in_cm: length, UnitVelocity_in_cm_per_s: velocity } = unitSystem("galactic").snapshot;
  return (USUAL_A0 * 100 * length) / velocity ** 2;
}

const a0ByUnits: DerivedDefault = {
  text: '1.2e-10 m/s² with units.system = "galactic"; otherwise required, unless formulation = "none"',
  value({ deck, table }) {
    if (entry(deck, "units", "system") === "galactic") return usualA0();
    return (table.formulation ?? "none") === "none" ? STAND_IN : undefined;
  },
};

export const mondTable = z
  .strictObject({
    formulation: optional(choice("none", "qumond", "aqual"), "none", {
      meaning:
        "field equation: Newton's (none), ∇²Φ = ∇·[ν(|∇Φ_N|/a0) ∇Φ_N] (qumond, Milgrom 2010), or ∇·[μ(|∇Φ|/a0) ∇Φ] = 4πGρ (aqual, Bekenstein & Milgrom 1984)",
    }),
    interpolation: optional(choice(...INTERPOLATIONS), "simple", {
      meaning: `interpolating function: ${INTERPOLATIONS.map((name) => `${name}, ${interpolatingFunctions[name].meaning}`).join("; ")}`,
    }),
    a0: derived(positive, a0ByUnits, {
      unit: "acceleration",
      meaning: "the acceleration below which dynamics changes",
    }),
    externalField: optional(vector, [0, 0, 0], {
      unit: "acceleration",
      meaning:
        "uniform acceleration in which the whole box falls freely, the host's: it doesn't move the particles in the box, but changes their gravity (external field effect)",
    }),
  })
  .describe("Modified Newtonian dynamics (docs/mond.md)");
export type MondTable = z.output<typeof mondTable>;

/** The settings of solvers and models. */
export interface MondSettings extends Omit<MondTable, "formulation"> {
  formulation: "qumond" | "aqual";
}

/** Undefined where gravity is Newton's. */
export function mondOf({ mond }: { mond: MondTable }): MondSettings | undefined {
  const { formulation } = mond;
  return formulation === "none" ? undefined : { ...mond, formulation };
}

/** The parts of a deck that [mond] depends on. */
interface MondDeck {
  mond: MondTable;
  gravity: string;
  mesh: { gradient: string; softenedModels: boolean };
  time: { clock: string };
  potential: readonly unknown[];
  particles: readonly RawTable[];
  output: { phantom: boolean };
  maps: { phantom: boolean };
}

export function mondProblems({ mond, gravity, mesh, time, potential, particles, output, maps }: MondDeck): Problem[] {
  if (mond.formulation === "none") {
    const table = maps.phantom ? "maps" : "output";
    if (!maps.phantom && !output.phantom) return [];
    return [mismatch([table, "phantom"], 'false with mond.formulation = "none"', true, "Newton's gravity has none")];
  }
  const closed = "mu" in interpolatingFunctions[mond.interpolation].wgsl;
  if (mond.formulation === "aqual" && !closed) {
    const hint = 'Its μ has no closed form: use "simple", which is within 10 % of it, or formulation = "qumond"';
    return [
      mismatch(["mond", "interpolation"], 'one with μ, with mond.formulation = "aqual"', mond.interpolation, hint),
    ];
  }
  const refusals: readonly [wrong: boolean, beside: string, hint: string][] = [
    [gravity === "direct", 'gravity = "direct"', 'Modified gravity is no sum over pairs: use gravity = "mesh"'],
    [
      time.clock === "comoving",
      'time.clock = "comoving"',
      "No relativistic theory says what the mean density of an expanding box does: use an isolated or periodic box",
    ],
    [
      mesh.gradient === "spectral",
      'mesh.gradient = "spectral"',
      "The field is a sum of two potentials: use differences",
    ],
    [mesh.softenedModels, "mesh.softenedModels = true", "Softened models follow Newton's force of the mesh"],
    [
      potential.length > 0 || particles.some(({ rigid }) => rigid === true),
      "[[potential]] or rigid components",
      "Fields don't add up: give the mass as particles, or a distant host as mond.externalField",
    ],
  ];
  const refusal = refusals.find(([wrong]) => wrong);
  if (!refusal) return [];
  const [, beside, hint] = refusal;
  return [mismatch(["mond", "formulation"], `"none" with ${beside}`, mond.formulation, hint)];
}
