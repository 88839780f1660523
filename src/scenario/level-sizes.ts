/** [[level]] tables among the others: their targets and parents, and their problems. */

import { stencilReach } from "../engine/mesh/deposit/stencil.ts";
import { levelConflicts, levelGeometry, levelProblems } from "../engine/mesh/levels/level-grid.ts";
import { type LevelRegion, levelRegion } from "../engine/mesh/levels/level-regions.ts";
import type { Level, LevelShape } from "../engine/mesh/levels/level-settings.ts";
import type { LevelTable } from "../engine/mesh/levels/level-table.ts";
import { nearestWord } from "../foundation/base/nearest-word.ts";
import { displayPath, mismatch, type Problem, shortest } from "../foundation/deck/problems.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { isRigid } from "../physics/initial/components.ts";
import type { ModelComponent } from "../physics/initial/model.ts";
import type { LevelCore } from "../physics/particles/level-core.ts";
import { mergedRanges } from "../physics/particles/reductions.ts";
import type { ComponentRange } from "../physics/particles/state.ts";
import { componentPlace, nominalPlaces } from "./galaxies.ts";
import type { Scenario } from "./scenario.ts";

/** By the tables alone. */
export const levelShapes = ({ level: tables }: Pick<Scenario, "level">): LevelShape[] =>
  tables.map(({ name, refinement, cells, substeps }, l) => ({
    ...{ name, parent: parentOf(tables, l), refinement, cells, substeps },
  }));

/** The levels of a run whose particles lie so; their places are the deck's, from where their centres are found. */
export function levelsOf(scenario: Scenario, components: readonly ComponentRange[]): Level[] {
  const { level: tables, box } = scenario;
  const places = tables.some(({ around }) => around !== undefined) ? placesOf(scenario) : new Map();
  return levelShapes(scenario).map((shape, l): Level => {
    const { around, offset } = tables[l];
    const of = components.filter((one) => one.galaxy === around || one.name === around);
    // Even where they are all particles.
    const ids = of.map(({ first, count }) => ({ first, count }));
    const follows = around === undefined ? [] : mergedRanges(ids, Number.NaN);
    const from: readonly number[] = offset ?? places.get(around) ?? [0, 0, 0];
    const [x, y, z] = from.map((d) => box.size / 2 + d);
    return { ...shape, follows, place: [x, y, z] };
  });
}

/** The last of the levels before that are around the same. */
function parentOf(tables: readonly LevelTable[], index: number): number | undefined {
  const key = ({ around, offset }: LevelTable) => JSON.stringify([around ?? null, offset ?? [0, 0, 0]]);
  const found = tables.slice(0, index).findLastIndex((one) => key(one) === key(tables[index]));
  return found < 0 ? undefined : found;
}

/** Where galaxies and components lie by the deck, from the centre of the box [length]. */
function placesOf(scenario: Scenario): Map<string, readonly number[]> {
  const { G } = unitSystem(scenario.units.system);
  const { frames } = nominalPlaces(scenario, G);
  const components: readonly ModelComponent[] = scenario.particles;
  return new Map([
    ...components.map((one) => [one.name, componentPlace(one, frames.get(one.galaxy ?? "")).centre] as const),
    ...[...frames].map(([name, { centre }]) => [name, centre] as const),
  ]);
}

/** Of a deck: side of a level's cells, half the side of its core [length], by the meshes that they lie in. */
export function levelSizes(scenario: Scenario): { name: string; h: number; core: number; cells: number }[] {
  const { box, mesh } = scenario;
  const levels = levelShapes(scenario);
  return levelGeometry(levels, mesh.cells, stencilReach(mesh)).map(({ perBox, core }, l) => {
    const { name, refinement, cells } = levels[l];
    const h = box.size / perBox;
    return { name, h, core: core * refinement * h, cells };
  });
}

