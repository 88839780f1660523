/** The parts of a simulation: an engine, particles that are drawn, given or a checkpoint's, and their pipeline. */
import { drawingCrew } from "#platform";
import type { Backend } from "../../engine/backend/backend.ts";
import { halfMassOrbit, requireResolved } from "../../engine/time/orbit.ts";
import type { Schedule } from "../../engine/time/schedule.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { requireMostInside } from "../../physics/initial/outside.ts";
import { type InitialConditionsOptions, type InitialSource, initialSource } from "../../physics/initial/source.ts";
import { collected, sourceOf } from "../../physics/particles/source.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { requireBeginning } from "../../physics/potentials/motion.ts";
import type { Scenario } from "../scenario.ts";
import { scheduleOf } from "../timetables.ts";
import { type CheckpointInPieces, misfit, placeholderParticles } from "./checkpoint.ts";
import type { SavedDiagnostics } from "./diagnostics.ts";
import {
  chooseEngine,
  displacementsOn,
  type Engine,
  type EngineOptions,
  engineForSum,
  fewBodies,
  makeBackend,
  onEngine,
} from "./engine.ts";
import { placeAt, type StepsPlace } from "./step-plans.ts";

/** Where the driver compiles at the first submission, that of most kernels. */
const FIRST_FORCE = "first force and sums";

/** `loadSnapshot` and `loadText` read files; the Node command line passes both. */
export interface SimulationOptions
  extends EngineOptions,
    Pick<InitialConditionsOptions, "particles" | "loadSnapshot" | "loadText" | "onNote"> {
  /** Times stages without `timestamp-query`, too: each by itself, which takes several times as long. */
  stageTimes?: boolean;
  /** The time of `particles` that aren't of the run's start; it goes on from the nearest whole step [time]. */
  time?: number | undefined;
  /** Called while initial conditions are drawn, with the particles drawn and their total. */
  onInitialConditions?: (done: number, total: number) => void;
  /** Called with what is done between the initial conditions and the first step, on the GPU kernel by kernel. */
  onPreparing?: (what: string) => void;
  /** Ends the drawing of initial conditions with a GravmeshError of kind "aborted". */
  signal?: AbortSignal | undefined;
}

export interface SimulationParts extends InitialSource {
  engine: Engine;
  backend: Backend;
  at?: (StepsPlace & Partial<SavedDiagnostics>) | undefined;
  /** Of the present state, where they were taken. */
  sums?: Sums;
}

/** Initial conditions and the pipeline for them. Throws what `Simulation.create` does. */
export async function begun(scenario: Scenario, options: SimulationOptions): Promise<SimulationParts> {
  const { backend: wanted = options.device || options.gpu ? "webgpu" : "auto" } = options;
  const few = wanted === "auto" && !options.particles ? fewBodies(scenario) : undefined;
  const found = await chooseEngine(few ? { backend: "cpu", ranks: options.ranks } : options);
  const available = few ? { ...found, notice: few } : found;
  return preparing(available, options, async () => {
    const initial = await initialSource(scenario, {
      G: unitSystem(scenario.units.system).G,
      displacements: displacementsOn(available.gpu),
      ...{ loadSnapshot: options.loadSnapshot, loadText: options.loadText, particles: options.particles },
      onNote: options.onNote,
      ...{ crew: drawingCrew, onProgress: options.onInitialConditions, signal: options.signal },
    });
    const { externalPotentials } = initial;
    const direct = scenario.gravity === "direct";
    // A run that goes on may have lost its particles.
    const drawn = options.time === undefined ? await requireMostInside(initial.source, scenario) : initial.source;
    // Direct sums are of arrays, which are looked at more than once.
    const source = direct ? sourceOf(await collected(drawn)) : drawn;
    const engine = direct && wanted === "auto" ? engineForSum(available, scenario.direct, source.count) : available;
    const backend = await makeBackend(scenario, source, externalPotentials, engine).finally(() => source.release?.());
    const at = options.particles && options.time !== undefined ? placeAt(scenario, options.time) : undefined;
    if (at) requireBeginning(scenario, externalPotentials, at.time);
    if (at) backend.beginAt?.(at.time);
    options.onPreparing?.(FIRST_FORCE);
    const sums = await backend.sums();
    requireFollowed(scenario, scheduleOf(scenario), sums);
    return { ...initial, source, engine, backend, at, sums };
  });
}

/** The same from a checkpoint. Throws what `Simulation.resume` does. */
export async function continued(
  scenario: Scenario,
  checkpoint: CheckpointInPieces,
  options: SimulationOptions,
): Promise<SimulationParts> {
  const fault = misfit(scenario, checkpoint);
  if (fault) throw new GravmeshError("input", `the checkpoint doesn't fit its scenario: ${fault}`);
  const engine = await chooseEngine(options);
  return preparing(engine, options, async () => {
    const source = placeholderParticles(scenario, checkpoint);
    const { externalPotentials } = checkpoint;
    const backend = await makeBackend(scenario, source, externalPotentials, engine);
    await backend.restoreState(checkpoint.state);
    return { source, externalPotentials, engine, backend, at: checkpoint };
  });
}

/** Reports activities on the device meanwhile, and releases an engine on which it fails; times begin anew afterwards. */
async function preparing(
  engine: Engine,
  { onPreparing: report = () => {}, stageTimes }: SimulationOptions,
  make: () => Promise<SimulationParts>,
): Promise<SimulationParts> {
  const stop = engine.gpu?.preparing.reportTo(report);
  try {
    const parts = await onEngine(engine, make);
    if (stageTimes) parts.backend.timeStages?.();
    parts.backend.resetTimes?.();
    return parts;
  } finally {
    stop?.();
  }
}

/** Throws "scenario" for a fixed step in open space that can't follow the motion, unless the backend divides it. */
function requireFollowed({ gravity, direct, box }: Scenario, { step }: Schedule, sums: Sums): void {
  const divided = gravity === "direct" && direct.steps !== "shared";
  if (step === undefined || divided || box.boundary !== "isolated") return;
  const otherwise = gravity === "direct" ? 'direct.steps = "block"' : 'time.step = "adaptive"';
  requireResolved(step, halfMassOrbit(sums), otherwise);
}
