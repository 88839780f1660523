/** The table [output]: what a run writes, and when. */
import { z } from "zod";
import { linkingRange } from "../engine/diagnostics/friends-of-friends-search.ts";
import type { TimeSettings } from "../engine/time/settings.ts";
import {
  choices,
  type DerivedDefault,
  derived,
  entry,
  flag,
  integer,
  LARGEST_U32,
  nonNegative,
  numbers,
  optional,
  positive,
} from "../foundation/deck/keys.ts";
import { mismatch, mismatchIf, type Problem, shortest } from "../foundation/deck/problems.ts";
import { PARTICLE_FIELDS, type ParticleColumn } from "../physics/particles/blocks.ts";

const whenComoving: DerivedDefault = {
  text: 'true with time.clock = "comoving"',
  value: ({ deck }) => entry(deck, "time", "clock") === "comoving",
};

const AT_TIMES = "comoving: scale factors; with a fixed step, at the steps nearest to them";

/** Listed times of what isn't snapshots; `what` is written at them. */
export const listedTimes = (what: string) =>
  optional(numbers, [], { later: true, unit: "time", meaning: `${what} instead of evenly spaced ones; ${AT_TIMES}` });

/** Every so many fixed steps; `what` is written. */
export const everySteps = (what: string) =>
  optional(integer(0, LARGEST_U32), 0, {
    meaning: `fixed step: ${what} after every so many steps and at the end, instead of evenly spaced ones; 0 is off`,
  });

export const outputTable = z
  .strictObject({
    snapshots: optional(integer(0, 100_000), 10, {
      meaning: "snapshots after the initial one, evenly spaced; 0 writes only the last",
    }),
    every: everySteps("a snapshot"),
    diagnostics: optional(integer(1, 10_000_000), 100, {
      meaning: "rows of diagnostics.csv after the initial one, evenly spaced",
    }),
    diagnosticsEvery: everySteps("a row"),
    diagnosticsTimes: listedTimes("rows at these times, at the start and at the end"),
    frames: optional(integer(0, 10_000), 0, {
      meaning: "maps of the density after the initial one, for gravmesh movie (table maps)",
    }),
    checkpointMinutes: optional(nonNegative, 10, {
      later: true,
      unit: "minutes",
      meaning: "wall-clock time between checkpoints; 0 writes one only at an interruption and at the end",
    }),
    redshifts: optional(numbers, [], {
      later: true,
      meaning: "comoving: snapshots at these redshifts instead of evenly spaced ones",
    }),
    times: optional(numbers, [], {
      later: true,
      unit: "time",
      meaning:
        "static: snapshots at these times instead of evenly spaced ones; with a fixed step, at the steps nearest to them",
    }),
    powerSpectra: derived(flag, whenComoving, { meaning: "periodic: power spectrum with every snapshot" }),
    haloes: derived(flag, whenComoving, { later: true, meaning: "periodic: friends-of-friends catalogue at the end" }),
    linkingLength: optional(positive, 0.2, { later: true, meaning: "of the haloes, in mean separations" }),
    leastMembers: optional(integer(2, LARGEST_U32), 20, { later: true, meaning: "of a halo" }),
    potential: optional(flag, false, { meaning: 'the same as "potential" among the fields' }),
    fields: optional(choices(...PARTICLE_FIELDS), ["positions", "velocities", "ids", "masses"], {
      meaning:
        'what snapshots have of each particle: "positions", which they can\'t be without, "velocities", "ids", "masses" (where they differ within a type), "potential", "accelerations"; a run starts from those that have the first four',
    }),
    phantom: optional(flag, false, {
      meaning: "modified gravity: the density of phantom matter on the mesh with every snapshot, in phantom.hdf5",
    }),
    particlesPerFile: optional(integer(1, LARGEST_U32), 2 ** 27, {
      meaning: "of a snapshot, at most: one with more of them is several files, snapshot_000.0.hdf5 and so on",
    }),
    filePerRank: optional(flag, true, {
      later: true,
      meaning:
        "under mpirun each rank writes its own particles, snapshot_000.0.hdf5 and so on, into a folder that all ranks see; false: rank 0 writes all of them",
    }),
    compression: optional(integer(0, 9), 0, { meaning: "gzip level of snapshot datasets; 0 is off" }),
  })
  .describe("Outputs");
export type OutputSettings = z.output<typeof outputTable>;

