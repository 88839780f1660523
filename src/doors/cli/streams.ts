/**
 * Output that can't be written. Where its reader has gone (`gravmesh … | head`) a session stops in order, and what only writes
 * there ends without a word; any other failure is reported on stderr and the work goes on, to an exit code that isn't 0.
 */
import { getSystemErrorMap } from "node:util";
import { EXIT } from "../../run/failure.ts";

let fault: NodeJS.ErrnoException | undefined;
let stop: ((gone: boolean) => void) | undefined;

/** Takes the errors of stdout and stderr, which would end the process. */
export function guardStreams(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (fault) return; // reported once
    fault = error;
    const gone = error.code === "EPIPE";
    if (!gone) process.stderr.write(`error: stdout can't be written: ${reasonOf(error)}.\n`);
    if (stop) stop(gone);
    else if (gone) process.exit(EXIT.unread);
  });
  // Nowhere is left to report it.
  process.stderr.on("error", () => {});
  // The error of a last line comes when the work is done.
  process.on("exit", () => {
    if (fault && fault.code !== "EPIPE") process.exitCode ||= EXIT.failed;
  });
}

/** What a session does when its output can't be written; `gone`: its reader has gone. */
export function whenUnwritable(action: (gone: boolean) => void): void {
  stop = action;
}

function reasonOf({ errno, message }: NodeJS.ErrnoException): string {
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
}
