/** The steps of a run in the tab, taken in short turns: pictures on the same device wait until a turn is done. */

import { between, distance } from "../../../engine/time/settings.ts";
import { GravmeshError, isAborted } from "../../../foundation/base/errors.ts";
import { RunSpeed } from "../../../run/accounts.ts";
import { failureOf } from "../../../run/health.ts";
import type { Simulation } from "../../../scenario/simulation/simulation.ts";
import type { Curves } from "./curves.ts";

/** The length of a submission [ms]: two are under way at a time. */
const SUBMISSION = 14;

export class RunSteps {
  readonly #pace = new RunSpeed();
  /** When the last turn ended, unless the run has paused since [ms]. */
  #last: number | undefined;

  constructor(
    private readonly simulation: Simulation,
    private readonly curves: Curves,
    private readonly about: {
      /** Where it begins [time]. */
      start: number;
      /** Aborted when it is to go no further. */
      signal: AbortSignal;
    },
  ) {}

  get stepsPerSecond(): number {
    return this.#pace.stepsPerSecond;
  }

  rest(): void {
    this.#last = undefined;
  }

  get fraction(): number {
    const { scenario, time } = this.simulation;
    const { start } = this.about;
    return distance(scenario.time, start, time) / distance(scenario.time, start, scenario.time.end);
  }

  /** The end of the next fixed step; undefined where the run chooses its steps [time]. */
  get nextStep(): number | undefined {
    const { schedule, step } = this.simulation;
    const { step: dt, edges } = schedule;
    return edges ? edges[step + 1] : dt && (step + 1) * dt;
  }

  /** Goes on for about so long [ms], at least a step, and not past a time. False where no whole step leads up to that. */
  async turn(ms: number, until?: number): Promise<boolean> {
    const { simulation } = this;
    const { signal } = this.about;
    const began = performance.now();
    const from = simulation.step;
    const isLate = () => performance.now() - began >= ms;
    // In a turn of no time at all each step is submitted by itself, so that it is one.
    const submission = ms > 0 ? SUBMISSION : 0;
    const isThere = () => until !== undefined && simulation.time >= until * (1 - 1e-12);
    let moved = false;
    do {
      const before = simulation.time;
      moved = (await this.#towards(until, { isLate, submission })) || moved;
      if (signal.aborted) break;
      await this.measure();
      if (simulation.time === before && !isLate()) break;
    } while (!signal.aborted && !simulation.done && !isLate() && !isThere());
    const now = performance.now();
    this.#pace.add(simulation.step - from, now - (this.#last ?? began));
    this.#last = now;
    return moved;
  }

  /** Advances to the next output or row at most. */
  async #towards(
    until = this.simulation.scenario.time.end,
    { isLate, submission }: { isLate: () => boolean; submission: number },
  ): Promise<boolean> {
    const { outputs, output, scenario } = this.simulation;
    const next = outputs[output + 1];
    const stop = new AbortController();
    const row = between(scenario.time, this.about.start, scenario.time.end, this.curves.nextRow);
    const limit = Math.min(until, Math.max(row, this.nextStep ?? row));
    let moved = false;
    const onProgress = ({ time }: { time: number }) => {
      moved = true;
      if (isLate() || this.about.signal.aborted || time >= limit) stop.abort();
    };
    // Never up to a time: that would be a stop with a synchronous state, which rounds otherwise than a run without.
    const most = limit < next.time ? this.#stepsTo(limit) : submission > 0 ? undefined : 1;
    if (most === 0) return false;
    const advance = { output: output + 1, onProgress, pause: stop.signal, submission, ...(most && { most }) };
    await this.simulation.advance(advance).catch((error) => {
      if (!isAborted(error)) throw error; // the run has been replaced meanwhile
    });
    return moved;
  }

  /** Whole fixed steps that end at or before a time; undefined where the run chooses its steps. */
  #stepsTo(time: number): number | undefined {
    const { schedule, step } = this.simulation;
    const { step: dt, edges } = schedule;
    const late = time * (1 + 1e-12);
    const last = edges ? edges.findLastIndex((edge) => edge <= late) : dt && Math.floor(late / dt);
    return last === undefined ? undefined : Math.max(0, last - step);
  }

  /** Writes the rows that are due. Throws "numerical" for a run that has failed by its deck's measure. */
  async measure(): Promise<void> {
    const row = await this.curves.look(this.fraction);
    const failure = row && failureOf(this.simulation.scenario, row);
    if (failure) throw new GravmeshError("numerical", failure);
  }
}
