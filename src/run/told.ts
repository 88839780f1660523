/** What a session tells of a run as a whole: how it begins, and how it goes. */

import { version } from "../base/version.ts";
import { integratorText } from "../direct/settings.ts";
import { adapterName } from "../gpu/adapter.ts";
import { timeUnitOf } from "../page/units.ts";
import { conservedBy } from "../scenario/conserved.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Simulation } from "../simulation/simulation.ts";
import type { ProgressEvent, StartEvent } from "./events.ts";

/** The unit of a run's times in words. */
export const timeUnitIn = ({ units, time }: Scenario): string => timeUnitOf(units.system, time.clock);

export function startEvent(
  simulation: Simulation,
  { folder, resumed }: { folder: string; resumed: boolean },
): StartEvent {
  const { scenario, particleCount, schedule, backend, adapter, notice, time, step } = simulation;
  return {
    event: "start",
    version,
    title: scenario.title,
    folder,
    backend,
    adapter: adapter ? adapterName(adapter) : null,
    ranks: simulation.ranks,
    ...simulation.sharing,
    notice: notice ?? null,
    particles: particleCount,
    cells: scenario.gravity === "mesh" ? scenario.mesh.cells : null,
    integrator: scenario.gravity === "direct" ? integratorText(scenario.direct) : null,
    steps: schedule.totalSteps ?? null,
    end: scenario.time.end,
    timeUnit: timeUnitIn(scenario),
    ...(resumed && { resumedAt: { time, step } }),
  };
}

/** Where the steps are that are under way; the simulation itself is where they began. */
interface Going extends Pick<ProgressEvent, "time" | "step" | "fraction" | "stepsPerSecond" | "energyError"> {
  seconds: { elapsed: number; remaining: ProgressEvent["remainingSeconds"] };
}

export function progressEvent({ scenario, particleCount }: Simulation, going: Going): ProgressEvent {
  const { time, step, fraction, stepsPerSecond, energyError, seconds } = going;
  return {
    event: "progress",
    ...{ time, timeUnit: timeUnitIn(scenario), step, fraction, stepsPerSecond },
    particleUpdatesPerSecond: stepsPerSecond * particleCount,
    ...{ energyError, conserved: conservedBy(scenario).quantity },
    elapsedSeconds: seconds.elapsed,
    remainingSeconds: seconds.remaining,
  };
}
