/**
 * What the suite `petersen2024` measures: an Osipkov–Merritt sphere evolved from a quiet start with a small quadrupole, and
 * how fast the quadrupole grows. Its strength is A = √(Σ_m ⟨S_2m⟩²), the mean over the particles within some radius
 * (src/particles/harmonics.ts).
 */
import { initialConditions } from "../../../initial/index.ts";
import { poleStrength } from "../../../particles/harmonics.ts";
import { completeScenario } from "../../../scenario/parse.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { Simulation } from "../../../simulation/simulation.ts";
import { releasing } from "../../releasing.ts";
import type { LeftOut } from "../left-out.ts";
import type { MeasurementContext } from "../spec.ts";
import { type Fit, growthRate, LARGEST_LINEAR } from "./fit.ts";
import type { Kind } from "./published.ts";
import { COPIES, quietStart } from "./quiet-start.ts";

export interface Case {
  kind: Kind;
  /** r_a [b] */
  anisotropyRadius: number;
}

export interface Plan {
  /** Particles; a multiple of 24. */
  count: number;
  /** Per side. */
  cells: number;
  /** Side of the box, and where the sphere ends [b]. */
  size: number;
  cutoff: number;
  /** Times [√(b³/GM)]. */
  step: number;
  end: number;
  seed: number;
}

export interface Growth extends Fit {
  /** [√(b³/GM)] */
  times: number[];
  /** A at these times. */
  amplitudes: number[];
}

/** Of the stretch that is put into the start. */
const STRETCH = 0.003;
/** A is that of the particles within this radius [b]. */
export const RADIUS = 6;
/** Central angular frequency Ω(0) = √(4πGρ(0)/3) [√(GM/b³)]. */
export const FREQUENCY: Record<Kind, number> = { isochrone: 0.5, plummer: 1 };
/** The start has mixed after this long, and A is measured so often [1/Ω(0)]. */
const MIXED = 30;
const INTERVAL = 2;

function scenarioOf({ kind, anisotropyRadius, count, ...plan }: Case & Plan): Scenario {
  return completeScenario({
    title: `radial orbits, ${kind}`,
    box: { size: plan.size },
    mesh: { cells: plan.cells, softenedModels: true },
    particles: [{ kind, count, mass: 1, scale: 1, cutoff: plan.cutoff, anisotropyRadius, seed: plan.seed }],
    time: { end: plan.end, step: plan.step },
    output: { snapshots: 0, diagnostics: 1 },
  });
}

/** Grows until A is no longer small, or to the end. */
export async function growth(one: Case & Plan, context: MeasurementContext): Promise<Growth | LeftOut> {
  const { gpu, signal, progress } = context;
  const drawn = await initialConditions(scenarioOf({ ...one, count: one.count / COPIES }), { G: 1, signal });
  const particles = quietStart(drawn.particles, one.size, STRETCH);
  const scenario = scenarioOf(one);
  return releasing(Simulation.create(scenario, { gpu, particles, signal }), async (simulation) => {
    const centre: [number, number, number] = [one.size / 2, one.size / 2, one.size / 2];
    const times: number[] = [];
    const amplitudes: number[] = [];
    const interval = INTERVAL / FREQUENCY[one.kind];
    for (;;) {
      const poles = await simulation.reductions().multipoles({ centre, edges: [0, RADIUS] });
      times.push(simulation.time);
      amplitudes.push(poleStrength(poles, 2)[0]);
      if (simulation.done || amplitudes[amplitudes.length - 1] > 2 * LARGEST_LINEAR) break;
      await simulation.advance({ until: Math.min(one.end, simulation.time + interval), signal });
      progress(simulation.time / one.end);
    }
    const fit = growthRate(times, amplitudes, MIXED / FREQUENCY[one.kind]);
    return fit ? { ...fit, times, amplitudes } : { leftOut: "it grew too fast or too briefly to fit a rate" };
  });
}
