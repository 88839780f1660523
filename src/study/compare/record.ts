/** What a comparison of variants is: plain objects, from which compare.json, compare.csv and compare.html are made. */
import type { ConservedQuantity } from "../../engine/diagnostics/columns/column.ts";
import type { ParticleDifference } from "../../engine/diagnostics/differences.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import type { InstrumentStart, ProgressEvent } from "../../run/events.ts";
import type { RecordHead, RunState } from "../../run/instrument.ts";
import type { UnitLabels } from "../../run/page/units.ts";
import type { ReportSnapshot } from "../../run/report/model.ts";
import { type CaseRecord, type StudyEvent, type StudyRecord, waitingCase } from "../cases.ts";

export type CompareRow = RunState & { time: number; step: number };

/** How far accelerations are from a direct sum, on a sample of the particles. */
export interface DirectError {
  /** √(Σ|Δ|²/Σ|a|²) */
  rms: number;
  /** Of |Δ|/|a|. */
  median: number;
  /** Particles of the sample that are on the mesh. */
  targets: number;
  /** ε of this moment over that of the tables: below 1 where pairs keep a physical length. */
  scale?: number;
  /** Plummer softening that the variant is nearest to, [length] and in its smallest cells, and its error there; null at the ends of the range tried. */
  best: (Record<"softening" | "cells", number> & Omit<DirectError, "best">) | null;
}

/** Of the densities at the end in a periodic box, against the first variant's, by wavenumber. */
export interface SpectraCompared {
  /** Mean wavenumber of each bin [1/length]. */
  k: number[];
  /** P/P₁, and the cross-correlation P_×/√(P P₁); nothing is taken off. */
  ratio: number[];
  correlation: number[];
  /** The largest k up to which the ratio is within 1 % of one, and r ≥ 0.99; null from the first bin on. */
  alikeTo: number | null;
  correlatedTo: number | null;
}

/** The direct sum that all variants are held against. */
export interface DirectReference {
  method: "direct sum" | "Ewald sum";
  /** Plummer softening ε of the tables [length], in cells of the first variant, and all that are tried [length]. */
  softening: number;
  softeningCells: number;
  softenings: number[];
  targets: number;
  /** What all of it took [s]. */
  seconds: number;
}

/** What was measured of one variant; null where it wasn't. */
export interface VariantResult {
  time: number;
  steps: number;
  cells: number;
  /** Of the particles at the first step, against the first variant; null for that one. */
  potential: ParticleDifference | null;
  acceleration: ParticleDifference | null;
  /** Against the direct sum: at the first step, and at the end with the variant's own particles. */
  direct: { start: DirectError | null; end: DirectError | null };
  /** Periodic boxes; null for the first variant. */
  spectra: SpectraCompared | null;
  /** Rms distance of the particles at the end from the first variant's, in its cells. */
  positionCells: number | null;
  /** What the energy error is of; of "none" it is a change and no error. */
  conserved: ConservedQuantity["conserved"];
  energyError: number | null;
  largestEnergyError: number | null;
  momentumError: number | null;
  largestMomentumError: number | null;
  millisecondsPerStep: number | null;
  particleUpdatesPerSecond: number | null;
  stages: { stage: string; millisecondsPerStep: number }[];
  /** Held for the run [byte]: on the GPU, or by the CPU pipeline. */
  memoryBytes: number | null;
  rows: CompareRow[];
}

/** A variant; its parameters are deck key → value, for the keys that vary. */
export type CompareVariant = CaseRecord<VariantResult> & { parameters: Record<string, string> };

/** The first case is what the others are compared with. */
export interface Comparison extends RecordHead, StudyRecord<VariantResult> {
  cases: CompareVariant[];
  /** [time] */
  end: number;
  /** Deck key → values, in the order given. */
  varied: Record<string, string[]>;
  direct: DirectReference | null;
  /** Which variant is nearest to it, in a sentence. */
  verdict: string | null;
  /** Something to know: why there is no direct sum, for one. */
  notes: string[];
}

export type CompareMaps = Omit<ReportSnapshot, "time">;

export interface ComparePage {
  comparison: Comparison;
  units: UnitLabels;
  boundary: Boundary;
  boxSize: number;
  /** What the pictures show: "disk particles" or "all particles". */
  shown: string;
  /** One a variant, undefined where the end was not reached. */
  maps: readonly (CompareMaps | undefined)[];
  /** Deck keys whose values differ, with each variant's. */
  differences: readonly { key: string; values: readonly string[] }[];
  /** The first variant's deck as run, TOML. */
  deck: string;
}

export function unmeasured(
  label: string,
  parameters: Record<string, string>,
  cells: number,
  conserved: ConservedQuantity["conserved"] = "energy",
): CompareVariant {
  const result: VariantResult = {
    ...{ time: 0, steps: 0, cells, potential: null, acceleration: null, direct: { start: null, end: null } },
    ...{ spectra: null, positionCells: null },
    ...{ conserved, energyError: null, largestEnergyError: null, momentumError: null, largestMomentumError: null },
    ...{ millisecondsPerStep: null, particleUpdatesPerSecond: null, stages: [], memoryBytes: null, rows: [] },
  };
  return { ...waitingCase({ key: label, label, parameters }, result), parameters };
}

/** `end` [time]; labels of the variants. */
type Start = InstrumentStart & { end: number; varied: Record<string, string[]>; variants: string[] };

export type CompareEvent = StudyEvent<Comparison, Start, ProgressEvent>;
