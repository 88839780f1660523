/**
 * Submits the steps of a plan on the mesh. While a submission runs the next is recorded; all that the host wants to know
 * of one is read back with it.
 */
import type { AdvanceControl, Extremes, StepPlan, StepSegment } from "../backend/backend.ts";
import { timesOf } from "../backend/backend.ts";
import type { Diagnostics } from "../diagnostics/energy.ts";
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { InTurn } from "../gpu/in-turn.ts";
import { agreed } from "../ranks/ranks.ts";
import type { Leapfrog } from "../time/leapfrog.ts";
import type { OrbitRecorder } from "../time/orbit-recorder.ts";
import type { Sampler } from "../time/sampler.ts";

/** A submission is kept near this long [ms]: some systems reset a device that doesn't answer for two seconds. */
const SUBMISSION_MS = 480;
/** Twice as long it may be on a processor, which nobody resets, for so many steps: one in 16 with those that end early. */
const ENOUGH = 18;
const LONGEST_SUBMISSION = 32;
/** Browsers' clocks go by up to a millisecond: by them a step may have taken none at all [ms]. */
const SHORTEST_STEP = 1e-3;

/**
 * Steps of `timed` [ms] each that go into a submission; `longest`: how long one may be [ms], where that isn't left to the kind
 * of adapter.
 */
export function stepsOfASubmission(
  timed: number,
  { software, longest }: { software: boolean; longest?: number | undefined },
): number {
  const step = Math.max(SHORTEST_STEP, timed);
  const fitting = Math.min(LONGEST_SUBMISSION, Math.max(1, Math.floor((longest ?? SUBMISSION_MS) / step)));
  const enough = software && longest === undefined && ENOUGH * step <= 2 * SUBMISSION_MS;
  return enough ? Math.max(ENOUGH, fitting) : fitting;
}

interface StepStages {
  update: Leapfrog;
  /** Its time is that of the present state. */
  diagnostics: Diagnostics;
  /** One force evaluation. */
  force(batch: Batch): Promise<Batch>;
  /** With several ranks: resolves when all have the force; until then nothing else is done together. */
  handedOn(): Promise<void>;
  sampler: Sampler;
}

interface Along {
  plan: StepPlan;
  /** The kick that closes the step before. */
  owed: number;
  submissions: InTurn;
  control: AdvanceControl;
  recorder: OrbitRecorder | undefined;
  /** Takes the extremes at the end of a measured plan. */
  noteEnd: (extremes: Extremes) => void;
}

/** Where a plan was stopped: the steps submitted, and the kick owed. */
interface Stopped {
  steps: number;
  owed: number;
}

export class StepSubmissions {
  /** [ms], of the last submission; unknown before the first. */
  #step = Number.POSITIVE_INFINITY;

  constructor(
    private readonly gpu: GpuContext,
    private readonly stages: StepStages,
  ) {}

  /** To the end of the plan, or to where it is stopped. */
  async along({ plan, owed, submissions, control, recorder, noteEnd }: Along): Promise<Stopped | undefined> {
    const { update, diagnostics, force, handedOn, sampler } = this.stages;
    const { signal, onProgress, look, submission: longest = SUBMISSION_MS, most = Number.POSITIVE_INFINITY } = control;
    const { ranks } = diagnostics;
    const alone = ranks.size === 1;
    let [steps, reported, kick] = [0, 0, owed];
    // Rank 0 knows the way, and where it is stopped.
    const next = async () => (alone ? plan.next() : agreed(ranks, () => plainSegment(plan.next())));
    for (let segment = await next(), at = 0; ; segment = await next(), at = 0) {
      const { openings, drifts, closings } = segment.factors;
      const times = timesOf(segment, diagnostics.time);
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
        const seen = alone && (await sampler.prepare(look, () => submissions.drain()));
        const started = performance.now();
        const from = at;
        const room = Math.min(ahead, recorder?.stepsThatFit(update.steps) ?? Infinity);
        const end = Math.min(drifts.length, at + room);
        let batch = this.gpu.batch("steps");
        for (; at < end; at++) {
          update.encode(batch, kick + openings[at], drifts[at], times[at]);
          kick = closings[at];
          diagnostics.time = times[at + 1];
          batch = await force(batch);
          if (recorder?.isDue(update.steps)) {
            recorder.encode(batch, { step: update.steps, kick, time: diagnostics.time });
          }
        }
        if (seen) sampler.encode(batch, { step: update.steps, kick, time: diagnostics.time });
        const ended = at === drifts.length;
        if (ended && segment.last) update.encodeKick(batch, kick, diagnostics.time);
        const note = (extremes: Extremes) => {
          if (segment.last) noteEnd(extremes);
          plan.note(extremes);
        };
        let measured: Extremes | undefined;
        if (ended && segment.measured) {
          diagnostics.measureExtremes(batch, (extremes) => {
            if (alone) note(extremes);
            else measured = extremes;
          });
        }
        recorder?.encodeRead(batch);
        update.watchHealth(batch); // faults are noted on the GPU with the step in which they happened
        steps += end - from;
        await submissions.send(batch, started, (ms) => {
          reported += end - from;
          this.#step = ms / (end - from);
          onProgress?.(reported);
        });
        await handedOn();
        if (alone || !(ended && segment.measured)) continue;
        await submissions.drain();
        note(await diagnostics.ofAllRanks(measured!));
      }
      if (segment.last) return undefined;
    }
  }
}

/** To be sent to the other ranks. */
function plainSegment({ factors: { openings, drifts, closings }, times, last, measured }: StepSegment): StepSegment {
  const factors = { openings: Array.from(openings), drifts: Array.from(drifts), closings: Array.from(closings) };
  return { factors, ...(times && { times: Array.from(times) }), last, measured };
}
