/**
 * The times at which members' curves are compared. Members of one deck write at the same times; where they
 * don't (an entry of time or output was varied), curves are taken between their rows, in proportion.
 */
import { greatest } from "d3-array";

/** Times, or other numbers of files, that differ by less than this fraction are one: files have nine digits. */
const SAME = 1e-8;
/** All times together are taken where they are at most so many times those of the longest member. */
const MOST_TOGETHER = 4;

export interface TimeGrid {
  /**
   * - `shared`: every member's rows are at the first of these times, in turn
   * - `union`: all times of all members
   * - `even`: as many as the longest member has rows, equally spaced from the earliest to the latest
   */
  kind: "shared" | "union" | "even";
  /** [T] [time] */
  times: Float64Array;
}

/** What each kind says in files and on the page. */
export const GRID_MEANING: Record<TimeGrid["kind"], string> = {
  shared: "all members write at the same times",
  union: "all times of all members; curves between their rows in proportion",
  even: "equally spaced times, as the members' own are too many together; curves between their rows in proportion",
};

export const isSame = (a: number, b: number) => Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));

/** `members`: the times of each, rising. */
export function gridOf(members: readonly Float64Array[]): TimeGrid {
  const longest = greatest(members, ({ length }) => length) ?? new Float64Array();
  if (members.every((times) => times.every((time, i) => isSame(time, longest[i]))))
    return { kind: "shared", times: longest };
  const most = MOST_TOGETHER * longest.length;
  let union = longest;
  for (const times of members) if (union.length <= most) union = merged(union, times);
  if (union.length <= most) return { kind: "union", times: union };
  const ends = members.filter((times) => times.length > 0);
  const from = Math.min(...ends.map((times) => times[0]));
  const to = Math.max(...ends.map((times) => times[times.length - 1]));
  const steps = longest.length - 1;
  const even = Float64Array.from(longest, (_, i) => (i === steps ? to : from + ((to - from) * i) / steps));
  return { kind: "even", times: even };
}

function merged(a: Float64Array, b: Float64Array): Float64Array {
  const all: number[] = [];
  for (const next of Float64Array.from([...a, ...b]).sort()) {
    if (all.length === 0 || !isSame(next, all[all.length - 1])) all.push(next);
  }
  return Float64Array.from(all);
}

/** A curve with its own rising `times` at those of the grid; no number outside them. On a shared grid as it stands. */
export function onGrid({ kind, times: grid }: TimeGrid, times: Float64Array, values: Float64Array): Float64Array {
  const taken = new Float64Array(grid.length).fill(Number.NaN);
  if (kind === "shared") {
    taken.set(values);
    return taken;
  }
  let row = 0;
  for (const [i, time] of grid.entries()) {
    while (row + 1 < times.length && (times[row + 1] <= time || isSame(times[row + 1], time))) row++;
    if (times.length === 0) continue;
    if (isSame(times[row], time)) taken[i] = values[row];
    else if (times[row] < time && row + 1 < times.length) {
      const share = (time - times[row]) / (times[row + 1] - times[row]);
      taken[i] = values[row] + share * (values[row + 1] - values[row]);
    }
  }
  return taken;
}
