/** [[level]] tables: meshes of smaller cells that move with what they are around (docs/levels.md). */
import { z } from "zod";
import {
  type DerivedDefault,
  derived,
  either,
  integer,
  omittable,
  optional,
  text,
  vector,
} from "../../../foundation/deck/keys.ts";
import { namesOf, type PlainTables, plainName } from "../../../foundation/deck/kinds.ts";
import { meshSize, meshSizes, SMALLEST_MESH } from "../../../foundation/deck/mesh-sizes.ts";
import type { RawTable } from "../../../foundation/deck/tables.ts";
import { LEVEL_EDGE, MOST_SUBSTEPS } from "./level-grid.ts";

const REFINEMENT = 4;
/** Cells a side of a level that doesn't say, where the box has room for them. */
const USUAL_CELLS = 128;

/** "NGC 4038", and "NGC 4038 2" for the next one around the same. */
const nameOfPlace: DerivedDefault = {
  text: "what it is around, or level, with a number where that is taken",
  value: ({ siblings, index }) => namesOf(siblings)[index],
};

const cellsThatFit: DerivedDefault = {
  text: `${USUAL_CELLS}, or fewer where the box has no room for them`,
  value({ deck, table: { refinement = REFINEMENT } }) {
    const { mesh } = deck as { mesh?: RawTable };
    const room = Number(refinement) * (Number(mesh?.cells) - 2 * LEVEL_EDGE);
    return meshSizes.findLast((size) => size <= Math.min(USUAL_CELLS, room || USUAL_CELLS)) ?? SMALLEST_MESH;
  },
};

const levelSchema = z
  .strictObject({
    name: derived(plainName, nameOfPlace, { meaning: "label in messages and reports, and in overrides" }),
    around: omittable(text, {
      meaning:
        "name of the [[galaxy]] or component that it moves with; the second level around the same lies in the first, and so on",
    }),
    offset: omittable(vector, {
      unit: "length",
      meaning: "instead of around: where it stays, from the centre of the box, which it is without both",
    }),
    refinement: optional(either(2, 4), REFINEMENT, {
      meaning: "cells of the mesh that it lies in over its own, along a side",
    }),
    cells: derived(meshSize, cellsThatFit, { unit: "cells", meaning: "cells per side" }),
    substeps: optional(integer(1, MOST_SUBSTEPS), 1, {
      meaning:
        "kicks in a step by what levels add, the same number for all; the rest of the mesh force kicks once a step",
    }),
  })
  .describe("A mesh of smaller cells within that of the box");

/** A [[level]] table as checked. */
export type LevelTable = z.output<typeof levelSchema>;
export type DeckLevel = z.input<typeof levelSchema>;

export const levelTables: PlainTables = {
  name: "level",
  noun: "level",
  nouns: "levels",
  about: "Meshes of smaller cells that move with galaxies, where the mesh of the box is too coarse (docs/levels.md)",
  least: 0,
  schema: levelSchema,
};
