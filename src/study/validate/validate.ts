/**
 * `gravmesh validate`: how wrong the mesh is, by direct summation on the same particles. A part that fails doesn't stop
 * the others; an interruption keeps what there is.
 */
import { join } from "node:path";
import { median } from "d3-array";
import { softeningAt } from "../../engine/direct/softening.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import { mismatch } from "../../foundation/deck/problems.ts";
import { largest } from "../../physics/particles/sums.ts";
import { type Engine, requireMemory } from "../../run/engine.ts";
import { loadExtensions } from "../../run/extensions.ts";
import { engineFor, engineOptions, type InstrumentRequest, recordHead, startOf } from "../../run/instrument.ts";
import { withStandardInput } from "../../run/io/standard-input.node.ts";
import { timeInTerminal, unitLabels } from "../../run/page/units.ts";
import { shownOf } from "../../run/report/particle-views.ts";
import { ResultFiles } from "../../run/results.ts";
import { fileLoaders, loadScenario } from "../../run/scenario-source.ts";
import { deckText } from "../../scenario/deck.ts";
import { expectationOf } from "../../scenario/expectation.ts";
import { smallestCell, softenedAsPairs } from "../../scenario/resolution.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { Simulation } from "../../scenario/simulation/simulation.ts";
import { type Place, runCases } from "../cases.ts";
import { evolveBoth } from "./evolve.ts";
import { compareForces, type TargetTable } from "./forces.ts";
import { measureForceLaw } from "./law.ts";
import { validateHtml } from "./page.ts";
import {
  failureText,
  type Part,
  type Parts,
  partCase,
  partsOf,
  type ValidateEvent,
  type Validation,
} from "./record.ts";
import { validationCsv } from "./table.ts";

