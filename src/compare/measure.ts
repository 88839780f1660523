/**
 * One variant of a comparison from the first step to the end. What is measured goes into its record at once, so that
 * a failure or an interruption loses nothing of it.
 */

import type { StageTime } from "../backend/backend.ts";
import { GravmeshError } from "../base/errors.ts";
import { orbitDistance, relativeDifference } from "../diagnostics/differences.ts";
import type { ParticleSet } from "../particles/state.ts";
import { type Engine, requireMemory } from "../run/engine.ts";
import { engineOptions, stateOf } from "../run/instrument.ts";
import { type ReportView, reportSnapshot } from "../run/report/particle-views.ts";
import { inOrder } from "../run/summary.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { type Progress, Simulation } from "../simulation/simulation.ts";
import type { DirectErrors } from "./direct-errors.ts";
import type { CompareMaps, CompareVariant } from "./record.ts";
import type { Evidence } from "./verdict.ts";

/** The first variant's particles, as far as it came. */
export interface ReferenceState {
  potential?: Float32Array;
  accelerations?: Float32Array;
  /** At the end. */
  positions?: Float64Array;
  /** Side of its cells [length]. */
  cell: number;
}

export interface MeasureRequest {
  scenario: Scenario;
  particles: ParticleSet;
  engine: Engine;
  view: ReportView;
  /** Undefined for the first variant. */
  reference: ReferenceState | undefined;
  /** Sums that the forces are held against; none where they are not asked for. */
  direct: DirectErrors | undefined;
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

export interface Measured {
  maps?: CompareMaps;
  /** The variant's own state, for the others to be compared with. */
  state: ReferenceState;
  evidence: Evidence;
}

/** Measures into `record`; `kept` gets what is no number. Throws what makes the variant fail. */
export async function measureVariant(request: MeasureRequest, record: CompareVariant, kept: Measured): Promise<void> {
  const { scenario, particles, engine } = request;
  const drawn = scenario.particles.reduce((sum, component) => sum + ("count" in component ? component.count : 0), 0);
  requireMemory(scenario, engine, particles.count - drawn);
  const simulation = await Simulation.create(scenario, {
    ...engineOptions(engine.gpu),
    particles,
  });
  try {
    await firstStep(simulation, request, record, kept);
    await evolve(simulation, request, record);
    if (record.status === "complete") await end(simulation, request, record, kept);
  } finally {
    record.memoryBytes = simulation.memory().total;
    simulation.destroy();
  }
}

async function firstStep(
  simulation: Simulation,
  { reference, direct }: MeasureRequest,
  record: CompareVariant,
  kept: Measured,
): Promise<void> {
  const particles = await simulation.readParticles({ potential: true, accelerations: true });
  const { potential, accelerations } = particles;
  Object.assign(kept.state, { potential, accelerations });
  if (reference?.potential) record.potential = relativeDifference(potential!, reference.potential, 1);
  if (reference?.accelerations) record.acceleration = relativeDifference(accelerations!, reference.accelerations, 3);
  await againstDirect("start", { simulation, particles, direct }, record, kept);
}

async function againstDirect(
  moment: "start" | "end",
  state: Pick<MeasureRequest, "direct"> & { simulation: Simulation; particles: ParticleSet },
  record: CompareVariant,
  kept: Measured,
): Promise<void> {
  const found = await state.direct?.of(state.simulation, state.particles, moment);
  if (!found) return;
  record.direct[moment] = found.error;
  kept.evidence[moment] = found.squares;
}

async function evolve(simulation: Simulation, request: MeasureRequest, record: CompareVariant): Promise<void> {
  const started = simulation.stageTimes();
  const timing: Timing = { steps: 0, ms: 0, segments: 0, before: started, afterFirst: started };
  const onProgress = (progress: Progress) => {
    addSegment(timing, progress.segment, simulation);
    request.onProgress(progress);
  };
  try {
    await addRow(simulation, record);
    while (!simulation.done) {
      await simulation.advance({ output: simulation.output + 1, onProgress, signal: request.signal });
      if (simulation.outputs[simulation.output].diagnostics) await addRow(simulation, record);
    }
    record.status = "complete";
  } catch (error) {
    if (!(error instanceof GravmeshError && error.kind === "aborted")) throw error;
    record.status = "interrupted";
    await addRow(simulation, record);
  } finally {
    record.time = simulation.time;
    record.steps = simulation.step;
    addTimes(simulation, timing, record);
  }
}

async function addRow(simulation: Simulation, record: CompareVariant): Promise<void> {
  if (record.rows.at(-1)?.step === simulation.step && simulation.step > 0) return;
  const row = await simulation.diagnostics();
  const state = stateOf(row);
  const { energyError, momentumError } = state;
  record.rows.push({ time: row.time, step: row.step, ...state });
  record.energyError = energyError;
  record.largestEnergyError = Math.max(record.largestEnergyError ?? 0, Math.abs(energyError));
  record.momentumError = momentumError;
  record.largestMomentumError = Math.max(record.largestMomentumError ?? 0, momentumError);
}

/** What is timed besides the stages of a step. */
const NO_STEP = ["diagnostics"];

/** Steps that count, their wall time [ms], and the time in stages before them. */
interface Timing {
  steps: number;
  ms: number;
  segments: number;
  before: StageTime[];
  afterFirst: StageTime[];
}

/** The first segment counts only where it is the only one: kernels are still being compiled and chosen in it. */
function addSegment(timing: Timing, { steps, ms }: Progress["segment"], simulation: Simulation): void {
  timing.segments += 1;
  if (timing.segments === 1) timing.afterFirst = simulation.stageTimes();
  if (timing.segments === 2) Object.assign(timing, { steps: 0, ms: 0, before: timing.afterFirst });
  timing.steps += steps;
  timing.ms += ms;
}

function addTimes(simulation: Simulation, { steps, ms, before }: Timing, record: CompareVariant): void {
  if (steps === 0) return;
  record.millisecondsPerStep = ms / steps;
  record.particleUpdatesPerSecond = (1000 * simulation.particleCount) / record.millisecondsPerStep;
  record.stages = inOrder(simulation.stageTimes())
    .map((total) => {
      const earlier = before.find(({ stage }) => stage === total.stage)?.ms ?? 0;
      return { stage: total.stage, millisecondsPerStep: (total.ms - earlier) / steps };
    })
    .filter(({ stage, millisecondsPerStep }) => !NO_STEP.includes(stage) && millisecondsPerStep > 0);
}

async function end(
  simulation: Simulation,
  { scenario, view, reference, direct }: MeasureRequest,
  record: CompareVariant,
  kept: Measured,
): Promise<void> {
  const particles = await simulation.readParticles({ accelerations: direct !== undefined });
  kept.state.positions = particles.positions;
  if (reference?.positions) {
    const { size, boundary } = scenario.box;
    const around = boundary === "periodic" ? size : undefined;
    record.positionCells = orbitDistance(particles.positions, reference.positions, reference.cell, around).rms;
  }
  kept.maps = await reportSnapshot(simulation.reductions(), simulation.time, view);
  await againstDirect("end", { simulation, particles, direct }, record, kept);
}
