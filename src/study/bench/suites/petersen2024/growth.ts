/**
 * What the suite `petersen2024` measures: how fast a small quadrupole grows in an Osipkov–Merritt sphere with a quiet start.
 * Its strength is A = √(Σ_m ⟨S_2m⟩²), the mean over the particles within some radius (src/physics/particles/harmonics.ts); the rate
 * is the slope of ln A, by least squares, from when what else the start held has mixed away until A is no longer small.
 */
import { deviation, mean } from "d3-array";
import { releasing } from "../../../../foundation/base/releasing.ts";
import { initialConditions } from "../../../../physics/initial/source.ts";
import { poleStrength } from "../../../../physics/particles/harmonics.ts";
import type { ParticleSet } from "../../../../physics/particles/state.ts";
import { completeScenario } from "../../../../scenario/parse.ts";
import type { Scenario } from "../../../../scenario/scenario.ts";
import { Simulation } from "../../../../scenario/simulation/simulation.ts";
import type { LeftOut, MeasurementContext } from "../../../spec.ts";

export interface GrowthCase {
  kind: "isochrone" | "plummer";
  /** r_a [b] */
  anisotropyRadius: number;
}

export interface GrowthPlan {
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

export interface MeasuredGrowth extends NonNullable<ReturnType<typeof growthRate>> {
  /** [√(b³/GM)] */
  times: number[];
  /** A at these times. */
  amplitudes: number[];
}

/** A of the particles within the measured radius; bars of these models end at about 0.3. */
export const LARGEST_LINEAR = 0.1;
/** Equal parts of the time, from whose slopes the error follows, and samples that each needs. */
const PARTS = 4;
const LEAST_SAMPLES = 3;

/** `amplitudes` at `times`; `mixed`: when the start is forgotten. Undefined where too little is left. */
export function growthRate(times: readonly number[], amplitudes: readonly number[], mixed: number) {
  const late = amplitudes.findIndex((amplitude, i) => times[i] >= mixed && amplitude > LARGEST_LINEAR);
  const points = times.slice(0, late < 0 ? undefined : late).flatMap((time, i): Point[] => {
    return time >= mixed && amplitudes[i] > 0 ? [[time, Math.log(amplitudes[i])]] : [];
  });
  const part = Math.floor(points.length / PARTS);
  if (part < LEAST_SAMPLES) return undefined;
  const slopes = Array.from({ length: PARTS }, (_, k) => slope(points.slice(k * part, (k + 1) * part)));
  return {
    /** γ [1/time], and the standard error of the mean of the slopes of equal parts of the time. */
    ...{ rate: slope(points), error: deviation(slopes)! / Math.sqrt(PARTS) },
    /** [time] */
    ...{ from: points[0][0], to: points[points.length - 1][0] },
  };
}

type Point = [time: number, logarithm: number];

function slope(points: readonly Point[]): number {
  const [x, y] = [mean(points, ([time]) => time)!, mean(points, ([, value]) => value)!];
  return mean(points, ([time, value]) => (time - x) * (value - y))! / mean(points, ([time]) => (time - x) ** 2)!;
}

/** The relative stretch that is put into the start. */
const STRETCH = 0.003;
/** A is that of the particles within this radius [b]. */
export const RADIUS = 6;
/** Central angular frequency Ω(0) = √(4πGρ(0)/3) [√(GM/b³)]. */
const FREQUENCY = { isochrone: 0.5, plummer: 1 };
/** The start has mixed after this long, and A is measured so often [1/Ω(0)]. */
const MIXED = 30;
const INTERVAL = 2;

function scenarioOf({ kind, anisotropyRadius, count, ...plan }: GrowthCase & GrowthPlan): Scenario {
  return completeScenario({
    title: `radial orbits, ${kind}`,
    box: { size: plan.size },
    mesh: { cells: plan.cells, softenedModels: true },
    particles: [
      { kind, count, mass: 1, scale: 1, cutoff: plan.cutoff, anisotropyRadius, centre: false, seed: plan.seed },
    ],
    time: { end: plan.end, step: plan.step },
    output: { snapshots: 0, diagnostics: 1 },
  });
}

/** Grows until A is no longer small, or to the end. */
export async function growth(
  one: GrowthCase & GrowthPlan,
  context: MeasurementContext,
): Promise<MeasuredGrowth | LeftOut> {
  const { gpu, signal, progress } = context;
  const drawn = await initialConditions(scenarioOf({ ...one, count: one.count / COPIES }), { G: 1, signal });
  const particles = quietStart(drawn.particles, one.size, STRETCH);
  return releasing(Simulation.create(scenarioOf(one), { gpu, particles, signal }), async (simulation) => {
    const centre: [number, number, number] = [one.size / 2, one.size / 2, one.size / 2];
    const times: number[] = [];
    const amplitudes: number[] = [];
    for (;;) {
      const poles = await simulation.reductions().multipoles({ centre, edges: [0, RADIUS] });
      times.push(simulation.time);
      amplitudes.push(poleStrength(poles, 2)[0]);
      if (simulation.done || amplitudes[amplitudes.length - 1] > 2 * LARGEST_LINEAR) break;
      const next = simulation.time + INTERVAL / FREQUENCY[one.kind];
      await simulation.advance({ until: Math.min(one.end, next), signal });
      progress(simulation.time / one.end);
    }
    const fit = growthRate(times, amplitudes, MIXED / FREQUENCY[one.kind]);
    return fit ? { ...fit, times, amplitudes } : { leftOut: "it grew too fast or too briefly to fit a rate" };
  });
}

// Quiet start: every drawn particle stands for 24, which the rotations of a cube make of it. Multipoles of l = 1, 2 and 3 of
// the set vanish exactly, and a mesh about the same centre has the same symmetry: l = 2 begins from what is put there on
// purpose, far below the noise √(1/N) of random particles. Idea: Sellwood 1983, J. Comput. Phys. 50, 337 (rings for disks).

/** Signed permutations with determinant 1: which coordinate each axis takes, and with which sign. */
const ROTATIONS = [1, -1].flatMap((turn) =>
  [0, 1, 2].flatMap((first) => {
    const axes = [0, 1, 2].map((k) => (6 + turn * (first + k)) % 3);
    return [1, -1].flatMap((x) => [1, -1].map((y) => ({ axes, signs: [x, y, turn * x * y] })));
  }),
);

export const COPIES = ROTATIONS.length;

/**
 * All copies of `drawn`, each with its share of the mass, in a box of side `size` about its centre. Positions are drawn out
 * along z by `stretch` and pressed together along x and y by half of it: ⟨P₂(cos θ)⟩ ≈ 6/5 of it to first order.
 */
export function quietStart(drawn: ParticleSet, size: number, stretch: number) {
  const count = COPIES * drawn.count;
  const positions = new Float64Array(3 * count);
  const velocities = new Float64Array(3 * count);
  const masses = new Float64Array(count);
  const half = size / 2;
  for (let i = 0; i < drawn.count; i++) {
    ROTATIONS.forEach(({ axes, signs }, copy) => {
      const at = i * COPIES + copy;
      masses[at] = drawn.masses[i] / COPIES;
      for (let k = 0; k < 3; k++) {
        const from = 3 * i + axes[k];
        const factor = signs[k] * (k === 2 ? 1 + stretch : 1 - stretch / 2);
        positions[3 * at + k] = half + factor * (drawn.positions[from] - half);
        velocities[3 * at + k] = signs[k] * drawn.velocities[from];
      }
    });
  }
  return { positions, velocities, masses };
}
