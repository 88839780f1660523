/**
 * `gravmesh bench stages`: time per stage of the step, with the bytes that it moves, those that an ideal step would, and the copy
 * bandwidth measured in the same run; and the wall time of a step in the loop that `gravmesh run` has, with what the host asks
 * of the device in it. As in a run a submission is recorded while another is under way: what isn't in the stages is waiting.
 *
 * Traffic for N particles and C = n³ cells, as the kernels move it (isolated: with images), and of an ideal step (a fused
 * gradient and no scratch):
 *   order    64 N + 12 C (places; all arrays read and written; cell starts cleared, counted, scanned)   40 N
 *   deposit  12 N + 16 C (mass cleared, added to, with carries)   12 N + 4 C
 *   Poisson  44 C (periodic: the mass, five passes of 8 C)   40 C; isolated, pruned: both 108 C
 *   gradient 16 C   5 C
 *   update   52 N + 20 C (positions and velocities read and written, places; force, counters)   56 N (and where velocities lie)
 */

import { least, mean, sum } from "d3-array";
import { type StepPlan, uniformFactors } from "../../engine/backend/backend.ts";
import type { Assignment, DepositMethod, GradientScheme } from "../../engine/mesh/settings.ts";
import { MeshPipeline } from "../../engine/pipeline/pipeline.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { copyBandwidth } from "../../foundation/gpu/probe.ts";
import { combined, NO_TRAFFIC } from "../../foundation/gpu/timing.ts";
import type { DeckComponent } from "../../physics/initial/models.ts";
import { initialConditions } from "../../physics/initial/source.ts";
import type { MondTable } from "../../physics/mond/settings.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { milliseconds, plainNumber, prefixed } from "../../run/page/numbers.ts";
import { tableOf } from "../../run/page/text.ts";
import { stagesInOrder } from "../../run/summary.ts";
import { completeScenario } from "../../scenario/parse.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { engineMeshSettings } from "../../scenario/simulation/engine.ts";
import { inTurns } from "./timing.ts";

export type StageDistribution = "uniform" | "plummer" | "disk";

export interface StagesRequest {
  cells: number;
  /** n³ by default. */
  particles?: number;
  distribution: StageDistribution;
  assignment: Assignment;
  boundary: Boundary;
  deposit: DepositMethod;
  gradient: GradientScheme;
  /** Levels about the particles, one within the other, with the defaults of a deck. */
  levels?: number;
  /** Whether near pairs are summed, too (P³M). */
  pairs?: boolean;
  /** Field equation, Newton's by default; modified gravity sets in an eighth of the box from all mass (docs/mond.md). */
  formulation?: MondTable["formulation"];
  /** In the unit box's time; the shorter, the less particles leave their cells, which ordering and deposit are quicker for. */
  timeStep?: number;
  /** Steps in a repetition, by default as many as show what a submission costs; and repetitions, the fastest of which counts. */
  steps?: number;
  repetitions: number;
}

export type StagesResult = Awaited<ReturnType<typeof benchStages>>;

/** Bytes that each stage of a step moves, and those that it has to move at least. */
function trafficOf(
  particles: number,
  cells: number,
  boundary: Boundary,
): Record<string, [moved: number, least: number]> {
  const all = cells ** 3;
  const periodic = boundary === "periodic";
  return {
    order: [(periodic ? 64 : 72) * particles + 12 * all, 40 * particles],
    deposit: [12 * particles + 16 * all, 12 * particles + 4 * all],
    poisson: periodic ? [44 * all, 40 * all] : [108 * all, 108 * all],
    gradient: [16 * all, 5 * all],
    update: [(periodic ? 52 : 56) * particles + 20 * all, 56 * particles],
  };
}

/** Twice so many steps, the first of which keep the device busy while the next are recorded. */
function twice(steps: number, dt: number): StepPlan {
  let asked = 0;
  const factors = uniformFactors(steps, dt);
  return { next: () => ({ factors, last: ++asked === 2, measured: asked === 1 }), note: () => {} };
}

/** The time step, in the unit box's time. */
export const BENCH_STEP = 1e-3;
/** In a repetition, on a CPU and on a GPU. */
const FEW_STEPS = 10;
const MANY_STEPS = 64;
/** Cells that a particle of the uniform box crosses in such a step, rms along an axis. */
const CELLS_PER_STEP = 0.1;
/** a0, of the field that all mass has an eighth of the box away. */
const A0 = 64;
/** Of pairs [cells]. */
const SOFTENING = 0.05;

