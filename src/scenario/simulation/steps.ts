/** A run in steps, from output to output. The state is synchronous at outputs; between them kicks are merged. */
import type { AdvanceControl, Backend, HostTraffic, OrbitRow } from "../../engine/backend/backend.ts";
import type { Diagnostics } from "../../engine/diagnostics/columns.ts";
import type { StepWatch } from "../../engine/time/observer.ts";
import type { Output, Schedule } from "../../engine/time/schedule.ts";
import { distance } from "../../engine/time/settings.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { combined, NO_TRAFFIC } from "../../foundation/gpu/timing.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { ComovingClock } from "../../physics/cosmology/steps.ts";
import { chosenOf } from "../../physics/particles/chosen.ts";
import type { Look, Thinned } from "../../physics/particles/thinned.ts";
import type { Scenario } from "../scenario.ts";
import { scheduleOf } from "../timetables.ts";
import { adaptivePlan, fixedPlan, type PlanToOutput, type StepsPlace, type SumsAtOutputs } from "./step-plans.ts";

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
  /** Advance to this time [time]: whole fixed steps, or the end of an adaptive interval at or after it; not back. */
  until?: number;
  /** Advance to the output of this index. */
  output?: number;
  onProgress?: (progress: Progress) => void;
  /** Ends the advance between two steps with a GravmeshError of kind "aborted"; the state stays usable. */
  signal?: AbortSignal;
  /** Ends it likewise, and without an error; as the signal unless given. */
  pause?: AbortSignal;
  /** Longest submission to the GPU [ms], half a second by default: what else draws on the device waits so long. */
  submission?: number;
  /** Ends the advance after so many steps at the latest. */
  most?: number;
  /** Gets the row of each output with diagnostics that is passed or reached, without a stop where the simulation `looksInPassing`. */
  onRow?: (row: Diagnostics) => void;
  /** Gets some of the particles in passing, where the simulation `looksInPassing`. */
  look?: Look<Thinned & { step: number; time: number }> | undefined;
}

export class SimulationSteps {
  readonly schedule: Schedule;
  /** Undefined with a static clock. */
  readonly comoving: ComovingClock | undefined;
  #place: StepsPlace;
  #midStep = false;
  /** The plan under way, and the step that it begins at. */
  #plan: { from: number; plan: PlanToOutput } | undefined;
  readonly #watches = new Map<string, StepWatch>();
  #traffic: HostTraffic = NO_TRAFFIC;

  constructor(
    readonly scenario: Scenario,
    private readonly backend: Backend,
    at?: StepsPlace,
  ) {
    const { time, cosmology } = scenario;
    this.schedule = scheduleOf(scenario);
    this.comoving = time.clock === "comoving" ? new ComovingClock(new Background(cosmology), time) : undefined;
    const { step, output, tick, adaptive } = at ?? { step: 0, output: 0, tick: 0, adaptive: undefined };
    this.#place = { step, time: at?.time ?? time.start, output, tick, ...(adaptive && { adaptive }) };
  }

  get place(): StepsPlace {
    return this.#place;
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
    return this.place.output === this.schedule.outputs.length - 1;
  }

  /** Advances to a time or an output, by default to the end. The state is synchronous afterwards. Throws "usage". */
  async advance(options: AdvanceOptions, onSums?: SumsAtOutputs): Promise<void> {
    requireSound(options, this.scenario.time.start);
    const before = this.backend.traffic?.();
    try {
      const target = this.#targetOutput(options);
      while (this.place.output < target) {
        const { output } = this.place;
        if (await this.#stopsIn(options, () => this.#planTo(target, this.looksInPassing ? onSums : undefined))) return;
        if (!onSums || this.looksInPassing || this.place.output === output) continue;
        if (!this.schedule.outputs[this.place.output].diagnostics) continue;
        onSums(await this.backend.sums(), this.place);
      }
      // A time between outputs: whole steps of the fixed step up to it.
      if (options.until !== undefined && options.output === undefined && this.schedule.totalSteps !== undefined) {
        const lastStep = this.#stepsUntil(options.until);
        while (!this.done && this.place.step < lastStep)
          if (await this.#stopsIn(options, () => fixedPlan(this, this.place, { lastStep }))) return;
      }
    } finally {
      if (before) this.#traffic = combined(this.#traffic, combined(this.backend.traffic!(), before, -1), 1);
    }
  }

  #stepsUntil(until: number): number {
    const { step, edges } = this.schedule;
    if (step !== undefined) return Math.floor((until / step) * (1 + 1e-12));
    return edges ? edges.findLastIndex((a) => a <= until * (1 + 1e-12)) : 0;
  }

  #targetOutput({ until, output }: AdvanceOptions): number {
    const { outputs } = this.schedule;
    const last = outputs.length - 1;
    if (output !== undefined) return Math.min(output, last);
    if (until === undefined) return last;
    const tolerance = 1e-12 * this.scenario.time.end;
    if (this.schedule.totalSteps === undefined) {
      const reached = outputs.findIndex(({ time }) => time >= until - tolerance);
      return reached < 0 ? last : reached;
    }
    return outputs.findLastIndex(({ time }) => time <= until + tolerance);
  }

