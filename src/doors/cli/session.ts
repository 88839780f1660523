/** What every longer command has around it: a display, signals, lost readers, failures as events and exit codes. */
import { basename } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { EXIT, exitCodeOf, messageOf } from "../../run/failure.ts";
import { namingStandardInput } from "../../run/io/standard-input.node.ts";
import { colours } from "./colours.ts";
import { display, neededText, type ShownEvent, type Watch, type Words } from "./display.ts";
import { screen } from "./launcher-terminal.ts";
import { whenUnwritable } from "./streams.ts";

export interface Flags {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

/** Does the work; resolves to the exit code. All messages go through the display, those of failures too. */
export async function session<E extends ShownEvent>(
  { json, quiet }: Flags,
  words: Words<E>,
  work: (watch: Watch<E>, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const shown = display(words, { json, quiet, out: screen(), err: process.stderr });
  const needed = onceLost();
  const watch: Watch<E> = (event) => {
    shown(event);
    needed.note(neededText(words, event));
  };
  const interruption = new AbortController();
  const stop = (why: string, how = `${words.stopping} Ctrl-C again stops at once.`) => {
    interruption.abort();
    if (quiet || (json && why === "")) return;
    process.stderr.write(`\n${why}${colours.yellow("Stopping")}${how}\n`);
  };
  const once = (how?: string) => {
    if (!interruption.signal.aborted) stop("", how);
  };
  // The first Ctrl-C (or SIGTERM) asks the work to stop, the second ends the process.
  const request = (signal: NodeJS.Signals) => {
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    once(signal === "SIGTERM" ? words.hurried : undefined);
  };
  const signals: [NodeJS.Signals, (signal: NodeJS.Signals) => void][] = [
    ["SIGINT", request],
    ["SIGTERM", request],
    // A terminal that is closed may send several of these; the work stops as for the first Ctrl-C.
    ["SIGHUP", () => isUnderNohup() || once()],
    // mpirun hands this on, and Slurm sends it before time is up; it never ends the process.
    ...(process.platform === "win32" ? [] : [["SIGUSR2", () => once()] as [NodeJS.Signals, () => void]]),
  ];
  for (const [signal, listener] of signals) process.on(signal, listener);
  whenUnwritable((gone) => {
    if (gone) stop("Nobody reads the output any more. ");
    // A run goes on, for its results are elsewhere.
    else if (words.allSaid) stop("Nobody can read what it says. ");
    else needed.lose();
  });
  try {
    return await work(watch, interruption.signal);
  } catch (error) {
    // Told when it was asked for.
    if (error instanceof GravmeshError && error.kind === "aborted") return EXIT.interrupted;
    const exitCode = exitCodeOf(error);
    const kind = error instanceof GravmeshError ? error.kind : "defect";
    watch({ event: "error", kind, message: namingStandardInput(messageOf(error)), exitCode });
    return exitCode;
  } finally {
    for (const [signal, listener] of signals) process.off(signal, listener);
    whenUnwritable(() => {}); // its results are there, even if the last lines can't be written
  }
}

/** Lines that go to stderr once stdout is lost, those that it has lost included. */
function onceLost() {
  const lines: string[] = [];
  let isLost = false;
  const write = () => {
    if (isLost) for (const line of lines.splice(0)) process.stderr.write(`${line}\n`);
  };
  return {
    note(line: string | undefined) {
      if (line !== undefined) lines.push(line);
      write();
    },
    lose() {
      isLost = true;
      write();
    },
  };
}

/** `nohup` has SIGHUP ignored, which Node undoes at its start; what is left of it is the shell's last command. */
function isUnderNohup(): boolean {
  return basename(process.env._ ?? "") === "nohup";
}

/** The command of an instrument, in a session; resolves to the exit code. */
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
