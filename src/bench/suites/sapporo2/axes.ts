/** Axes of numbers of bodies, and times as the pages of this suite have them. */
import type { ChartAxis } from "../../../page/axes.ts";
import type { Maybe } from "../spec.ts";

const MILLI = 1000;
export const inMs = (seconds: Maybe): Maybe => seconds && MILLI * seconds;

/** On an axis. */
const MOST_TICKS = 6;
export function ticksOf(counts: readonly number[]): { at: number; text: string }[] {
  const every = Math.ceil(counts.length / MOST_TICKS);
  return counts.filter((_, i) => i % every === 0).map((at) => ({ at, text: String(at) }));
}

/** A tick for some of the counts. */
export const numbered = (label: string, counts: readonly number[]): ChartAxis => ({
  label,
  scale: "log",
  ticks: ticksOf(counts),
});
