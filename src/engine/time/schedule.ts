/** When a run writes what, fixed by the deck alone, so that a resumed run stops at the same steps. */

import { between, fixedSteps, stepsBetween, type TimeSettings } from "./settings.ts";

/** What has times of its own. A further kind is a line here and its timetable in scenario/timetables.ts. */
export const OUTPUT_KINDS = ["snapshot", "diagnostics", "maps", "subsample", "bars", "haloes", "fields"] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/**
 * When outputs of a kind are due: at `count` + 1 times spread as the steps are, none for 0; every so many fixed steps,
 * start and end among them; or at listed times [time].
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

export type Unnumbered = Omit<Output, "index">;

/** A kind that is due at a mark: a step, or a place in even divisions of the run. */
export interface Mark {
  kind: OutputKind;
  mark: number;
}

/** The schedule of a run in one part (continued.ts has more); one of the kinds is due at the start and at the end. */
export function schedule(time: TimeSettings, timetables: Timetables): Schedule {
  const { clock, start, end } = time;
  const count = fixedSteps({ time });
  if (count === undefined) {
    const none = { step: undefined, totalSteps: undefined, edges: undefined };
    return { outputs: numberedOutputs(adaptiveOutputs(time, timetables)), ...none };
  }
  const edges =
    clock === "comoving"
      ? Float64Array.from(edgesBetween(time, exactTimes(time, timetables) ?? [start, end]))
      : undefined;
  const totalSteps = edges ? edges.length - 1 : count;
  const at = (step: number) => (edges ? edges[step] : step === totalSteps ? end : (end * step) / totalSteps);
  const marks = marksOf(time, timetables, totalSteps, edges);
  return {
    outputs: numberedOutputs(outputsAtMarks(marks, (step) => ({ time: at(step), step }))),
    step: edges ? undefined : end / totalSteps,
    ...{ totalSteps, edges },
  };
}

/** Outputs of adaptive steps, which have times alone. */
function adaptiveOutputs(time: TimeSettings, timetables: Timetables): Unnumbered[] {
  const { clock, start, end } = time;
  const counts = OUTPUT_KINDS.map((kind) => {
    const table = timetables[kind];
    return "count" in table ? Math.max(1, table.count) : Number.NaN;
  });
  // The common refinement of evenly spaced kinds, where there is one: times that are equal are so to the bit.
  const resolution = counts.reduce((product, count) => product * count, 1);
  if (!Number.isSafeInteger(resolution)) return outputsAtTimes(timesOf(time, timetables));
  const even = (mark: number) =>
    clock === "static" && mark !== resolution
      ? (end * mark) / resolution
      : between(time, start, end, mark / resolution);
  return outputsAtMarks(marksOf(time, timetables, resolution), (mark) => ({ time: even(mark), step: undefined }));
}

/** Scale factors of the exact times of a comoving clock, start and end included, in order; undefined where there are none. */
export function exactTimes(time: TimeSettings, timetables: Timetables): number[] | undefined {
  if (time.clock !== "comoving") return undefined;
  for (const kind of OUTPUT_KINDS) {
    const table = timetables[kind];
    if ("times" in table && table.exact) return listedTimes(time, { ...table, ends: true });
  }
  return undefined;
}

/** Listed times between start and end, and these where they are wanted, in order. */
function listedTimes({ start, end }: TimeSettings, { times, ends }: ListedTimes): number[] {
  const inside = times.filter((t) => t > start * (1 + SAME_TIME) && t < end * (1 - SAME_TIME));
  const atStart = ends || times.some((t) => Math.abs(t - start) <= SAME_TIME * start) ? [start] : [];
  const atEnd = ends || times.some((t) => Math.abs(t - end) <= SAME_TIME * end) ? [end] : [];
  return [...new Set([...atStart, ...inside, ...atEnd])].sort((a, b) => a - b);
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

/** The times of each kind, evenly spread as the steps are or listed. */
function timesOf(time: TimeSettings, timetables: Timetables): DueTime[] {
  return OUTPUT_KINDS.flatMap((kind) => {
    const table = timetables[kind];
    if ("every" in table) throw new Error(`${kind} every ${table.every} steps: expected steps that are fixed`);
    if ("times" in table) return listedTimes(time, table).map((at) => ({ kind, at, listed: true }));
    const { count } = table;
    return evenMarks(count, count).map((mark) => ({ kind, at: between(time, time.start, time.end, mark / count) }));
  });
}

/** `count` + 1 marks spread evenly over 0 … resolution; none for 0. */
function evenMarks(count: number, resolution: number): number[] {
  if (count === 0) return [];
  return Array.from({ length: count + 1 }, (_, j) => Math.round((j * resolution) / count));
}

/** What is due on a line of `resolution` marks, at the times `edges` or spread evenly over a static run. */
function marksOf(time: TimeSettings, timetables: Timetables, resolution: number, edges?: ArrayLike<number>): Mark[] {
  const nearest = (t: number) => (edges ? nearestOf(edges, t) : Math.round((t / time.end) * resolution));
  const marks = (table: Timetable) => {
    if ("count" in table) return evenMarks(table.count, resolution);
    if ("every" in table) return [0, ...marksBetween(table.every, 0, resolution), resolution];
    return listedTimes(time, table).map(nearest);
  };
  return OUTPUT_KINDS.flatMap((kind) => marks(timetables[kind]).map((mark) => ({ kind, mark })));
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

const NOTHING = Object.fromEntries(OUTPUT_KINDS.map((kind) => [kind, false])) as Record<OutputKind, boolean>;

/** An output at every mark of any kind, in order; `when` it is due. */
export function outputsAtMarks(
  marks: readonly Mark[],
  when: (mark: number) => Pick<Output, "time" | "step">,
): Unnumbered[] {
  const outputs = new Map<number, Unnumbered>();
  for (const { kind, mark } of marks) {
    const output = outputs.get(mark) ?? { ...NOTHING, ...when(mark) };
    output[kind] = true;
    outputs.set(mark, output);
  }
  return [...outputs].sort(([one], [other]) => one - other).map(([, output]) => output);
}

/** A kind that is due at a time [time]; where it is listed, the output has it to the bit. */
interface DueTime {
  kind: OutputKind;
  at: number;
  listed?: boolean;
}

/** An output at every time, in order; those that are the same at once. */
export function outputsAtTimes(due: readonly DueTime[]): Unnumbered[] {
  const outputs: Unnumbered[] = [];
  for (const { kind, at, listed } of [...due].sort((one, other) => one.at - other.at)) {
    let last = outputs.at(-1);
    if (!last || at - last.time > SAME_TIME * Math.abs(at)) {
      last = { ...NOTHING, time: at, step: undefined };
      outputs.push(last);
    }
    last[kind] = true;
    if (listed) last.time = at;
  }
  return outputs;
}

export const numberedOutputs = (outputs: readonly Unnumbered[], first = 0): Output[] =>
  outputs.map((output, i) => ({ ...output, index: first + i }));
