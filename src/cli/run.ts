/** `gravmesh run`: the runner with a display, signals and the table at the end. */
import colours from "picocolors";
import { type Clock, concernOf, concernText } from "../page/concern.ts";
import { duration, errorText, exponential, grouped, prefixed } from "../page/numbers.ts";
import { labelled, table } from "../page/text.ts";
import { isComoving, momentInTerminal } from "../page/units.ts";
import type { Ranks } from "../ranks/ranks.ts";
import type { EndEvent, RunEvent } from "../run/events.ts";
import { type RunRequest, run } from "../run/runner.ts";
import { activityLine, percent, plainActivity, plainProgress, progressLine, type Words, whereText } from "./display.ts";
import { onRanks } from "./ranks.ts";
import { command } from "./session.ts";

/** What a run says: a heading, a live line, the table at the end. */
export const runWords: Words<RunEvent> = {
  live: {
    progress: progressLine,
    activity: activityLine,
    preparation: ({ what, fraction }) => `${what} ${fraction > 0 ? percent(fraction).trim() : "…"}`,
  },
  plain: { progress: plainProgress, activity: plainActivity },
  lasting: {
    start: (event) => {
      const { title, particles, cells, integrator, steps, end, timeUnit, resumedAt } = event;
      const method = cells === null ? `direct summation, ${integrator}` : `mesh ${cells}³`;
      const length = steps === null ? "adaptive step" : `${steps} steps`;
      return [
        colours.bold(title),
        `${grouped(particles)} particles, ${method}, to ${momentInTerminal(end, timeUnit)} in ${length}`,
        whereText(event),
        ...(resumedAt ? [`resumed at ${momentInTerminal(resumedAt.time, timeUnit)}, step ${resumedAt.step}`] : []),
      ].join("\n");
    },
    interrupted: ({ time, timeUnit, step, resume, report }) =>
      `Stopped at ${momentInTerminal(time, timeUnit)}, step ${step}; a checkpoint is saved. Go on with:\n  ${resume}\n` +
      `The run so far: ${report}`,
    end: closing,
  },
  stopping: " after this step with a checkpoint (before the first, at once);",
};

/** What it takes counts from the start of the process. */
export const runCommand = (...given: Parameters<ReturnType<typeof runOn>>): Promise<number> =>
  onRanks((ranks) => runOn(ranks)(...given));

const runOn = (ranks: Ranks) =>
  command<RunEvent, RunRequest>(runWords, (request, watch, signal) =>
    run({ ...request, ranks, since: 0 }, watch, signal),
  );

/** What the wall time was spent on, shortest parts left out. */
function parts({ wallSeconds, preparationSeconds, stepSeconds, outputSeconds, endSeconds }: EndEvent["summary"]) {
  const LEAST = 0.005;
  const all: [string, number][] = [
    ["preparation", preparationSeconds],
    ["steps", stepSeconds],
    ["outputs", outputSeconds],
    ["end", endSeconds],
  ];
  return all.filter(([, seconds]) => seconds >= LEAST * wallSeconds).map(([name, s]) => `${name} ${duration(s)}`);
}

/** At the end and at most, with a word where it is large. */
function energyText({ energyError, largestEnergyError }: EndEvent["summary"], clock: Clock): string {
  const text = `${errorText(energyError)}, at most ${exponential(largestEnergyError)}`;
  const telling = clock === "comoving" ? energyError : largestEnergyError;
  const concern = concernOf(telling, clock);
  if (concern === undefined) return text;
  return (concern === "lost" ? colours.red : colours.yellow)(`${text} (!) ${concernText(telling, clock)}`);
}

/** What the energy's row says, by what is conserved. */
const ENERGY = { energy: "energy error", jacobi: "error of Jacobi's integral", none: "change of energy" };

/** The table at the end of a run. */
function closing({ folder, report, timeUnit, summary }: EndEvent): string {
  const s = summary;
  const rows: [string, string][] = [
    ["wall time", `${duration(s.wallSeconds)}: ${parts(s).join(", ")}`],
    ["throughput", `${prefixed(s.stepsPerSecond)} steps/s, ${prefixed(s.particleUpdatesPerSecond)} particle updates/s`],
    [
      ENERGY[s.conserved],
      energyText(s, isComoving(timeUnit) ? "comoving" : s.conserved === "none" ? "driven" : "static"),
    ],
    ["momentum error", exponential(s.momentumError)],
  ];
  if (s.outside > 0) rows.push(["outside", `${s.outside} particles have left the mesh`]);
  const sections = [labelled(rows)];
  if (s.stages.length > 0 && s.steps > 0) {
    const total = s.stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const lines = s.stages.map(({ stage, milliseconds, millisecondsPerStep }) => [
      stage,
      millisecondsPerStep.toFixed(2),
      `${((100 * milliseconds) / total).toFixed(0)} %`,
    ]);
    sections.push(table(["stage", "ms/step", "share"], lines));
  }
  sections.push(
    labelled([
      ["results", folder],
      ["report", report],
    ]),
  );
  return `\n${sections.join("\n\n")}`;
}
