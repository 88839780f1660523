/**
 * A run in steps: which steps lead from output to output, fixed or adaptive, on a static or the comoving clock. The state
 * is synchronous at outputs; between them kicks are merged, and a run that is stopped there goes on as if it hadn't been.
 */
import { bisectCenter } from "d3-array";
import {
  type AdvanceControl,
  type Backend,
  type Course,
  type Extremes,
  type HostTraffic,
  type Leg,
  type OrbitRequest,
  type OrbitRow,
  uniformFactors,
} from "./backend.ts";
import { GravmeshError } from "./errors.ts";
import { combined, NO_TRAFFIC } from "./gpu/traffic.ts";
import { chosenOf } from "./particles/chosen.ts";
import type { Look, Thinned } from "./particles/thinned.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { scheduleOf } from "./scenario/timetables.ts";
import { type AdaptiveState, AdaptiveWay, stepLimit, TICKS } from "./time/adaptive.ts";
import { between, ComovingTime, distance } from "./time/comoving.ts";
import type { Output, Schedule } from "./time/schedule.ts";

/** Fixed steps that are handed over at a time: their factors are held in memory. */
const STEPS_OF_A_LEG = 1024;

/** How far a run has come. */
export interface StepsPlace {
  /** Steps taken. */
  step: number;
  /** [time] */
  time: number;
  /** Index of the last output reached. */
  output: number;
  /** Adaptive: ticks past that output. */
  tick: number;
  /** Adaptive: what the choice of the next steps hangs on; undefined at the start, and in checkpoints of 0.2 and before. */
  adaptive?: AdaptiveState | undefined;
}

export interface Progress {
  /** [time] */
  time: number;
  step: number;
  /** Fraction of the run's end time. */
  fraction: number;
  /** Steps since the last report, and their wall time [ms]. */
  segment: { steps: number; ms: number };
}

export interface AdvanceOptions {
  /** Advance to this time [time]: whole fixed steps, or the end of an adaptive interval at or after it. */
  until?: number;
  /** Advance to the output of this index. */
  output?: number;
  onProgress?: (progress: Progress) => void;
  /** Ends the advance between two steps with a GravmeshError of kind "aborted"; the state stays usable. */
  signal?: AbortSignal;
  /**
   * How long a submission to the GPU should take at most [ms], half a second when left out: what else draws on the device
   * waits so long. A step that takes longer is submitted by itself. The particles' bits don't depend on it.
   */
  submission?: number;
  /** Ends the advance after so many steps at the latest, as the signal does. */
  most?: number;
  /** Gets some of the particles in passing, where the simulation `looksInPassing`. */
  look?: Look<Thinned & { step: number; time: number }> | undefined;
}

/** The way to the next output, or to a step before it. */
interface Way extends Course {
  /** For errors. */
  name: string;
  /** Undefined where it isn't known beforehand. */
  steps?: number;
  /** Whether it ends after so many of its steps. */
  ends(steps: number): boolean;
  /** How far the run is after so many of them; of steps that the backend divides, a fraction included. */
  after(steps: number): StepsPlace;
}

/** Chosen particles that are to be told of as a run goes. */
export interface OrbitWatch extends Omit<OrbitRequest, "take"> {
  take(row: OrbitRow & { time: number }): void;
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

export class SimulationSteps {
  readonly schedule: Schedule;
  /** Undefined with a static clock. */
  readonly comoving: ComovingTime | undefined;
  #step: number;
  #time: number;
  #output: number;
  #tick: number;
  #adaptive: AdaptiveState | undefined;
  #midStep = false;
  /** The way under way, and the step that it begins at. */
  #way: { from: number; way: Way } | undefined;
  /** Of a backend that is looked at after each row's step. */
  #orbits: OrbitRequest | undefined;
  #traffic: HostTraffic = NO_TRAFFIC;