/** Where the levels' forces count, with centres [levels × 3, box coordinates]; none where nothing has mass. */
export function levelCores(scenario: Scenario, centres: readonly (readonly number[])[]): LevelCore[] {
  if (centres.length === 0) return [];
  return levelSizes(scenario).map(({ name, h, core }, l) => ({ name, h, halfWidth: core, centre: centres[l] }));
}

/** The levels with their geometry and their centres as they are now, in boxes. */
export async function levelsNow(simulation: {
  scenario: Scenario;
  components: readonly ComponentRange[];
  levelCores(): Promise<LevelCore[]>;
}) {
  const { scenario, components } = simulation;
  const { box, mesh } = scenario;
  const levels = levelsOf(scenario, components);
  const geometry = levelGeometry(levels, mesh.cells, stencilReach(mesh));
  const centres = (await simulation.levelCores()).flatMap(({ centre }) => centre.map((x) => x / box.size));
  return { levels, geometry, centres, isolated: box.boundary === "isolated" };
}

/** Which level's force counts where, of particle `i` of positions [3N, box coordinates, length], with the levels as they are now. */
export async function levelRegions(
  simulation: Parameters<typeof levelsNow>[0],
): Promise<(positions: Float64Array, i: number) => LevelRegion> {
  const { size } = simulation.scenario.box;
  const now = await levelsNow(simulation);
  return (positions, i) =>
    levelRegion(
      now,
      positions.subarray(3 * i, 3 * i + 3).map((x) => x / size),
    );
}

export function levelTableProblems(scenario: Scenario): Problem[] {
  const { level: tables, galaxy, particles, gravity, mesh, mond, box } = scenario;
  if (tables.length === 0) return [];
  const names = [...galaxy.map(({ name }) => name), ...particles.map(({ name }) => name)];
  const [{ substeps: all }] = tables;
  const own = tables.flatMap(({ around, offset, substeps }, index) => {
    const at = (key: string) => ["level", index, key];
    if (around !== undefined && offset !== undefined) {
      return [mismatch(at("offset"), "no offset of a level that is around something", offset, "Leave one of both out")];
    }
    if (offset?.some((x) => !(Math.abs(x) <= box.size / 2))) {
      const within = `three numbers from −box.size/2 to box.size/2 = ${shortest(box.size / 2)}, from the box's centre`;
      return [mismatch(at("offset"), within, offset)];
    }
    if (substeps !== all) {
      const hint = "All levels of a run take the same number";
      return [mismatch(at("substeps"), `${all}, as level[0] takes`, substeps, hint)];
    }
    if (around === undefined || names.includes(around)) return [];
    const near = nearestWord(around, names);
    const expected = `the name of a galaxy or component (${names.join(", ")})`;
    return [mismatch(at("around"), expected, around, near && `Did you mean "${near}"?`)];
  });
  const pairs = { setting: "gravity", expected: '"mesh"', hint: "A sum over pairs has no meshes to refine" };
  const conflicts = [
    ...(gravity === "direct" ? [{ ...pairs, found: gravity }] : []),
    ...levelConflicts(mesh, mond.formulation),
  ];
  const fits = conflicts.map(({ setting, expected, found, hint }) =>
    mismatch(setting.split("."), `${expected} with [[level]] tables`, found, hint),
  );
  if (own.length > 0 || fits.length > 0) return [...own, ...fits];
  return levelProblems(levelShapes(scenario), { ...mesh, boundary: box.boundary }).map(({ level, problem }) => {
    const path = ["level", level, "cells"];
    return { path, message: `${displayPath(path)}: ${problem}` };
  });
}

/** Whether a level moves with something that has no particles, and so stays. */
export function stayingLevels({ level, particles, galaxy }: Scenario): string[] {
  const live = particles.filter((one) => !isRigid(one));
  return level.flatMap(({ name, around }) => {
    if (around === undefined || live.some((one) => one.name === around || one.galaxy === around)) return [];
    return galaxy.some((one) => one.name === around) || particles.some((one) => one.name === around) ? [name] : [];
  });
}
