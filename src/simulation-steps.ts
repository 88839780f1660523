/**
 * A run in steps: which steps lead from output to output, fixed or adaptive, on a static or the comoving clock, in
 * segments between synchronous states that a resumed run repeats.
 */
import type { AdvanceControl, Backend } from "./backend.ts";
import { GravmeshError } from "./errors.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { adaptiveSegment, stepLimit, TICKS } from "./time/adaptive.ts";
import { between, ComovingTime, distance } from "./time/comoving.ts";
import { directSegmentSteps, type Output, type Schedule, schedule, segmentSteps } from "./time/schedule.ts";

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
}

export interface Progress {
  /** [time] */
  time: number;
  step: number;
  /** Fraction of the run's end time. */
  fraction: number;
  /** Steps in the segment just done, and its wall time [ms]. */
  segment: { steps: number; ms: number };
}

export interface AdvanceOptions {
  /** Advance to this time [time]: whole fixed steps, or the end of an adaptive interval at or after it. */
  until?: number;
  /** Advance to the output of this index. */
  output?: number;
  onProgress?: (progress: Progress) => void;
  /** Ends the advance at the next synchronous state with a GravmeshError of kind "aborted"; the state stays usable. */
  signal?: AbortSignal;
}

export class SimulationSteps {
  readonly schedule: Schedule;
  /** Undefined with a static clock. */
  readonly comoving: ComovingTime | undefined;
  #step: number;
  #time: number;
  #output: number;
  #tick: number;
  #midStep = false;

  constructor(
    private readonly scenario: Scenario,
    private readonly particleCount: number,
    private readonly backend: Backend,
    at?: StepsPlace,
  ) {
    const { time, cosmology } = scenario;
    this.schedule = schedule(scenario);
    this.comoving = time.clock === "comoving" ? new ComovingTime(cosmology, time) : undefined;
    const place = at ?? { step: 0, time: time.start, output: 0, tick: 0 };
    ({ step: this.#step, time: this.#time, output: this.#output, tick: this.#tick } = place);
  }

  get place(): StepsPlace {
    return { step: this.#step, time: this.#time, output: this.#output, tick: this.#tick };
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
    const target = this.#targetOutput(options);
    while (this.#output < target) await this.#segment(options, undefined);
    // A time between outputs: whole steps of the fixed step up to it.
    if (options.until !== undefined && options.output === undefined && this.schedule.totalSteps !== undefined) {
      const lastStep = this.#stepsUntil(options.until);
      while (!this.done && this.#step < lastStep) await this.#segment(options, lastStep);
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

  /** One run of steps between synchronous states, never past the next output or `lastStep`. */
  async #segment({ onProgress, signal }: AdvanceOptions, lastStep: number | undefined): Promise<void> {
    if (signal?.aborted) throw new GravmeshError("aborted", `stopped at time ${this.#time}, step ${this.#step}`);
    let since = performance.now();
    let reported = 0;
    const report = (time: number, step: number, steps: number) => {
      const now = performance.now();
      const segment = { steps: steps - reported, ms: now - since };
      [since, reported] = [now, steps];
      onProgress?.({ time, step, fraction: this.#fraction(time), segment });
    };
    const [time, step] = [this.#time, this.#step];
    const control: AdvanceControl = {
      signal,
      onProgress: (done) => report(time + done * (this.schedule.step ?? 0), step + Math.floor(done), done),
    };
    const steps =
      this.schedule.totalSteps === undefined ? await this.#adaptive(control) : await this.#fixed(lastStep, control);
    report(this.#time, this.#step, steps);
  }

  /** How much of the run's way lies behind a time. */
  #fraction(time: number): number {
    const { time: settings } = this.scenario;
    return distance(settings, settings.start, time) / distance(settings, settings.start, settings.end);
  }

  async #fixed(lastStep: number | undefined, control: AdvanceControl): Promise<number> {
    const { step: dt = 0, edges } = this.schedule;
    const next = this.#outputs[this.#output + 1];
    const from = this.#outputs[this.#output].step!;
    // Segments are counted from the last output, so that they fall on the same steps in a resumed run.
    const length = this.#segmentLength();
    const segmentEnd = from + (Math.floor((this.#step - from) / length) + 1) * length;
    const end = Math.min(next.step!, segmentEnd, lastStep ?? Number.POSITIVE_INFINITY);
    const steps = end - this.#step;
    const factors = this.comoving && edges && this.comoving.factors(edges.subarray(this.#step, end + 1));
    await this.#advanceBackend(steps, dt, { ...control, factors });
    this.#step = end;
    this.#time = end === next.step ? next.time : edges ? edges[end] : end * dt;
    if (end === next.step) this.#output += 1;
    return steps;
  }

  /** Steps between synchronous states. A direct sum that divides its steps may be stopped within one: one at a time. */
  #segmentLength(): number {
    const { gravity, direct, mesh } = this.scenario;
    if (gravity === "mesh") return segmentSteps(this.particleCount, mesh.cells);
    return direct.steps === "shared" ? directSegmentSteps(this.particleCount) : 1;
  }

  async #adaptive(control: AdvanceControl): Promise<number> {
    const { mesh, box, time } = this.scenario;
    const [from, next] = this.#outputs.slice(this.#output);
    const interval = distance(time, from.time, next.time);
    const cell = box.size / mesh.cells;
    const extremes = await this.backend.extremes();
    const limit = this.comoving ? this.comoving.stepLimit(this.#time, cell, extremes) : stepLimit(time, cell, extremes);
    const { steps, ticks } = adaptiveSegment(this.#tick, interval, limit);
    const at = (tick: number) => between(time, from.time, next.time, tick / TICKS);
    const factors = this.comoving?.factors(Array.from({ length: steps + 1 }, (_, i) => at(this.#tick + i * ticks)));
    await this.#advanceBackend(steps, (interval * ticks) / TICKS, { ...control, factors });
    this.#step += steps;
    this.#tick += steps * ticks;
    this.#time = factors ? at(this.#tick) : from.time + (interval * this.#tick) / TICKS;
    if (this.#tick === TICKS) {
      this.#output += 1;
      this.#tick = 0;
      this.#time = next.time;
    }
    return steps;
  }

  /** Counts the whole steps of an advance that was stopped; the backend finishes a begun one when it goes on. */
  #stoppedAfter(done: number, dt: number): void {
    const whole = Math.floor(done);
    this.#midStep = done > whole;
    this.#step += whole;
    if (whole > 0) this.#time = this.#step * dt;
  }

  async #advanceBackend(steps: number, dt: number, control: AdvanceControl): Promise<void> {
    let done = 0;
    const onProgress = (fraction: number) => {
      done = fraction;
      control.onProgress?.(fraction);
    };
    try {
      await this.backend.advance(steps, dt, { ...control, onProgress });
      this.#midStep = false;
    } catch (cause) {
      if (!(cause instanceof GravmeshError)) throw cause;
      if (cause.kind === "aborted") this.#stoppedAfter(done, dt);
      const where = `steps ${this.#step + 1}–${this.#step + steps} (time ${this.#time.toPrecision(6)})`;
      throw new GravmeshError(cause.kind, `${where}: ${cause.message}`, { cause });
    }
  }
}