  constructor(
    private readonly scenario: Scenario,
    private readonly backend: Backend,
    at?: StepsPlace,
  ) {
    const { time, cosmology } = scenario;
    this.schedule = scheduleOf(scenario);
    this.comoving = time.clock === "comoving" ? new ComovingTime(cosmology, time) : undefined;
    const place = at ?? { step: 0, time: time.start, output: 0, tick: 0 };
    ({ step: this.#step, time: this.#time, output: this.#output, tick: this.#tick } = place);
    this.#adaptive = place.adaptive;
  }

  get place(): StepsPlace {
    const adaptive = this.#adaptive && { adaptive: this.#adaptive };
    return { step: this.#step, time: this.#time, output: this.#output, tick: this.#tick, ...adaptive };
  }

  /** Submissions, waits and bytes read back for the steps. */
  get traffic(): HostTraffic {
    return this.#traffic;
  }

  /** Whether some of the particles can be looked at without a stop. */
  get looksInPassing(): boolean {
    return this.backend.looks === true;
  }

  /** Stopped within a step that the backend divides: its particles are at different times. */
  get midStep(): boolean {
    return this.#midStep;
  }

  get done(): boolean {
    return this.#output === this.#outputs.length - 1;
  }

  get #outputs(): readonly Output[] {
    return this.schedule.outputs;
  }

  /** Advances to a time or an output, by default to the end. The state is synchronous afterwards. */
  async advance(options: AdvanceOptions): Promise<void> {
    const before = this.backend.traffic?.();
    try {
      const target = this.#targetOutput(options);
      while (this.#output < target) await this.#stretch(options, undefined);
      // A time between outputs: whole steps of the fixed step up to it.
      if (options.until !== undefined && options.output === undefined && this.schedule.totalSteps !== undefined) {
        const lastStep = this.#stepsUntil(options.until);
        if (!this.done && this.#step < lastStep) await this.#stretch(options, lastStep);
      }
    } finally {
      if (before) this.#traffic = combined(this.#traffic, combined(this.backend.traffic!(), before, -1), 1);
    }
  }

  /** Whole fixed steps that end at or before a time. */
  #stepsUntil(until: number): number {
    const { step, edges } = this.schedule;
    if (step !== undefined) return Math.floor((until / step) * (1 + 1e-12));
    return edges ? edges.findLastIndex((a) => a <= until * (1 + 1e-12)) : 0;
  }

  #targetOutput({ until, output }: AdvanceOptions): number {
    const last = this.#outputs.length - 1;
    if (output !== undefined) return Math.min(output, last);
    if (until === undefined) return last;
    const tolerance = 1e-12 * this.scenario.time.end;
    if (this.schedule.totalSteps === undefined) {
      const reached = this.#outputs.findIndex(({ time }) => time >= until - tolerance);
      return reached < 0 ? last : reached;
    }
    return this.#outputs.findLastIndex(({ time }) => time <= until + tolerance);
  }

  /** The way to the next output, or to `lastStep` where that comes first. */
  async #stretch(
    { onProgress, signal, submission, most, look }: AdvanceOptions,
    lastStep: number | undefined,
  ): Promise<void> {
    if (signal?.aborted) throw this.#stopped();
    const way = this.schedule.totalSteps === undefined ? await this.#adaptiveWay() : this.#fixedWay(lastStep);
    let since = performance.now();
    let [done, reported] = [0, 0];
    const report = ({ time, step }: StepsPlace) => {
      const now = performance.now();
      const segment = { steps: done - reported, ms: now - since };
      [since, reported] = [now, done];
      onProgress?.({ time, step, fraction: this.#fraction(time), segment });
    };
    const control: AdvanceControl = {
      ...{ signal, submission, most, look: look && this.#timed(look) },
      onProgress: (steps) => {
        done = steps;
        if (!way.ends(steps)) report(way.after(steps));
      },
    };
    try {
      await this.#follow(way, control);
    } catch (cause) {
      if (!(cause instanceof GravmeshError)) throw cause;
      if (cause.kind !== "aborted") throw new GravmeshError(cause.kind, `${way.name}: ${cause.message}`, { cause });
      this.#midStep = done > Math.floor(done);
      this.#arriveAt(way.after(Math.floor(done)));
      throw this.#stopped(cause);
    }
    this.#midStep = false;
    done = way.steps ?? done;
    this.#arriveAt(way.after(done));
    report(this.place);
  }

  /** Tells the time of what is seen, too. */
  #timed(look: NonNullable<AdvanceOptions["look"]>): Look {
    return {
      get watched() {
        return look.watched;
      },
      wanted: () => look.wanted(),
      take: (thinned) => look.take({ ...thinned, time: this.#timeOf(thinned.step) }),
      missed: (why) => look.missed(why),
    };
  }

  async #follow(way: Way, control: AdvanceControl): Promise<void> {
    this.#way = { from: this.#step, way };
    // Direct sums divide their steps themselves.
    if (this.backend.follow) await this.backend.follow(way, control);
    else await this.#advanceByRows(way.steps!, control);
  }

  /** Whole steps of a backend that divides them, with a look at chosen particles after those that have a row. */
  async #advanceByRows(steps: number, { onProgress, ...control }: AdvanceControl): Promise<void> {
    const every = this.#orbits?.every ?? steps;
    const first = this.#step;
    for (let done = 0; done < steps; ) {
      const before = done;
      const part = this.#orbits ? Math.min(steps - done, every - ((first + done) % every)) : steps;
      await this.backend.advance(part, this.schedule.step!, {
        ...control,
        onProgress: (n) => onProgress?.(before + n),
      });
      done += part;
      if (this.#orbits && (first + done) % every === 0) {
        this.#orbits.take({ step: first + done, ...(await this.chosen(this.#orbits.ids)) });
      }
    }
  }

  /** The present state of chosen particles, `ids` ascending. */
  async chosen(ids: Uint32Array): Promise<Omit<OrbitRow, "step">> {
    return (await this.backend.readChosen?.(ids)) ?? chosenOf(ids, await this.backend.readParticles());
  }

  /** Has chosen particles told after every so many steps, with their times. */
  async recordOrbits({ ids, every, take }: OrbitWatch): Promise<void> {
    const request = { ids, every, take: (row: OrbitRow) => take({ ...row, time: this.#timeOf(row.step) }) };
    if (this.backend.recordOrbits) await this.backend.recordOrbits(request);
    else this.#orbits = request;
  }

  /** Of a step of the way under way. */
  #timeOf(step: number): number {
    const { from, way } = this.#way!;
    return way.after(step - from).time;
  }

  #arriveAt({ step, time, output, tick, adaptive }: StepsPlace): void {
    [this.#step, this.#time, this.#output, this.#tick, this.#adaptive] = [step, time, output, tick, adaptive];
  }

  #stopped(cause?: GravmeshError): GravmeshError {
    return new GravmeshError("aborted", `stopped at time ${this.#time}, step ${this.#step}`, { cause });
  }

  /** How much of the run's way lies behind a time. */
  #fraction(time: number): number {
    const { time: settings } = this.scenario;
    return distance(settings, settings.start, time) / distance(settings, settings.start, settings.end);
  }

  #fixedWay(lastStep = Number.POSITIVE_INFINITY): Way {
    const { step: dt = 0, edges } = this.schedule;
    const [output, from, next] = [this.#output, this.#step, this.#outputs[this.#output + 1]];
    const here = this.place;
    const end = Math.min(next.step!, lastStep);
    const after = (steps: number): StepsPlace => {
      const step = from + Math.floor(steps);
      if (steps === 0) return here;
      if (step === next.step) return { step, time: next.time, output: output + 1, tick: 0 };
      return { step, time: edges ? edges[step] : (from + steps) * dt, output, tick: 0 };
    };
    let taken = from;
    const nextLeg = (): Leg => {
      const to = Math.min(end, taken + STEPS_OF_A_LEG);
      const factors =
        this.comoving && edges ? this.comoving.factors(edges.subarray(taken, to + 1)) : uniformFactors(to - taken, dt);
      const times = Float64Array.from({ length: to - taken + 1 }, (_, i) =>
        edges ? edges[taken + i] : (taken + i) * dt,
      );
      taken = to;
      return { factors, times, last: to === end, measured: false };
    };
    const steps = end - from;
    const name = `steps ${from + 1}–${end} (time ${this.#time.toPrecision(6)})`;
    return { name, steps, ends: (done) => done === steps, after, next: nextLeg, note: () => {} };
  }

  async #adaptiveWay(): Promise<Way> {
    const { mesh, box, time } = this.scenario;
    const [output, step] = [this.#output, this.#step];
    const [from, next] = this.#outputs.slice(output);
    const interval = distance(time, from.time, next.time);
    const at = (tick: number) =>
      this.comoving ? between(time, from.time, next.time, tick / TICKS) : from.time + (interval * tick) / TICKS;
    const cell = box.size / mesh.cells;
    const limit = (tick: number, extremes: Extremes) =>
      this.comoving ? this.comoving.stepLimit(at(tick), cell, extremes) : stepLimit(time, cell, extremes);
    const before = this.#adaptive;
    const state = before?.measured.length ? before : AdaptiveWay.from(await this.backend.extremes(), before?.before);
    const way = new AdaptiveWay(this.#tick, interval, limit, state);
    return {
      name: `steps from ${step + 1} on (time ${this.#time.toPrecision(6)})`,
      ends: (done) => way.after(done).tick === TICKS,
      after: (done) => {
        const { tick, state: adaptive } = way.after(done);
        if (tick < TICKS) return { step: step + done, time: at(tick), output, tick, adaptive };
        const { before: last } = adaptive;
        return {
          step: step + done,
          time: next.time,
          output: output + 1,
          tick: 0,
          adaptive: { measured: [], before: last },
        };
      },
      next: () => {
        const { from: tick, steps, ticks } = way.next();
        const factors = this.comoving
          ? this.comoving.factors(Array.from({ length: steps + 1 }, (_, i) => at(tick + i * ticks)))
          : uniformFactors(steps, (interval * ticks) / TICKS);
        const times = Float64Array.from({ length: steps + 1 }, (_, i) => at(tick + i * ticks));
        return { factors, times, last: tick + steps * ticks === TICKS, measured: true };
      },
      note: (extremes) => way.note(extremes),
    };
  }
}
