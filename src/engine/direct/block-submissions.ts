/** Submits a direct sum at its pace (block-pace.ts), watches progress and faults, lets ranks exchange forces. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { type AdvanceControl, goesOn, type Stopped, stopped } from "../backend/backend.ts";
import type { BlockLoop } from "./block-loop.ts";
import { BLOCKS_STAGE, type BlockPace, type Submission } from "./block-pace.ts";
import { controlWords, type DirectProgress, progressOf, SUM } from "./control.ts";
import { integrators } from "./integrators.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import type { DirectState } from "./state.ts";
import type { TargetSharing } from "./target-sharing.ts";

export const NOWHERE = "NaN or infinity; look for it in the initial conditions, or try a shorter time.step";

export interface SubmittedParts {
  state: DirectState;
  loop: BlockLoop;
  pace: BlockPace;
  /** With other ranks. */
  sharing: TargetSharing | undefined;
}

export class BlockSubmissions {
  /** Whether derivatives and steps have been set. */
  #started = false;
  #progress: DirectProgress = progressOf(controlWords());

  constructor(
    private readonly gpu: GpuContext,
    private readonly settings: DirectPipelineSettings,
    private readonly parts: SubmittedParts,
  ) {}

  get started(): boolean {
    return this.#started;
  }

  /** How far the GPU had got when it was last looked at. */
  get progress(): Readonly<DirectProgress> {
    return this.#progress;
  }

  /** After the state was replaced by one of a checkpoint. */
  resume(control: Uint32Array, started: boolean): void {
    this.#started = started;
    this.#progress = progressOf(control);
  }