/** A unit box filled as asked. */
export function stagesScenario(request: StagesRequest): Scenario {
  const { cells, distribution, assignment, boundary, deposit, gradient, levels = 0, formulation = "none" } = request;
  const p3m = { gravity: "p3m", p3m: { softening: SOFTENING / cells } } as const;
  const count = request.particles ?? cells ** 3;
  const side = boundary === "periodic" ? 1 : 0.9;
  const velocityDispersion = CELLS_PER_STEP / cells / BENCH_STEP;
  const whole = { count, mass: 1 };
  const disk = { scaleLength: 0.06, scaleHeight: 0.006, toomreQ: 1.2, cutoff: 0.35 };
  const components: Record<typeof distribution, DeckComponent> = {
    uniform: { kind: "uniform", side, velocityDispersion, ...whole },
    plummer: { kind: "plummer", scale: 0.05, cutoff: 0.35, ...whole },
    disk: { kind: "exponential-disk", ...disk, ...whole },
  };
  return completeScenario({
    title: `benchmark, ${distribution}`,
    box: { size: 1, boundary },
    mesh: { cells, assignment, deposit, gradient },
    ...(request.pairs && p3m),
    mond: formulation === "none" ? {} : { formulation, a0: A0 },
    particles: [{ ...components[distribution], name: distribution }],
    level: Array.from({ length: levels }, () => ({ around: distribution })),
    time: { end: 1, step: BENCH_STEP },
  });
}

/** The particles of a deck, as drawn, box coordinates. */
export async function particlesOf(scenario: Scenario, signal?: AbortSignal): Promise<ParticleSet> {
  return (await initialConditions(scenario, { G: unitSystem(scenario.units.system).G, signal })).particles;
}

/** Steps of a repetition. */
export const stepsOf = ({ adapter }: GpuContext, { steps }: StagesRequest): number =>
  steps ?? (adapter.software ? FEW_STEPS : MANY_STEPS);

/** Measures one configuration. */
export async function benchStages(gpu: GpuContext, request: StagesRequest) {
  const scenario = stagesScenario(request);
  const { timeStep = BENCH_STEP } = request;
  const steps = stepsOf(gpu, request);
  const { mesh, box } = scenario;
  const set = await particlesOf(scenario);
  return releasing(
    MeshPipeline.create(gpu, engineMeshSettings(scenario, [], set.components), set),
    async (pipeline) => {
      const repetition = async () => {
        pipeline.resetTimes();
        let [started, ahead, before] = [0, NO_TRAFFIC, 0];
        const onProgress = (done: number) => {
          if (done !== steps) return;
          [started, ahead, before] = [performance.now(), pipeline.traffic(), pipeline.pairs?.pairs ?? 0];
          pipeline.resetTimes();
        };
        await pipeline.follow(twice(steps, timeStep), { onProgress });
        const traffic = combined(ahead, pipeline.traffic(), 1);
        const pairs = ((pipeline.pairs?.pairs ?? 0) - before) / steps;
        return { ms: performance.now() - started, stages: pipeline.stageTimes(), traffic, pairs };
      };
      await repetition(); // compiles, and finds how many steps a submission takes
      const [found] = await inTurns([repetition], { repetitions: Math.max(1, request.repetitions) });
      const best = least(found, ({ ms }) => ms)!;
      const { timestamps } = gpu.timer;
      if (!timestamps) {
        pipeline.timeStages();
        best.stages = (await repetition()).stages;
      }
      const { count: particles, velocities } = set;
      const copied = await copyBandwidth(gpu);
      const traffic = trafficOf(particles, mesh.cells, box.boundary);
      const time = (bytes: number) => (1000 * bytes) / copied;
      const { submissions, waits, bytesRead } = best.traffic;
      const all = 2 * steps;
      const stepMs = best.ms / steps;
      return {
        ...{ ...request, timeStep, steps, particles },
        /** Cells that a particle crosses in a step at the start, rms along an axis. */
        cellsPerStep: Math.sqrt(mean(velocities, (v) => v * v)!) * timeStep * mesh.cells,
        adapter: adapterName(gpu.adapter),
        /** Wall time of a step, as in a run [ms]. */
        stepMs,
        /** In a step. */
        traffic: { submissions: submissions / all, waits: waits / all, bytesRead: bytesRead / all },
        /** Whether the GPU's own clock timed the stages; otherwise they were submitted one by one, in steps of their own. */
        timestamps,
        particleUpdatesPerSecond: (1000 * particles) / stepMs,
        /** Of particles, in a step: with all sources in the cells that are reached. */
        pairsOfParticles: best.pairs,
        /** Read plus written, of a kernel that copies [byte/s]. */
        copyBandwidth: copied,
        /** `bytes` a step has to move at least, and those that it moves; fractions of the copy bandwidth that they amount to. */
        stages: stagesInOrder(best.stages).map(({ stage, ms: inSteps }) => {
          const [ms, [moved, bytes]] = [inSteps / steps, traffic[stage] ?? [0, 0]];
          const share = (of: number) => (ms > 0 ? time(of) / ms : 0);
          return { stage, ms, bytes, fraction: share(bytes), moved, movedFraction: share(moved) };
        }),
        /** Time in which the least traffic of all stages could be moved, and the code's own [ms]. */
        floorMs: time(sum(Object.values(traffic), ([, least]) => least)),
        movedMs: time(sum(Object.values(traffic), ([moved]) => moved)),
        memory: pipeline.memory(),
      };
    },
  );
}

