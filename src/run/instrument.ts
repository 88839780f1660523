/** What instruments share: an engine with what there is to know about it and the decks, the head of a record, a run's state. */
import { requireNumbers } from "../diagnostics/columns.ts";
import type { GpuContext } from "../gpu/context.ts";
import { scenarioRemarks } from "../scenario/checks.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { BackendChoice, Diagnostics } from "../simulation.ts";
import { version } from "../version.ts";
import { chooseEngine, type Engine } from "./engine.ts";
import type { WarningEvent } from "./events.ts";
import type { Status } from "./results.ts";

/** What NAME.json of an instrument begins with. */
export interface RecordHead {
  title: string;
  reference: string;
  expect: string;
  /** As it was asked for: a path or a bare name. */
  scenario: string;
  status: Status;
  version: string;
  node: string;
  /** ISO 8601 */
  date: string;
  backend: "webgpu" | "cpu";
  adapter: string;
  particles: number;
}

/** Nothing is measured yet: an interruption leaves exactly this. */
export function recordHead(argument: string, scenario: Scenario, { gpu }: Engine, particles: number): RecordHead {
  const { title, reference, expect } = scenario;
  return {
    ...{ title, reference, expect, scenario: argument, status: "interrupted" },
    ...{ version, node: process.version, date: new Date().toISOString() },
    ...{ backend: gpu ? "webgpu" : "cpu", adapter: adapterText(gpu), particles },
  };
}

/** The adapter's name; "CPU, float64" without one. */
export function adapterText(gpu: GpuContext | undefined): string {
  return gpu ? gpu.adapter.description || gpu.adapter.device : "CPU, float64";
}

/** What every start event tells. */
export interface InstrumentStart {
  event: "start";
  version: string;
  title: string;
  folder: string;
  backend: "webgpu" | "cpu";
  /** Adapter's description; null on the CPU. */
  adapter: string | null;
  particles: number;
}

export function startOf({ title, backend, adapter, particles }: RecordHead, folder: string): InstrumentStart {
  const where = backend === "cpu" ? null : adapter;
  return { event: "start", version, title, folder, backend, adapter: where, particles };
}

/** The engine that `choice` means; tells what there is to know about it and about the decks. */
export async function engineFor(
  choice: BackendChoice,
  scenarios: readonly Scenario[],
  watch: (event: WarningEvent) => void,
): Promise<Engine> {
  const engine = await chooseEngine(choice);
  const remarks = new Set([...(engine.notice ? [engine.notice] : []), ...scenarios.flatMap(scenarioRemarks)]);
  for (const message of remarks) watch({ event: "warning", message });
  return engine;
}

/** Options of a simulation or a direct sum on an adapter, or on the CPU. */
export function engineOptions(gpu: GpuContext | undefined) {
  return gpu ? { gpu } : { backend: "cpu" as const };
}

/** How well a run has kept what it should. */
export interface RunState {
  /** (E − E₀)/|E₀|, against its own start. */
  energyError: number;
  /** |P − P₀| / √(2 K₀ M) */
  momentumError: number;
  /** 2K/|V| */
  virialRatio: number;
  /** Radii that hold LAGRANGIAN_FRACTIONS of the mass [length]. */
  lagrangianRadii: number[];
}

/** Throws "numerical" as requireNumbers does. */
export function stateOf(row: Diagnostics): RunState {
  requireNumbers(row);
  const { relativeEnergyError: energyError, momentumError, virialRatio, lagrangianRadii } = row;
  return { energyError, momentumError, virialRatio, lagrangianRadii };
}
