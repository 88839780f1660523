/**
 * When a run writes what. Outputs are fixed by the deck alone, never by the wall clock, so that a resumed run
 * stops at the same steps and gives the same bits.
 */

import { between } from "./comoving.ts";
import { fixedSteps, stepsBetween, type TimeSettings } from "./settings.ts";

/** What of a scenario says when outputs are due. */
export interface OutputTimes {
  time: TimeSettings;
  output: { snapshots: number; diagnostics: number; redshifts: number[]; times?: number[] };
  /** None without. */
  maps?: { count: number };
  /** None without, or where `every` is 0. */
  subsample?: { every: number; count: number };
}

export interface Output {
  index: number;
  /** [time]; a scale factor on the comoving clock. */
  time: number;
  /** Step number at a fixed step; undefined when the step is adaptive. */
  step: number | undefined;
  snapshot: boolean;
  diagnostics: boolean;
  maps: boolean;
  subsample: boolean;
}

export interface Schedule {
  /** Outputs in order; the first is the initial state, the last the end. */
  outputs: Output[];
  /** Fixed step of a static clock: divides the end time evenly, at most the deck's [time]; undefined otherwise. */
  step: number | undefined;
  /** Fixed step: how many steps lead to the end. */
  totalSteps: number | undefined;
  /** Scale factors between which the fixed steps of a comoving clock lie [totalSteps + 1]; undefined otherwise. */
  edges: Float64Array | undefined;
}

export function schedule(scenario: OutputTimes): Schedule {
  const { start, end, clock } = scenario.time;
  const epochs = snapshotEpochs(scenario);
  if (epochs) return withEpochs(scenario, epochs);
  const totalSteps = fixedSteps(scenario);
  const listed = clock === "static" ? (scenario.output.times ?? []) : [];
  if (listed.length > 0 && totalSteps === undefined) return atListedTimes(scenario, listed);
  // Positions on a line of `resolution` marks: steps at a fixed step, otherwise the common refinement of all rows.
  const counts = {
    snapshot: Math.max(1, scenario.output.snapshots),
    diagnostics: Math.max(1, scenario.output.diagnostics),
    maps: mapCount(scenario),
    subsample: subsampleCount(scenario),
  };
  const others = Math.max(1, counts.maps) * Math.max(1, counts.subsample);
  const resolution = totalSteps ?? counts.snapshot * counts.diagnostics * others;
  const rows: Rows = {
    snapshot:
      listed.length > 0
        ? new Set([0, ...listed.map((t) => Math.min(resolution, Math.round((t / end) * resolution))), resolution])
        : marks(counts.snapshot, resolution),
    diagnostics: marks(counts.diagnostics, resolution),
    maps: marks(counts.maps, resolution),
    subsample: marks(counts.subsample, resolution),
  };
  const time = (mark: number) => between(scenario.time, start, end, mark / resolution);
  const fixed = totalSteps !== undefined;
  return {
    outputs: outputsAt(rows, (mark) => ({
      time: clock === "static" && mark !== resolution ? (end * mark) / resolution : time(mark),
      step: fixed ? mark : undefined,
    })),
    step: fixed && clock === "static" ? end / totalSteps : undefined,
    totalSteps,
    edges: fixed && clock === "comoving" ? Float64Array.from({ length: totalSteps + 1 }, (_, i) => time(i)) : undefined,
  };
}

/** Scale factors of the snapshots where the deck lists redshifts, start and end included, in order; else undefined. */
function snapshotEpochs({ time: { clock, start, end }, output }: OutputTimes) {
  if (clock !== "comoving" || output.redshifts.length === 0) return undefined;
  const SAME = 1e-9;
  const inside = output.redshifts.map((z) => 1 / (1 + z)).filter((a) => a > start * (1 + SAME) && a < end * (1 - SAME));
  return [...new Set([start, ...inside, end])].sort((a, b) => a - b);
}

