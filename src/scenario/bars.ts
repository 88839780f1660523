/** The table [bars]: measures of a disk in rings during the run, at times of their own. */
import { z } from "zod";
import { linearEdges, logarithmicEdges } from "../engine/diagnostics/profiles.ts";
import {
  choice,
  choices,
  type DerivedDefault,
  derived,
  flag,
  integer,
  names,
  optional,
  positive,
  positiveNumber,
  STAND_IN,
  vector,
} from "../foundation/deck/keys.ts";
import { mismatchIf, type Problem, shortest } from "../foundation/deck/problems.ts";
import { ofBox } from "../physics/initial/keys.ts";
import { type IdRange, MAP_AXES, type MapView } from "../physics/particles/reductions.ts";
import type { ComponentRange } from "../physics/particles/state.ts";
import { componentListProblems, mapRanges } from "./maps.ts";
import { everySteps, listedTimes, listProblems, onceProblems, stepCountProblems } from "./output.ts";
import type { Scenario } from "./scenario.ts";

/** Innermost edge of logarithmic rings over the outermost. */
const INNERMOST = 0.01;

const quarterBox = ofBox(1 / 4, "box.size / 4");
/** `share` of the outermost ring's radius, whose own default may not be filled in yet. */
const ofRadius = (share: number, text: string): DerivedDefault => ({
  text,
  value: (context) => {
    const { radius } = context.table;
    return share * (positiveNumber(radius) ?? positiveNumber(quarterBox.value(context)) ?? STAND_IN);
  },
});

export const barsTable = z
  .strictObject({
    count: optional(integer(0, 100_000), 0, {
      meaning: "rows after the initial one, evenly spaced; 0 measures no bars, unless bars.every or bars.times does",
    }),
    every: everySteps("a row"),
    times: listedTimes("rows at these times alone,"),
    components: optional(names, [], {
      meaning: 'names, species or galaxies to measure; when empty the species "disk", or all where there is none',
    }),
    radius: derived(positive, quarterBox, { unit: "length", meaning: "outer edge of the rings" }),
    rings: optional(integer(4, 1000), 40, { meaning: "number of rings" }),
    spacing: optional(choice("linear", "logarithmic"), "linear", {
      meaning: "of their edges; logarithmic ones begin at radius / 100",
    }),
    height: derived(positive, ofRadius(1, "bars.radius"), {
      unit: "length",
      meaning: "particles further from the plane of the rings don't count",
    }),
    within: derived(positive, ofRadius(0.5, "bars.radius / 2"), {
      unit: "length",
      meaning: "the bar's phase, pattern speed and buckling are those of all rings within: about the length of the bar",
    }),
    normal: optional(vector, [0, 0, 1], { meaning: "axis of the rings, of any length" }),
    window: optional(integer(3, 1001), 9, { meaning: "rows that a pattern speed is fitted to, its own in the middle" }),
    multipoles: optional(flag, false, { meaning: "those of l = 1 to 4, too, in shells between the same radii" }),
    velocityMaps: optional(choices(...MAP_AXES), [], {
      meaning: 'maps of mean velocity and dispersion along "z" (face-on), "y" or "x", as wide as the rings',
    }),
    pixels: optional(integer(4, 1024), 100, { meaning: "of a row and a column of these maps" }),
  })
  .describe("Bars, arms and rings of a disk during the run, in bars.hdf5 and bars.csv");
type BarsSettings = z.output<typeof barsTable>;

export const measuresBars = ({ count, every, times }: BarsSettings): boolean =>
  count > 0 || every > 0 || times.length > 0;

export function barsProblems(deck: Scenario): Problem[] {
  const { bars, box, time } = deck;
  const { count, every, times, radius, within, normal, velocityMaps, components } = bars;
  if (!measuresBars(bars)) return [];
  const at = (key: string) => ["bars", key];
  const [key, none, found] =
    count > 0 ? ["count", "0", count] : every > 0 ? ["every", "0", every] : ["times", "none", times];
  const own = "A disk is measured about its own centre";
  return [
    ...componentListProblems(at("components"), components, deck),
    ...listProblems(at("times"), times, time),
    ...stepCountProblems(at("every"), every, time, { count: "bars.count", list: "bars.times", times }),
    ...mismatchIf(box.boundary !== "isolated", at(String(key)), `${none} in a periodic box`, found, own),
    ...mismatchIf(radius > box.size / 2, at("radius"), `at most half of box.size = ${shortest(box.size)}`, radius),
    ...mismatchIf(within > radius, at("within"), `at most bars.radius = ${shortest(radius)}`, within),
    ...mismatchIf(!normal.some((x) => x !== 0), at("normal"), "a direction", normal),
    ...onceProblems(at("velocityMaps"), velocityMaps, "each axis once"),
  ];
}

export function barEdges({ radius, rings, spacing }: BarsSettings): number[] {
  return spacing === "linear" ? linearEdges(radius, rings) : logarithmicEdges(INNERMOST * radius, radius, rings);
}

/** Ids of the particles measured; undefined for all. */
export function barRanges({ components }: BarsSettings, present: readonly ComponentRange[]): IdRange[] | undefined {
  const disk = present.some(({ species, count }) => species === "disk" && count > 0);
  return mapRanges({ components: components.length === 0 && disk ? ["disk"] : components }, present);
}

/** Views of the maps of velocities about a centre, as far as the box holds them. */
export function velocityViews({ bars, box }: Scenario, centre: readonly number[]): MapView[] {
  const { velocityMaps, pixels, radius } = bars;
  const [x, y, z] = centre;
  const square = { span: Math.min(2 * radius, box.size), width: pixels, height: pixels };
  return velocityMaps.map((axis) => ({ axis, centre: [x, y, z], ...square }));
}
