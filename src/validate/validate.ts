/**
 * `gravmesh validate`: how wrong the mesh is, by direct summation on the same particles. A part that fails doesn't stop
 * the others; an interruption keeps what there is.
 */
import { join } from "node:path";
import { median } from "d3-array";
import { GravmeshError } from "../base/errors.ts";
import { releasing } from "../base/releasing.ts";
import { mismatch } from "../deck/problems.ts";
import { withStandardInput } from "../io/standard-input.node.ts";
import { timeInTerminal, unitLabels } from "../page/units.ts";
import { largest } from "../particles/sums.ts";
import { type Engine, requireMemory } from "../run/engine.ts";
import { loadExtensions } from "../run/extensions.ts";
import { messageOf } from "../run/failure.ts";
import { engineFor, engineOptions, type InstrumentRequest, recordHead, startOf } from "../run/instrument.ts";
import { shownOf } from "../run/report/particle-views.ts";
import { ResultFiles } from "../run/results.ts";
import { fileLoaders, loadScenario } from "../run/scenario-source.ts";
import { deckText } from "../scenario/deck.ts";
import { expectationOf } from "../scenario/expectation.ts";
import { smallestCell } from "../scenario/resolution.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { Simulation } from "../simulation/simulation.ts";
import { evolveBoth } from "./evolve.ts";
import { compareForces, type TargetTable } from "./forces.ts";
import { measureForceLaw } from "./law.ts";
import { validateHtml } from "./page.ts";
import type { Part, ValidateEvent, Validation } from "./record.ts";
import { validationCsv } from "./table.ts";

export interface ValidateRequest extends InstrumentRequest {
  /** Targets of the force comparison; by time when left out. */
  targets?: number;
  /** ε of the direct sums [length]; none, and the fitted one, when left out. */
  softening?: number;
  /** For the evolution [s]; the forces get a third of it. */
  budget: number;
  evolve: boolean;
}

type Watch = (event: ValidateEvent) => void;

/** Share of the budget that the sums at the first step get, besides. */
const FORCES_SHARE = 1 / 3;
/** Softening of the direct run at least, and without a fitted one [cells]. */
const LEAST_SOFTENING = 0.1;
const USUAL_SOFTENING = 0.5;

interface Session {
  scenario: Scenario;
  engine: Engine;
  options: ValidateRequest;
  validation: Validation;
  signal: AbortSignal;
  watch: Watch;
  /** Called after every part: whatever happens to the next one, what there is is written. */
  save: () => void;
  progress: (part: Part, what: string, fraction: number) => void;
  note: (text: string) => void;
}

/** Validates; resolves to the exit code. Throws GravmeshError for what stands in the way of all parts. */
export async function validate(options: ValidateRequest, watch: Watch, signal: AbortSignal): Promise<number> {
  await loadExtensions(options.extension ?? []);
  const { scenario: argument, overrides } = options;
  const loaded = await withStandardInput(signal, () => loadScenario(argument, overrides));
  const scenario: Scenario = { ...loaded.scenario, gravity: "mesh" };
  const { formulation } = scenario.mond;
  if (formulation !== "none") {
    const hint = "Modified gravity is no sum over pairs: validate Newton's, and see `gravmesh bench mond`";
    const path = ["mond", "formulation"];
    throw new GravmeshError("usage", mismatch(path, '"none" to compare with direct sums', formulation, hint).message);
  }
  const folder = options.out ?? join("results", `validate-${loaded.name}`);
  const files = new ResultFiles<Validation>(folder, "validate");
  files.requireEmpty(options.force ?? false);
  const engine = await engineFor(options.backend, [scenario], watch);
  const started = performance.now();
  try {
    requireMemory(scenario, engine);
    const progress: Session["progress"] = (part, what, fraction) =>
      watch({ event: "progress", part, what, fraction, elapsedSeconds: (performance.now() - started) / 1000 });
    const simulation = await Simulation.create(scenario, {
      ...engineOptions(engine.gpu),
      ...fileLoaders(scenario, (particles) => requireMemory(scenario, engine, particles)),
      onInitialConditions: (done, total) => progress("preparation", "initial conditions", done / total),
    });
    const { box, mesh } = scenario;
    const validation: Validation = {
      ...recordHead(argument, scenario, engine, simulation.particleCount),
      lengthUnit: unitLabels(scenario.units.system).length,
      ...{ boundary: box.boundary, boxSize: box.size, cell: box.size / mesh.cells, mesh },
      ...{ forces: null, forceLaw: null, evolution: null, notes: [], failures: [] },
    };
    const note = (text: string) => validation.notes.push(text);
    const save = () => files.save(validation);
    const session: Session = { scenario, engine, options, validation, signal, watch, save, progress, note };
    files.claim(options.force ?? false);
    watch({ ...startOf(validation, folder), cells: scenario.mesh.cells });
    const measured = await measure(session, simulation, loaded.scenario);
    const { evolution } = validation;
    // A sample of the particles, or a deck of direct sums on the mesh, is another run.
    const isDecks = evolution?.particles === evolution?.of && loaded.scenario.gravity === "mesh";
    if (evolution && isDecks) validation.expect = expectationOf(loaded.scenario, evolution.time);
    validation.status = signal.aborted ? "interrupted" : validation.failures.length > 0 ? "failed" : "complete";
    const html = () => {
      const { shown } = shownOf(measured.particles.components);
      const units = unitLabels(scenario.units.system);
      return validateHtml({ validation, units, shown, deck: deckText(loaded.scenario) });
    };
    const csv = () => validationCsv(measured.table);
    return files.close(validation, { csv, html }, (at) => watch({ event: "end", ...at, validation }));
  } finally {
    files.release();
    engine.gpu?.destroy();
  }
}

