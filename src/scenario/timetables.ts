/** When a deck's outputs are due: the timetable of each kind that engine/time/schedule.ts lists. */

import { continuedSchedule } from "../engine/time/continued.ts";
import { nearestOf, type OutputKind, SAME_TIME, type Schedule, type Timetable } from "../engine/time/schedule.ts";
import { shortest } from "../foundation/deck/problems.ts";
import type { Scenario } from "./scenario.ts";

type OutputTimes = Pick<Scenario, "time" | "output" | "maps" | "subsample" | "bars" | "haloes" | "fields">;

const scaleFactors = (redshifts: readonly number[]) => redshifts.map((z) => 1 / (1 + z));

const TIMETABLES: Record<OutputKind, (scenario: OutputTimes) => Timetable> = {
  snapshot({ time: { clock }, output: { snapshots, every, redshifts, times } }) {
    const epochs = clock === "comoving" ? scaleFactors(redshifts) : times;
    if (epochs.length > 0) return { times: epochs, ends: true, exact: true };
    return every > 0 ? { every } : { count: Math.max(1, snapshots) };
  },
  // Adaptive steps of a comoving clock go from redshift to redshift, and aren't cut by rows between them.
  diagnostics({ time, output: { diagnostics, diagnosticsEvery, diagnosticsTimes, redshifts } }) {
    if (diagnosticsTimes.length > 0) return { times: diagnosticsTimes, ends: true };
    if (diagnosticsEvery > 0) return { every: diagnosticsEvery };
    return time.clock === "comoving" && time.step === "adaptive" && redshifts.length > 0
      ? { times: scaleFactors(redshifts), ends: true }
      : { count: Math.max(1, diagnostics) };
  },
  maps: ({ maps }) => listedOr(maps),
  subsample: ({ subsample }) => (subsample.every > 0 ? listedOr(subsample) : { count: 0 }),
  fields: ({ fields }) => (fields.of.length > 0 ? listedOr(fields) : { count: 0 }),
  bars: ({ bars }) => (bars.every > 0 ? { every: bars.every } : listedOr(bars)),
  haloes(scenario) {
    const { definitions, count, every, times } = scenario.haloes;
    if (definitions.length === 0) return { count: 0 };
    if (every > 0) return { every };
    return count > 0 || times.length > 0 ? listedOr({ count, times }) : TIMETABLES.snapshot(scenario);
  },
};

/** What has times of its own is written at these alone, where there are any. */
const listedOr = ({ times, count }: { times: readonly number[]; count: number }): Timetable =>
  times.length > 0 ? { times, ends: false } : { count };

/** A line for listed times that come to one output: no step ends between them. */
export function sharedTimes(scenario: OutputTimes): string[] {
  const { outputs } = scheduleOf(scenario);
  const { start, end } = scenario.time;
  return Object.entries(TIMETABLES).flatMap(([kind, timetable]) => {
    const table = timetable(scenario);
    if (!("times" in table)) return [];
    const due = outputs.flatMap((output) => (output[kind as OutputKind] ? output.time : []));
    const wanted = [...new Set([...table.times, ...(table.ends ? [start, end] : [])])].sort(
      (one, other) => one - other,
    );
    const same = (t: number, i: number) => i > 0 && nearestOf(due, t) === nearestOf(due, wanted[i - 1]);
    const pair = wanted.findIndex((t, i) => same(t, i) && t - wanted[i - 1] > SAME_TIME * t);
    if (pair < 0) return [];
    const [one, other] = [wanted[pair - 1], wanted[pair]].map(shortest);
    return [
      `${kind}: the times ${one} and ${other} are nearest to one step: there is one output for both, a shorter time.step parts them`,
    ];
  });
}

/** The outputs and steps of a run of this deck. */
export function scheduleOf(scenario: OutputTimes): Schedule {
  const tables = Object.entries(TIMETABLES).map(([kind, timetable]) => [kind, timetable(scenario)]);
  return continuedSchedule(scenario.time, Object.fromEntries(tables) as Record<OutputKind, Timetable>);
}