export interface ValidateRequest extends InstrumentRequest {
  /** Targets of the force comparison; by time when left out. */
  targets?: number;
  /** ε of the direct sums [length]; with P³M its own, else none and the fitted one, when left out. */
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

/** Validates; resolves to the exit code. Throws GravmeshError for what stands in the way of all parts. */
export async function validate(options: ValidateRequest, watch: Watch, signal: AbortSignal): Promise<number> {
  await loadExtensions(options.extension ?? []);
  const { scenario: argument, overrides } = options;
  const loaded = await withStandardInput(signal, () => loadScenario(argument, overrides));
  const { gravity, p3m } = loaded.scenario;
  const scenario: Scenario =
    gravity === "p3m" ? softenedAsPairs(loaded.scenario, p3m) : { ...loaded.scenario, gravity: "mesh" };
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
  const progress = (place: Place, what: string, fraction: number) =>
    watch({ event: "progress", ...place, what, fraction, elapsedSeconds: (performance.now() - started) / 1000 });
  try {
    requireMemory(scenario, engine);
    const cases = (["forces", "force law", ...(options.evolve ? ["evolution" as const] : [])] as const).map(partCase);
    const preparation = { key: "preparation", label: "preparation", index: 0, count: cases.length };
    const simulation = await Simulation.create(scenario, {
      ...engineOptions(engine.gpu),
      ...fileLoaders(scenario, (particles) => requireMemory(scenario, engine, particles)),
      onInitialConditions: (done, total) => progress(preparation, "initial conditions", done / total),
    });
    const { box, mesh } = scenario;
    const validation: Validation = {
      ...recordHead(argument, scenario, engine, simulation.particleCount),
      lengthUnit: unitLabels(scenario.units.system).length,
      ...{ boundary: box.boundary, boxSize: box.size, cell: box.size / mesh.cells, mesh, cases, notes: [] },
      gravity: gravity === "p3m" ? "p3m" : "mesh",
    };
    files.claim(options.force ?? false);
    watch({ ...startOf(validation, folder), cells: mesh.cells });
    progress({ key: "forces", label: "forces", index: 0, count: cases.length }, "forces", 0);
    const request = { scenario, deck: loaded.scenario, engine, options, validation, signal };
    const measured = await releasing(simulation, async () => {
      const found = await measures(request, simulation);
      await runCases({
        ...{ record: validation, files, signal, watch, warning: failureText },
        make: async (part, place) => {
          await found.make(part, (what, fraction) => progress(place, what, fraction));
          if (signal.aborted) part.status = "interrupted";
        },
      });
      return found;
    });
    const { evolution } = partsOf(validation);
    // A sample of the particles, or a deck of direct sums on the mesh, is another run.
    const isDecks = evolution?.particles === evolution?.of && gravity !== "direct";
    if (evolution && isDecks) validation.expect = expectationOf(loaded.scenario, evolution.time);
    const html = () => {
      const { shown } = shownOf(measured.particles.components);
      const units = unitLabels(scenario.units.system);
      return validateHtml({ validation, units, shown, deck: deckText(loaded.scenario) });
    };
    const csv = () => validationCsv(measured.table());
    return files.close(validation, { csv, html }, (at) => watch({ event: "end", ...at, record: validation }));
  } finally {
    files.release();
    engine.gpu?.destroy();
  }
}

interface Measuring {
  /** On the mesh, and as the deck has it. */
  scenario: Scenario;
  deck: Scenario;
  engine: Engine;
  options: ValidateRequest;
  validation: Validation;
  signal: AbortSignal;
}

type Report = (what: string, fraction: number) => void;

/** What makes each part, the simulation's particles, and the targets of the forces once they are measured. */
async function measures(request: Measuring, simulation: Simulation) {
  const { scenario, deck, engine, options, validation, signal } = request;
  const { gpu } = engine;
  const own = deck.gravity === "p3m" ? softeningAt(deck.p3m, deck.time.start) : undefined;
  const note = (text: string) => validation.notes.push(text);
  const read = await simulation.readParticles({ accelerations: true });
  const { accelerations, ...particles } = read;
  let table: TargetTable | undefined;
  const parts: { [P in Part]: (report: Report) => Promise<Parts[P] | undefined> } = {
    async forces(onProgress) {
      const found = await compareForces({
        ...{ simulation, particles, accelerations: accelerations!, gpu, signal, note, onProgress },
        ...(options.targets !== undefined && { targets: options.targets }),
        ...{ softening: options.softening ?? own ?? 0, seconds: FORCES_SHARE * options.budget },
      }).finally(() => simulation.destroy()); // its memory is free for the other parts
      table = found?.table;
      return found?.comparison;
    },
    "force law": (report) =>
      measureForceLaw(scenario, gpu, {
        signal,
        onProgress: (fraction) => report("force of a point mass", fraction),
      }),
    evolution(report) {
      const { forces } = partsOf(validation);
      // What fits two of the axes: in the plane of a disk, where it turns, and not the more across a layer below a cell.
      const fitted = median(forces?.softeningByAxis ?? []) ?? USUAL_SOFTENING;
      return evolveBoth({
        ...{ scenario: { ...scenario, gravity: deck.gravity }, particles, gpu, signal, note },
        extremes: { acceleration: largest(accelerations!), speed: largest(particles.velocities) },
        softening: options.softening ?? own ?? Math.max(LEAST_SOFTENING, fitted) * smallestCell(scenario),
        ...{ seconds: options.budget, timeUnit: validation.timeUnit },
        onProgress: (fraction, time) => report(`evolution, t = ${timeInTerminal(time, validation.timeUnit)}`, fraction),
      });
    },
  };
  const make = async (part: Validation["cases"][number], report: Report) => {
    if (part.key === "evolution" && scenario.box.boundary === "periodic") {
      Object.assign(part, { status: "skipped", message: "the direct sum has no periodic images" });
      note("Not evolved: the direct sum has no periodic images. Forces are compared alone.");
    } else part.result = (await parts[part.key as Part](report)) ?? null;
  };
  return { make, particles, table: () => table };
}