  /** As `advance` of the pipeline. */
  async advance(steps: number, control: AdvanceControl): Promise<Stopped | undefined> {
    const { state, loop, pace, sharing } = this.parts;
    pace.keepTo(control.submission);
    const wanted = () => goesOn(control);
    if (!(await this.#start(wanted))) return stopped(0, control);
    const from = Math.floor(this.#progress.steps);
    const goal = from + steps;
    // A block that was left in the middle of its forces begins anew.
    state.setControl({ members: 0, sum: SUM.done, stepsWanted: goal });
    for (let opens = true; this.#progress.steps < goal; ) {
      const next = () => (wanted() ? pace.next(this.#progress, goal) : undefined);
      const submission = sharing ? await sharing.agreed(next) : next();
      if (!submission) return stopped(this.#progress.steps - from, control);
      const { rounds, staged } = submission;
      const batch = this.gpu.batch("blocks of the direct sum");
      if (opens) loop.encodeOpening(batch);
      if (!staged) batch.stage(BLOCKS_STAGE);
      for (let round = 0; round < rounds; round++) loop.encodeBlock(batch, staged);
      loop.encodeClosing(batch);
      await this.#submitPaced(batch, submission);
      opens = await this.#exchanged();
      control.onProgress?.(this.#progress.steps - from);
    }
    return undefined;
  }

  /**
   * Predicts all bodies and sums the forces of all on all: in the batch returned, or in submissions before it; undefined once
   * they aren't `wanted` any more.
   */
  async sumAll(label: string, stages: readonly [string, string], wanted = () => true): Promise<Batch | undefined> {
    const { loop, pace, sharing } = this.parts;
    const [predict, force] = stages;
    let batch = this.gpu.batch(label);
    loop.encodePredict(batch, predict);
    if (loop.leastShare === undefined) {
      loop.encodeForces(batch, force);
      return batch;
    }
    loop.beginRounds();
    for (;;) {
      const submission = pace.nextOfSum();
      for (let round = 0; round < submission.rounds; round++) loop.encodeForces(batch, force);
      await this.#submitPaced(batch, submission);
      await this.#exchanged();
      const isSummed = this.#progress.sum === SUM.done;
      // Several ranks don't look at the same time, and finish it.
      if (!isSummed && !sharing && !wanted()) return undefined;
      batch = this.gpu.batch(label);
      if (isSummed) return batch;
    }
  }

  /** Derivatives and first steps, from positions and velocities alone; false where they aren't `wanted` any more. */
  async #start(wanted: () => boolean): Promise<boolean> {
    if (this.#started) return true;
    const { loop, state } = this.parts;
    for (let pass = 0; pass < state.integrator.start.length; pass++) {
      const batch = await this.sumAll("first forces of the direct sum", ["predict", "force"], wanted);
      if (!batch) return false;
      loop.encodeStart(batch);
      await this.#submitAndLook(batch);
    }
    if (this.settings.direct.steps !== "shared") {
      const hopeless = await state.settleFirstSteps();
      if (hopeless !== undefined) throw stepTooShort(hopeless, 0, this.settings);
    }
    this.#started = true;
    return true;
  }

  /** Sums the rest of this rank's part of a shared block and gets the others'; false where there is none. */
  async #exchanged(): Promise<boolean> {
    const { state, loop, pace, sharing } = this.parts;
    if (!sharing) return false;
    while (this.#progress.sum === SUM.begun && sharing.isShared(this.#progress.members)) {
      const submission = pace.nextOfSum();
      const batch = this.gpu.batch("this rank's part of a block").stage("force");
      for (let round = 0; round < submission.rounds; round++) loop.encodeRound(batch);
      await this.#submitPaced(batch, submission);
    }
    if (this.#progress.sum !== SUM.toExchange) return false;
    await sharing.exchangeForces(this.gpu, state, this.#progress);
    state.setControl({ sum: SUM.done });
    this.#progress = { ...this.#progress, sum: SUM.done };
    return true;
  }

  /** Submits with a share of interactions, and tells the pace what it took. */
  async #submitPaced(batch: Batch, submission: Submission): Promise<void> {
    const started = performance.now();
    this.parts.pace.began(this.#progress, submission);
    this.parts.state.setControl({ share: submission.share, rounds: 0 });
    await this.#submitAndLook(batch);
    this.parts.pace.took(performance.now() - started, this.#progress);
  }

  /** Submits, and looks how far the loop has got and whether it is well. */
  async #submitAndLook(batch: Batch): Promise<void> {
    const { control } = this.parts.state;
    const look = (data: ArrayBuffer) => {
      this.#progress = progressOf(new Uint32Array(data));
      throwIfFaulty(this.#progress, this.settings);
    };
    await batch.read(control, 0, control.size, look).submit();
  }
}

/** Throws "numerical" for the first particle with a fault that the GPU has noted. */
function throwIfFaulty(progress: DirectProgress, settings: DirectPipelineSettings): void {
  const { notFinite, tooShort, steps } = progress;
  const time = steps * settings.step;
  if (notFinite !== undefined) {
    throw new GravmeshError("numerical", `${placeOf(notFinite, time)}: expected a finite place, found ${NOWHERE}`);
  }
  if (tooShort !== undefined) throw stepTooShort(tooShort, time, settings);
}

/** For a particle whose step is less than a tick; `time` since the pipeline's beginning. */
function stepTooShort(particle: number, time: number, { step, direct }: DirectPipelineSettings): GravmeshError {
  const advice = [
    direct.softening > 0 ? "a larger direct.softening" : "a direct.softening above 0",
    `a larger ${integrators[direct.integrator].accuracy.map((key) => `direct.${key}`).join(" or ")}`,
    ...(direct.precision === "single" ? ['direct.precision = "double-single"'] : []),
    "a shorter time.step",
  ];
  return new GravmeshError(
    "numerical",
    `${placeOf(particle, time)}: expected a time step of at least 2^-30 of the largest, ${(step / 2 ** 30).toPrecision(3)}, found a shorter one; it is likely in a close pair: try ${advice.join(", or ")}`,
  );
}

function placeOf(particle: number, time: number): string {
  return `direct sum, time ${time.toPrecision(6)} since its start, particle ${particle}`;
}
