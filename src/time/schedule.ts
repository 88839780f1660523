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
}

export interface Output {
  index: number;
  /** [time]; a scale factor on the comoving clock. */
  time: number;
  /** Step number at a fixed step; undefined when the step is adaptive. */
  step: number | undefined;
  snapshot: boolean;
  diagnostics: boolean;
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
  // Positions on a line of `resolution` marks: steps at a fixed step, otherwise the common refinement of both rows.
  const rows = {
    snapshot: Math.max(1, scenario.output.snapshots),
    diagnostics: Math.max(1, scenario.output.diagnostics),
  };
  const resolution = totalSteps ?? rows.snapshot * rows.diagnostics;
  const snapshots = marks(rows.snapshot, resolution);
  const diagnostics = marks(rows.diagnostics, resolution);
  const time = (mark: number) => between(scenario.time, start, end, mark / resolution);
  const fixed = totalSteps !== undefined;
  return {
    outputs: outputsAt(snapshots, diagnostics, (mark) => ({
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
    const outputs = epochs.map((a, index) => ({ index, time: a, step: undefined, snapshot: true, diagnostics: true }));
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
  const diagnostics = marks(Math.max(1, output.diagnostics), totalSteps);
  return {
    outputs: outputsAt(snapshots, diagnostics, (mark) => ({ time: edges[mark], step: mark })),
    step: undefined,
    totalSteps,
    edges: Float64Array.from(edges),
  };
}

/** `count` + 1 marks spread evenly over 0 … resolution. */
function marks(count: number, resolution: number): Set<number> {
  return new Set(Array.from({ length: count + 1 }, (_, j) => Math.round((j * resolution) / count)));
}

/** An output at every mark of either row; `when` it is due. */
function outputsAt(
  snapshots: Set<number>,
  diagnostics: Set<number>,
  when: (mark: number) => Pick<Output, "time" | "step">,
): Output[] {
  const due = [...new Set([...snapshots, ...diagnostics])].sort((a, b) => a - b);
  return due.map((mark, index) => {
    return { index, ...when(mark), snapshot: snapshots.has(mark), diagnostics: diagnostics.has(mark) };
  });
}
