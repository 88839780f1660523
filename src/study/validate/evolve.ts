/** The third part of a validation: the same particles evolved with both forces; an interruption keeps what there is. */

import { DirectSummation } from "../../engine/direct-summation.ts";
import { stepLimit } from "../../engine/time/adaptive.ts";
import { fixedSteps } from "../../engine/time/settings.ts";
import { isAborted } from "../../foundation/base/errors.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { engineOptions } from "../../run/instrument.ts";
import { simulatedTime, thinGrouped } from "../../run/page/numbers.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { Simulation } from "../../scenario/simulation/simulation.ts";
import type { Evolution } from "./record.ts";
import { meshScenario, type RunsOptions, RunsSideBySide } from "./runs.ts";
import { subset } from "./sample.ts";

export interface EvolutionRequest extends Omit<RunsOptions, "step" | "perturbation"> {
  /** Largest |a| and |v| at the start. */
  extremes: { acceleration: number; speed: number };
  /** The unit of its times, as text. */
  timeUnit: string;
  /** About how long all of it may take [s]. */
  seconds: number;
  signal: AbortSignal;
  onProgress: (fraction: number, time: number) => void;
  note: (text: string) => void;
}

/** Rows of the curves after the first, as far as they can be foreseen; then they become rarer. */
const ROWS = 24;
const MOST_ROWS = 60;
/** Displacement of the second direct run's start, rms along each axis, over the side of the box. */
const PERTURBATION = 1e-6;
/** Steps, and time [s], that tell how fast it goes. */
const LEAST_TIMED = 2;
const TELLING = 1;
/** The runs end after this multiple of the time allowed. */
const PATIENCE = 1.5;

/** Evolves; undefined when an interruption came before anything could be compared. Throws what makes it fail. */
export async function evolveBoth(request: EvolutionRequest): Promise<Evolution | undefined> {
  const { scenario, particles, gpu, softening, seconds, signal, onProgress, note } = request;
  const cell = scenario.box.size / scenario.mesh.cells;
  const step = fixedStepOf(scenario, cell, request.extremes);
  const steps = Math.round(scenario.time.end / step);
  const perturbation = PERTURBATION * scenario.box.size;
  let runs: RunsSideBySide | undefined;
  let evolution: Evolution | undefined;
  try {
    onProgress(0, 0);
    const speed = {
      pairsPerSecond: await pairsPerSecond(particles, gpu, signal),
      secondsPerStep: await secondsPerStep({ scenario, particles, gpu, step, softening }, signal),
    };
    const plan = evolutionPlan(particles.count, steps + Math.min(ROWS, steps), speed, seconds);
    const evolved = subset(particles, plan.particles);
    if (evolved.count < particles.count) {
      note(
        `Evolved is a random sample of ${thinGrouped(evolved.count)} of the ${thinGrouped(particles.count)} particles, their masses scaled up: ` +
          `${steps} steps with N² pairs of all would take longer than ${seconds} s (--budget). Two-body encounters are ` +
          "stronger in it than in the whole run, in both runs.",
      );
    } else if (!plan.second) {
      note(`A second direct run, as a yardstick of chaos, would take longer than ${seconds} s (--budget): left out.`);
    }
    runs = await RunsSideBySide.create({
      ...{ scenario, particles: evolved, gpu, step, softening },
      ...(plan.second && { perturbation }),
    });
    evolution = {
      ...{ particles: evolved.count, of: particles.count, step, steps, time: 0, end: scenario.time.end },
      ...{ softening, softeningCells: softening / cell, perturbation: (Math.sqrt(3) * perturbation) / cell },
      ...{ seconds: 0, rows: [await runs.row()], profiles: null },
    };
    await advance(runs, evolution, request);
  } catch (error) {
    if (!isAborted(error)) throw error;
  } finally {
    if (evolution) evolution.profiles = (await runs?.profiles(evolution.time)) ?? null;
    runs?.destroy();
    onProgress(1, evolution?.time ?? 0);
  }
  return evolution;
}

/** Adds rows up to the last step, or as long as the time lasts. */
async function advance(runs: RunsSideBySide, evolution: Evolution, request: EvolutionRequest): Promise<void> {
  const { seconds, signal, onProgress, note } = request;
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const { steps, step, rows } = evolution;
  let done = 0;
  const advanceTo = async (wanted: number) => {
    const from = done;
    await runs.advanceTo(wanted, signal, (fraction) => {
      const share = (from + (wanted - from) * fraction) / steps;
      onProgress(Math.max(share, elapsed() / (PATIENCE * seconds)), wanted * step);
    });
    done = wanted;
  };
  // In the first step kernels are compiled and their shapes chosen.
  await advanceTo(1);
  const warm = elapsed();
  while (done < steps && (done <= LEAST_TIMED || elapsed() - warm < TELLING)) await advanceTo(done + 1);
  const perStep = (elapsed() - warm) / Math.max(1, done - 1);
  const affordable = Math.min(steps, done + Math.max(0, (seconds - elapsed()) / perStep));
  let spacing = Math.max(1, Math.floor(affordable / ROWS));
  for (;;) {
    if (done < steps) await advanceTo(Math.min(steps, spacing * Math.ceil((done + 1) / spacing)));
    rows.push(await runs.row());
    evolution.time = runs.time;
    evolution.seconds = elapsed();
    if (done === steps) return;
    if (elapsed() > PATIENCE * seconds) {
      const [reached, end] = [simulatedTime(runs.time), simulatedTime(evolution.end)];
      note(
        `Evolved to t = ${reached} of ${end} ${request.timeUnit}, ${done} of ${steps} steps: ${seconds} s were allowed (--budget).`,
      );
      return;
    }
    if (rows.length > MOST_ROWS) spacing *= 2;
  }
}

