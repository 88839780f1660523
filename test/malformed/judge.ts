/** Whether a command took a malformed input as it should: one message and the right exit code, or finite numbers. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How a case ended. */
export interface Ending {
  /** Undefined where the process had to be ended. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  milliseconds: number;
}

/** "stopped": a run that is as long as its deck asks for, ended by Ctrl-C. */
export type Verdict = (typeof VERDICTS)[number] | { fault: string };

/** "unchanged" and "other numbers": the particles of a damaged file. */
export const VERDICTS = ["refused", "failed", "ran", "unchanged", "other numbers", "stopped"] as const;

/** Longest message that a person reads. */
const LONGEST = 6000;
const TRACE = /^\s+at .*[:(]|Unexpected error|\bnode:internal\b|\.(ts|js):\d+:\d+\)?$/m;
const UNREADY = /\[object \w+\]|\bundefined\b(?!")/;

/** `folder`: where the command ran; `given`: its arguments, whose words may come back in messages. */
export function verdictOn(ending: Ending, folder: string, given: string): Verdict {
  const { code, stdout, stderr } = ending;
  const fault = (text: string) => ({ fault: text });
  if (code === undefined) return fault(`no end within ${(ending.milliseconds / 1000).toFixed(0)} s`);
  const said = stderr + stdout;
  if (/(?!\n)\p{Cc}|\u202e/u.test(said)) return fault("control characters");
  if (TRACE.test(said)) return fault("a stack trace");
  if (said.length > LONGEST && code !== 0) return fault(`a message of ${said.length} characters`);
  if (UNREADY.test(said) && !given.includes("undefined")) return fault("undefined in a message");
  if (code === 0) return finiteIn(folder) ?? "ran";
  if (code === 130) return "stopped";
  if (code !== 1 && code !== 2) return fault(`exit code ${code}`);
  const errors = stderr.split("\n").filter((line) => line.startsWith("error:")).length;
  const isTold = errors === 1 || /"event":"error"/.test(stdout);
  if (!isTold) return fault(errors === 0 ? "no message" : `${errors} messages`);
  return code === 2 ? "refused" : "failed";
}

/** A figure of a finished run that isn't finite. */
function finiteIn(folder: string): Verdict | undefined {
  const out = join(folder, "out");
  const bad = ["diagnostics.csv", "summary.json", "report.html"].find((name) => {
    const file = join(out, name);
    return (
      existsSync(file) && /\b(NaN|Infinity)\b|"(energyError|momentumError|time)": null/.test(readFileSync(file, "utf8"))
    );
  });
  return bad ? { fault: `a figure in ${bad} is not finite` } : undefined;
}
