/** An observer of a run in motion, which may pause it. */
import { everyCount } from "../physics/particles/blocks.ts";
import { emptyThinned, putThinned } from "../physics/particles/thinned.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { AdvanceOptions, Simulation } from "../scenario/simulation/simulation.ts";

export interface RunObserver extends NonNullable<AdvanceOptions["look"]> {
  /** Before anything is computed. Throws what keeps the run from being looked at. */
  expects(scenario: Scenario, folder: string): Promise<void>;
  begins(simulation: Simulation): void;
  /** The run has ended; its last state is to be shown. */
  ending(): void;
  readonly paused: boolean;
  /** Called when particles are waited for, and when the run is to be paused or to go on; the result ends that. */
  listen(listener: () => void): () => void;
}

export async function thinnedState(simulation: Simulation, every: number) {
  const { boundary, size } = simulation.scenario.box;
  const thinned = emptyThinned(everyCount(simulation.particleCount, every), every, boundary === "isolated");
  for await (const { first, count, positions, velocities } of simulation.readBlocks({ every, reuse: true })) {
    for (let particle = 0; particle < count; particle++) {
      putThinned(thinned, first + particle, { positions, velocities, particle }, size);
    }
  }
  const { step, time } = simulation;
  return { step, time, ...thinned, levelCentres: (await simulation.levelCores()).map(({ centre }) => centre) };
}

/** Waits until an onlooker wants something else, or the run is to stop. */
export function untilCalled(onlooker: RunObserver, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      unlisten();
      signal.removeEventListener("abort", go);
      resolve();
    };
    const unlisten = onlooker.listen(go);
    signal.addEventListener("abort", go);
  });
}
