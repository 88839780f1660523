/**
 * One variant of a comparison from the first step to the end. Measures go into its record at once, so that
 * a failure or an interruption loses nothing of it.
 */
import type { StageTime } from "../../engine/backend/backend.ts";
import { orbitDistance, relativeDifference } from "../../engine/diagnostics/differences.ts";
import type { DensityModes } from "../../engine/reference/diagnostics/density-modes.ts";
import { isAborted } from "../../foundation/base/errors.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { RunSpeed } from "../../run/accounts.ts";
import { type Engine, requireMemory } from "../../run/engine.ts";
import type { ProgressEvent } from "../../run/events.ts";
import { engineOptions, stateOf } from "../../run/instrument.ts";
import { type ReportView, reportSnapshot } from "../../run/report/particle-views.ts";
import { progressEvent } from "../../run/run-events.ts";
import { stagesInOrder } from "../../run/summary.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { type Progress, Simulation } from "../../scenario/simulation/simulation.ts";
import type { DirectErrors } from "./direct-errors.ts";
import type { CompareMaps, CompareVariant, VariantResult } from "./record.ts";
import { compareSpectra, modesOf } from "./spectra.ts";
import type { Evidence } from "./verdict.ts";

/** The first variant's particles, as far as it came. */
export interface ReferenceState {
  potential?: Float32Array;
  accelerations?: Float32Array;
  /** At the end; the density in a periodic box. */
  positions?: Float64Array;
  modes?: DensityModes;
  /** Side of its cells [length]. */
  cell: number;
}

interface MeasureRequest {
  scenario: Scenario;
  particles: ParticleSet;
  engine: Engine;
  view: ReportView;
  reference: ReferenceState | undefined;
  /** Sums that the forces are held against; none where they are not asked for. */
  direct: DirectErrors | undefined;
  /** Of the mesh that densities at the end are compared on; none in an isolated box. */
  spectraCells: number | undefined;
  signal: AbortSignal;
  onProgress: (event: ProgressEvent) => void;
}

export interface Measured {
  maps?: CompareMaps;
  state: ReferenceState;
  evidence: Evidence;
}

/** Measures into a variant's result; `kept` gets measures that aren't numbers. Throws what makes the variant fail. */
export async function measureVariant(request: MeasureRequest, variant: CompareVariant, kept: Measured): Promise<void> {
  const { result: record } = variant;
  const { scenario, particles, engine, view, reference, direct, spectraCells } = request;
  const drawn = scenario.particles.reduce((sum, component) => sum + ("count" in component ? component.count : 0), 0);
  requireMemory(scenario, engine, particles.count - drawn);
  const simulation = await Simulation.create(scenario, { ...engineOptions(engine.gpu), particles });
  const compareSums = async (moment: "start" | "end", read: Parameters<DirectErrors["of"]>[1]) => {
    const found = await direct?.of(simulation, read, moment);
    record.direct[moment] = found?.error ?? null;
    if (found) kept.evidence[moment] = found.squares;
  };
  try {
    const first = await simulation.readParticles({ potential: true, accelerations: true });
    const { potential, accelerations } = first;
    Object.assign(kept.state, { potential, accelerations });
    if (reference?.potential) record.potential = relativeDifference(potential!, reference.potential, 1);
    if (reference?.accelerations) record.acceleration = relativeDifference(accelerations!, reference.accelerations, 3);
    await compareSums("start", first);
    if (!(await evolve(simulation, request, record))) {
      variant.status = "interrupted";
      return;
    }
    const last = await simulation.readParticles({ accelerations: direct !== undefined });
    kept.state.positions = last.positions;
    if (reference?.positions) {
      const { size, boundary } = scenario.box;
      const around = boundary === "periodic" ? size : undefined;
      record.positionCells = orbitDistance(last.positions, reference.positions, reference.cell, around).rms;
    }
    if (spectraCells !== undefined) kept.state.modes = modesOf(last, scenario.box.size, spectraCells);
    if (kept.state.modes && reference?.modes) record.spectra = compareSpectra(kept.state.modes, reference.modes);
    kept.maps = await reportSnapshot(simulation.reductions(), simulation.time, view);
    await compareSums("end", last);
  } finally {
    record.memoryBytes = simulation.memory().total;
    simulation.destroy();
  }
}

/** False where an interruption came before its end. */
async function evolve(simulation: Simulation, request: MeasureRequest, record: VariantResult): Promise<boolean> {
  const segments: Progress["segment"][] = [];
  const atStart = simulation.stageTimes();
  let afterFirst = atStart;
  const pace = new RunSpeed();
  const began = performance.now();
  const onProgress = ({ time, step, fraction, segment }: Progress) => {
    segments.push(segment);
    if (segments.length === 1) afterFirst = simulation.stageTimes();
    pace.add(segment.steps, segment.ms);
    const going = {
      ...{ time, step, fraction, energyError: record.energyError ?? 0, stepsPerSecond: pace.stepsPerSecond },
      ...{ elapsedSeconds: (performance.now() - began) / 1000, remainingSeconds: pace.remaining(fraction) },
    };
    request.onProgress(progressEvent(simulation, going));
  };
  try {
    await addRow(simulation, record);
    while (!simulation.done) {
      await simulation.advance({ output: simulation.output + 1, onProgress, signal: request.signal });
      if (simulation.outputs[simulation.output].diagnostics) await addRow(simulation, record);
    }
    return true;
  } catch (error) {
    if (!isAborted(error)) throw error;
    await addRow(simulation, record);
    return false;
  } finally {
    record.time = simulation.time;
    record.steps = simulation.step;
    // The first segment counts only where it is the only one: kernels are still being compiled in it.
    const [, ...later] = segments;
    if (later.length > 0) addTimes(simulation, later, afterFirst, record);
    else addTimes(simulation, segments, atStart, record);
  }
}

async function addRow(simulation: Simulation, record: VariantResult): Promise<void> {
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

const NO_STEP = ["diagnostics"];

/** Of the steps of these segments; `before`: the times of stages before them. */
function addTimes(
  simulation: Simulation,
  segments: readonly Progress["segment"][],
  before: readonly StageTime[],
  record: VariantResult,
): void {
  const steps = segments.reduce((sum, segment) => sum + segment.steps, 0);
  const ms = segments.reduce((sum, segment) => sum + segment.ms, 0);
  if (steps === 0) return;
  record.millisecondsPerStep = ms / steps;
  record.particleUpdatesPerSecond = (1000 * simulation.particleCount) / record.millisecondsPerStep;
  record.stages = stagesInOrder(simulation.stageTimes())
    .map((total) => {
      const earlier = before.find(({ stage }) => stage === total.stage)?.ms ?? 0;
      return { stage: total.stage, millisecondsPerStep: (total.ms - earlier) / steps };
    })
    .filter(({ stage, millisecondsPerStep }) => !NO_STEP.includes(stage) && millisecondsPerStep > 0);
}
