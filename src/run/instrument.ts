/** What instruments share: an engine, with warnings about it and the decks, the head of a record, a run's state. */

import { requireFiniteRow } from "../engine/diagnostics/columns.ts";
import { version } from "../foundation/base/version.ts";
import { adapterName } from "../foundation/gpu/adapter.ts";
import type { GpuContext } from "../foundation/gpu/context.ts";
import { tableNote } from "../physics/cosmology/power.ts";
import { isPartOfMatter } from "../physics/initial/lattice.ts";
import { keptBy } from "../scenario/conserved.ts";
import { scenarioNotes, scenarioWarnings } from "../scenario/remarks.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { BackendChoice, Diagnostics } from "../scenario/simulation/simulation.ts";
import { type Engine, engineWithFallback } from "./engine.ts";
import type { InstrumentStart, NoteEvent, WarningEvent } from "./events.ts";
import { linearTheory } from "./outputs/power-spectra.ts";
import { timeUnitOf } from "./page/units.ts";
import type { Status } from "./results.ts";

export interface InstrumentRequest {
  /** Path or bare name. */
  scenario: string;
  overrides: readonly string[];
  backend: BackendChoice;
  /** Result folder; results/INSTRUMENT-NAME by default, of a run results/NAME. */
  out?: string;
  force?: boolean;
  /** Modules that add to gravmesh's lists, loaded before the deck is read. */
  extension?: readonly string[];
}

export type RecordHead = ReturnType<typeof recordHead>;

/** Nothing is measured yet: an interruption leaves exactly this. */
export function recordHead(argument: string, scenario: Scenario, { gpu }: Engine, particles: number) {
  const { title, reference } = scenario;
  return {
    ...{ title, reference },
    /** The deck's own expectation, once what was measured is the run that the deck describes; "" otherwise. */
    expect: "",
    scenario: argument,
    status: "interrupted" as Status,
    ...{ version, node: process.version },
    /** ISO 8601 */
    date: new Date().toISOString(),
    backend: gpu ? ("webgpu" as const) : ("cpu" as const),
    ...{ adapter: adapterText(gpu), particles },
    /** Of all times: "kpc/(km/s)", "time units", "scale factor". */
    timeUnit: timeUnitOf(scenario.units.system, scenario.time.clock),
    /** What the energy error is of, and whether the momentum has any: as in summary.json. */
    ...keptBy(scenario),
  };
}

export function adapterText(gpu: GpuContext | undefined): string {
  return gpu ? adapterName(gpu.adapter) : "CPU, float64";
}

export function startOf({ title, backend, adapter, particles, timeUnit }: RecordHead, folder: string): InstrumentStart {
  const where = backend === "cpu" ? null : adapter;
  return { event: "start", version, title, folder, backend, adapter: where, particles, timeUnit };
}

/** The engine that `choice` means; `watch` gets the warnings and notes about it and the decks. */
export async function engineFor(
  choice: BackendChoice,
  scenarios: readonly Scenario[],
  watch: (event: WarningEvent | NoteEvent) => void,
): Promise<Engine> {
  const engine = await engineWithFallback(choice);
  if (engine.notice !== undefined) watch({ event: "warning", message: engine.notice });
  await reportDecks(scenarios, watch);
  return engine;
}

/** What is known of decks before anything is computed, each line once. */
export async function reportDecks(scenarios: readonly Scenario[], watch: (event: WarningEvent | NoteEvent) => void) {
  for (const message of new Set(scenarios.flatMap(scenarioWarnings))) watch({ event: "warning", message });
  const notes = new Set(scenarios.flatMap(scenarioNotes));
  for (const scenario of scenarios.filter(({ cosmology }) => cosmology.transfer === "file")) {
    // A table that can't be read is told of where it is needed.
    const note = await linearTheory(scenario).then(
      (linear) => linear && tableNote(linear, scenario.particles.some(isPartOfMatter)),
      () => undefined,
    );
    if (note !== undefined) notes.add(note);
  }
  for (const message of notes) watch({ event: "note", message });
}

export function engineOptions(gpu: GpuContext | undefined) {
  return gpu ? { gpu } : { backend: "cpu" as const };
}

/** How well a run has kept what it should, as the diagnostics columns of these names say. */
export type RunState = ReturnType<typeof stateOf>;

/** Throws "numerical" as requireNumbers does. */
export function stateOf(row: Diagnostics) {
  requireFiniteRow(row);
  const { relativeEnergyError: energyError, momentumError, virialRatio, lagrangianRadii } = row;
  return { energyError, momentumError, virialRatio, lagrangianRadii };
}