export interface Speed {
  /** Pairs a second of the direct sum. */
  pairsPerSecond: number;
  secondsPerStep: number;
}

/** Share of the time that the mesh may take before fewer steps are planned. */
const MESH_SHARE = 2 / 3;
/** Share of the rest for the direct sums: diagnostics and read-backs need some. */
const DIRECT_SHARE = 0.85;
/** Fewer particles are no model of the run any more: then the time is shortened. */
const LEAST_PARTICLES = 1024;
/** Particles are a power of two, or of the numbers between in these steps. */
const FRACTIONS = [1.75, 1.5, 1.25, 1];

/** How many particles are evolved, and whether in a second direct run, too, which shows how fast orbits part by themselves. */
export function evolutionPlan(count: number, wanted: number, speed: Speed, seconds: number) {
  const steps = Math.max(1, Math.min(wanted, Math.floor((MESH_SHARE * seconds) / speed.secondsPerStep)));
  const left = Math.max((1 - MESH_SHARE) * seconds, seconds - steps * speed.secondsPerStep);
  const pairs = DIRECT_SHARE * left * speed.pairsPerSecond;
  const once = count * count * steps;
  if (once <= pairs) return { particles: count, second: 2 * once <= pairs };
  const affordable = Math.sqrt(pairs / (2 * steps));
  const power = 2 ** Math.floor(Math.log2(Math.max(1, affordable)));
  const particles = FRACTIONS.map((fraction) => fraction * power).find((n) => n <= affordable) ?? power;
  return { particles: Math.min(count, Math.max(LEAST_PARTICLES, particles)), second: true };
}

/** Particles of the smaller run that the mesh's step is timed with, where there are more. */
const MESH_LOOK = 2 ** 14;

/** Seconds of a step on the mesh. Throws "aborted". */
export async function secondsPerStep(options: RunsOptions, signal: AbortSignal): Promise<number> {
  const { gpu, step } = options;
  const particles = subset(options.particles, MESH_LOOK);
  const run = Simulation.create(meshScenario({ ...options, particles }), { ...engineOptions(gpu), particles });
  return releasing(run, async (simulation) => {
    await simulation.advance({ until: step, signal });
    const [before, started] = [simulation.step, performance.now()];
    await simulation.advance({ until: 3 * step, signal });
    return (performance.now() - started) / 1000 / Math.max(1, simulation.step - before);
  });
}

const FIRST_LOOK = 1024;
/** [ms] */
const TELLING_SUM = 250;

/** Pairs a second of a direct sum in single precision, or in float64 on the CPU. Throws "aborted". */
export async function pairsPerSecond(
  particles: ParticleSet,
  gpu: GpuContext | undefined,
  signal: AbortSignal,
): Promise<number> {
  const engine = { ...engineOptions(gpu), ...(gpu && { precision: "single" as const }) };
  const created = DirectSummation.create({ ...engine, order: "acceleration", softening: 1 });
  return releasing(created, async (sum) => {
    for (let wanted = FIRST_LOOK; ; wanted *= 2) {
      const { count, positions, masses } = subset(particles, wanted);
      await sum.setSources({ positions, masses });
      await sum.forces(undefined, { signal });
      const started = performance.now();
      await sum.forces(undefined, { signal });
      const ms = performance.now() - started;
      if (ms >= TELLING_SUM || count === particles.count) return (1000 * count * count) / ms;
    }
  });
}

/** The deck's fixed step [time], or for adaptive and divided ones what the adaptive criterion allows at the start. */
export function fixedStepOf(
  scenario: Scenario,
  cell: number,
  extremes: { acceleration: number; speed: number },
): number {
  const { time, gravity, direct } = scenario;
  const divided = gravity === "direct" && direct.steps !== "shared";
  const longest = time.step === "adaptive" ? time.end : time.step;
  const step = time.step === "adaptive" || divided ? Math.min(longest, stepLimit(time, cell, extremes)) : longest;
  return time.end / (fixedSteps({ time: { ...time, step } }) ?? 1);
}
