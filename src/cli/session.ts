/** What every command that takes its time has around it: a display, Ctrl-C, and failures as events and exit codes. */
import colours from "picocolors";
import { GravmeshError } from "../errors.ts";
import { EXIT, exitCodeOf, messageOf } from "../run/failure.ts";
import { display, type ShownEvent, type Watch, type Words } from "./display.ts";

export interface Flags {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

/** Does the work; resolves to the exit code. All messages, those of failures too, go through the display. */
export async function session<E extends ShownEvent>(
  { json, quiet }: Flags,
  words: Words<E>,
  work: (watch: Watch<E>, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const watch = display(words, { json, quiet, out: process.stdout, err: process.stderr });
  const interruption = new AbortController();
  // The first Ctrl-C (or SIGTERM) asks the work to stop, the second ends the process.
  const onSignal = () => {
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    interruption.abort();
    if (json || quiet) return;
    process.stderr.write(`\n${colours.yellow("Stopping")}${words.stopping} Ctrl-C again stops at once.\n`);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  try {
    return await work(watch, interruption.signal);
  } catch (error) {
    const exitCode = exitCodeOf(error);
    const kind = error instanceof GravmeshError ? error.kind : "defect";
    watch({ event: "error", kind, message: messageOf(error), exitCode });
    return exitCode;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, onSignal);
  }
}

/** The command of an instrument: what it is asked for, done in a session; resolves to the exit code. */
export function command<E extends ShownEvent, Request>(
  words: Words<E>,
  work: (request: Request, watch: Watch<E>, signal: AbortSignal) => Promise<number>,
) {
  type Options = Omit<Request, "scenario" | "overrides"> & Flags;
  return (scenario: string | undefined, overrides: string[], { json, quiet, ...options }: Options): Promise<number> =>
    session({ json, quiet }, words, (watch, signal) =>
      work({ ...options, scenario, overrides } as Request, watch, signal),
    );
}
