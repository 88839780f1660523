/**
 * The [cosmology] table and the comoving clock as a deck gives them: defaults, what is wrong with a choice, and the
 * parameters in the form of cosmology/. Plain functions.
 */
import type { BackgroundParameters } from "../cosmology/background.ts";
import { criticalDensity } from "../cosmology/density.ts";
import { unitSystem } from "../deck/units.ts";
import type { CosmologySettings, Scenario } from "./scenario.ts";
import { isMeshSize, nearestMeshSizes } from "./sizes.ts";

export const cosmologyDefaults: Readonly<CosmologySettings> = {
  matter: 0.3,
  baryons: 0.05,
  darkEnergy: "flat",
  w0: -1,
  wa: 0,
  h: 0.7,
  radiation: false,
  temperature: 2.7255,
  neutrinos: 3.044,
  spectralIndex: 0.96,
  sigma8: 0.8,
  amplitude: 0,
  transfer: "eisenstein-hu",
  file: "",
};

/** Mass of all matter in a box of side `size` [Mpc/h], in 1e10 Msun/h. */
export function matterOf(matter: number, size: number): number {
  return matter * criticalDensity(unitSystem("cosmological").G) * size ** 3;
}

/** For `new Background(…)`. */
export function backgroundParameters(settings: CosmologySettings): BackgroundParameters {
  const { matter, baryons, darkEnergy, w0, wa, h, radiation, temperature, neutrinos } = settings;
  const shared = { matter, baryons, w0, wa, h, radiation, temperature, neutrinos };
  return darkEnergy === "flat" ? shared : { ...shared, darkEnergy };
}

export interface CosmologyProblem {
  path: [string, ...(string | number)[]];
  expected: string;
  found: unknown;
  hint: string;
}

/** What is wrong between the keys of a run with a comoving clock, or with parts of one without. */
export function cosmologyProblems(scenario: Scenario): CosmologyProblem[] {
  const { time, units, box, gravity, cosmology, particles } = scenario;
  const problems: CosmologyProblem[] = [];
  if (time.clock === "static") {
    const hint = 'Set it to 0, or time.clock = "comoving"';
    if (time.start !== 0)
      problems.push({ path: ["time", "start"], expected: "0 with a static clock", found: time.start, hint });
    particles.forEach(({ kind }, index) => {
      if (kind !== "lattice" && kind !== "plane-wave") return;
      const expected = 'time.clock = "comoving" for the kinds lattice and plane-wave';
      problems.push({ path: ["particles", index, "kind"], expected, found: kind, hint: "Set it in the table time" });
    });
    return problems;
  }
  if (!(time.start > 0 && time.start < time.end)) {
    const hint = "a = 1/(1 + z): 1/64 is redshift 63";
    const expected = `a scale factor above 0 and below time.end = ${time.end} with clock = "comoving"`;
    problems.push({ path: ["time", "start"], expected, found: time.start, hint });
  }
  if (units.system !== "cosmological") {
    const expected = '"cosmological" with time.clock = "comoving"';
    problems.push({
      path: ["units", "system"],
      expected,
      found: units.system,
      hint: "Lengths in Mpc/h, masses in 1e10 Msun/h",
    });
  }
  if (box.boundary !== "periodic") {
    const hint = "An expanding box stands for a piece of an endless universe";
    problems.push({
      path: ["box", "boundary"],
      expected: '"periodic" with time.clock = "comoving"',
      found: box.boundary,
      hint,
    });
  }
  if (gravity === "direct") {
    const hint = "`gravmesh validate` compares with direct sums over all images";
    problems.push({ path: ["gravity"], expected: '"mesh" with time.clock = "comoving"', found: gravity, hint });
  }
  if (cosmology.baryons > cosmology.matter) {
    const expected = `at most matter = ${cosmology.matter}`;
    problems.push({ path: ["cosmology", "baryons"], expected, found: cosmology.baryons, hint: "Ωm includes baryons" });
  }
  if (cosmology.transfer === "file" && cosmology.file.trim() === "") {
    const hint = 'Name the output of CLASS or CAMB, or use transfer = "eisenstein-hu"';
    problems.push({ path: ["cosmology", "file"], expected: "a file's name", found: cosmology.file, hint });
  }
  const late = scenario.output.redshifts.find(
    (z) => 1 / (1 + z) < time.start * (1 - 1e-9) || 1 / (1 + z) > time.end * (1 + 1e-9),
  );
  if (late !== undefined) {
    const [first, last] = [1 / time.end - 1, 1 / time.start - 1].map((z) => Number(z.toPrecision(6)));
    const hint = "Redshift is 1/a − 1";
    problems.push({ path: ["output", "redshifts"], expected: `redshifts from ${first} to ${last}`, found: late, hint });
  }
  particles.forEach((component, index) => {
    if (component.kind !== "lattice" && component.kind !== "plane-wave") return;
    if (component.kind === "lattice" && !isMeshSize(component.perSide)) {
      const hint = `Nearest: ${nearestMeshSizes(component.perSide).join(" and ")}`;
      const expected = "2^k or 3*2^k, from 16 up: what the transform divides";
      problems.push({ path: ["particles", index, "perSide"], expected, found: component.perSide, hint });
    }
    if (component.count !== component.perSide ** 3) {
      const expected = `perSide³ = ${component.perSide ** 3}`;
      problems.push({ path: ["particles", index, "count"], expected, found: component.count, hint: "Leave count out" });
    }
  });
  return problems;
}
