/** The table [maps]: pictures of the projected density at times of their own, without particles: for movies. */
import { groups } from "d3-array";
import { z } from "zod";
import {
  choice,
  choices,
  type DerivedDefault,
  derived,
  entry,
  flag,
  inFloat32,
  integer,
  kindOfValue,
  names,
  optional,
  positive,
  vector,
} from "../foundation/deck/keys.ts";
import { mismatch, mismatchIf, type Problem, shortest } from "../foundation/deck/problems.ts";
import { ofBox } from "../physics/initial/keys.ts";
import { MOST_PIXELS } from "../physics/particles/map-grid.ts";
import { type IdRange, MAP_AXES, type MapView, type Vector } from "../physics/particles/reductions.ts";
import { type ComponentRange, SPECIES } from "../physics/particles/state.ts";
import { listedTimes, listProblems, onceProblems } from "./output.ts";
import type { Scenario } from "./scenario.ts";

const frameCount = integer(0, 10_000);

const place = kindOfValue(
  () => z.union([vector.schema(), z.string().regex(/\S/)]),
  "three numbers [x, y, z], or the name of a galaxy",
  "[x, y, z], or text",
  inFloat32,
);

/** `output.frames` is all that a movie needs. */
const asFrames: DerivedDefault = {
  text: "output.frames",
  value: ({ deck }) => frameCount.schema().safeParse(entry(deck, "output", "frames")).data ?? 0,
};
const DEFAULT_PIXELS = 400;
const pixels = integer(1, MOST_PIXELS);
const asWide: DerivedDefault = {
  text: "maps.width",
  value: ({ table: { width } }) => (pixels.schema().safeParse(width).success ? width : DEFAULT_PIXELS),
};

export const mapsTable = z
  .strictObject({
    count: derived(frameCount, asFrames, {
      meaning: "maps after the initial one, evenly spaced; 0 writes none at all, unless maps.times does",
    }),
    times: listedTimes("maps at these times alone,"),
    axes: optional(choices(...MAP_AXES), ["z"], {
      meaning:
        'which ways they look: along "z" (face-on: x right, y up), "y" (edge-on: x right, z up), "x" (y right, z up)',
    }),
    by: optional(choice("all", "species", "component", "galaxy"), "all", {
      meaning: "one map of everything shown, or one of each species, component or galaxy",
    }),
    phantom: optional(flag, false, {
      meaning: "modified gravity: maps of the phantom matter, too, always of all of it",
    }),
    width: optional(pixels, DEFAULT_PIXELS, { meaning: "pixels of a row" }),
    height: derived(pixels, asWide, { meaning: "pixels of a column" }),
    span: derived(positive, ofBox(1, "box.size"), { unit: "length", meaning: "extent of a row; pixels are square" }),
    centre: optional(place, [0, 0, 0], {
      unit: "length",
      meaning: "middle of the maps, from the middle of the box; with a galaxy's name they follow its density centre",
    }),
    components: optional(names, [], {
      meaning:
        'names, species or galaxies to show, ["disk", "bulge"]; when empty all, in a map of all but the haloes that would veil a disk',
    }),
  })
  .describe("Pictures of the projected density for movies, in maps.hdf5, without particles");
type MapsSettings = z.output<typeof mapsTable>;

export function mapsProblems({ maps, box, time, particles, galaxy }: Scenario): Problem[] {
  const { axes, width, height, span, centre, components, times } = maps;
  const sides = { span, "span × height / width": (span / width) * height };
  const [large] = Object.entries(sides).filter(([, side]) => side > box.size * (1 + 1e-9));
  const galaxies = galaxy.map(({ name }) => name);
  const fromFile = particles.some(({ kind }) => kind === "snapshot");
  const nowhere = typeof centre === "string" && !fromFile && !galaxies.includes(centre);
  const expected = `three numbers [x, y, z], or the name of a galaxy (${galaxies.join(", ") || "there is none"})`;
  return [
    ...listProblems(["maps", "times"], times, time),
    ...onceProblems(["maps", "axes"], axes, "each axis once"),
    ...mismatchIf(axes.length === 0, ["maps", "axes"], "at least one axis", axes),
    ...(large ? [mismatch(["maps", "span"], `${large[0]} of at most box.size = ${shortest(box.size)}`, large[1])] : []),
    ...mismatchIf(nowhere, ["maps", "centre"], expected, centre),
    ...componentListProblems(["maps", "components"], components, { particles, galaxy }),
  ];
}

