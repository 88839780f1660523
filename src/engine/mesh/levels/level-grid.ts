/**
 * Where levels lie and how far they count. A level's mesh is periodic; its short-range force is erfc(2.5) = 4e-4 of Newton's
 * at MARGIN of its parent's cells, so that sources anywhere on the mesh and targets in its core, so far inside its faces, don't
 * see what wraps around. Its first cell lies on a corner of its parent's cells, next to where its centre wants it; what lies
 * beyond the faces of an isolated box is empty.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { shown } from "../../../foundation/deck/problems.ts";
import type { Range } from "../../../foundation/gpu/windows.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import { type Grid, type GridBoundary, MOST_PER_BOX } from "../../../physics/particles/grid.ts";
import { stencilReach } from "../deposit/stencil.ts";
import type { Coarsening } from "../poisson/split-mesh.ts";
import type { MeshSettings, PipelineSettings } from "../settings.ts";
import type { Level, LevelShape } from "./level-settings.ts";

/** Length at which a parent's force is split off, in its cells. */
export const LEVEL_SPLIT = 1.25;
/** The rest of a force at five times the split wraps around, in the parent's cells. */
const MARGIN = 5 * LEVEL_SPLIT;
/** The mesh's centre is at most so far from the level's, in the parent's cells. */
const SNAP = 0.5;
/** Cells of the parent that a level's particles keep from the faces of an isolated box: B-splines reach so far. */
export const LEVEL_EDGE = 2;
/** To a level's parent by cubic B-splines. */
export const coarsenedBy = (refinement: number): Coarsening => ({ ratio: refinement, order: 2 * LEVEL_EDGE });
/** What a core leaves at least for stencils, in cells: the B-splines of a level in it need as much. */
const LEAST_REACH = 2;
/** The force goes over into the parent's within so many of its cells, inside the core's edge. */
export const BLEND = 2;
/** Goes on at the opposite face for transforms and stencils, but particles beyond the faces aren't on it. */
const levelBoundary: GridBoundary = { name: "level", wraps: true, hasOutside: true };

/** Bits of a word say which levels are meant. */
const MOST_LEVELS = 32;
/** As many drifts fit into a submission. */
export const MOST_SUBSTEPS = 32;
/** How centres are found. */
export const CENTRES = {
  /** Along a side of the box, a power of two. The first centre is among the eight that hold most: a ring is away from its mean. */
  cells: 32,
  /** Half the sides of the cubes in which it is looked for from there [cells], at least half the core. */
  searches: [2, 1.4, 1, 0.7, 0.5, 0.35, 0, 0, 0, 0],
  /**
   * A centre is the mean in the smallest of so many cubes, each of half the side of the one before, of which each holds at least
   * `least` and a third of what that holds, 8/3 times the density: cubes within a core of even density wouldn't hold on to it.
   */
  cubes: 5,
  least: 32,
};

export interface LevelGeometry {
  /** Cells of this level along a side of the box. */
  perBox: number;
  /** Half the side of the core, the blend included, in cells of the parent. */
  core: number;
  /** What particles on its mesh keep from the faces of an isolated box, in its own cells. */
  edge: number;
  /** What a target keeps from them, in cells of the parent. */
  faceMargin: number;
}

/** Geometry of all levels in a box of `cells`; `reach` of assignment and gradient (stencilReach). */
export function levelGeometry(levels: readonly LevelShape[], cells: number, reach: number): LevelGeometry[] {
  const found: LevelGeometry[] = [];
  for (const { parent, refinement, cells: own } of levels) {
    const above = parent === undefined ? { perBox: cells, edge: 0 } : found[parent];
    const margin = MARGIN + (Math.max(reach, LEAST_REACH) + 1) / refinement;
    const edge = LEVEL_EDGE + above.edge;
    found.push({
      perBox: refinement * above.perBox,
      core: own / refinement / 2 - SNAP - margin,
      edge: refinement * edge,
      faceMargin: edge + margin,
    });
  }
  return found;
}

/** The first cell of a level on each axis, counted from those of the box, for a centre in boxes; it may lie beyond a face. */
export function firstCells(
  { cells, refinement }: Pick<Level, "cells" | "refinement">,
  { perBox }: Pick<LevelGeometry, "perBox">,
  centre: readonly number[],
): [number, number, number] {
  const [x, y, z] = centre.map((c) => refinement * Math.round((c * perBox) / refinement) - cells / 2);
  return [x, y, z];
}

/** The corner, in boxes, of CENTRES.cells³ cells about which eight hold most, by what each holds, x fastest. Undefined if none does. */
export function densestCorner(counts: Uint32Array, isolated: boolean): [number, number, number] | undefined {
  const n = CENTRES.cells;
  // Sums of neighbours, axis by axis.
  const sums = [1, n, n * n].reduce(
    (some, stride) =>
      some.map((held, i) => held + some[i - stride + (Math.floor(i / stride) % n === 0 ? n * stride : 0)]),
    counts,
  );
  let best = { held: 0, place: undefined as [number, number, number] | undefined };
  for (const [i, held] of sums.entries()) {
    const [x, y, z] = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)];
    if (held > best.held && !(isolated && Math.min(x, y, z) === 0)) best = { held, place: [x / n, y / n, z / n] };
  }
  return best.place;
}

