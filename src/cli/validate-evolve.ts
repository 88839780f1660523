/**
 * The third part of a validation: the same particles evolved on the mesh and by direct summation, with the same fixed
 * step, side by side, so that an interruption keeps what has been compared. A second direct run, begun a little beside
 * the first, shows how fast orbits part by themselves.
 */
import { orbitDistance } from "../diagnostics/validation-orbits.ts";
import { GravmeshError } from "../errors.ts";
import type { GpuContext } from "../gpu/context.ts";
import { type ReportView, reportProfile, reportView } from "../io/report-data.ts";
import type { Evolution, EvolutionRow, RunState } from "../io/validate-page-model.ts";
import type { ParticleSet } from "../particles/state.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { type Diagnostics, Simulation } from "../simulation.ts";
import { requireNumbers } from "./runner.ts";
import { evolutionPlan, fixedStepOf, pairsPerSecond } from "./validate-plan.ts";
import { perturbed, subset } from "./validate-sample.ts";

export interface EvolutionRequest {
  /** As the mesh evolves it. */
  scenario: Scenario;
  particles: ParticleSet;
  /** Largest |a| and |v| at the start. */
  extremes: { acceleration: number; speed: number };
  gpu: GpuContext | undefined;
  /** ε of the direct run [length]. */
  softening: number;
  /** About how long all of it may take [s]. */
  seconds: number;
  signal: AbortSignal;
  onProgress: (fraction: number, time: number) => void;
  note: (text: string) => void;
}

/** Rows of the curves after the first. */
const ROWS = 24;
/** Rms displacement of the second direct run's start, along each axis, over the side of the box. */
const PERTURBATION = 1e-6;
/** Steps after which the speed is known: kernels are compiled and chosen in the first. */
const WARM_STEPS = 2;
/** The run goes on to its end when it takes at most this much longer than asked for, and no run takes more than twice. */
const PATIENCE = 1.25;
const LIMIT = 2;
const LEAST_FOR_PROFILES = 256;

const thousands = (count: number) => count.toLocaleString("en").replaceAll(",", " ");

/** What the profiles are taken of: the start, and both runs at the last row. */
interface Compared {
  view: ReportView;
  start: ParticleSet;
  mesh: ParticleSet;
  direct: ParticleSet;
}

interface Runs {
  mesh: Simulation;
  direct: Simulation;
  second: Simulation | undefined;
}

/** Evolves; undefined when an interruption came before anything could be compared. Throws what makes it fail. */
export async function evolveBoth(request: EvolutionRequest): Promise<Evolution | undefined> {
  const { scenario, particles, gpu, softening, seconds, signal, onProgress, note } = request;
  const { box, mesh, time } = scenario;
  const cell = box.size / mesh.cells;
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const step = fixedStepOf(scenario, cell, request.extremes);
  const totalSteps = Math.round(time.end / step);
  let runs: Partial<Runs> = {};
  let evolution: Evolution | undefined;
  let compared: Compared | undefined;
  try {
    onProgress(0, 0);
    const rate = await pairsPerSecond(particles, gpu, signal);
    const plan = evolutionPlan(particles.count, totalSteps + ROWS, rate, seconds);
    const evolved = subset(particles, plan.particles);
    if (evolved.count < particles.count) {
      note(
        `Evolved is a random sample of ${thousands(evolved.count)} of the ${thousands(particles.count)} particles, their masses ` +
          `scaled up: ${totalSteps} steps with N² pairs of all would take longer than ${seconds} s (--budget). Two-body ` +
          "encounters are stronger in it than in the whole run, on the mesh and in the direct sum.",
      );
    } else if (!plan.second) {
      note(`A second direct run, as a yardstick of chaos, would take longer than ${seconds} s (--budget): left out.`);
    }
    runs = await createRuns(request, evolved, step, plan.second);
    const { mesh: meshRun, direct: directRun, second } = runs as Runs;
    const view = reportView(evolved, scenario);
    evolution = {
      ...{ particles: evolved.count, of: particles.count, step, steps: totalSteps, time: 0, end: time.end },
      ...{ softening, softeningCells: softening / cell, seconds: 0 },
      ...{ perturbation: (Math.sqrt(3) * PERTURBATION * box.size) / cell, rows: [], profiles: null },
    };
    const addRow = async () => {
      const row: Partial<EvolutionRow> = { time: meshRun.time, step: meshRun.step };
      row.mesh = stateOf(await meshRun.diagnostics());
      row.direct = stateOf(await directRun.diagnostics());
      const [onMesh, direct] = [await meshRun.readParticles(), await directRun.readParticles()];
      row.distance = orbitDistance(onMesh.positions, direct.positions, cell);
      row.chaos = second ? orbitDistance((await second.readParticles()).positions, direct.positions, cell) : null;
      compared = { view, start: evolved, mesh: onMesh, direct };
      evolution!.rows.push(row as EvolutionRow);
      evolution!.time = meshRun.time;
      evolution!.seconds = elapsed();
    };
    await addRow();
    let done = 0;
    const advanceTo = async (wanted: number) => {
      const all = [meshRun, directRun, ...(second ? [second] : [])];
      for (const [k, run] of all.entries()) {
        await run.advance({ until: wanted * step, signal });
        onProgress((done + ((wanted - done) * (k + 1)) / all.length) / evolution!.steps, wanted * step);
      }
      done = wanted;
    };
    await advanceTo(1);
    const warm = elapsed();
    await advanceTo(Math.min(WARM_STEPS, totalSteps));
    const perStep = (elapsed() - warm) / Math.max(1, done - 1);
    const affordable = done + Math.floor((seconds - elapsed()) / perStep);
    if (totalSteps > PATIENCE * affordable) {
      evolution.steps = Math.max(done, affordable);
      note(
        `Evolved to time ${Number((evolution.steps * step).toPrecision(4))} of ${time.end}: a step of all runs takes ` +
          `${perStep.toPrecision(2)} s, and ${seconds} s were allowed (--budget).`,
      );
    }
    for (const stop of stops(evolution.steps, done)) {
      if (stop > done) await advanceTo(stop);
      await addRow();
      if (elapsed() > LIMIT * seconds && stop < evolution.steps) {
        note(`Evolution ended at time ${Number(meshRun.time.toPrecision(4))}: it took twice the ${seconds} s allowed.`);
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof GravmeshError && error.kind === "aborted")) throw error;
  } finally {
    for (const run of Object.values(runs)) run?.destroy();
  }
  if (evolution && compared) evolution.profiles = profilesOf(compared, evolution.time);
  return compared && evolution;
}

