/** When a deck's outputs are due: the timetable of each kind that time/schedule.ts lists. */
import { continuedSchedule } from "../time/continued.ts";
import type { OutputKind, Schedule, Timetable } from "../time/schedule.ts";
import type { TimeSettings } from "../time/settings.ts";

/** What of a scenario says when outputs are due. */
export interface OutputTimes {
  time: TimeSettings;
  output: { snapshots: number; diagnostics: number; redshifts: number[]; times?: number[] };
  /** None without. */
  maps?: { count: number };
  /** None without, or where `every` is 0. */
  subsample?: { every: number; count: number };
}

const scaleFactors = (redshifts: readonly number[]) => redshifts.map((z) => 1 / (1 + z));

const TIMETABLES: Record<OutputKind, (scenario: OutputTimes) => Timetable> = {
  snapshot({ time: { clock }, output: { snapshots, redshifts, times = [] } }) {
    const epochs = clock === "comoving" ? scaleFactors(redshifts) : times;
    return epochs.length > 0 ? { times: epochs, ends: true, exact: true } : { count: Math.max(1, snapshots) };
  },
  // Adaptive steps of a comoving clock go from redshift to redshift, and aren't cut by rows between them.
  diagnostics: ({ time, output: { diagnostics, redshifts } }) =>
    time.clock === "comoving" && time.step === "adaptive" && redshifts.length > 0
      ? { times: scaleFactors(redshifts), ends: true }
      : { count: Math.max(1, diagnostics) },
  maps: ({ maps }) => ({ count: maps?.count ?? 0 }),
  subsample: ({ subsample }) => ({ count: subsample && subsample.every > 0 ? subsample.count : 0 }),
};

/** The outputs and steps of a run of this deck. */
export function scheduleOf(scenario: OutputTimes): Schedule {
  const tables = Object.entries(TIMETABLES).map(([kind, timetable]) => [kind, timetable(scenario)]);
  return continuedSchedule(scenario.time, Object.fromEntries(tables) as Record<OutputKind, Timetable>);
}
