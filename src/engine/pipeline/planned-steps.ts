/** A plan step by step, the same on every rank. */
import { agreed, type Ranks } from "../../foundation/ranks/ranks.ts";
import { type StepPlan, type StepSegment, timesOf } from "../backend/backend.ts";

/** The segment that ends with a step. */
export type Ending = Record<"ends", StepSegment | undefined>;
/** Kicks, the drift and the times of a step [time]. */
export type Step = Record<"opening" | "drift" | "closing" | "from" | "to", number> & Ending;

/** The steps of a plan, from a time on; rank 0 knows them. They never end: the last segment has `last`. */
export async function* stepsOf(plan: StepPlan, ranks: Ranks, start: number): AsyncGenerator<Step, never> {
  for (let time = start; ; ) {
    const segment = await agreed(ranks, () => plainSegment(plan.next()));
    const { openings, drifts, closings } = segment.factors;
    const times = timesOf(segment, time);
    const last = drifts.length - 1;
    for (let i = 0; i <= last; i++) {
      const factors = { opening: openings[i], drift: drifts[i], closing: closings[i] };
      yield { ...factors, from: times[i], to: times[i + 1], ends: i === last ? segment : undefined };
    }
    time = times[last + 1];
  }
}

/** To be sent to the other ranks. */
function plainSegment({ factors: { openings, drifts, closings }, times, ...rest }: StepSegment): StepSegment {
  const factors = { openings: Array.from(openings), drifts: Array.from(drifts), closings: Array.from(closings) };
  return { factors, ...(times && { times: Array.from(times) }), ...rest };
}
