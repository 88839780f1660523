/** `gravmesh run`: the runner with a display, signals and the table at the end. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Ranks } from "../../foundation/ranks/ranks.ts";
import type { EndEvent, ErrorEvent, RunEvent, WarningEvent } from "../../run/events.ts";
import { messageOf } from "../../run/failure.ts";
import { type Clock, clockOf, concernOf, concernText } from "../../run/page/concern.ts";
import { duration, exponentText, grouped, prefixed, signedError, wholePercent } from "../../run/page/numbers.ts";
import { labelled, tableOf } from "../../run/page/text.ts";
import { momentInTerminal } from "../../run/page/units.ts";
import { pairsText } from "../../run/pair-figures.ts";
import { type RunRequest, run } from "../../run/runner.ts";
import { colours } from "./colours.ts";
import {
  activityLine,
  plainActivity,
  plainProgress,
  preparationLine,
  progressLine,
  sizeText,
  type Watch,
  type Words,
  whereText,
} from "./display.ts";
import { savingEarly, underLauncher } from "./launcher.ts";
import { scenarioPlanText } from "./plan.ts";
import { onRanks } from "./ranks.ts";
import { command } from "./session.ts";

export const runWords: Words<RunEvent> = {
  live: {
    progress: progressLine,
    activity: activityLine,
    preparation: preparationLine,
  },
  plain: {
    progress: plainProgress,
    activity: plainActivity,
    preparation: (event) => preparationLine(event, Number.POSITIVE_INFINITY),
  },
  lasting: {
    start: (event) => {
      const { title, steps, end, timeUnit, resumedAt } = event;
      const length = steps === null ? "adaptive step" : `${steps} steps`;
      return [
        colours.bold(title),
        `${sizeText(event)}, to ${momentInTerminal(end, timeUnit)} in ${length}`,
        whereText(event),
        ...(resumedAt ? [`resumed at ${momentInTerminal(resumedAt.time, timeUnit)}, step ${resumedAt.step}`] : []),
      ].join("\n");
    },
    interrupted: ({ time, timeUnit, step, resume, report }) =>
      `Stopped at ${momentInTerminal(time, timeUnit)}, step ${step}; a checkpoint is saved. Go on with:\n  ${resume}\n` +
      `The run so far: ${report}`,
    end: closing,
    plan: scenarioPlanText,
  },
  needed: { live: ({ address }) => `watch it at ${address}` },
  stopping: " after this step with a checkpoint (before the first, at once);",
};

interface Live {
  live?: number | true | undefined;
  dryRun?: boolean | undefined;
}

/** With --json a plan is one line, which has the warnings in it. */
const planAlone = (watch: Watch<RunEvent>) => (event: RunEvent) => {
  if (event.event === "plan" || event.event === "error") watch(event);
};

/** Its time counts from the start of the process. */
export const runCommand = (...given: Parameters<ReturnType<typeof runOn>>): Promise<number> =>
  onRanks((ranks) => runOn(ranks, given[2].json === true)(...given));

const runOn = (ranks: Ranks, json: boolean) =>
  command<RunEvent, RunRequest & Live>(underLauncher(runWords), async ({ live, dryRun, ...asked }, watch, signal) => {
    if (dryRun) {
      const wrong = "--dry-run runs nothing that a page could show: leave out --live.";
      if (live !== undefined) throw new GravmeshError("usage", wrong);
      const plan = await import("../../run/dry-run.ts");
      return plan.dryRun({ ...asked, ranks }, json ? planAlone(watch) : watch, signal);
    }
    const { watch: saving, ...wishes } = savingEarly(watch);
    const request = { ...asked, ...wishes, ranks, since: 0 };
    return live === undefined ? run(request, saving, signal) : watched(request, live, saving, signal);
  });

