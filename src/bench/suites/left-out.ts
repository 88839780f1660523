/** What a measurement gives where it would take too long or can't be made here: a reason instead of figures. No failure. */
import { duration } from "../../page/numbers.ts";

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

export interface MaybeLeftOut {
  /** What it has in common with others, and what tells it from them: "100 steps of 7500", "no unrolling". */
  group: string;
  label: string;
  result: object | undefined;
}

/** A remark that names what was left out, group by group, and why. */
export function leftOutRemark(found: readonly MaybeLeftOut[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { group, label, result } of found) {
    if (!isLeftOut(result)) continue;
    groups.set(group, [...(groups.get(group) ?? []), `${label} (${result.leftOut})`]);
  }
  const texts = [...groups].map(([group, labels]) => `${group}: ${labels.join(", ")}`);
  return texts.length === 0
    ? []
    : [`Left out, for what it would take here or because it can’t be done: ${texts.join("; ")}.`];
}
