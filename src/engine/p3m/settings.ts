/**
 * The table [p3m]: gravity = "p3m", the smooth force of the mesh and a sum over near pairs (Hockney & Eastwood 1988, ch. 8), in
 * all the force of a direct sum with a softening.
 */
import { z } from "zod";
import {
  choice,
  type DerivedDefault,
  derived,
  entry,
  integer,
  kindOfValue,
  nonNegative,
  optional,
  positiveNumber,
  positiveOrInfinite,
} from "../../foundation/deck/keys.ts";
import { tablesOf } from "../../foundation/deck/kinds.ts";
import { mismatch, mismatchIf, type Problem, rounded } from "../../foundation/deck/problems.ts";
import type { BoxSettings } from "../../physics/particles/box.ts";
import { SOFTENING_KERNELS } from "../direct/softening.ts";
import { MOST_SUBSTEPS } from "../mesh/levels/level-grid.ts";
import type { MeshSettings, PairSettings } from "../mesh/settings.ts";
import { leastCells, reachInCells } from "./reach.ts";

/** Default softening of an expanding box, over the mean separation. */
const OF_SEPARATION = 1 / 30;
/** Largest ε in cells: at the reach Plummer's force is Newton's to 0.3 %, and the spline's is Newton's from 2.8 ε on. */
const LARGEST = { plummer: 0.25, spline: 2 } as const;

const softeningByBox: DerivedDefault = {
  text: `1/30 of the particles' mean separation in an expanding box; else required with gravity = "p3m", and 0`,
  value({ deck }) {
    if (deck.gravity !== "p3m") return 0;
    if (entry(deck, "time", "clock") !== "comoving") return undefined;
    const counts = tablesOf(deck, "particles").map(({ count, perSide }) => {
      return positiveNumber(count) ?? (positiveNumber(perSide) ?? Number.NaN) ** 3;
    });
    const count = counts.reduce((sum, some) => sum + some, 0);
    const size = positiveNumber(entry(deck, "box", "size"));
    return size && count > 0 ? Number(((OF_SEPARATION * size) / Math.cbrt(count)).toPrecision(3)) : undefined;
  },
};

const splits = kindOfValue(() => z.number().min(4).max(5.5), "a number from 4 to 5.5", "number from 4 to 5.5");

export const p3mTable = z
  .strictObject({
    softening: derived(nonNegative, softeningByBox, {
      unit: "length",
      meaning: "ε of the force at every distance, comoving in an expanding box (docs/p3m.md)",
    }),
    maxPhysicalSoftening: optional(positiveOrInfinite, Number.POSITIVE_INFINITY, {
      unit: "length",
      meaning: "in an expanding box: ε stays comoving until a·ε has this length, and keeps it from there on",
    }),
    softeningKernel: optional(choice(...SOFTENING_KERNELS), "plummer", {
      meaning: "Plummer's, up to a quarter of a cell, or a cubic spline, up to two cells, as in the table direct",
    }),
    reach: optional(splits, 5, {
      meaning: "distance up to which pairs are summed, in splits of 1.25 cells; below 5 the force has a step there",
    }),
    substeps: optional(integer(1, MOST_SUBSTEPS), 1, {
      meaning: "kicks by pairs and external potentials in a step, of which the mesh has one (docs/p3m.md)",
    }),
  })
  .describe('The mesh with pairs; used with gravity = "p3m"');
export type P3mSettings = z.output<typeof p3mTable>;

/** What a pipeline takes of it. */
export const pairsOf = (gravity: string, settings: P3mSettings): PairSettings | undefined =>
  gravity === "p3m" ? settings : undefined;

interface P3mDeck {
  p3m: P3mSettings;
  box: BoxSettings;
  mesh: MeshSettings;
  mond: { formulation: string };
  level: readonly unknown[];
  time: { clock: string };
}