/** Problems of a list of names, species or galaxies of components. */
export function componentListProblems(
  path: string[],
  components: readonly string[],
  { particles, galaxy }: Pick<Scenario, "particles" | "galaxy">,
): Problem[] {
  // A snapshot's components have names of its own.
  const fromFile = particles.some(({ kind }) => kind === "snapshot");
  const galaxies = galaxy.map(({ name }) => name);
  const known = new Set<string>([...SPECIES, ...[...particles, ...galaxy].map(({ name }) => name)]);
  const unknown = components.find((name) => !fromFile && !known.has(name));
  if (unknown === undefined) return [];
  const words = [
    `names of components (${particles.map(({ name }) => name).join(", ")})`,
    ...(galaxies.length > 0 ? [`galaxies (${galaxies.join(", ")})`] : []),
    `species (${SPECIES.join(", ")})`,
  ];
  return [mismatch(path, words.join(" or "), unknown)];
}

/** A view along each axis; `galaxy`: density centre of the one that they follow, in box coordinates. */
export function mapViews({ maps, box }: Pick<Scenario, "maps" | "box">, galaxy?: Vector): MapView[] {
  const { axes, centre, span, width, height } = maps;
  const offset = typeof centre === "string" ? [0, 0, 0] : centre;
  const [x, y, z] = galaxy ?? offset.map((distance) => box.size / 2 + distance);
  return axes.map((axis) => ({ axis, centre: [x, y, z], span, width, height }));
}

/** The words that a component is meant by. */
export const componentNames = ({ name, species, galaxy = name }: ComponentRange): string[] => [name, species, galaxy];

/** Ids of the particles shown; undefined for all. */
export function mapRanges(
  { components }: Pick<MapsSettings, "components">,
  present: readonly ComponentRange[],
): IdRange[] | undefined {
  if (components.length === 0) return undefined;
  const shown = present.filter((one) =>
    // A file's components keep their own names after that of its table.
    components.some((word) => componentNames(one).includes(word) || one.name.startsWith(`${word} `)),
  );
  return shown.length > 0 ? shown.map(({ first, count }) => ({ first, count })) : [{ first: 0, count: 0 }];
}

/** What a picture of all shows: with a disk, haloes are left out, because they would veil it. */
export function visibleOf(present: readonly ComponentRange[]): ComponentRange[] {
  const disk = present.some(({ species, count }) => species === "disk" && count > 0);
  return present.filter(({ species, count }) => count > 0 && !(disk && species === "halo"));
}

/** The maps of each view: by species, component or galaxy, or one of all, without a name; ranges undefined for all particles. */
export function mapGroups(settings: MapsSettings, present: readonly ComponentRange[]) {
  const listed = mapRanges(settings, present);
  const all = settings.by === "all" ? visibleOf(present) : present;
  const shown = listed ? present.filter(({ first }) => listed.some((range) => range.first === first)) : all;
  if (settings.by !== "all") return groupsBy(settings.by, shown);
  const veiled = shown.length < present.length ? shown.map(({ first, count }) => ({ first, count })) : undefined;
  return [{ name: undefined, components: shown.map(({ name }) => name), ranges: listed ?? veiled }];
}

/** Components by what they have in common, in their order. */
export function groupsBy(by: Exclude<MapsSettings["by"], "all">, components: readonly ComponentRange[]) {
  const wordOf = (one: ComponentRange) =>
    by === "species" ? one.species : by === "component" ? one.name : (one.galaxy ?? "no galaxy");
  const present = components.filter(({ count }) => count > 0);
  return groups(present, wordOf).map(([word, members]) => ({
    name: word,
    components: members.map(({ name }) => name),
    ranges: members.map(({ first, count }) => ({ first, count })),
  }));
}
