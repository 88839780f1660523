/** How a failure ends the program: one message for a person, and an exit code. */
import { GravmeshError } from "../foundation/base/errors.ts";

/** 2 for a usage or scenario error, 1 for a run that failed. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof GravmeshError && (error.kind === "usage" || error.kind === "scenario") ? EXIT.usage : EXIT.failed;

/** The message of an error, with its stack where it is a defect of ours. */
export function messageOf(error: unknown): string {
  if (error instanceof GravmeshError) return error.message;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "EMFILE" || code === "ENFILE") {
    return "Too many open files; raise the limit of this shell (ulimit -n 1024) and try again.";
  }
  if (error instanceof RangeError && /array (buffer allocation|length)/i.test(error.message)) {
    return `Out of memory: ${error.message}. Try fewer particles or mesh.cells.`;
  }
  return error instanceof Error ? `Unexpected error, please report it: ${error.stack ?? error.message}` : String(error);
}

/** `unread`: of a program that SIGPIPE ends, in a shell. */
export const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130, unread: 141 } as const;
