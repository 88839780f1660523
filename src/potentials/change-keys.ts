/** Keys of [[potential]] tables by which a potential changes with time, and what they mean for it (motion.ts). */
import { z } from "zod";
import {
  anyNumber,
  filledText,
  innerTable,
  kindOfValue,
  nonNegative,
  omittable,
  optional,
  positive,
  required,
} from "../deck/keys.ts";
import { mismatch, type Path, type Problem } from "../deck/problems.ts";

/** What of a potential isn't fixed; all of it may be left out. */
export interface Changes {
  /** The frame of a bar: pattern speed [rad/time], and the angle of its x axis at time 0 [rad]. */
  turn?: { speed: number; phase: number };
  /** Factor from 0 before the first time to 1 after the second [time], by `risen`. */
  grow?: readonly [from: number, to: number];
  /** Factor e^{−(t − from)/scale} after `from` [time]. */
  decay?: readonly [from: number, scale: number];
  /** Nothing from this time on. */
  until?: number;
  /** Added to the centre. */
  path?: CentrePath;
}

/** Where a centre is, to be joined by natural cubic splines. */
export interface CentrePath {
  /** [n ≥ 2] ascending [time] */
  times: readonly number[];
  /** [n][3] [length] */
  points: readonly (readonly number[])[];
}

const start = { unit: "time" as const };

const growTable = z.strictObject({
  from: optional(nonNegative, 0, { ...start, meaning: "time up to which there is nothing" }),
  to: required(positive, { ...start, meaning: "time from which all of it acts" }),
});

const decayTable = z.strictObject({
  from: optional(nonNegative, 0, { ...start, meaning: "time up to which all of it acts" }),
  time: required(positive, { ...start, meaning: "time in which it falls by a factor e" }),
});

/** Keys of every kind. */
export const changeKeys = {
  grow: omittable(innerTable(growTable), {
    meaning: "grows from nothing, as Dehnen's (2000) bar does: smooth to the second derivative",
  }),
  decay: omittable(innerTable(decayTable), { meaning: "falls off exponentially: e^(−(t − from)/time) after from" }),
  until: omittable(positive, { ...start, meaning: "switched off at this time" }),
  path: omittable(filledText, {
    meaning:
      "file with rows of t, x, y, z [time, length] that are added to the centre, joined by cubic splines; the acceleration of the centre itself is felt by nothing",
  }),
};

const degrees = kindOfValue(() => z.number(), "an angle in degrees", "number");

/** Keys of kinds that have a frame. */
export const turnKeys = {
  patternSpeed: optional(anyNumber, 0, {
    unit: "frequency",
    meaning: "angular velocity Ω of the frame about the z axis; above 0 from x to y",
  }),
  phase: optional(degrees, 0, { unit: "degrees", meaning: "angle of the frame's x axis, the bar's, at time 0" }),
};

type GivenChanges = { [K in keyof typeof changeKeys]?: z.output<(typeof changeKeys)[K]> };
/** A table as checked, as far as it says what changes. */
export type ChangingTable = GivenChanges & Partial<Record<keyof typeof turnKeys, number>>;

/** What a table says of changes; a path is read elsewhere. */
export function changesOf({ grow, decay, until, patternSpeed = 0, phase = 0 }: ChangingTable): Changes {
  return {
    ...((patternSpeed !== 0 || phase !== 0) && { turn: { speed: patternSpeed, phase: (phase * Math.PI) / 180 } }),
    ...(grow && { grow: [grow.from, grow.to] as const }),
    ...(decay && { decay: [decay.from, decay.time] as const }),
    ...(until !== undefined && { until }),
  };
}

export function changeProblems({ grow }: ChangingTable, at: Path): Problem[] {
  if (!grow || grow.to > grow.from) return [];
  return [mismatch([...at, "grow", "to"], `a time after grow.from = ${grow.from}`, grow.to)];
}
