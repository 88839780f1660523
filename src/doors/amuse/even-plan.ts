/** Equal steps of the mesh from one time to another, in segments that don't take memory for all of them. */
import { uniformFactors } from "../../engine/backend/backend.ts";
import type { PlanToOutput } from "../../scenario/simulation/step-plans.ts";

const STEPS_OF_A_SEGMENT = 1024;

/** Times are the backend's own. */
export function evenPlan(from: number, until: number, steps: number): Pick<PlanToOutput, "next" | "note" | "after"> {
  const at = (step: number) => (step === steps ? until : from + ((until - from) * step) / steps);
  let taken = 0;
  return {
    next() {
      const first = taken;
      taken = Math.min(steps, first + STEPS_OF_A_SEGMENT);
      const times = Float64Array.from({ length: taken - first + 1 }, (_, step) => at(first + step));
      const factors = uniformFactors(taken - first, (until - from) / steps);
      return { factors, times, last: taken === steps, measured: false };
    },
    note: () => {},
    after: (done) => ({ step: done, time: at(done), output: 0, tick: 0 }),
  };
}