/** Whole steps from each epoch to the next, so that every snapshot is at its own scale factor. */
function withEpochs(scenario: OutputTimes, epochs: readonly number[]): Schedule {
  const { time, output } = scenario;
  if (time.step === "adaptive") {
    return atOwnTimes({
      ...{ snapshot: epochs, diagnostics: epochs },
      ...{ maps: evenTimes(time, mapCount(scenario)), subsample: evenTimes(time, subsampleCount(scenario)) },
    });
  }
  const edges = [epochs[0]];
  const snapshots = new Set([0]);
  for (let i = 1; i < epochs.length; i++) {
    const steps = stepsBetween(time, epochs[i - 1], epochs[i]);
    for (let s = 1; s <= steps; s++) edges.push(between(time, epochs[i - 1], epochs[i], s / steps));
    snapshots.add(edges.length - 1);
  }
  const totalSteps = edges.length - 1;
  const rows: Rows = {
    snapshot: snapshots,
    diagnostics: marks(Math.max(1, output.diagnostics), totalSteps),
    maps: marks(mapCount(scenario), totalSteps),
    subsample: marks(subsampleCount(scenario), totalSteps),
  };
  return {
    outputs: outputsAt(rows, (mark) => ({ time: edges[mark], step: mark })),
    step: undefined,
    totalSteps,
    edges: Float64Array.from(edges),
  };
}

/** Adaptive steps on a static clock: snapshots at times of a list, all else evenly spaced. */
function atListedTimes(scenario: OutputTimes, listed: readonly number[]): Schedule {
  const { time, output } = scenario;
  return atOwnTimes({
    snapshot: [time.start, ...listed.filter((t) => t > time.start && t < time.end), time.end],
    diagnostics: evenTimes(time, Math.max(1, output.diagnostics)),
    maps: evenTimes(time, mapCount(scenario)),
    subsample: evenTimes(time, subsampleCount(scenario)),
  });
}

/** Adaptive steps: each kind at its own times, those that are the same at once. */
function atOwnTimes(times: Record<Kind, readonly number[]>): Schedule {
  const SAME = 1e-9;
  const none = { snapshot: false, diagnostics: false, maps: false, subsample: false };
  const kinds = Object.entries(times) as [Kind, readonly number[]][];
  const due = kinds.flatMap(([kind, list]) => list.map((time) => ({ kind, time })));
  const outputs: ({ time: number } & Record<Kind, boolean>)[] = [];
  for (const { kind, time } of due.sort((one, other) => one.time - other.time)) {
    let last = outputs.at(-1);
    if (!last || time - last.time > SAME * Math.abs(time)) {
      last = { time, ...none };
      outputs.push(last);
    }
    last[kind] = true;
    if (kind === "snapshot") last.time = time; // a listed time, to the bit
  }
  return {
    outputs: outputs.map((output, index) => ({ ...output, index, step: undefined })),
    ...{ step: undefined, totalSteps: undefined, edges: undefined },
  };
}

/** `count` + 1 times spread evenly, as the steps are; none for 0. */
function evenTimes(time: TimeSettings, count: number): number[] {
  return [...marks(count, count)].map((mark) => between(time, time.start, time.end, mark / count));
}

const mapCount = ({ maps }: OutputTimes): number => maps?.count ?? 0;
const subsampleCount = ({ subsample }: OutputTimes): number => (subsample && subsample.every > 0 ? subsample.count : 0);

/** `count` + 1 marks spread evenly over 0 … resolution; none for 0. */
function marks(count: number, resolution: number): Set<number> {
  if (count === 0) return new Set();
  return new Set(Array.from({ length: count + 1 }, (_, j) => Math.round((j * resolution) / count)));
}

/** Marks at which each is due. */
type Rows = Record<Kind, Set<number>>;
type Kind = "snapshot" | "diagnostics" | "maps" | "subsample";

/** An output at every mark of any row; `when` it is due. */
function outputsAt(
  { snapshot, diagnostics, maps, subsample }: Rows,
  when: (mark: number) => Pick<Output, "time" | "step">,
): Output[] {
  const due = [...new Set([...snapshot, ...diagnostics, ...maps, ...subsample])].sort((a, b) => a - b);
  return due.map((mark, index) => ({
    ...{ index, ...when(mark) },
    ...{
      snapshot: snapshot.has(mark),
      diagnostics: diagnostics.has(mark),
      maps: maps.has(mark),
      subsample: subsample.has(mark),
    },
  }));
}
