/** Events of a run as a whole: that it begins, and how far it is. */

import { integratorText } from "../engine/direct/settings.ts";
import { version } from "../foundation/base/version.ts";
import { adapterName } from "../foundation/gpu/adapter.ts";
import { conservedBy } from "../scenario/conserved.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Simulation } from "../scenario/simulation/simulation.ts";
import type { ProgressEvent, StartEvent } from "./events.ts";
import { timeUnitOf } from "./page/units.ts";

export const timeUnitIn = ({ units, time }: Scenario): string => timeUnitOf(units.system, time.clock);

export function startEvent(simulation: Simulation, folder: string, resumed: boolean): StartEvent {
  const { scenario, particleCount, schedule, backend, adapter, ranks, sharing, notice, time, step } = simulation;
  return {
    ...{ event: "start", version, title: scenario.title, folder, backend },
    ...{ adapter: adapter ? adapterName(adapter) : null, ranks, ...sharing, notice: notice ?? null },
    particles: particleCount,
    cells: scenario.gravity !== "direct" ? scenario.mesh.cells : null,
    levels: scenario.level.length,
    integrator: scenario.gravity === "direct" ? integratorText(scenario.direct) : null,
    ...{ steps: schedule.totalSteps ?? null, end: scenario.time.end, timeUnit: timeUnitIn(scenario) },
    ...(resumed && { resumedAt: { time, step } }),
  };
}

/** `going`: the steps that are under way; the simulation itself is where they began. */
export function progressEvent(
  { scenario, particleCount }: Simulation,
  going: Omit<ProgressEvent, "event" | "timeUnit" | "particleUpdatesPerSecond" | "conserved">,
): ProgressEvent {
  return {
    ...{ event: "progress", ...going, timeUnit: timeUnitIn(scenario) },
    particleUpdatesPerSecond: going.stepsPerSecond * particleCount,
    conserved: conservedBy(scenario).quantity,
  };
}