/** One configuration as a table. */
export function stagesText(result: StagesResult): string {
  const { cells, particles, assignment, boundary, distribution, levels, memory, traffic } = result;
  const { formulation = "none" } = result;
  const inStages = sum(result.stages, ({ ms }) => ms);
  const sums = { bytes: 0, fraction: 0, moved: 0, movedFraction: 0 };
  const rows = [
    ...result.stages,
    { stage: "all stages", ms: inStages, ...sums },
    ...(result.timestamps ? [{ stage: "host", ms: Math.max(0, result.stepMs - inStages), ...sums }] : []),
    { stage: "step, wall time", ms: result.stepMs, ...sums },
  ];
  const amount = (bytes: number) => (bytes > 0 ? `${prefixed(bytes)}B` : "");
  const share = (fraction: number) => (fraction > 0 ? `${plainNumber(100 * fraction)} %` : "");
  const byStage = tableOf(rows, {
    stage: ({ stage }) => stage,
    "ms/step": ({ ms }) => milliseconds(ms),
    moved: ({ moved }) => amount(moved),
    "of bandwidth": ({ movedFraction }) => share(movedFraction),
    "least traffic": ({ bytes }) => amount(bytes),
    "of it": ({ fraction }) => share(fraction),
  });
  return [
    `${cells}³ mesh${levels ? `, levels: ${levels}` : ""}${formulation === "none" ? "" : `, ${formulation}`}, ${particles.toLocaleString("en")} particles, ${distribution}, ${boundary}, ${assignment.toUpperCase()}, on ${result.adapter}`,
    byStage,
    `  ${prefixed(result.particleUpdatesPerSecond)} particle updates/s; copy bandwidth ${prefixed(result.copyBandwidth)}B/s; ` +
      `its traffic alone: ${milliseconds(result.movedMs)} ms, the step takes ${plainNumber(result.stepMs / result.movedMs)} times that; ` +
      `an ideal step's: ${milliseconds(result.floorMs)} ms, ${plainNumber(result.stepMs / result.floorMs)} times`,
    `  a step, in the loop of a run: ${plainNumber(traffic.submissions)} submissions, ${plainNumber(traffic.waits)} waits, ` +
      `${Math.round(traffic.bytesRead)} B read back${result.timestamps ? "" : "; stages timed one by one, apart"}`,
    ...pairsText(result),
    `  a particle crosses ${plainNumber(result.cellsPerStep)} cells a step (rms along an axis, at the start)`,
    `  memory: ${plainNumber(memory.particles / particles)} B a particle, ${plainNumber(memory.mesh / cells ** 3)} B a cell`,
  ].join("\n");
}

function pairsText({ stages, pairsOfParticles: pairs, particles }: StagesResult): string[] {
  const stage = stages.find((one) => one.stage === "pairs");
  if (!stage) return [];
  return [
    `  ${plainNumber(pairs / particles)} pairs a particle and step, ${prefixed((1000 * pairs) / stage.ms)} pairs/s`,
  ];
}
