/** What a measurement gives where it would take too long or can't be made here: a reason instead of figures. No failure. */
import { duration } from "../text.ts";

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

/** A remark that names what was left out, and why. */
export function leftOutRemark(found: readonly { label: string; result: object | undefined }[]): string[] {
  const texts = found.flatMap(({ label, result }) => (isLeftOut(result) ? [`${label}: ${result.leftOut}`] : []));
  return texts.length === 0
    ? []
    : [`Left out, because it would take too long here or can’t be done: ${texts.join("; ")}.`];
}
