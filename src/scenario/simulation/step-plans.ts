/** The plan of steps to the next output, fixed or adaptive, on a static or the comoving clock. */
import { bisectCenter } from "d3-array";
import { type Extremes, type StepPlan, type StepSegment, uniformFactors } from "../../engine/backend/backend.ts";
import { softeningAt } from "../../engine/direct/softening.ts";
import { AdaptivePlan, type AdaptiveState, comovingStepLimit, stepLimit, TICKS } from "../../engine/time/adaptive.ts";
import type { Output, Schedule } from "../../engine/time/schedule.ts";
import { between, distance } from "../../engine/time/settings.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { ComovingClock } from "../../physics/cosmology/steps.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { smallestCell } from "../resolution.ts";
import type { Scenario } from "../scenario.ts";
import { scheduleOf } from "../timetables.ts";

/** Fixed steps that are handed over at a time: their factors are held in memory. */
const STEPS_OF_A_SEGMENT = 1024;

export interface StepsPlace {
  step: number;
  /** [time] */
  time: number;
  /** Index of the last output reached. */
  output: number;
  /** Adaptive: ticks past that output. */
  tick: number;
  /** Adaptive: what the choice of the next steps depends on; undefined at the start. */
  adaptive?: AdaptiveState | undefined;
}

/** Gets the sums over the particles at outputs with diagnostics. */
export type SumsAtOutputs = (sums: Sums, place: StepsPlace) => void;

export interface StepTimetable {
  scenario: Scenario;
  schedule: Schedule;
  /** Undefined with a static clock. */
  comoving: ComovingClock | undefined;
}

/** The plan of steps to an output, or to a step before it. */
export interface PlanToOutput extends StepPlan {
  name: string;
  /** Unknown for adaptive steps. */
  steps?: number;
  /** Whether it ends after so many of its steps. */
  ends(steps: number): boolean;
  /** How far the run is after so many of them; of steps that the backend divides, a fraction included. */
  after(steps: number): StepsPlace;
}

interface Aims {
  lastStep?: number;
  target?: number;
  onSums?: SumsAtOutputs | undefined;
}

/** Parts of an interval that an adaptive run may begin within: much finer ones would keep its first steps short. */
const PARTS = 1024;

/** Where a run of this scenario is at a time, or at the whole step nearest to it. Throws "usage" for one outside the run. */
export function placeAt(scenario: Scenario, at: number): StepsPlace {
  const { time } = scenario;
  if (!(at >= time.start && at < time.end)) {
    throw new GravmeshError(
      "usage",
      `the option time: expected one from ${time.start} to before ${time.end}, found ${at}`,
    );
  }
  const { outputs, step: dt, edges, totalSteps } = scheduleOf(scenario);
  if (totalSteps === undefined) {
    const output = outputs.findLastIndex((one) => one.time <= at);
    const [from, to] = [outputs[output].time, outputs[output + 1].time];
    const part = Math.min(PARTS - 1, Math.round((PARTS * distance(time, from, at)) / distance(time, from, to)));
    return { step: output, time: between(time, from, to, part / PARTS), output, tick: (part * TICKS) / PARTS };
  }
  const near = edges ? bisectCenter(edges, at) : Math.round(at / dt!);
  const step = Math.min(totalSteps - 1, near);
  const output = outputs.findLastIndex((one) => one.step! <= step);
  return { step, time: edges ? edges[step] : step * dt!, output, tick: 0 };
}

/**
 * The plan of fixed steps from `here` to the next output, or to `lastStep` where that comes first; with `onSums` past outputs
 * that have diagnostics alone to want, up to the one of index `target`.
 */
