/** One command line, done: what it says goes to stdout and stderr, how it ends is the process's exit code. */
import { CommanderError } from "commander";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { rankIn, sizeIn } from "../../foundation/ranks/mpi.node.ts";
import { EXIT, exitCodeOf, messageOf } from "../../run/failure.ts";
import { SUITES } from "../../study/bench/suites/index.ts";
import { plainMessage } from "./plain.ts";
import { program } from "./program.ts";

/** Options of other programs, which may be none. */
const MAY_BE_EMPTY = ["--sbatch", "--sbatch-collect"];

/** Throws "usage" for an empty text, as of an unset variable in `--out "$RESULTS"`. */
function requireTexts(args: readonly string[]): void {
  for (const [i, arg] of args.entries()) {
    const [, joined] = /^(--[\w-]+)=\s*$/.exec(arg) ?? [];
    const before = args[i - 1]?.startsWith("-") ? args[i - 1] : undefined;
    if ((joined === undefined && arg.trim() !== "") || MAY_BE_EMPTY.includes(joined ?? before ?? "")) continue;
    const place = joined ?? (before === undefined ? `argument ${i + 1}` : `behind ${before}`);
    throw new GravmeshError(
      "usage",
      `${place}: expected a text, found an empty one. Is a variable of the shell not set? Leave the option out for its default.`,
    );
  }
}

/** For commands of one process: true where this one is to go on. Rank 0 of several throws "usage". */
function requireOneProcess(command: string): boolean {
  const size = sizeIn(process.env);
  if (size === 1) return true;
  if (rankIn(process.env) > 0) return false;
  throw new GravmeshError(
    "usage",
    `gravmesh ${command} works in one process, found ${size} ranks: only gravmesh run, and gravmesh bench sapporo2, share work among several`,
  );
}

/** Whether the ranks of mpirun do a command line together. */
function isShared([name, about = ""]: readonly string[]): boolean {
  return name === "run" || (name === "bench" && SUITES[about]?.ranked === true);
}

/** `args`: what stands behind the program's name. */
export async function invoke(args: readonly string[]): Promise<void> {
  try {
    requireTexts(args);
    const [name = ""] = args;
    if (!isShared(args) && !requireOneProcess(name)) return;
    await program().parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander has printed its own messages; help and version end there too.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.success : EXIT.usage;
      return;
    }
    process.stderr.write(`error: ${plainMessage(messageOf(error))}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
