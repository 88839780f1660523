/** One command line, done: what it says goes to stdout and stderr, how it ends is the process's exit code. */
import { CommanderError } from "commander";
import { EXIT, exitCodeOf, messageOf } from "../run/failure.ts";
import { plainMessage } from "./plain.ts";
import { program } from "./program.ts";
import { isShared, requireOneProcess } from "./ranks.ts";

/** `args`: what stands behind the program's name. */
export async function invoke(args: readonly string[]): Promise<void> {
  try {
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