export function fixedPlan(
  { schedule, comoving }: StepTimetable,
  here: StepsPlace,
  { lastStep = Number.POSITIVE_INFINITY, target = here.output + 1, onSums }: Aims = {},
): PlanToOutput {
  const { step: dt = 0, edges, outputs } = schedule;
  const { step: from } = here;
  const end = Math.min(outputs[target].step!, lastStep);
  const after = (steps: number): StepsPlace => {
    const step = from + Math.floor(steps);
    if (steps === 0) return here;
    const output = outputs.findLastIndex((one) => one.step! <= step);
    const reached = outputs[output];
    const time = reached.step === step ? reached.time : edges ? edges[step] : (from + steps) * dt;
    return { step, time, output, tick: 0 };
  };
  let taken = from;
  const nextSegment = (): StepSegment => {
    const next = outputs[after(taken - from).output + 1];
    const to = Math.min(end, next.step!, taken + STEPS_OF_A_SEGMENT);
    const even = (_: unknown, i: number) => (taken + i) * dt;
    const times = edges?.subarray(taken, to + 1) ?? Float64Array.from({ length: to - taken + 1 }, even);
    const factors = comoving?.steps(times) ?? uniformFactors(to - taken, dt);
    taken = to;
    const place = after(to - from);
    return { factors, times, last: to === end, measured: false, onSums: summing(outputs, place, onSums) };
  };
  const steps = end - from;
  const name = `steps ${from + 1}–${end} (time ${here.time.toPrecision(6)})`;
  return { name, steps, ends: (done) => done === steps, after, next: nextSegment, note: () => {} };
}

type OutputTimes = readonly (Pick<Output, "time"> & Partial<Output>)[];

/** Who gets the sums over the particles at a segment's end. */
function summing(outputs: OutputTimes, place: StepsPlace, onSums?: SumsAtOutputs | false) {
  const { time, diagnostics } = outputs[place.output];
  return onSums && diagnostics && place.time === time ? (sums: Sums) => onSums(sums, place) : undefined;
}

/** The plan of adaptive steps to the next output; `extremes` reads the present ones where `here` has none. */
export async function adaptivePlan(
  { scenario, schedule, comoving }: Omit<StepTimetable, "schedule"> & { schedule: { outputs: OutputTimes } },
  here: StepsPlace,
  extremes: () => Promise<Extremes>,
  onSums?: SumsAtOutputs,
): Promise<PlanToOutput> {
  const { time } = scenario;
  const { output, step, adaptive: before } = here;
  const [from, next] = schedule.outputs.slice(output);
  const interval = distance(time, from.time, next.time);
  const at = (tick: number) =>
    comoving ? between(time, from.time, next.time, tick / TICKS) : from.time + (interval * tick) / TICKS;
  const limitBy = (cell: number, tick: number, found: Extremes) =>
    comoving ? comovingStepLimit(comoving.background, time, at(tick), cell, found) : stepLimit(time, cell, found);
  // With pairs accelerations go over ε, as GADGET-4's steps do, and drifts by half a cell at most.
  const { gravity, p3m } = scenario;
  const ofPairs = (tick: number, found: Extremes) =>
    gravity === "p3m"
      ? p3m.substeps * limitBy(softeningAt(p3m, at(tick)), tick, { ...found, speed: 0 })
      : Number.POSITIVE_INFINITY;
  // Substeps of levels are for their cells, the step itself is for those of the box.
  const [cell, { substeps = 1 } = {}] = [smallestCell(scenario), ...scenario.level];
  const limit = (tick: number, found: Extremes) =>
    Math.min(
      ofPairs(tick, found),
      substeps * limitBy(cell, tick, found),
      limitBy(scenario.box.size / scenario.mesh.cells, tick, found),
    );
  const state = before?.measured.length ? before : AdaptivePlan.from(await extremes(), before?.before);
  const plan = new AdaptivePlan(here.tick, interval, limit, state);
  const after = (done: number): StepsPlace => {
    const { tick, state: adaptive } = plan.after(done);
    if (tick < TICKS) return { step: step + done, time: at(tick), output, tick, adaptive };
    const later = { measured: [], before: adaptive.before };
    return { step: step + done, time: next.time, output: output + 1, tick: 0, adaptive: later };
  };
  let asked = 0;
  return {
    name: `steps from ${step + 1} on (time ${here.time.toPrecision(6)})`,
    ends: (done) => plan.after(done).tick === TICKS,
    after,
    next: () => {
      const { from: tick, steps, ticks } = plan.next();
      const times = Float64Array.from({ length: steps + 1 }, (_, i) => at(tick + i * ticks));
      const factors = comoving?.steps(times) ?? uniformFactors(steps, (interval * ticks) / TICKS);
      asked += steps;
      const last = tick + steps * ticks === TICKS;
      return { factors, times, last, measured: true, onSums: summing(schedule.outputs, after(asked), last && onSums) };
    },
    note: (found) => plan.note(found),
  };
}
