/** What a validation is: plain objects, from which validate.json, validate.csv and validate.html are made. */
import type { OrbitDistance } from "../../engine/diagnostics/differences.ts";
import type { MeshSettings } from "../../engine/mesh/settings.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import type { InstrumentStart } from "../../run/events.ts";
import type { RecordHead, RunState } from "../../run/instrument.ts";
import type { UnitLabels } from "../../run/page/units.ts";
import type { ReportProfile } from "../../run/report/model.ts";
import { type CaseRecord, type StudyEvent, type StudyRecord, waitingCase } from "../cases.ts";
import type { ErrorFigures, ForceErrors, TriedSoftening } from "./force-errors.ts";
import type { ForceLaw } from "./law.ts";

/** Of the targets whose force comes from one mesh, against the sum with the softening that all meshes are nearest to. */
export interface LevelErrors {
  /** "box", "NGC 4038: blend", "NGC 4038: core" */
  name: string;
  /** Side of its cells [length]. */
  cell: number;
  targets: number;
  /** |Δ|/|a_direct| */
  relative: ErrorFigures;
  /** Mean of Δ·a/|a|². */
  along: number;
}

/** What the mesh does to a component, in medians of |Δ|/|a_direct| over its targets, within half of them in an isolated box. */
export interface ComponentErrors {
  name: string;
  targets: number;
  /** Of the targets about their own centre [length]; null in a periodic box. */
  halfMassRadius: number | null;
  /** Plummer softening that its own forces are nearest to, in cells of where it is, and the side of those [length]. */
  softeningCells: number;
  cell: number;
  /** Against the sums without softening (or with that asked for), and with the fitted one of all. */
  plain: number;
  fitted: number;
}

/** Mesh accelerations against direct ones at the first step. */
export interface ForceComparison {
  /** Particles that are looked at, and those that act on them. */
  targets: number;
  sources: number;
  method: "direct sum" | "Ewald sum";
  precision: "single" | "double-single" | "double";
  /** What errors are plotted against: distance from the centre of mass [length], or |a| over its rms. */
  against: "radius" | "strength";
  /** √⟨|a|²⟩ of the targets, by the first of the sums [length/time²]. */
  rmsAcceleration: number;
  /** Targets outside an isolated mesh, where the force is a monopole's. */
  outside: number;
  /** Wall time of the sums [s]. */
  seconds: number;
  /** Against the sum with the softening asked for, none by default; null where there was no time for it. */
  plain: ForceErrors | null;
  /** Against the sum with the softening that the mesh is nearest to; with levels, in cells of where each target is. */
  fitted: ForceErrors | null;
  /** By the mesh that a target's force comes from; null without levels, or without a fitted softening. */
  byLevel: LevelErrors[] | null;
  /** Those with enough targets; none without a fitted softening. */
  components: ComponentErrors[];
  /** Softenings that were tried, on how many of the targets. */
  tried: TriedSoftening[];
  triedOn: number;
  /** The best fit along x, y and z [cells], as thin disks differ; null where none was tried. */
  softeningByAxis: [number, number, number] | null;
}

export interface EvolutionRow {
  /** [time] */
  time: number;
  step: number;
  mesh: RunState;
  direct: RunState;
  /** Between the same particles in the mesh run and in the direct one [cells]. */
  distance: OrbitDistance;
  /** In two direct runs that began `perturbation` apart [cells]; null without the second one. */
  chaos: OrbitDistance | null;
}

/** The same particles evolved with both forces. */
export interface Evolution {
  /** Particles evolved, of how many. */
  particles: number;
  of: number;
  /** [time] */
  step: number;
  /** Steps to the deck's end. */
  steps: number;
  /** Time reached, of the deck's end [time]. */
  time: number;
  end: number;
  /** ε of the direct run [length], and in cells. */
  softening: number;
  softeningCells: number;
  /** Rms displacement of the second direct run's start [cells]. */
  perturbation: number;
  /** Wall time of the steps [s]. */
  seconds: number;
  rows: EvolutionRow[];
  /** At the start, and of both runs at the last row; null where there are none (periodic boxes, few particles). */
  profiles: (Record<"start" | "mesh" | "direct", ReportProfile> & { kind: "density" | "surface-density" }) | null;
}

/** What each part gives. */
export interface Parts {
  forces: ForceComparison;
  "force law": ForceLaw;
  evolution: Evolution;
}
export type Part = keyof Parts;

/** What is compared with sums, in a table and in a sentence. */
export const COMPARED = {
  mesh: { short: "mesh", named: "the mesh", owns: "the mesh’s" },
  p3m: { short: "P³M", named: "P³M", owns: "P³M’s" },
} as const;

/** validate.json; a case is a part, its result null where nothing was measured. */
export interface Validation extends RecordHead, StudyRecord<Parts[Part] | null> {
  boundary: Boundary;
  /** "kpc"; "" where units are free. */
  lengthUnit: string;
  /** Side of the box and of a cell [length]. */
  boxSize: number;
  cell: number;
  mesh: MeshSettings;
  /** Whose force is compared with sums: the mesh's alone, or that with pairs. */
  gravity: keyof typeof COMPARED;
  /** What a reader has to know: what was left out or made smaller, and why. */
  notes: string[];
}

export const partCase = (part: Part): CaseRecord<Parts[Part] | null> =>
  waitingCase({ key: part, label: part, parameters: {} }, null);

/** What was measured; null where it wasn't. */
export function partsOf({ cases }: Pick<Validation, "cases">) {
  const of = <P extends Part>(part: P) => (cases.find(({ key }) => key === part)?.result ?? null) as Parts[P] | null;
  return { forces: of("forces"), forceLaw: of("force law"), evolution: of("evolution") };
}

/** A sentence for each part that failed. */
export const failuresOf = ({ cases }: Pick<Validation, "cases">): string[] =>
  cases.flatMap((one) => (one.status === "failed" ? [failureText(one)] : []));

export const failureText = ({ label, message }: Pick<CaseRecord, "label" | "message">) =>
  `The ${label} failed: ${message}`;

/** What the page shows besides the validation itself. */
export interface ValidatePage {
  validation: Validation;
  units: UnitLabels;
  /** What the profiles show: "disk particles" or "all particles". */
  shown: string;
  /** The deck as read, TOML. */
  deck: string;
}

/** `cells`: mesh cells per side; `what` of a part is done. */
export type ValidateEvent = StudyEvent<
  Validation,
  InstrumentStart & { cells: number },
  { what: string; elapsedSeconds: number }
>;
