/**
 * The table of a moving centre: rows of t, x, y, z in deck units, separated by blanks, tabs or commas; # begins a comment, and
 * a first row of words is a heading.
 */

import { GravmeshError } from "../base/errors.ts";
import { cut } from "../deck/problems.ts";
import type { CentrePath } from "./change-keys.ts";

const COLUMNS = 4;
const HEADING = /^\s*[\p{L}"']/u;

/** `where`: the key and the file, for messages; `end`: time up to which the centre has to be known. Throws "input". */
export function centrePath(text: string, where: string, end: number): CentrePath {
  const times: number[] = [];
  const points: number[][] = [];
  const fail = (what: string): never => {
    throw new GravmeshError("input", `${where}: ${what}`);
  };
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/#.*/, "").trim();
    if (line === "" || (times.length === 0 && HEADING.test(line))) continue;
    const numbers = line.split(/[\s,;]+/).map(Number);
    if (numbers.length !== COLUMNS || !numbers.every(Number.isFinite)) {
      fail(`line ${index + 1}: expected four numbers t x y z, found ${JSON.stringify(cut(line))}`);
    }
    const [time, ...point] = numbers;
    const last = times.at(-1);
    if (last !== undefined && !(time > last)) {
      fail(`line ${index + 1}: expected a time after ${last}, found ${time}; sort the rows, each time once`);
    }
    times.push(time);
    points.push(point);
  }
  if (times.length < 2) fail(`expected at least two rows t x y z, found ${times.length}`);
  const last = times[times.length - 1];
  if (times[0] > 0 || last < end) {
    fail(
      `expected times from 0 to time.end = ${end}, found ${times[0]} to ${last}; they are in the deck's unit of time`,
    );
  }
  return { times, points };
}
