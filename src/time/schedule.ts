/**
 * When a run writes what. Outputs are fixed by the deck alone, never by the wall clock, so that a resumed run
 * stops at the same steps and gives the same bits.
 */

import { between } from "./comoving.ts";
import { fixedSteps, stepsBetween, type TimeSettings } from "./settings.ts";

/** What has times of its own. A further kind is a line here and its timetable in scenario/timetables.ts. */
export const OUTPUT_KINDS = ["snapshot", "diagnostics", "maps", "subsample", "bars"] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/**
 * When outputs of a kind are due: at `count` + 1 times spread as the steps are, start and end among them, none for 0; every
 * so many fixed steps, start and end among them; or at listed times [time], those outside the run left out.
 */
export type Timetable = { count: number } | { every: number } | ListedTimes;

interface ListedTimes {
  times: readonly number[];
  /** The start and the end, too. */
  ends: boolean;
  /** Comoving: fixed steps are cut so that one ends there; otherwise the step that ends nearest is taken. */
  exact?: boolean;
}

export type Timetables = Readonly<Record<OutputKind, Timetable>>;

export interface Output extends Record<OutputKind, boolean> {
  index: number;
  /** [time]; a scale factor on the comoving clock. */
  time: number;
  /** Step number at a fixed step; undefined when the step is adaptive. */
  step: number | undefined;
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

/** Times that differ by less than this fraction are one. */
export const SAME_TIME = 1e-9;

/**
 * Of a run in one part; continued.ts has what follows. One of the kinds is due at the start and at the end: the run's
 * first and last output.
 */
export function schedule(time: TimeSettings, timetables: Timetables): Schedule {
  const totalSteps = fixedSteps({ time });
  if (totalSteps === undefined) return adaptive(time, timetables);
  const epochs = OUTPUT_KINDS.map((kind) => exactTimes(time, timetables[kind])).find((found) => found !== undefined);
  if (epochs) return withEpochs(time, timetables, epochs);
  const { clock, start, end } = time;
  const at = (mark: number) => between(time, start, end, mark / totalSteps);
  const edges = clock === "comoving" ? Float64Array.from({ length: totalSteps + 1 }, (_, i) => at(i)) : undefined;
  return {
    outputs: outputsAt(marksOf(time, timetables, totalSteps, edges), (step) => ({
      time: clock === "static" && step !== totalSteps ? (end * step) / totalSteps : at(step),
      step,
    })),
    step: clock === "static" ? end / totalSteps : undefined,
    ...{ totalSteps, edges },
  };
}

/** Adaptive steps: outputs have times alone. */
function adaptive(time: TimeSettings, timetables: Timetables): Schedule {
  const none = { step: undefined, totalSteps: undefined, edges: undefined };
  const tables = OUTPUT_KINDS.map((kind) => timetables[kind]);
  const counts = tables.map((table) => ("count" in table ? Math.max(1, table.count) : Number.NaN));
  // The common refinement of evenly spaced kinds, where there is one: times that are equal are so to the bit.
  const resolution = counts.reduce((product, count) => product * count, 1);
  if (!Number.isSafeInteger(resolution)) return { outputs: atOwnTimes(time, timetables), ...none };
  const { clock, start, end } = time;
  const outputs = outputsAt(marksOf(time, timetables, resolution, undefined), (mark) => ({
    time:
      clock === "static" && mark !== resolution
        ? (end * mark) / resolution
        : between(time, start, end, mark / resolution),
    step: undefined,
  }));
  return { outputs, ...none };
}

/** Scale factors of the exact times of a comoving clock, start and end included, in order; else undefined. */
export function exactTimes(time: TimeSettings, table: Timetable): number[] | undefined {
  if (time.clock !== "comoving" || !("times" in table) || !table.exact) return undefined;
  return listedTimes(time, { ...table, ends: true });
}

/** Listed times between start and end, and these where they are wanted, in order. */
function listedTimes({ start, end }: TimeSettings, { times, ends }: ListedTimes): number[] {
  const inside = times.filter((t) => t > start * (1 + SAME_TIME) && t < end * (1 - SAME_TIME));
  const atStart = ends || times.some((t) => Math.abs(t - start) <= SAME_TIME * start) ? [start] : [];
  const atEnd = ends || times.some((t) => Math.abs(t - end) <= SAME_TIME * end) ? [end] : [];
  return [...new Set([...atStart, ...inside, ...atEnd])].sort((a, b) => a - b);
}

/** Whole steps from each epoch to the next, so that every one is at its own scale factor. */
function withEpochs(time: TimeSettings, timetables: Timetables, epochs: readonly number[]): Schedule {
  const edges = edgesBetween(time, epochs);
  const totalSteps = edges.length - 1;
  return {
    outputs: outputsAt(marksOf(time, timetables, totalSteps, edges), (mark) => ({ time: edges[mark], step: mark })),
    step: undefined,
    totalSteps,
    edges: Float64Array.from(edges),
  };
}

/** Scale factors between which fixed steps lie, whole ones from each epoch to the next. */
export function edgesBetween(time: TimeSettings, epochs: readonly number[]): number[] {
  const edges = [epochs[0]];
  for (let i = 1; i < epochs.length; i++) {
    const steps = stepsBetween(time, epochs[i - 1], epochs[i]);
    for (let s = 1; s <= steps; s++) edges.push(between(time, epochs[i - 1], epochs[i], s / steps));
  }
  return edges;
}

/** Each kind at its own times, those that are the same at once. */
function atOwnTimes(time: TimeSettings, timetables: Timetables): Output[] {
  const due = OUTPUT_KINDS.flatMap((kind) => {
    const table = timetables[kind];
    if ("every" in table) throw new Error(`${kind} every ${table.every} steps: expected steps that are fixed`);
    const listed = "times" in table;
    const times = listed ? listedTimes(time, table) : evenTimes(time, table.count);
    return times.map((at) => ({ kind, at, listed }));
  });
  const outputs: Output[] = [];
  for (const { kind, at, listed } of due.sort((one, other) => one.at - other.at)) {
    let last = outputs.at(-1);
    if (!last || at - last.time > SAME_TIME * Math.abs(at)) {
      last = { index: outputs.length, time: at, step: undefined, ...NOTHING };
      outputs.push(last);
    }
    last[kind] = true;
    if (listed) last.time = at; // to the bit
  }
  return outputs;
}

/** `count` + 1 times spread evenly, as the steps are; none for 0. */
function evenTimes(time: TimeSettings, count: number): number[] {
  return [...evenMarks(count, count)].map((mark) => between(time, time.start, time.end, mark / count));
}

/** `count` + 1 marks spread evenly over 0 … resolution; none for 0. */
function evenMarks(count: number, resolution: number): Set<number> {
  if (count === 0) return new Set();
  return new Set(Array.from({ length: count + 1 }, (_, j) => Math.round((j * resolution) / count)));
}

/** Marks at which each is due. */
type Marks = Record<OutputKind, Set<number>>;

/** The marks of a line of `resolution` marks, at the times `edges` or spread evenly over a static run. */
function marksOf(
  time: TimeSettings,
  timetables: Timetables,
  resolution: number,
  edges: ArrayLike<number> | undefined,
): Marks {
  const nearest = (t: number) => (edges ? nearestOf(edges, t) : Math.round((t / time.end) * resolution));
  const marks = (table: Timetable) => {
    if ("count" in table) return evenMarks(table.count, resolution);
    if ("every" in table) return new Set([0, ...marksBetween(table.every, 0, resolution), resolution]);
    return new Set(listedTimes(time, table).map(nearest));
  };
  return Object.fromEntries(OUTPUT_KINDS.map((kind) => [kind, marks(timetables[kind])])) as Marks;
}

/** Multiples of `every` between two steps. */
export function marksBetween(every: number, from: number, to: number): number[] {
  const first = Math.floor(from / every) + 1;
  return Array.from({ length: Math.max(0, Math.ceil(to / every) - first) }, (_, j) => every * (first + j));
}

/** The index of the rising edge that is nearest to `t`. */
export function nearestOf(edges: ArrayLike<number>, t: number): number {
  let nearest = 0;
  for (let i = 1; i < edges.length; i++) if (Math.abs(edges[i] - t) < Math.abs(edges[nearest] - t)) nearest = i;
  return nearest;
}

export const NOTHING = Object.fromEntries(OUTPUT_KINDS.map((kind) => [kind, false])) as Record<OutputKind, boolean>;

/** An output at every mark of any kind; `when` it is due. */
function outputsAt(marks: Marks, when: (mark: number) => Pick<Output, "time" | "step">): Output[] {
  const due = [...new Set(OUTPUT_KINDS.flatMap((kind) => [...marks[kind]]))].sort((a, b) => a - b);
  return due.map((mark, index) => {
    const kinds = OUTPUT_KINDS.map((kind) => [kind, marks[kind].has(mark)]);
    return { index, ...when(mark), ...(Object.fromEntries(kinds) as Record<OutputKind, boolean>) };
  });
}
