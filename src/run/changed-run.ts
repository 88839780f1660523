/** A run that goes on with other values of its deck: what the command line asks for, and what of it can't be. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { GravmeshError } from "../foundation/base/errors.ts";
import { continuation, laterKeys } from "../scenario/continuation.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { DECK_FILE } from "./outputs/deck.ts";
import { snapshots } from "./outputs/snapshots.ts";
import type { readRun } from "./saved-run.ts";
import { shellLine } from "./shell-word.ts";

/** The overrides of a command with --resume, whose first one stands where a scenario would. Throws "usage". */
export function overridesOf(
  {
    scenario,
    overrides,
    out,
    force,
  }: { scenario?: string; overrides: readonly string[]; out?: string; force?: boolean },
  folder: string,
): readonly string[] {
  const all = scenario === undefined ? overrides : [scenario, ...overrides];
  if (scenario !== undefined && !scenario.includes("=")) {
    throw new GravmeshError(
      "usage",
      `--resume goes on with the run in ${folder} and its own deck: leave out SCENARIO (${scenario}). Values for the rest ` +
        "of the run are given as key=value: time.end=10",
    );
  }
  if (out === undefined && !force) return all;
  throw new GravmeshError("usage", `--resume goes on in ${folder}: leave out --out and --force.`);
}

/** A run's scenario from here on, if it changes. Throws "usage" with keys that can't, and why; "scenario". */
export function changedScenario(
  folder: string,
  { deck, checkpoint }: Pick<Awaited<ReturnType<typeof readRun>>, "deck" | "checkpoint">,
  overrides: readonly string[],
): { scenario: Scenario; changes: string } | undefined {
  const file = join(folder, DECK_FILE);
  const { scenario, changes, problems } = continuation(deck, { file, overrides, reached: checkpoint });
  if (problems.length > 0) {
    const lines = problems.map(({ message }) => `\n  ${message}`).join("");
    throw new GravmeshError(
      "usage",
      `The run in ${folder} can't go on so. Nothing was changed.${lines}\n` +
        `A run may go on with other values of ${laterKeys().join(", ")}. For others begin one: from the start, ` +
        `${shellLine("gravmesh", "run", file, ...overrides, "--out", "ANOTHER-FOLDER")}; or from ${lastSnapshot(folder)} with a deck ` +
        'whose component is kind = "snapshot" (docs/continuing.md).',
    );
  }
  if (changes.length === 0) return undefined;
  return { scenario, changes: changes.map(({ key, before, now }) => `${key} = ${now} (was ${before})`).join(", ") };
}

function lastSnapshot(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const last = names.findLast((name) => snapshots.files.some((file) => file instanceof RegExp && file.test(name)));
  return last === undefined ? "a snapshot" : join(folder, last);
}
