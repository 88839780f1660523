/** How a failure ends the program: one message for a person, and the exit code that product documentation promises. */
import { GravmeshError } from "../errors.ts";

export const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** 2 for a usage or scenario error, 1 for a run that failed. */
export function exitCodeOf(error: unknown): number {
  const isUsage = error instanceof GravmeshError && (error.kind === "usage" || error.kind === "scenario");
  return isUsage ? EXIT.usage : EXIT.failed;
}

/** The message of an error; of one that is no GravmeshError, a defect of ours, with its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof GravmeshError) return error.message;
  if (error instanceof RangeError && /array (buffer allocation|length)/i.test(error.message)) {
    return `Out of memory: ${error.message}. Try fewer particles or mesh.cells.`;
  }
  return error instanceof Error ? `Unexpected error, please report it: ${error.stack ?? error.message}` : String(error);
}
