/** What a schema can't see: checks between keys, each table's own and those that span tables. */

import { directProblems } from "../engine/direct/settings.ts";
import { poissonMethods } from "../engine/mesh/poisson/poisson-methods.ts";
import { p3mProblems } from "../engine/p3m/settings.ts";
import { timeProblems } from "../engine/time/settings.ts";
import { LARGEST_U32, type RawTable } from "../foundation/deck/keys.ts";
import { type ArrayTables, tablesOf } from "../foundation/deck/kinds.ts";
import { displayPath, mismatchIf, type Problem } from "../foundation/deck/problems.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { cosmologyProblems, neutrinoProblems } from "../physics/cosmology/settings.ts";
import { componentProblems, isRigid, sampledCount } from "../physics/initial/components.ts";
import { mondProblems } from "../physics/mond/settings.ts";
import { potentialProblems } from "../physics/potentials/settings.ts";
import { galaxyProblems } from "./galaxies.ts";
import { levelTableProblems } from "./level-sizes.ts";
import { haloProblems } from "./output.ts";
import { outputTableProblems } from "./output-tables.ts";
import { arraySections, type Scenario } from "./scenario.ts";

const MOST_TABLES = 1000;

/** Problems of decks that are too large for further checks. */
export function sizeProblems(deck: RawTable): Problem[] {
  return arraySections.flatMap(({ name, nouns }) => {
    const found = tablesOf(deck, name).length;
    const hint = "Bodies of their own are read from a snapshot, a component for all of them";
    const own = name === "particles" ? hint : undefined;
    return mismatchIf(found > MOST_TABLES, [name], `at most ${MOST_TABLES} ${nouns}`, found, own);
  });
}

export function crossProblems(scenario: Scenario): Problem[] {
  const { gravity, box, mesh, direct, cosmology, time, particles, output } = scenario;
  // In a periodic box; the number of particles of a snapshot is in its file.
  const findsHaloes = output.haloes && box.boundary === "periodic" && particles.every((one) => "count" in one);
  return [
    ...timeProblems(time),
    ...(time.clock === "comoving"
      ? [...comovingProblems(scenario), ...cosmologyProblems(cosmology), ...neutrinoProblems(cosmology, scenario)]
      : []),
    ...outputTableProblems(scenario),
    ...(gravity === "direct" ? [...directSumProblems(scenario), ...directProblems(direct)] : []),
    ...(gravity === "p3m" ? p3mProblems(scenario) : []),
    ...mondProblems(scenario),
    ...levelTableProblems(scenario),
    ...poissonMethods[mesh.poisson].problems(mesh, scenario),
    ...arraySections.flatMap((section) => nameProblems(section, scenario)),
    ...particles.flatMap((component, index) => componentProblems(component, index, scenario)),
    ...potentialProblems(scenario.potential, scenario.box, gravity === "direct" ? direct.integrator : undefined),
    ...galaxyProblems(scenario, unitSystem(scenario.units.system).G),
    ...countProblems(scenario),
    ...(findsHaloes ? haloProblems(output, sampledCount(scenario)) : []),
  ];
}

/** An expanding box is periodic, in cosmological units, and has a mesh. */
function comovingProblems({ units, box, gravity }: Scenario): Problem[] {
  const needs = (path: string[], word: string, found: string, hint: string) =>
    mismatchIf(found !== word, path, `"${word}" with time.clock = "comoving"`, found, hint);
  const endless = "An expanding box stands for a piece of an endless universe";
  return [
    ...needs(["units", "system"], "cosmological", units.system, "Lengths in Mpc/h, masses in 1e10 Msun/h"),
    ...needs(["box", "boundary"], "periodic", box.boundary, endless),
    ...mismatchIf(
      gravity === "direct",
      ["gravity"],
      '"mesh" or "p3m" with time.clock = "comoving"',
      gravity,
      "`gravmesh validate` compares with direct sums over all images",
    ),
  ];
}

function directSumProblems({ box, mesh, time }: Scenario): Problem[] {
  const not = (path: string[], wrong: unknown, found: unknown, expected: string, hint: string) =>
    mismatchIf(found === wrong, path, `${expected} with gravity = "direct"`, found, hint);
  const soft = "Models would be set up for the force of a mesh, which a sum over pairs doesn't have";
  const images = 'The sum over pairs has no periodic images: use boundary = "isolated", or gravity = "mesh"';
  const largest = 'Give the largest step here; direct.steps = "adaptive" or "block" divides it as the run goes';
  return [
    ...not(["mesh", "softenedModels"], true, mesh.softenedModels, "false", soft),
    ...not(["box", "boundary"], "periodic", box.boundary, '"isolated"', images),
    ...not(["time", "step"], "adaptive", time.step, "a number", largest),
  ];
}

function nameProblems({ name: section, noun }: ArrayTables, scenario: Scenario): Problem[] {
  const names = tablesOf({ ...scenario }, section).map(({ name }) => name);
  return names.flatMap((name, index) => {
    const earlier = names.indexOf(name);
    const taken = `a name other than that of ${displayPath([section, earlier])}`;
    return mismatchIf(earlier < index, [section, index, "name"], taken, name, `Every ${noun} needs its own name`);
  });
}

function countProblems(scenario: Scenario): Problem[] {
  const path = ["particles"];
  if (scenario.particles.every(isRigid)) {
    const hint = "Add a component with particles, or set rigid = false";
    const message = `particles: expected at least one component with particles, found only rigid ones. ${hint}`;
    return [{ path, message }];
  }
  const total = sampledCount(scenario);
  return mismatchIf(total > LARGEST_U32, path, `at most ${LARGEST_U32} particles in all (ids are 32-bit)`, total);
}
