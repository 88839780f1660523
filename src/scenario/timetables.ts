/** When a deck's outputs are due: the timetable of each kind that time/schedule.ts lists. */
import { continuedSchedule } from "../time/continued.ts";
import type { OutputKind, Schedule, Timetable } from "../time/schedule.ts";
import type { Scenario } from "./scenario.ts";

type OutputTimes = Pick<Scenario, "time" | "output" | "maps" | "subsample" | "bars">;

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
  bars: ({ bars }) => (bars.every > 0 ? { every: bars.every } : listedOr(bars)),
};

/** What has times of its own is written at these alone, where there are any. */
const listedOr = ({ times, count }: { times: readonly number[]; count: number }): Timetable =>
  times.length > 0 ? { times, ends: false } : { count };

/** The outputs and steps of a run of this deck. */
export function scheduleOf(scenario: OutputTimes): Schedule {
  const tables = Object.entries(TIMETABLES).map(([kind, timetable]) => [kind, timetable(scenario)]);
  return continuedSchedule(scenario.time, Object.fromEntries(tables) as Record<OutputKind, Timetable>);
}
