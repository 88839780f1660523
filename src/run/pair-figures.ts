/** What the pairs of P³M were, for the dry run, the end of a run, its summary and its report. */
import type { StageTime } from "../engine/backend/backend.ts";
import type { Simulation } from "../scenario/simulation/simulation.ts";
import { grouped, wholePercent } from "./page/numbers.ts";

export interface PairFigures {
  /** ε [length], and in cells. */
  softening: number;
  softeningCells: number;
  /** Pairs summed for a particle in a step, its substeps included; null in float64 on the CPU. */
  perParticleAndStep: number | null;
  /** Of the time of all stages; null where that isn't measured. */
  share: number | null;
}

/** Null without P³M. */
export function pairFigures(simulation: Simulation, stages: readonly StageTime[]): PairFigures | null {
  const { scenario, particleCount } = simulation;
  if (scenario.gravity !== "p3m") return null;
  const { softening, substeps } = scenario.p3m;
  const { "pairs of particles": pairs = 0, "sums of pairs": sums = 0 } = simulation.counters();
  const all = stages.reduce((sum, { ms }) => sum + ms, 0);
  const own = stages.find(({ stage }) => stage === "pairs");
  return {
    ...{ softening, softeningCells: (softening * scenario.mesh.cells) / scenario.box.size },
    perParticleAndStep: sums > 0 ? (substeps * pairs) / sums / particleCount : null,
    share: own && all > 0 ? own.ms / all : null,
  };
}

/** "4,615 a particle and step, 71 % of the time"; empty where nothing is known. */
export function pairsText({ perParticleAndStep, share }: PairFigures): string {
  const each = perParticleAndStep === null ? [] : [`${grouped(Math.round(perParticleAndStep))} a particle and step`];
  return [...each, ...(share === null ? [] : [`${wholePercent(share)} of the time`])].join(", ");
}