/** A run that a page shows as it goes, and may pause and stop. */
async function watched(request: RunRequest, live: number | true, watch: Watch<RunEvent>, signal: AbortSignal) {
  const { LiveRun } = await import("../../studio/live/live-run.node.ts");
  const asked = new AbortController();
  const stop = () => asked.abort();
  const onlooker = new LiveRun({ port: live === true ? undefined : live, stop, watch });
  let ended = "The run has ended.";
  const shared = (event: RunEvent | WarningEvent | ErrorEvent) => {
    watch(event);
    onlooker.follow(event);
    if (event.event === "end") ended = "The run is complete.";
    if (event.event === "interrupted") ended = `The run was stopped. Go on with: ${event.resume}`;
  };
  try {
    return await run({ ...request, onlooker }, shared, AbortSignal.any([signal, asked.signal]));
  } catch (error) {
    ended = `The run has failed: ${messageOf(error)}`;
    throw error;
  } finally {
    await onlooker.end(ended);
  }
}

/** What the wall time was spent on, shortest parts left out. */
function parts({ wallSeconds, preparationSeconds, stepSeconds, outputSeconds, endSeconds }: EndEvent["summary"]) {
  const LEAST = 0.005;
  const all = { preparation: preparationSeconds, steps: stepSeconds, outputs: outputSeconds, end: endSeconds };
  return Object.entries(all).flatMap(([name, s]) => (s >= LEAST * wallSeconds ? [`${name} ${duration(s)}`] : []));
}

function energyText({ energyError, largestEnergyError }: EndEvent["summary"], clock: Clock): string {
  const text = `${signedError(energyError)}, at most ${exponentText(largestEnergyError)}`;
  const judged = clock === "comoving" ? energyError : largestEnergyError;
  const concern = concernOf(judged, clock);
  if (concern === undefined) return text;
  return (concern === "lost" ? colours.red : colours.yellow)(`${text} (!) ${concernText(judged, clock)}`);
}

const ENERGY = { energy: "energy error", jacobi: "error of Jacobi's integral", none: "change of energy" };

function closing({ folder, report, timeUnit, summary }: EndEvent, columns: number): string {
  const s = summary;
  const rows: [string, string][] = [
    ["wall time", `${duration(s.wallSeconds)}: ${parts(s).join(", ")}`],
    ["throughput", `${prefixed(s.stepsPerSecond)} steps/s, ${prefixed(s.particleUpdatesPerSecond)} particle updates/s`],
    [ENERGY[s.conserved], energyText(s, clockOf({ timeUnit, conserved: s.conserved }))],
    s.field === "none"
      ? ["momentum error", exponentText(s.momentumError)]
      : ["change of momentum", `${exponentText(s.momentumError)} of √(2KM), by external potentials: no error`],
  ];
  if (s.pairs && pairsText(s.pairs)) rows.push(["pairs", pairsText(s.pairs)]);
  if (s.communication) {
    const { millisecondsPerStep, share } = s.communication;
    rows.push(["other ranks", `${millisecondsPerStep.toFixed(1)} ms/step, ${wholePercent(share)} of the steps`]);
  }
  const left = s.outside === 1 ? "a particle has" : `${grouped(s.outside)} particles have`;
  if (s.outside > 0) rows.push(["outside", `${left} left the mesh`]);
  const sections = [labelled(rows, columns)];
  if (s.stages.length > 0 && s.steps > 0) {
    const total = s.stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const columnsOf: Parameters<typeof tableOf<(typeof s.stages)[number]>>[1] = {
      stage: ({ stage }) => stage,
      [s.ranks > 1 ? "ms/step of rank 0" : "ms/step"]: ({ millisecondsPerStep }) => millisecondsPerStep.toFixed(2),
      share: ({ milliseconds }) => wholePercent(milliseconds / total),
    };
    if (s.stages.some(({ slowest }) => slowest)) {
      columnsOf.most = ({ slowest }) =>
        slowest ? `${slowest.millisecondsPerStep.toFixed(2)} on rank ${slowest.rank}` : "";
    }
    sections.push(tableOf(s.stages, columnsOf));
  }
  sections.push(labelled(Object.entries({ results: folder, report })));
  return `\n${sections.join("\n\n")}`;
}