export function p3mProblems(deck: P3mDeck): Problem[] {
  const { p3m, box, mesh, mond, level, time } = deck;
  const not = (wrong: boolean, [table, key]: ["mesh" | "mond", string], expected: string, hint: string) =>
    mismatchIf(wrong, [table, key], `${expected} with gravity = "p3m"`, Object(deck[table])[key], hint);
  const least = leastCells(p3m.reach);
  const soft = "Models would be set up for the force of the mesh, which pairs make that of points. Leave it out";
  const physical = "Leave it out: softening is a physical length already";
  const { kernel, gradient, assignment, poisson, cells, softenedModels } = mesh;
  const wrongLimit = time.clock !== "comoving" && p3m.maxPhysicalSoftening < Number.POSITIVE_INFINITY;
  const limit = 'inf with time.clock = "static"';
  const levels = 'no [[level]] with gravity = "p3m"';
  return [
    ...softeningProblems(p3m, box.size / cells),
    ...mismatchIf(wrongLimit, ["p3m", "maxPhysicalSoftening"], limit, p3m.maxPhysicalSoftening, physical),
    ...not(cells < least, ["mesh", "cells"], `at least ${least}`, "Pairs reach over most of such a box"),
    ...not(poisson !== "fft", ["mesh", "poisson"], '"fft"', "The long range is a spectrum"),
    ...not(gradient !== "4-point", ["mesh", "gradient"], '"4-point"', "Others leave 1 % and more of the force"),
    ...not(assignment === "ngp", ["mesh", "assignment"], '"tsc" or "cic"', "Leave it out: it is tsc"),
    ...not(box.boundary === "isolated" && kernel !== "split", ["mesh", "kernel"], '"split"', "Leave it out"),
    ...not(softenedModels, ["mesh", "softenedModels"], "false", soft),
    ...not(mond.formulation !== "none", ["mond", "formulation"], '"none"', "Pairs are Newton's"),
    ...mismatchIf(level.length > 0, ["level"], levels, `${level.length} of them`, "Pairs resolve what levels would"),
  ];
}

/** Softening over the mean separation below which particles of an expanding box deflect each other (Power et al. 2003). */
const LEAST_OF_SEPARATION = 1 / 100;

/** What there is to say of the softening: in cells and units, and whether it is small for so many particles, if that is known. */
export function p3mRemarks(
  { p3m: { softening, maxPhysicalSoftening, reach }, box, mesh, time }: Omit<P3mDeck, "mond" | "level">,
  count: number | undefined,
  lengthText: (length: number) => string,
): { notes: string[]; warnings: string[] } {
  const cell = box.size / mesh.cells;
  const cells = rounded(softening / cell, 2);
  const sums = `pairs are summed within ${reachInCells(reach)} cells`;
  const turn = Number((maxPhysicalSoftening / softening).toPrecision(3));
  const physical = turn < 1 ? `, from a = ${turn} on ${lengthText(maxPhysicalSoftening)} in physical length` : "";
  const notes = [`the softening is ${lengthText(softening)} = ${cells} cells${physical}, and ${sums}`];
  const separation = box.size / Math.cbrt(count ?? Number.POSITIVE_INFINITY);
  if (time.clock !== "comoving" || softening >= LEAST_OF_SEPARATION * separation) return { notes, warnings: [] };
  const usual = rounded(OF_SEPARATION * separation, 2);
  const share = `a ${Math.round(separation / softening)}th of the particles' mean separation`;
  const effect = "with which particles deflect each other as no dark matter does";
  return { notes, warnings: [`p3m.softening is ${share}, ${effect}. Try p3m.softening = ${usual}`] };
}

function softeningProblems({ softening, softeningKernel }: P3mSettings, cell: number): Problem[] {
  const path = ["p3m", "softening"];
  if (softening === 0) {
    const hint = "A thirtieth of the mean separation where structure forms, a thirtieth of a galaxy's scale length";
    return [mismatch(path, 'a number above 0 with gravity = "p3m"', softening, hint)];
  }
  const most = LARGEST[softeningKernel] * cell;
  if (softening <= most) return [];
  const [named, cells] = [`softeningKernel = "${softeningKernel}"`, LARGEST[softeningKernel]];
  const spline = softening <= LARGEST.spline * cell ? 'softeningKernel = "spline", whose force ends earlier, or ' : "";
  const expected = `at most ${rounded(most, 3)}, ${cells} cells, with ${named}`;
  return [mismatch(path, expected, softening, `Take ${spline}fewer mesh.cells`)];
}