/** Steps at which there is a row: ROWS of them up to `steps`, none before `done`. */
export function stops(steps: number, done: number): number[] {
  const all = Array.from({ length: ROWS }, (_, j) => Math.round((steps * (j + 1)) / ROWS));
  return [...new Set(all)].filter((stop) => stop >= done);
}

async function createRuns(
  { scenario, gpu, softening }: EvolutionRequest,
  particles: ParticleSet,
  step: number,
  second: boolean,
): Promise<Runs> {
  const base: Scenario = {
    ...scenario,
    particles: scenario.particles.map((component) => {
      const { count = 0 } = particles.components.find(({ name }) => name === component.name) ?? {};
      return "count" in component ? { ...component, count } : component;
    }),
    time: { ...scenario.time, step },
    output: { ...scenario.output, snapshots: 1, diagnostics: 1 },
  };
  // Single precision: the step's error is far above that of the forces, and pairs cost a third.
  const direct: Scenario = {
    ...base,
    gravity: "direct",
    direct: { ...scenario.direct, integrator: "leapfrog", steps: "shared", precision: "single", softening },
  };
  const runs: Simulation[] = [];
  const create = async (of: Scenario, set: ParticleSet) => {
    const engine = gpu ? { gpu } : { backend: "cpu" as const };
    const run = await Simulation.create(of, { ...engine, particles: set });
    runs.push(run);
    return run;
  };
  try {
    const shifted = () => perturbed(particles, PERTURBATION * scenario.box.size);
    return {
      mesh: await create({ ...base, gravity: "mesh" }, particles),
      direct: await create(direct, particles),
      second: second ? await create(direct, shifted()) : undefined,
    };
  } catch (error) {
    for (const run of runs) run.destroy();
    throw error;
  }
}

function stateOf(row: Diagnostics): RunState {
  requireNumbers(row);
  const { relativeEnergyError: energyError, momentumError, virialRatio, lagrangianRadii } = row;
  return { energyError, momentumError, virialRatio, lagrangianRadii };
}

function profilesOf({ view, start, mesh, direct }: Compared, time: number): Evolution["profiles"] {
  if (start.count < LEAST_FOR_PROFILES) return null;
  const [first, onMesh, directly] = [
    reportProfile(start, 0, view),
    reportProfile(mesh, time, view),
    reportProfile(direct, time, view),
  ];
  if (!first || !onMesh || !directly) return null;
  return { kind: view.disk ? "surface-density" : "density", start: first, mesh: onMesh, direct: directly };
}
