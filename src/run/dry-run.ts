/** `run --dry-run`: makes particles and pipeline, so that what refuses a run does so here, and times a few steps. */
import { resolve } from "node:path";
import { bytesText } from "../foundation/base/bytes.ts";
import { GravmeshError } from "../foundation/base/errors.ts";
import { outputPlan } from "../scenario/output-plan.ts";
import { physicsNotes, scenarioNotes } from "../scenario/remarks.ts";
import { resolutionOf } from "../scenario/resolution.ts";
import { onEngine } from "../scenario/simulation/engine.ts";
import type { Simulation } from "../scenario/simulation/simulation.ts";
import { encountersOf } from "./encounters.ts";
import type { PlanEvent, Watcher } from "./events.ts";
import { EXIT, messageOf } from "./failure.ts";
import { warningsOf } from "./health.ts";
import { freeSpace } from "./io/files.node.ts";
import { levelFigures } from "./level-events.ts";
import { pairFigures } from "./pair-figures.ts";
import { holdsRun } from "./result-folder.ts";
import { startEvent } from "./run-events.ts";
import { madeSimulation, opened, type RunRequest } from "./runner.ts";

/** Trial steps go on until they have taken this long [ms], or are so many. */
const TRIAL = 2000;
const MOST_TRIAL_STEPS = 256;

/** Reports a plan; resolves to the exit code: 2 where the run would be refused, with the reason. */
export async function dryRun(request: RunRequest, watch: Watcher, signal: AbortSignal): Promise<number> {
  try {
    if (request.resume !== undefined) {
      throw new GravmeshError("usage", "--dry-run is for a run that begins: leave out --resume.");
    }
    const { folder, ...beginning } = await opened(request, watch, signal, false);
    const { simulation, found } = await onEngine(beginning.engine, () =>
      madeSimulation(beginning, { request, watch, signal }),
    );
    try {
      watch(await planOf(simulation, folder, found, signal));
      return EXIT.success;
    } finally {
      simulation.destroy();
      beginning.engine.gpu?.destroy();
    }
  } catch (error) {
    if (!(error instanceof GravmeshError)) throw error;
    if (error.kind === "aborted") return EXIT.interrupted;
    watch({ event: "error", kind: error.kind, message: messageOf(error), exitCode: EXIT.usage });
    return EXIT.usage;
  }
}

async function planOf(
  simulation: Simulation,
  folder: string,
  found: readonly string[],
  signal: AbortSignal,
): Promise<PlanEvent> {
  const { scenario, particleCount, components, masses } = simulation;
  const first = await simulation.diagnostics();
  const plans = outputPlan(scenario, { count: particleCount, components: components.length });
  const bytes = plans.reduce((sum, plan) => sum + plan.bytes, 0);
  const free = freeSpace(folder) ?? null;
  const rows = plans.find(({ what }) => what === "diagnostics")?.count ?? 0;
  const time = await trial(simulation, rows, signal);
  const full = free !== null && bytes > free;
  return {
    ...{ ...startEvent(simulation, resolve(folder), false), event: "plan" },
    components: components.map(({ name, species, first: at, count }) => ({
      ...{ name, species, count, mass: masses.within({ first: at, count }) },
    })),
    memory: simulation.memory(),
    ofLevels: await levelFigures(simulation),
    encounters: encountersOf(simulation).encounters,
    resolution: resolutionOf(scenario),
    outputs: plans,
    ...{ disk: { bytes, free }, time, pairs: pairFigures(simulation, simulation.stageTimes()) },
    warnings: [
      ...warningsOf(scenario, { particles: particleCount, rows: [first], found }),
      ...(holdsRun(folder) ? [`${folder} holds a run already, which only --force replaces`] : []),
      ...(full ? [`the run leaves about ${bytesText(bytes)}, and its disk has ${bytesText(free)} free`] : []),
    ],
    notes: [...scenarioNotes(scenario), ...physicsNotes(components)],
  };
}

/** Steps until they have taken long enough; the first, which may compile kernels, isn't counted where there are more. */
async function trial(simulation: Simulation, rows: number, signal: AbortSignal): Promise<PlanEvent["time"]> {
  const { scenario, schedule, time: from } = simulation;
  let [steps, ms] = [0, 0];
  for (let most = 1; ms < TRIAL && steps < MOST_TRIAL_STEPS && !simulation.done; most *= 2) {
    const [before, began] = [simulation.step, performance.now()];
    await simulation.advance({ output: simulation.output + 1, most, signal });
    const taken = simulation.step - before;
    if (taken === 0) break;
    if (before === 0 && !simulation.done) continue;
    steps += taken;
    ms += performance.now() - began;
  }
  const began = performance.now();
  await simulation.diagnostics();
  const row = (performance.now() - began) / 1000;
  const secondsPerStep = steps > 0 ? ms / 1000 / steps : 0;
  // If all adaptive steps were as long as those that were tried.
  const gone = simulation.time - from;
  const likely = gone > 0 ? Math.ceil(((scenario.time.end - from) * simulation.step) / gone) : 0;
  const expectedSteps = schedule.totalSteps ?? likely;
  return { trialSteps: steps, secondsPerStep, expectedSteps, seconds: expectedSteps * secondsPerStep + rows * row };
}