  /**
   * Whether the advance is stopped before the end of a plan; not by a watch that the backend doesn't serve, for which it stops.
   * Throws "aborted" where the signal stops it.
   */
  async #stopsIn(
    { onProgress, signal, pause = signal, submission, most = Number.POSITIVE_INFINITY, look }: AdvanceOptions,
    planned: () => PlanToOutput | Promise<PlanToOutput>,
  ): Promise<boolean> {
    if (signal?.aborted) throw this.#aborted();
    if (pause?.aborted) return true;
    const plan = await planned();
    const { step: first } = this.place;
    const watches = [...this.#watches.values()].filter(({ onDevice }) => !onDevice || !this.backend.watch);
    const part = Math.min(...watches.map(({ every }) => every - (first % every)));
    let since = performance.now();
    let [done, reported] = [0, 0];
    const report = ({ time, step }: StepsPlace) => {
      const now = performance.now();
      const segment = { steps: done - reported, ms: now - since };
      [since, reported] = [now, done];
      onProgress?.({ time, step, fraction: this.#fraction(time), segment });
    };
    const control: AdvanceControl = {
      ...{ pause, submission, most: Math.min(most, part), look: look && this.#timed(look) },
      onProgress: (steps) => {
        done = steps;
        if (!plan.ends(steps)) report(plan.after(steps));
      },
    };
    this.#plan = { from: first, plan };
    // Direct sums divide their steps themselves.
    const steps = this.backend.follow ? plan.steps : Math.min(plan.steps!, part);
    const going = this.backend.follow?.(plan, control) ?? this.backend.advance(steps!, this.schedule.step!, control);
    const stopped = await going.catch((cause) => {
      if (!(cause instanceof GravmeshError)) throw cause;
      throw new GravmeshError(cause.kind, `${plan.name}: ${cause.message}`, { cause });
    });
    done = stopped?.steps ?? steps ?? done;
    this.#midStep = done > Math.floor(done);
    this.#place = plan.after(Math.floor(done));
    for (const { every, onHost } of done > 0 && !this.#midStep ? watches : []) {
      const { step } = this.place;
      if (step % every === 0)
        await onHost(
          step,
          (ids) => this.chosen(ids),
          () => this.backend.readBlocks({ reuse: true }),
        );
    }
    if (!stopped) report(this.place);
    else if (signal?.aborted) throw this.#aborted();
    return stopped !== undefined && !(stopped.steps === part && part < most);
  }

  /** To the next output; with `onSums` to the next that has no diagnostics, as far as `last`, where steps are fixed. */
  #planTo(last: number, onSums: SumsAtOutputs | undefined): PlanToOutput | Promise<PlanToOutput> {
    if (this.schedule.totalSteps === undefined) {
      return adaptivePlan(this, this.place, () => this.backend.extremes(), onSums);
    }
    const next = this.place.output + 1;
    const isStop = ({ diagnostics }: Output, i: number) => i >= next && (i === last || !diagnostics || !onSums);
    return fixedPlan(this, this.place, { target: this.schedule.outputs.findIndex(isStop), onSums });
  }

  /** Adds the time to what is seen. */
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

  async chosen(ids: Uint32Array): Promise<Omit<OrbitRow, "step">> {
    return (await this.backend.readChosen?.(ids)) ?? chosenOf(ids, await this.backend.readParticles());
  }

  /** Has the steps to come watched, in place of an earlier watch of that name; it may ask for the time of a step. */
  async watch(name: string, watching: (timeOf: (step: number) => number) => StepWatch): Promise<void> {
    this.#watches.set(
      name,
      watching((step) => this.#timeOf(step)),
    );
    await this.backend.watch?.([...this.#watches.values()].filter(({ onDevice }) => onDevice));
  }

  #timeOf(step: number): number {
    const { from, plan } = this.#plan!;
    return plan.after(step - from).time;
  }

  #aborted(): GravmeshError {
    const { time, step } = this.place;
    return new GravmeshError("aborted", `stopped at time ${time}, step ${step}`);
  }

  #fraction(time: number): number {
    const { time: settings } = this.scenario;
    return distance(settings, settings.start, time) / distance(settings, settings.start, settings.end);
  }
}

/** Throws "usage" for options that an advance couldn't follow. */
function requireSound({ until, output, submission, most }: AdvanceOptions, start: number): void {
  const require = (name: string, value: number | undefined, sound: (x: number) => boolean, expected: string) => {
    if (value === undefined || sound(value)) return;
    throw new GravmeshError("usage", `advance: expected ${name} to be ${expected}, found ${value}`);
  };
  require("until", until, (t) => t >= start && t < Number.POSITIVE_INFINITY, `a time from the start, ${start}, on`);
  require("output", output, (n) => n >= 0 && Number.isInteger(n), "the index of an output");
  require("submission", submission, (ms) => ms >= 0, "milliseconds");
  require("most", most, (n) => n >= 0, "a number of steps");
}
