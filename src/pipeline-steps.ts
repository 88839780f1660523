/**
 * Submits the steps of a course on the mesh. While a submission runs the next is recorded; all that the host wants to know
 * of one is read back with it.
 */
import type { AdvanceControl, Course, Extremes, Leg } from "./backend.ts";
import { timesOf } from "./backend.ts";
import type { Diagnostics } from "./diagnostics/energy.ts";
import type { Batch } from "./gpu/batch.ts";
import type { GpuContext } from "./gpu/context.ts";
import type { InTurn } from "./gpu/in-turn.ts";
import type { DriftedDeposit } from "./mesh/deposit-shape.ts";
import type { Reordering } from "./particles/reordering.ts";
import { agreed } from "./ranks/ranks.ts";
import type { Leapfrog } from "./time/leapfrog.ts";
import type { Looker } from "./time/looker.ts";
import type { OrbitRecorder } from "./time/orbit-recorder.ts";

/** A submission is kept near this long [ms]: some systems reset a device that doesn't answer for two seconds. */
const SUBMISSION_MS = 480;
/** Twice as long it may be on a processor, which nobody resets, for so many steps: one in 16 with those that end early. */
const ENOUGH = 18;
const LONGEST_SUBMISSION = 32;

/**
 * Steps of `step` [ms] that go into a submission; `longest`: how long one may be [ms], where that isn't left to the kind of
 * adapter.
 */
export function stepsOfASubmission(
  step: number,
  { software, longest }: { software: boolean; longest?: number | undefined },
): number {
  const fitting = Math.min(LONGEST_SUBMISSION, Math.max(1, Math.floor((longest ?? SUBMISSION_MS) / step)));
  const enough = software && longest === undefined && ENOUGH * step <= 2 * SUBMISSION_MS;
  return enough ? Math.max(ENOUGH, fitting) : fitting;
}

interface StepStages {
  update: Leapfrog;
  /** Its time is that of the present state. */
  diagnostics: Diagnostics;
  /** One force evaluation; velocities may be left behind where an update comes next. */
  force(batch: Batch, options: { leaveVelocities?: boolean }): Promise<Batch>;
  /** Of several ranks: when all have the force; until then nothing else is done together. */
  handedOn(): Promise<void>;
  looker: Looker;
  reordering: Reordering;
  /** The deposit of particles that have moved since they were ordered; undefined where they must be in order. */
  drifted(): DriftedDeposit | undefined;
}

interface Along {
  course: Course;
  /** The kick that closes the step before. */
  owed: number;
  submissions: InTurn;
  control: AdvanceControl;
  recorder: OrbitRecorder | undefined;
  /** Takes the extremes at the end of a measured course. */
  noteEnd: (extremes: Extremes) => void;
}

/** Where a course was stopped: the steps submitted, and the kick owed. */
interface Stopped {
  steps: number;
  owed: number;
}

export class StepSubmissions {
  /** [ms], of the last submission; unknown before the first. */
  #step = Number.POSITIVE_INFINITY;
  /** [ms], of all submissions. */
  #spent = 0;

  constructor(
    private readonly gpu: GpuContext,
    private readonly stages: StepStages,
  ) {}

  /** To the end of the course, or to where it is stopped. */
  async along({ course, owed, submissions, control, recorder, noteEnd }: Along): Promise<Stopped | undefined> {
    const { update, diagnostics, force, handedOn, looker, reordering, drifted } = this.stages;
    const { signal, onProgress, look, submission: longest = SUBMISSION_MS, most = Number.POSITIVE_INFINITY } = control;
    const { ranks } = diagnostics;
    const alone = ranks.size === 1;
    let [steps, reported, kick] = [0, 0, owed];
    // Rank 0 knows the way, and where it is stopped.
    const next = async () => (alone ? course.next() : agreed(ranks, () => plainLeg(course.next())));
    for (let leg = await next(), at = 0; ; leg = await next(), at = 0) {
      const { openings, drifts, closings } = leg.factors;
      const times = timesOf(leg, diagnostics.time);
      while (at < drifts.length) {
        // Two submissions are under way at a time, but not where a step alone is longer than either should be.
        if (this.#step > longest) await submissions.drain();
        const fitting = stepsOfASubmission(this.#step, {
          software: this.gpu.adapter.software,
          longest: control.submission,
        });
        const wanted = () => (signal?.aborted ? 0 : Math.min(fitting, most - steps));
        const ahead = alone ? wanted() : await agreed(ranks, wanted);
        if (ahead === 0) return { steps, owed: kick };
        // A rank sees its own particles alone.
        const seen = alone && (await looker.prepare(look, () => submissions.drain()));
        const mayStay = await this.#mayStayInOrder();
        const started = performance.now();
        const from = at;
        const room = Math.min(ahead, recorder?.stepsThatFit(update.steps) ?? Infinity);
        const end = Math.min(drifts.length, at + room);
        let batch = this.gpu.batch("steps");
        for (; at < end; at++) {
          const counting = reordering.isDue(drifts[at], mayStay && drifted() !== undefined);
          update.encode(batch, kick + openings[at], drifts[at], times[at], { counting });
          kick = closings[at];
          diagnostics.time = times[at + 1];
          const looked = at === drifts.length - 1 && leg.measured && !leg.last;
          batch = await force(batch, { leaveVelocities: !looked });
          if (recorder?.isDue(update.steps)) {
            recorder.encode(batch, { step: update.steps, kick, time: diagnostics.time });
          }
        }
        if (seen) looker.encode(batch, { step: update.steps, kick, time: diagnostics.time });
        const ended = at === drifts.length;
        if (ended && leg.last) update.encodeKick(batch, kick, diagnostics.time);
        const note = (extremes: Extremes) => {
          if (leg.last) noteEnd(extremes);
          course.note(extremes);
        };
        let measured: Extremes | undefined;
        if (ended && leg.measured) {
          diagnostics.measureExtremes(batch, (extremes) => {
            if (alone) note(extremes);
            else measured = extremes;
          });
        }
        recorder?.encodeRead(batch);
        if (drifted()) reordering.watch(batch);
        update.watchHealth(batch); // faults are noted on the GPU with the step in which they happened
        steps += end - from;
        await submissions.send(batch, started, (ms) => {
          reported += end - from;
          this.#step = ms / (end - from);
          this.#spent += ms;
          onProgress?.(reported);
        });
        await handedOn();
        if (alone || !(ended && leg.measured)) continue;
        await submissions.drain();
        note(await diagnostics.ofAllRanks(measured!));
      }
      if (leg.last) return undefined;
    }
  }

  /** Whether particles may stay in an earlier order; compiles what that needs, once it is worth it. */
  async #mayStayInOrder(): Promise<boolean> {
    const { update, reordering, drifted } = this.stages;
    const deposit = drifted();
    if (!deposit || !reordering.skips(this.#spent)) return false;
    await Promise.all([update.prepareUncounted(), deposit.prepare()]);
    return true;
  }
}

/** To be sent to the other ranks. */
function plainLeg({ factors: { openings, drifts, closings }, times, last, measured }: Leg): Leg {
  const factors = { openings: Array.from(openings), drifts: Array.from(drifts), closings: Array.from(closings) };
  return { factors, ...(times && { times: Array.from(times) }), last, measured };
}
