/** What a measurement gives where it would take too long or can't be made here: a reason instead of figures. No failure. */
import { GravmeshError } from "../../base/errors.ts";
import { duration } from "../../page/numbers.ts";
import type { Measurement, Results } from "./spec.ts";

export interface LeftOut {
  leftOut: string;
}

export function isLeftOut(result: object | undefined): result is LeftOut {
  return result !== undefined && "leftOut" in result;
}

/** `seconds`: what it would take by an estimate. */
export function tooLong(seconds: number): LeftOut {
  return { leftOut: `about ${duration(seconds)}` };
}

/** What takes so many times what it may is stopped, for the estimate was wrong then. */
const PATIENCE = 2;

/** `work` that should take at most `longest` [s]; its signal comes when it takes far longer, which leaves it out. */
export async function patiently<T>(
  longest: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | LeftOut> {
  const deadline = AbortSignal.timeout(1000 * PATIENCE * longest);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    const late = deadline.aborted && !signal.aborted && error instanceof GravmeshError && error.kind === "aborted";
    if (!late) throw error;
    return { leftOut: `not done after ${duration(PATIENCE * longest)}` };
  }
}

/** A remark that names what was left out and why, group by group in the order of the measurements. */
export function leftOutRemark(measurements: readonly Measurement[], results: Results): string[] {
  const groups = new Map<string, string[]>();
  for (const { key, among } of measurements) {
    if (!among) continue;
    const [group, label] = among;
    const labels = groups.get(group) ?? [];
    const result = results.get(key) as object | undefined;
    groups.set(group, isLeftOut(result) ? [...labels, `${label} (${result.leftOut})`] : labels);
  }
  const texts = [...groups].flatMap(([group, labels]) => (labels.length > 0 ? `${group}: ${labels.join(", ")}` : []));
  return texts.length === 0
    ? []
    : [`Left out, for what it would take here or because it can’t be done: ${texts.join("; ")}.`];
}
