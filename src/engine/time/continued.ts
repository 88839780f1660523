/**
 * The schedule of a run that was continued: that of the first part, then the rest. Even outputs go on with the spacing of
 * the first part, and each part ends with an output of all kinds that a run ends with. Steps of a static clock keep their
 * length to the bit, so a part is whole steps.
 */
import {
  edgesBetween,
  exactTimes,
  type Mark,
  marksBetween,
  nearestOf,
  numberedOutputs,
  OUTPUT_KINDS,
  type OutputKind,
  outputsAtMarks,
  outputsAtTimes,
  SAME_TIME,
  type Schedule,
  schedule,
  type Timetable,
  type Timetables,
  type Unnumbered,
} from "./schedule.ts";
import { between, distance, type TimeSettings } from "./settings.ts";

/** The outputs and steps of a run through all of its parts. */
export function continuedSchedule(time: TimeSettings, timetables: Timetables): Schedule {
  const [first = time.end, ...later] = [...time.continued, time.end];
  const beginning = { ...time, end: first };
  return later.reduce(
    (before, end, part) => {
      const start = part === 0 ? first : later[part - 1];
      return extended(before, { time, beginning, timetables, start, end });
    },
    schedule(beginning, timetables),
  );
}

interface Part {
  time: TimeSettings;
  /** The first part: what even spacings are counted from. */
  beginning: TimeSettings;
  timetables: Timetables;
  start: number;
  end: number;
}

interface Due {
  kind: OutputKind;
  /** [time] */
  at: number;
  /** The same in lengths of the first part, as a fraction j/n: rounds to steps as there. */
  share?: readonly [j: number, n: number];
}

function extended(before: Schedule, part: Part): Schedule {
  const due = OUTPUT_KINDS.flatMap((kind) =>
    timesOf(part.timetables[kind], part).map((one): Due => ({ kind, ...one })),
  );
  if (before.totalSteps === undefined) return { ...before, outputs: joined(before, outputsAtTimes(due)) };
  return before.edges ? onEdges(before, due, part) : onSteps(before, due, part);
}

const joined = ({ outputs }: Schedule, further: readonly Unnumbered[]) => [
  ...outputs,
  ...numberedOutputs(further, outputs.length),
];

/** When a kind is due after the part's start, up to its end. */
function timesOf(table: Timetable, { beginning, start, end }: Part): Omit<Due, "kind">[] {
  const inside = (t: number) => t > start + SAME_TIME * Math.abs(start) && t < end - SAME_TIME * Math.abs(end);
  if ("every" in table) return [{ at: end }]; // and at the steps between, which everySteps() counts
  if ("times" in table) {
    const atEnd = table.ends || table.times.some((t) => Math.abs(t - end) <= SAME_TIME * Math.abs(end));
    return [...table.times.filter(inside), ...(atEnd ? [end] : [])].map((at) => ({ at }));
  }
  const { count } = table;
  if (count === 0) return [];
  const times: Omit<Due, "kind">[] = [];
  const at = (j: number) => between(beginning, beginning.start, beginning.end, j / count);
  const done = distance(beginning, beginning.start, start) / distance(beginning, beginning.start, beginning.end);
  for (let j = Math.floor(done * count); at(j) < end; j++)
    if (inside(at(j))) times.push({ at: at(j), share: [j, count] });
  return [...times, { at: end }];
}

/** Fixed steps of a static clock, of the length that they had. */
function onSteps(before: Schedule, due: readonly Due[], part: Part): Schedule {
  const { beginning, start, end } = part;
  const dt = before.step!;
  const stepsTo = (t: number) => Math.round(t / dt);
  const [first, totalSteps] = [stepsTo(start), stepsTo(end)];
  const marks = due.flatMap(({ kind, at, share }) => {
    const mark = share ? Math.round((share[0] * stepsTo(beginning.end)) / share[1]) : stepsTo(at);
    return mark > first ? [{ kind, mark: Math.min(mark, totalSteps) }] : [];
  });
  const time = (mark: number) => (mark === totalSteps ? end : (end * mark) / totalSteps);
  const all = [...marks, ...everySteps(part, first, totalSteps)];
  const further = outputsAtMarks(all, (step) => ({ time: time(step), step }));
  return { ...before, totalSteps, outputs: joined(before, further) };
}

/** Fixed steps of a comoving clock: whole ones from the part's start to each exact time and to its end. */
function onEdges(before: Schedule, due: readonly Due[], part: Part): Schedule {
  const { time, timetables, start, end } = part;
  const further = edgesBetween(time, exactTimes({ ...time, start, end }, timetables) ?? [start, end]);
  const first = before.totalSteps!;
  const edges = Float64Array.from([...before.edges!, ...further.slice(1)]);
  const totalSteps = edges.length - 1;
  const marks = due.map(({ kind, at }) => ({ kind, mark: first + Math.max(1, nearestOf(further, at)) }));
  const all = [...marks, ...everySteps(part, first, totalSteps)];
  const outputs = joined(
    before,
    outputsAtMarks(all, (step) => ({ time: edges[step], step })),
  );
  return { ...before, totalSteps, edges, outputs };
}

/** Steps of a part after which a kind is due that counts steps. */
function everySteps({ timetables }: Part, first: number, last: number): Mark[] {
  return OUTPUT_KINDS.flatMap((kind) => {
    const table = timetables[kind];
    return "every" in table ? marksBetween(table.every, first, last).map((mark) => ({ kind, mark })) : [];
  });
}