export function outputProblems(output: OutputSettings, time: TimeSettings): Problem[] {
  const others = (count: string, key: "redshifts" | "times" | "diagnosticsTimes") => ({
    ...{ count: `output.${count}`, list: `output.${key}`, times: output[key] },
  });
  const snapshots = others("snapshots", time.clock === "comoving" ? "redshifts" : "times");
  const rows = others("diagnostics", "diagnosticsTimes");
  return [
    ...fieldListProblems(["output", "fields"], output.fields),
    ...redshiftProblems(output, time),
    ...timeListProblems(output, time),
    ...listProblems(["output", "diagnosticsTimes"], output.diagnosticsTimes, time),
    ...stepCountProblems(["output", "every"], output.every, time, snapshots),
    ...stepCountProblems(["output", "diagnosticsEvery"], output.diagnosticsEvery, time, rows),
  ];
}

/** Without positions a file is of no use to anybody. */
export function fieldListProblems(path: string[], fields: readonly ParticleColumn[]): Problem[] {
  if (!fields.includes("positions")) return [mismatch(path, 'a list with "positions"', fields)];
  return onceProblems(path, fields, "each field once");
}

/** On the first entry of a list that was there before. */
export function onceProblems(path: string[], list: readonly unknown[], expected: string): Problem[] {
  const again = list.findIndex((one, i) => list.indexOf(one) < i);
  return again < 0 ? [] : [mismatch(path, expected, list[again])];
}

function timeListProblems({ times }: OutputSettings, { clock, end }: TimeSettings): Problem[] {
  if (times.length === 0) return [];
  if (clock === "comoving") {
    return [mismatch(["output", "times"], "no times in an expanding box", times, "output.redshifts has them there")];
  }
  const late = times.find((time) => time > end * (1 + 1e-9));
  return late === undefined ? [] : [mismatch(["output", "times"], `times up to time.end = ${shortest(end)}`, late)];
}

/** Times of a list lie within the run. */
export function listProblems(path: string[], times: readonly number[], { start, end }: TimeSettings): Problem[] {
  const odd = times.find((time) => !(time >= start * (1 - 1e-9) && time <= end * (1 + 1e-9)));
  if (odd === undefined) return [];
  return [mismatch(path, `times from ${shortest(start)} to time.end = ${shortest(end)}`, odd)];
}

/** `every` needs fixed steps and no listed `times`; `count` and `list` are the keys beside it. */
export function stepCountProblems(
  path: string[],
  every: number,
  { step }: TimeSettings,
  { count, list, times }: { count: string; list: string; times: readonly number[] },
): Problem[] {
  if (every === 0) return [];
  if (step === "adaptive") {
    const hint = `${count} spreads them evenly, ${list} lists them`;
    return [mismatch(path, '0 with time.step = "adaptive"', every, hint)];
  }
  return times.length > 0 ? [mismatch(path, `0 with ${list}`, every, "Leave one of the two out")] : [];
}

function redshiftProblems({ redshifts }: OutputSettings, { clock, start, end }: TimeSettings): Problem[] {
  if (clock !== "comoving") {
    const expected = 'no redshifts with time.clock = "static"';
    const hint = "output.times has the times of snapshots there";
    return mismatchIf(redshifts.length > 0, ["output", "redshifts"], expected, redshifts, hint);
  }
  const late = redshifts.find((z) => 1 / (1 + z) < start * (1 - 1e-9) || 1 / (1 + z) > end * (1 + 1e-9));
  if (late === undefined) return [];
  const [first, last] = [1 / end - 1, 1 / start - 1].map((z) => Number(z.toPrecision(6)));
  return [mismatch(["output", "redshifts"], `redshifts from ${first} to ${last}`, late, "Redshift is 1/a − 1")];
}

/** Problems of the search for haloes among `count` particles; it comes at the end of a run. */
export function haloProblems({ linkingLength }: OutputSettings, count: number): Problem[] {
  const [least, most] = linkingRange(count);
  const outside = linkingLength < least || linkingLength > most;
  const expected = `from ${shortest(least)} to ${shortest(most)} mean separations of ${count} particles, at most an eighth of the box`;
  const hint = "0.2 is customary; output.haloes = false leaves haloes out";
  return mismatchIf(outside, ["output", "linkingLength"], expected, linkingLength, hint);
}
