/**
 * What the author of a deck expects to be seen (`expect`), and which runs it may be shown with: those that compute what the
 * deck says, to its end. Overrides that make another run of it are kept in the scenario, and so in the deck as run.
 */

import { SAME_TIME } from "../engine/time/schedule.ts";
import { displayPath, type Path } from "../foundation/deck/problems.ts";
import { tomlValue } from "./deck.ts";
import { deckValue, type Override } from "./problems.ts";
import { SEED } from "./realisation.ts";
import type { Scenario } from "./scenario.ts";

/** Tables that say what is written, not what is computed. */
export const WRITTEN: readonly string[] = ["output", "maps", "subsample", "bars", "orbits", "spectra", "fields"];
const NEUTRAL: readonly string[] = ["title", "reference", "changed", "time.maxEnergyError", "time.continued"];

/** Keys by which a run isn't the deck's own; `before`: without `overrides`, undefined where the deck is none then. */
export function changedKeys(before: Scenario | undefined, now: Scenario, overrides: readonly Override[]): string[] {
  // Who overrides it says what this run is expected to show.
  if (overrides.some(({ path }) => displayPath(path) === "expect")) return [];
  const keys = overrides.flatMap(({ path }) => {
    if (isNeutral(path)) return [];
    const [found, next] = [before && deckValue(before, path), deckValue(now, path)];
    const same = before !== undefined && tomlValue(found) === tomlValue(next);
    const later = path.join(".") === "time.end" && before !== undefined && now.time.end > before.time.end;
    return same || later ? [] : [displayPath(path)];
  });
  return [...new Set([...now.changed, ...keys])];
}

function isNeutral(path: Path): boolean {
  const isSeed = path[0] === "particles" && path[2] === SEED;
  return isSeed || WRITTEN.includes(String(path[0])) || NEUTRAL.includes(path.join("."));
}

/** `expect` as a page says it; "" without one, where overrides contradict it, and of a run that ended early. */
export function expectationOf({ expect, changed, time }: Scenario, reached: number): string {
  const [end = time.end] = time.continued;
  if (expect.trim() === "" || changed.length > 0 || reached < end * (1 - SAME_TIME)) return "";
  return `The deck's own expectation: ${expect.trim()}`;
}