/** The parts, one after the other, into the validation. Gives the simulation back. */
async function measure(session: Session, simulation: Simulation, deck: Scenario) {
  const { scenario, engine, options, validation, signal, progress, note } = session;
  const { gpu } = engine;
  const { boundary } = scenario.box;
  let table: TargetTable | undefined;
  const read = await releasing(simulation, async () => {
    progress("forces", "mesh force", 0);
    const read = await simulation.readParticles({ accelerations: true });
    const { accelerations, ...particles } = read;
    await part(session, "forces", async () => {
      const found = await compareForces({
        ...{ simulation, particles, accelerations: accelerations!, gpu, signal, note },
        ...(options.targets !== undefined && { targets: options.targets }),
        ...{ softening: options.softening ?? 0, seconds: FORCES_SHARE * options.budget },
        onProgress: (what, fraction) => progress("forces", what, fraction),
      });
      table = found?.table;
      return found?.comparison;
    });
    return read;
  });
  await part(session, "force law", () => {
    const onProgress = (fraction: number) => progress("force law", "force of a point mass", fraction);
    return measureForceLaw(scenario, gpu, { signal, onProgress });
  });
  const { accelerations, ...particles } = read;
  if (options.evolve && boundary === "periodic") {
    note("Not evolved: the direct sum has no periodic images. Forces are compared alone.");
  } else if (options.evolve) {
    await part(session, "evolution", () => {
      // What fits two of the axes: in the plane of a disk, where it turns, and not the more across a layer below a cell.
      const fitted = median(validation.forces?.softeningByAxis ?? []) ?? USUAL_SOFTENING;
      return evolveBoth({
        ...{ scenario: { ...scenario, gravity: deck.gravity }, particles, gpu, signal, note },
        extremes: { acceleration: largest(accelerations!), speed: largest(particles.velocities) },
        softening: options.softening ?? Math.max(LEAST_SOFTENING, fitted) * smallestCell(scenario),
        ...{ seconds: options.budget, timeUnit: validation.timeUnit },
        onProgress: (fraction, time) =>
          progress("evolution", `evolution, t = ${timeInTerminal(time, validation.timeUnit)}`, fraction),
      });
    });
  }
  return { particles, table };
}

/** Where a part's result is kept. */
const KEPT = { forces: "forces", "force law": "forceLaw", evolution: "evolution" } as const;

/** Runs a part unless it is too late, and keeps its result or notes its failure. */
async function part<Name extends keyof typeof KEPT>(
  { validation, signal, watch, save }: Session,
  name: Name,
  run: () => Promise<Validation[(typeof KEPT)[Name]] | undefined>,
): Promise<void> {
  if (signal.aborted) return;
  try {
    const result = (await run()) ?? null;
    Object.assign(validation, { [KEPT[name]]: result });
    watch({ event: "part", part: name, result });
  } catch (error) {
    const message = messageOf(error);
    validation.failures.push({ part: name, message });
    watch({ event: "warning", message: `The ${name} failed: ${message}` });
  }
  save();
}
