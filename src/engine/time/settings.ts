/** The table [time]: the clock, and how long and in what steps a run goes. */
import { z } from "zod";
import {
  choice,
  type DerivedDefault,
  derived,
  entry,
  nonNegative,
  numbers,
  optional,
  orWord,
  positive,
  positiveNumber,
  positiveOrInfinite,
  required,
  STAND_IN,
} from "../../foundation/deck/keys.ts";
import { mismatch, type Problem } from "../../foundation/deck/problems.ts";

const endTime: DerivedDefault = {
  text: "time.end",
  value: ({ deck }) => positiveNumber(entry(deck, "time", "end")) ?? STAND_IN,
};

export const timeTable = z
  .strictObject({
    clock: optional(choice("static", "comoving"), "static", {
      meaning: "static, or an expanding box (table cosmology) whose time is the scale factor a",
    }),
    start: optional(nonNegative, 0, { meaning: "comoving: scale factor at the start; static runs start at 0" }),
    end: required(positive, {
      unit: "time",
      later: true,
      meaning: "time at which the run ends; comoving: scale factor",
    }),
    continued: optional(numbers, [], {
      unit: "time",
      meaning:
        "ends that the run had before it was continued (--resume FOLDER time.end=…), written by gravmesh: outputs are spread evenly over the first part, and keep that spacing",
    }),
    spacing: optional(choice("a", "log-a"), "a", { meaning: "comoving: step in a, or in ln a" }),
    factors: optional(choice("growth-corrected", "standard"), "growth-corrected", {
      meaning: "comoving: kicks and drifts that follow linear growth (FastPM), or the clock alone",
    }),
    step: required(orWord(positive, "adaptive"), {
      unit: "time",
      meaning:
        "fixed step, or adaptive: one global step, chosen during the run; with gravity = direct the largest step",
    }),
    accuracy: optional(positive, 0.2, { meaning: "adaptive: step ≤ accuracy · sqrt(cell / largest acceleration)" }),
    courant: optional(positive, 0.5, { meaning: "adaptive: step ≤ courant · cell / largest speed" }),
    maxStep: derived(positiveOrInfinite, endTime, { unit: "time", meaning: "adaptive: never longer than this" }),
    maxEnergyError: optional(positiveOrInfinite, 1, {
      later: true,
      meaning: "a run whose relative energy error exceeds this has failed; inf lets any pass",
    }),
  })
  .describe("How long and in what steps");
export type TimeSettings = z.output<typeof timeTable>;

/** A step may be longer than the deck's by this fraction, so that 1.1 / 0.1 is 11 steps, not 12. */
const STEP_ROUNDING = 1e-9;

/** Steps of a fixed-step run; undefined for an adaptive one. */
export function fixedSteps({ time }: { time: TimeSettings }): number | undefined {
  if (time.step === "adaptive") return undefined;
  return stepsBetween(time, time.start, time.end);
}

/** Fixed steps, of equal length or equal in ln a, that lead from one time to another. */
export function stepsBetween(time: TimeSettings, from: number, to: number): number {
  return Math.max(1, Math.ceil((distance(time, from, to) / (time.step as number)) * (1 - STEP_ROUNDING)));
}

const inLogarithm = ({ clock, spacing }: TimeSettings) => clock === "comoving" && spacing === "log-a";

/** Time a `share` of the way from one to another: evenly, or evenly in ln a. Both ends are exact. */
export function between(time: TimeSettings, from: number, to: number, share: number): number {
  if (share === 0 || share === 1) return share === 0 ? from : to;
  return inLogarithm(time) ? from * (to / from) ** share : from + (to - from) * share;
}

/** How far two times are apart in the variable that steps are equal in. */
export function distance(time: TimeSettings, from: number, to: number): number {
  return inLogarithm(time) ? Math.log(to / from) : to - from;
}

export function timeProblems(time: TimeSettings): Problem[] {
  const { clock, start, end, step } = time;
  const problems: Problem[] = [...partProblems(time)];
  if (step !== "adaptive") {
    if (step > end) problems.push(mismatch(["time", "step"], `at most time.end = ${end}`, step));
    else if (!(end / step < 2 ** 31)) {
      problems.push(mismatch(["time", "step"], `fewer than 2^31 steps up to time.end = ${end}`, step));
    }
  }
  if (clock === "static" && start !== 0) {
    const hint = 'Set it to 0, or time.clock = "comoving"';
    problems.push(mismatch(["time", "start"], "0 with a static clock", start, hint));
  }
  if (clock === "comoving" && !(start > 0 && start < end)) {
    const expected = `a scale factor above 0 and below time.end = ${end} with clock = "comoving"`;
    problems.push(mismatch(["time", "start"], expected, start, "a = 1/(1 + z): 1/64 is redshift 63"));
  }
  return problems;
}

/** What is wrong with a continued run's parts: they follow each other, and those of a static clock are whole steps. */
function partProblems(time: TimeSettings): Problem[] {
  const { clock, start, end, step, continued } = time;
  if (continued.length === 0) return [];
  const ends = [...continued, end];
  if (ends.some((one, part) => !(one > (ends[part - 1] ?? start)))) {
    const expected = `times after time.start that grow and end before time.end = ${end}`;
    return [mismatch(["time", "continued"], expected, continued)];
  }
  if (clock !== "static" || step === "adaptive") return [];
  const [first] = ends;
  const dt = first / stepsBetween(time, start, first);
  const odd = ends.find((one) => Math.abs(one / dt - Math.round(one / dt)) > STEP_ROUNDING * (one / dt));
  if (odd === undefined) return [];
  const near = [Math.floor(odd / dt), Math.ceil(odd / dt)].map((steps) => Number((steps * dt).toPrecision(12)));
  const expected = `whole steps of ${dt}, which the run was begun with`;
  return [mismatch(["time", odd === end ? "end" : "continued"], expected, odd, `Try ${near.join(" or ")}`)];
}
