/** [[galaxy]] tables: components that have a place, a velocity and an orientation together, or an orbit about another. */
import { z } from "zod";
import {
  anyNumber,
  choice,
  innerTable,
  kindOfValue,
  nonNegative,
  omittable,
  optional,
  positive,
  required,
  vector,
} from "../../foundation/deck/keys.ts";
import { type PlainTables, plainName } from "../../foundation/deck/kinds.ts";

const ofAnother = kindOfValue(() => z.string().regex(/\S/), "the name of another galaxy", "text");
const angle = { unit: "degrees" as const };

export const orbitTable = z.strictObject({
  of: required(ofAnother, { meaning: "name of the galaxy that it is about" }),
  pericentre: required(positive, { unit: "length", meaning: "least separation of the two" }),
  eccentricity: optional(nonNegative, 1, {
    meaning:
      "(apocentre − pericentre)/(apocentre + pericentre): 0 circle, 1 what just escapes (of points a parabola), above it with energy to spare",
  }),
  separation: required(positive, { unit: "length", meaning: "at the start, on the way to the pericentre" }),
  field: optional(choice("actual", "points"), "actual", {
    meaning: "what it is an orbit in: the mass profiles and potentials of both; or points of their masses (Kepler)",
  }),
  mass: optional(choice("total", "within"), "total", {
    meaning: 'with field = "points", of the other galaxy: all of it, or its mass "within" the separation',
  }),
  inclination: optional(anyNumber, 0, { ...angle, meaning: "of the orbit's plane to the x-y plane" }),
  node: optional(anyNumber, 0, { ...angle, meaning: "from +x to where the orbit rises through the x-y plane" }),
  argument: optional(anyNumber, 0, { ...angle, meaning: "from that node, or from +x, to the pericentre" }),
});

const galaxySchema = z
  .strictObject({
    name: required(plainName, { meaning: "by which components say that they belong to it" }),
    centre: optional(vector, [0, 0, 0], {
      unit: "length",
      meaning: "place of its centre, or of the centre of mass of those in orbit about it, from the centre of the box",
    }),
    velocity: optional(vector, [0, 0, 0], { unit: "velocity", meaning: "of the same" }),
    inclination: optional(anyNumber, 0, {
      ...angle,
      meaning: "of its own x-y plane, in which disks lie, to the box's; above 90 it turns the other way round",
    }),
    node: optional(anyNumber, 0, {
      ...angle,
      meaning: "from +x to where its disk's stars rise through the box's x-y plane",
    }),
    argument: omittable(anyNumber, {
      ...angle,
      meaning:
        "instead of node, of galaxies on an orbit (Toomre & Toomre's ω): from where the other one rises through this one's plane to the pericentre; inclination is then to the orbit's plane",
    }),
    spin: optional(anyNumber, 0, { ...angle, meaning: "first of all turns it about its own axis" }),
    orbit: omittable(innerTable(orbitTable), {
      meaning: "places it on an orbit about another galaxy, in the field of both, with the keys below",
    }),
  })
  .describe("Components that belong together, in a frame of their own");

/** A [[galaxy]] table as checked. */
export type GalaxySettings = z.output<typeof galaxySchema>;
export type OrbitSettings = z.output<typeof orbitTable>;
/** The same as a program writes it. */
export type DeckGalaxy = z.input<typeof galaxySchema>;

export const galaxyTables: PlainTables = {
  name: "galaxy",
  noun: "galaxy",
  nouns: "galaxies",
  about:
    "Components that belong together: a [[particles]] or [[potential]] table with the name of one lies in its frame (docs/encounters.md); isolated box only",
  least: 0,
  schema: galaxySchema,
};
