/** Play, pause and step of all panes together: runs take turns between pictures, in a comparison to equal times. */
import { TaskQueue } from "../../../foundation/base/turns.ts";
import type { RunExhibit } from "./run-exhibit.ts";

/** The time of all runs from picture to picture [ms]: the device never has more to do at a time. */
const TURNS = 28;

interface Transported {
  runs(): readonly RunExhibit[];
  /** Draws what is stale; resolves when the device has. */
  draw(): Promise<void>;
  stale(): boolean;
}

export class Transport {
  #playing = false;
  #loop: Promise<void> | undefined;
  /** Each turn begins when the one before has ended. */
  readonly #turns = new TaskQueue("page");

  constructor(private readonly panes: Transported) {}

  wake(): void {
    this.#loop ??= this.#go().finally(() => {
      this.#loop = undefined;
      if (this.#hasWork()) this.wake();
    });
  }

  play(): void {
    this.#playing = true;
    for (const run of this.panes.runs()) run.playing = true;
    this.wake();
  }

  /** What takes the place of `leaving` doesn't go by itself, unless another run goes. */
  rest(leaving: unknown): void {
    if (going(this.panes.runs()).every((run) => run === leaving)) this.#playing = false;
  }

  /** Resolves when nothing moves; of runs that are compared, the one behind catches up. */
  async pause(): Promise<void> {
    this.#playing = false;
    await this.inTurn(async () => {
      const runs = going(this.panes.runs());
      const latest = Math.max(...runs.map(({ time }) => time));
      for (const run of runs) while (run.time < latest && !this.#playing && (await run.turn(TURNS, latest)));
    });
    for (const run of this.panes.runs()) if (!this.#playing) run.playing = false;
  }

  /** Each run takes a step; of runs with different steps, the shorter ones as many as lead up to it. */
  async step(): Promise<void> {
    await this.inTurn(async () => {
      const [first, ...others] = going(this.panes.runs()).sort((a, b) => a.time - b.time);
      if (!first) return;
      await first.oneStep();
      for (const run of others) while (run.time < first.time && (await run.turn(TURNS, first.time)));
    });
  }

  /** Does something while no run moves. */
  inTurn<T>(what: () => Promise<T>): Promise<T> {
    return this.#turns.take(what);
  }

  #hasWork(): boolean {
    return this.panes.stale() || (this.#playing && going(this.panes.runs()).length > 0);
  }

  async #go(): Promise<void> {
    while (this.#hasWork()) {
      await nextFrame();
      await this.inTurn(() => this.panes.draw());
      if (this.#playing) await this.inTurn(() => this.#moveOn());
    }
  }

  /** A turn for those that are behind. */
  async #moveOn(): Promise<void> {
    if (!this.#playing) return;
    const all = this.panes.runs();
    if (all.some(({ preparing }) => preparing) && all.length > 1) return; // they go together
    const runs = going(all);
    for (const run of runs) run.playing = true;
    const began = performance.now();
    const left = () => TURNS - (performance.now() - began);
    if (runs.length === 1) {
      await runs[0].turn(TURNS);
      return;
    }
    while (left() > 0 && this.#playing) {
      const [behind, ahead] = going(runs).sort((a, b) => a.time - b.time);
      if (!behind) return;
      const catchesUp = ahead && behind.time < ahead.time;
      if (catchesUp && (await behind.turn(Math.max(1, left()), ahead.time))) continue;
      // As far as either goes: the one with the longer steps takes one.
      await (ahead ?? behind).oneStep();
      if (!ahead) return;
    }
  }
}

const going = (runs: readonly RunExhibit[]) => runs.filter(({ goes }) => goes);

/** A tab that isn't seen has no animation frames; its runs go on [ms]. */
const HIDDEN = 100;

/** Resolves at the next animation frame of the worker, or a moment later where the tab is hidden or has no such frames. */
async function nextFrame(): Promise<void> {
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis;
  let [frame, timer]: [number | undefined, ReturnType<typeof setTimeout> | undefined] = [undefined, undefined];
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, HIDDEN);
    frame = requestAnimationFrame?.(() => resolve());
  });
  clearTimeout(timer);
  if (frame !== undefined) cancelAnimationFrame?.(frame);
}
