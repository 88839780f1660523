/** `gravmesh run`: the runner with a display, signals and the table at the end. */
import colours from "picocolors";
import { GravmeshError } from "../errors.ts";
import { duration, errorText, labelled, shortNumber, table } from "../page/text.ts";
import type { EndEvent, RunEvent } from "../run/events.ts";
import { EXIT, exitCodeOf, messageOf } from "../run/failure.ts";
import { run } from "../run/runner.ts";
import type { BackendChoice } from "../simulation.ts";
import { display } from "./display.ts";

export interface RunOptions {
  backend: BackendChoice;
  out?: string;
  resume?: string;
  force: boolean;
  json: boolean;
  quiet: boolean;
}

/** Runs; resolves to the exit code. All messages, those of failures too, go through the display. */
export async function runCommand(
  scenario: string | undefined,
  overrides: string[],
  options: RunOptions,
): Promise<number> {
  const watch = display({ json: options.json, quiet: options.quiet, out: process.stdout, err: process.stderr });
  const interruption = new AbortController();
  const release = listen(interruption, options);
  let end: EndEvent | undefined;
  const follow = (event: RunEvent) => {
    watch(event);
    if (event.event === "end") end = event;
  };
  try {
    const { backend, out, resume, force } = options;
    const request = {
      ...(scenario !== undefined && { scenario }),
      ...(out !== undefined && { out }),
      ...(resume !== undefined && { resume }),
      overrides,
      backend,
      force,
    };
    const code = await run(request, follow, interruption.signal);
    if (end && !options.json && !options.quiet) process.stdout.write(`${closing(end)}\n`);
    return code;
  } catch (error) {
    const kind = error instanceof GravmeshError ? error.kind : "defect";
    const exitCode = exitCodeOf(error);
    watch({ event: "error", kind, message: messageOf(error), exitCode });
    return exitCode;
  } finally {
    release();
  }
}

/** The first Ctrl-C (or SIGTERM) asks for a checkpoint, the second ends the process. */
function listen(interruption: AbortController, { json, quiet }: RunOptions): () => void {
  const onSignal = () => {
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    interruption.abort();
    if (!json && !quiet) {
      process.stderr.write(
        `\n${colours.yellow("Stopping")} after this step with a checkpoint; Ctrl-C again stops at once.\n`,
      );
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, onSignal);
  };
}

/** The table at the end of a run. */
function closing({ folder, report, summary }: EndEvent): string {
  const s = summary;
  const rows: [string, string][] = [
    ["wall time", `${duration(s.wallSeconds)}, of which steps ${duration(s.stepSeconds)}`],
    [
      "throughput",
      `${shortNumber(s.stepsPerSecond)} steps/s, ${shortNumber(s.particleUpdatesPerSecond)} particle updates/s`,
    ],
    ["energy error", `${errorText(s.energyError)}, at most ${(s.largestEnergyError).toExponential(1)}`],
    ["momentum error", s.momentumError.toExponential(1)],
  ];
  if (s.outside > 0) rows.push(["outside", `${s.outside} particles have left the mesh`]);
  const parts = [labelled(rows)];
  if (s.stages.length > 0 && s.steps > 0) {
    const total = s.stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const lines = s.stages.map(({ stage, milliseconds, millisecondsPerStep }) => [
      stage,
      millisecondsPerStep.toFixed(2),
      `${((100 * milliseconds) / total).toFixed(0)} %`,
    ]);
    parts.push(table(["stage", "ms/step", "share"], lines));
  }
  parts.push(
    labelled([
      ["results", folder],
      ["report", report],
    ]),
  );
  return `\n${parts.join("\n\n")}`;
}
