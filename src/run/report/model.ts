/** What report.html is made from: a plain object, and how its times are written. */

import type { StageTime } from "../../engine/backend/backend.ts";
import type { ConservedQuantity } from "../../engine/diagnostics/columns/column.ts";
import type { DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import type { RadialProfile, RotationCurve } from "../../engine/diagnostics/profiles.ts";
import type { PlacedGalaxies } from "../../physics/initial/frames.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import type { Resolved } from "../../scenario/resolution.ts";
import type { MeasuredSpectrum } from "../io/spectrum.ts";
import type { BarSeries } from "../outputs/bars.ts";
import type { MovingCentre } from "../outputs/centres.ts";
import type { ClusteringAt } from "../outputs/clustering.ts";
import type { GalaxyHistory } from "../outputs/galaxies.ts";
import type { HaloHistory } from "../outputs/halo-catalogues.ts";
import type { HaloSummary } from "../outputs/haloes.ts";
import type { LightConeFigures } from "../outputs/light-cone.ts";
import type { OrbitPaths } from "../outputs/orbits.ts";
import { shortNumber, unbroken } from "../page/numbers.ts";
import type { DensityPicture } from "../page/pictures.ts";
import { redshiftText, type UnitLabels, withUnit } from "../page/units.ts";
import type { Summary } from "../summary.ts";

export interface ReportSnapshot {
  time: number;
  faceOn: DensityPicture;
  edgeOn?: DensityPicture;
}

/** ρ or Σ against radius. */
export type ReportProfile = { time: number } & Pick<RadialProfile, "radius" | "density">;

export type ReportRotation = {
  time: number;
  /** Of the rings, about the z axis [length]; undefined about another one. */
  centre?: readonly [number, number, number];
  /** Circular speeds that its components, external potentials or phantom matter would have alone (external-speeds.ts). */
  parts?: { name: string; speed: number[] }[];
  /** √(⟨z²⟩ − ⟨z⟩²) of the rings [length]. */
  height: number[];
} & Pick<RotationCurve, "radius" | "rotation" | "circular" | "sigmaR" | "sigmaZ">;

export interface ReportStructure {
  profile?: { kind: "density" | "surface-density"; first: ReportProfile; last?: ReportProfile | undefined };
  rotation?: { first: ReportRotation; last?: ReportRotation | undefined };
  /** Profiles of each species, where there are several. */
  species?: readonly { name: string; first: ReportProfile; last?: ReportProfile | undefined }[];
}

/** A galaxy, or a species, by itself in the last state. */
export interface ReportGroup {
  name: string;
  map: DensityPicture;
}

/** The galaxies of a run over time, and the orbits that they were placed on. */
export type ReportGalaxies = GalaxyHistory & Pick<PlacedGalaxies, "encounters" | "orbits">;

type Shown = "particles" | "cells" | "steps" | "wallSeconds" | "particleUpdatesPerSecond" | "backend";

export interface ReportData extends Partial<ConservedQuantity> {
  /** Times are scale factors; absent with a static clock. */
  comoving?: boolean;
  /** In order of time. */
  spectra?: readonly MeasuredSpectrum[];
  /** Statistics of modes, in order of time. */
  clustering?: readonly ClusteringAt[] | undefined;
  haloes?: HaloSummary | undefined;
  haloHistory?: HaloHistory | undefined;
  lightCone?: LightConeFigures | undefined;
  bars?: BarSeries | undefined;
  orbits?: OrbitPaths | undefined;
  /** Potentials that move. */
  centres?: readonly MovingCentre[] | undefined;
  /** Near pairs are summed, so that the mesh doesn't soften the force (P³M). */
  pairs?: boolean;
  /** Direct summation: its integrator and softening; absent with the mesh. */
  direct?: { integrator: string; softening: number };
  /** Where an interrupted run stands, and the command that goes on with it; absent of a complete one. */
  interrupted?: { time: number; resume: string } | undefined;
  title: string;
  reference: string;
  /** The deck's own expectation, of a run that is the deck's; "" otherwise. */
  expect: string;
  units: UnitLabels;
  boundary: Boundary;
  boxSize: number;
  snapshots: ReportSnapshot[];
  /** What the pictures and profiles show: "disk" or "all particles". */
  shown: string;
  diagnostics: DiagnosticsRow[];
  /** Σm, for the scale of momentum [mass]. */
  totalMass: number;
  /** GM²/L of it and the box's side, for errors of next to nothing [mass velocity²]. */
  boxEnergy?: number;
  /** Each with its own structure and name, where there are several; else one without a name. */
  galaxies?: readonly ({ name?: string } & ReportStructure)[];
  history?: ReportGalaxies | undefined;
  components?: GalaxyHistory | undefined;
  /** Pictures of the last state by galaxy and by species, where there are several. */
  groups?: readonly ReportGroup[];
  stages: StageTime[];
  summary: Pick<Summary, Shown> & { adapter: string; levels?: Summary["levels"]; pairs?: Summary["pairs"] };
  warnings?: readonly string[];
  resolution?: readonly Resolved[];
  deck: string;
  /** Name → version, for the foot of the page. */
  versions: Record<string, string>;
}

/** "t = 3.2 kpc/(km/s)", or "z = 0.5" on the comoving clock. */
export function moment(data: ReportData, time: number): string {
  if (!data.comoving) return unbroken(`t = ${timeText(data, time)}`);
  return unbroken(`z = ${redshiftText(time)}`);
}

/** A time of the run, with as many decimals as tell neighbouring snapshots apart. */
export function timeText(data: ReportData, time: number): string {
  const times = data.snapshots.map((snapshot) => snapshot.time);
  const step = times.length < 2 ? 0 : (times[times.length - 1] - times[0]) / (times.length - 1);
  const decimals = step > 0 ? Math.max(0, 1 - Math.floor(Math.log10(step) + 1e-9)) : undefined;
  const plain = decimals !== undefined && decimals < 6 && Math.abs(time) < 1e6;
  return withUnit(plain ? String(Number(time.toFixed(decimals))) : shortNumber(time), data.units.time);
}
