/** What is there of a run that is to go on: whether it is complete, and whether it has what the rest needs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SAME_TIME } from "../engine/time/schedule.ts";
import { GravmeshError } from "../foundation/base/errors.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { CheckpointInPieces } from "../scenario/simulation/checkpoint.ts";
import { scheduleOf } from "../scenario/timetables.ts";
import type { PartSeconds } from "./accounts.ts";
import { textOrNone } from "./io/regular-file.node.ts";
import { outputs } from "./outputs/index.ts";
import { REPORT_FILE } from "./outputs/report.ts";
import { SUMMARY_FILE } from "./outputs/summary.ts";
import { someOf } from "./results.ts";
import type { RunMemory } from "./saved-run.ts";
import { shellLine } from "./shell-word.ts";
import type { Summary } from "./summary.ts";

/** The summary in a result folder, if it can be read. */
export function summaryIn(folder: string): Partial<Summary> | undefined {
  try {
    const found: unknown = JSON.parse(textOrNone(join(folder, SUMMARY_FILE)) ?? "");
    return typeof found === "object" && found !== null ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Wall time of the sessions before: up to their last checkpoint, and of one that ended in order also what came after. */
export function secondsBefore(folder: string, step: number, { seconds, resumes }: RunMemory): PartSeconds {
  const summary = summaryIn(folder);
  if (!summary || summary.steps !== step || summary.resumes !== resumes) return seconds;
  const { preparationSeconds: preparation, stepSeconds: steps, outputSeconds: outputs, endSeconds: end } = summary;
  const parts = { preparation, steps, outputs, end };
  return Object.values(parts).every((part) => typeof part === "number") ? (parts as PartSeconds) : seconds;
}

/** Files of a complete run that aren't there any more; undefined for a run that hasn't written all of them yet. */
export function missingOfComplete(folder: string, { time: { end } }: Pick<Scenario, "time">): string[] | undefined {
  const summary = summaryIn(folder);
  // One that was continued since, and stopped early, still has the summary of its former end.
  if (summary?.status !== "complete" || (summary.time ?? end) < end * (1 - SAME_TIME)) return undefined;
  const files = Array.isArray(summary.files) ? summary.files : [REPORT_FILE];
  return files.filter((name) => !existsSync(join(folder, name)));
}

/** Throws "input" where a file is missing that a run which has come to its output number `output` can't do without. */
export function requireFinishedPart(
  folder: string,
  scenario: Scenario,
  { output, components }: Pick<CheckpointInPieces, "output" | "components">,
  kept: RunMemory["outputs"],
): void {
  const particles = components.reduce((sum, { count }) => sum + count, 0);
  const reached = scheduleOf(scenario).outputs.slice(0, output + 1);
  const needed = outputs()
    .filter(({ has }) => has?.(scenario) ?? true)
    .flatMap(({ name, needs }) => needs?.(reached, scenario, particles, kept[name]) ?? []);
  const missing = needed.filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return;
  throw new GravmeshError(
    "input",
    `The run in ${folder} can't go on: ${someOf(missing)} ${missing.length === 1 ? "is" : "are"} missing, which it has ` +
      `written before and needs for its report. Nothing was changed. Put ${missing.length === 1 ? "it" : "them"} back, or ` +
      `start the run anew: ${shellLine("gravmesh", "run", join(folder, "scenario.toml"), "--out", "ANOTHER-FOLDER")}`,
  );
}
