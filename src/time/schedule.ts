/**
 * When a run writes what. Outputs are fixed by the deck alone, never by the wall clock, so that a resumed run
 * stops at the same steps and gives the same bits.
 */
import { fixedSteps } from "../scenario/checks.ts";
import type { Scenario } from "../scenario/scenario.ts";

export interface Output {
  index: number;
  /** [time] */
  time: number;
  /** Step number at a fixed step; undefined when the step is adaptive. */
  step: number | undefined;
  snapshot: boolean;
  diagnostics: boolean;
}

export interface Schedule {
  /** Outputs in order; the first is the initial state, the last the end. */
  outputs: Output[];
  /** Fixed step: the step that divides the end time evenly, at most the deck's [time]; undefined when adaptive. */
  step: number | undefined;
  /** Fixed step: how many steps lead to the end. */
  totalSteps: number | undefined;
}

export function schedule(scenario: Pick<Scenario, "time" | "output">): Schedule {
  const { end } = scenario.time;
  const totalSteps = fixedSteps(scenario);
  const dt = totalSteps === undefined ? undefined : end / totalSteps;
  // Positions on a line of `resolution` marks: steps at a fixed step, otherwise the common refinement of both rows.
  const rows = {
    snapshot: Math.max(1, scenario.output.snapshots),
    diagnostics: Math.max(1, scenario.output.diagnostics),
  };
  const resolution = totalSteps ?? rows.snapshot * rows.diagnostics;
  const marks = (count: number) =>
    new Set(Array.from({ length: count + 1 }, (_, j) => Math.round((j * resolution) / count)));
  const snapshots = marks(rows.snapshot);
  const diagnostics = marks(rows.diagnostics);
  const all = [...new Set([...snapshots, ...diagnostics])].sort((a, b) => a - b);
  return {
    outputs: all.map((mark, index) => ({
      index,
      time: mark === resolution ? end : (end * mark) / resolution,
      step: totalSteps === undefined ? undefined : mark,
      snapshot: snapshots.has(mark),
      diagnostics: diagnostics.has(mark),
    })),
    step: dt,
    totalSteps,
  };
}

/** Longest run of steps between synchronous states: short enough to answer an interrupt, fixed by the sizes alone. */
export function segmentSteps(particles: number, cells: number): number {
  const WORK = 6.4e7; // particles plus cells updated in a segment
  const LONGEST = 32;
  return Math.min(LONGEST, Math.max(1, Math.floor(WORK / (particles + cells ** 3))));
}