/**
 * Cells of each axis that targets in the core read, their stencils included, or by B-splines those in the core of a level in it.
 * They begin and end with a cell of the parent, so that prolongation may leave the others out.
 */
export function cellsRead({ cells, refinement }: Pick<Level, "cells" | "refinement">): Range {
  const first = refinement * Math.floor(MARGIN);
  return { first, count: cells - 2 * first };
}

/** Problems of the sizes of levels in a box of `cells`, and the sizes that fit. */
export function levelProblems(
  levels: readonly LevelShape[],
  { cells, boundary, ...scheme }: Parameters<typeof stencilReach>[0] & { cells: number; boundary: Boundary },
): { level: number; problem: string }[] {
  const geometry = levelGeometry(levels, cells, stencilReach(scheme));
  return levels.flatMap(({ parent, refinement, cells: own }, level) => {
    const { perBox, core, edge } = geometry[level];
    const found = (problem: string) => [{ level, problem }];
    const most = boundary === "isolated" ? perBox - 2 * edge : perBox;
    if (perBox > MOST_PER_BOX)
      return found(`expected at most ${MOST_PER_BOX} of its cells along the box, found ${perBox}`);
    if (own > most) return found(`expected at most ${most} cells, which the box has room for, found ${own}`);
    const least = Math.ceil(own + 2 * refinement * (BLEND - core));
    if (core <= BLEND) return found(`expected more than ${least} cells, which leave a core, found ${own}`);
    const around = parent === undefined ? Number.POSITIVE_INFINITY : geometry[parent].core * levels[parent].refinement;
    if (core <= around) return [];
    const cores = `expected a core that lies in that of "${levels[parent!].name}", which reaches ${around} of its cells`;
    return found(`${cores}, found one that reaches ${core} of them; try fewer cells here or more there`);
  });
}

export function levelGrid(level: Pick<Level, "cells">, { perBox }: LevelGeometry, first: Grid["first"]): Grid {
  return { cells: level.cells, perBox, first, boundary: levelBoundary };
}

/** Levels in chains, each within the one before; the first of a chain lies in the mesh of the box. */
export function levelChains(levels: readonly LevelShape[]): number[][] {
  const chains: number[][] = [];
  for (const [l, { parent }] of levels.entries()) {
    const chain = parent === undefined ? undefined : chains.find((one) => one.at(-1) === parent);
    if (chain) chain.push(l);
    else chains.push([l]);
  }
  return chains;
}

/** Settings that levels don't go with. */
export function levelConflicts({ gradient, deposit, softenedModels }: MeshSettings, formulation = "none") {
  const linear = "Levels add up fields, and modified gravity isn't linear in the mass";
  const points =
    "Levels have the force of points in their cores, so that models set up for the box's cells would collapse there. Leave it " +
    "out, and put another [[level]] around what is too small";
  const all: [wrong: boolean, setting: string, expected: string, found: unknown, hint: string][] = [
    [gradient === "spectral", "mesh.gradient", "differences", gradient, 'Use "4-point"'],
    [deposit === "host", "mesh.deposit", "a deposit on the device", deposit, 'Use "auto"'],
    [softenedModels, "mesh.softenedModels", "false", softenedModels, points],
    [formulation !== "none", "mond.formulation", '"none"', formulation, linear],
  ];
  return all.flatMap(([wrong, setting, expected, found, hint]) => (wrong ? [{ setting, expected, found, hint }] : []));
}

/** Throws "usage" where levels don't go with the rest. */
export function requireLevelsFit({ mesh, mond, boundary, levels = [] }: PipelineSettings): void {
  if (levels.length === 0) return;
  const refused = (why: string) => {
    throw new GravmeshError("usage", `levels: ${why}`);
  };
  for (const { setting, expected, found, hint } of levelConflicts(mesh, mond?.formulation)) {
    refused(`expected ${expected} as ${setting}, found ${shown(found)}. ${hint}`);
  }
  if (levels.length > MOST_LEVELS) refused(`expected at most ${MOST_LEVELS}, found ${levels.length}`);
  const [{ substeps, name }] = levels;
  const other = levels.find((one) => one.substeps !== substeps);
  for (const { level, problem } of levelProblems(levels, { ...mesh, boundary })) {
    refused(`${levels[level].name}: ${problem}`);
  }
  if (!(substeps >= 1 && substeps <= MOST_SUBSTEPS)) {
    refused(`${name}: expected 1 to ${MOST_SUBSTEPS} substeps, found ${substeps}`);
  }
  if (other) {
    refused(`${other.name}: expected ${substeps} substeps, as ${name} has, found ${other.substeps}; give all the same`);
  }
}

/** Throws "input" where a state to go on from has the centres of other levels; `found`: how many numbers, if any. */
export function requireCentres(levels: readonly Level[], found: number | undefined): void {
  if (found === 3 * levels.length) return;
  const held = found === undefined ? "none" : `${found / 3}`;
  throw new GravmeshError(
    "input",
    `levels: expected a state with ${levels.length} centres, found ${held}; resume with the levels of the checkpoint`,
  );
}
