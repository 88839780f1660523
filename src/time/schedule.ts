/**
 * When a run writes what. Outputs are fixed by the deck alone, never by the wall clock, so that a resumed run
 * stops at the same steps and gives the same bits.
 */

import { between } from "./comoving.ts";
import { fixedSteps, stepsBetween, type TimeSettings } from "./settings.ts";

/** What of a scenario says when outputs are due. */
export interface OutputTimes {
  time: TimeSettings;
  output: { snapshots: number; diagnostics: number; redshifts: number[] };
  /** None without. */
  maps?: { count: number };
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
  // Positions on a line of `resolution` marks: steps at a fixed step, otherwise the common refinement of all rows.
  const counts = {
    snapshot: Math.max(1, scenario.output.snapshots),
    diagnostics: Math.max(1, scenario.output.diagnostics),
    maps: mapCount(scenario),
  };
  const resolution = totalSteps ?? counts.snapshot * counts.diagnostics * Math.max(1, counts.maps);
  const rows: Rows = {
    snapshot: marks(counts.snapshot, resolution),
    diagnostics: marks(counts.diagnostics, resolution),
    maps: marks(counts.maps, resolution),
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
    const outputs = withMaps(scenario, epochs);
    return { outputs, step: undefined, totalSteps: undefined, edges: undefined };
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
  };
  return {
    outputs: outputsAt(rows, (mark) => ({ time: edges[mark], step: mark })),
    step: undefined,
    totalSteps,
    edges: Float64Array.from(edges),
  };
}

/** Snapshots at the epochs, maps between them, each at its own scale factor. */
function withMaps(scenario: OutputTimes, epochs: readonly number[]): Output[] {
  const { time } = scenario;
  const count = mapCount(scenario);
  const SAME = 1e-9;
  const outputs = epochs.map((a) => ({ time: a, snapshot: true, diagnostics: true, maps: false }));
  for (const mark of marks(count, count)) {
    const a = between(time, time.start, time.end, mark / count);
    const there = outputs.find((output) => Math.abs(output.time - a) <= SAME * a);
    if (there) there.maps = true;
    else outputs.push({ time: a, snapshot: false, diagnostics: false, maps: true });
  }
  return outputs
    .sort((one, other) => one.time - other.time)
    .map((output, index) => ({ ...output, index, step: undefined }));
}

const mapCount = ({ maps }: OutputTimes): number => maps?.count ?? 0;

/** `count` + 1 marks spread evenly over 0 … resolution; none for 0. */
function marks(count: number, resolution: number): Set<number> {
  if (count === 0) return new Set();
  return new Set(Array.from({ length: count + 1 }, (_, j) => Math.round((j * resolution) / count)));
}

/** Marks at which each is due. */
type Rows = Record<"snapshot" | "diagnostics" | "maps", Set<number>>;

/** An output at every mark of any row; `when` it is due. */
function outputsAt(
  { snapshot, diagnostics, maps }: Rows,
  when: (mark: number) => Pick<Output, "time" | "step">,
): Output[] {
  const due = [...new Set([...snapshot, ...diagnostics, ...maps])].sort((a, b) => a - b);
  return due.map((mark, index) => ({
    ...{ index, ...when(mark) },
    ...{ snapshot: snapshot.has(mark), diagnostics: diagnostics.has(mark), maps: maps.has(mark) },
  }));
}
