/**
 * Statistics of clustering as tables: multipoles in redshift space, spectra of components and between them, triangles,
 * correlations. Runs (outputs/clustering.ts) and `gravmesh spectra` measure the same.
 */
import { SPECTRUM_ASSIGNMENT } from "../engine/diagnostics/power-spectrum-bins.ts";
import { type DensityModes, ModeDeposit, type ModeMesh } from "../engine/reference/diagnostics/density-modes.ts";
import {
  bispectrum,
  correlationFunction,
  crossSpectrum,
  kaiserMultipoles,
  MULTIPOLES,
  multipolesOf,
  shellsOf,
} from "../engine/reference/diagnostics/mode-statistics.ts";
import type { LinearPower } from "../physics/cosmology/power.ts";
import type { ParticleBlock } from "../physics/particles/blocks.ts";
import type { IdRange } from "../physics/particles/reductions.ts";
import type { ComponentRange } from "../physics/particles/state.ts";
import { type SpectraSettings, separationEdges } from "../scenario/spectra.ts";
import { csvNumber, csvText } from "./io/csv.ts";

type Block = Pick<ParticleBlock, "first" | "count" | "positions" | "velocities" | "masses">;

/** Particles of a periodic box at one time. */
export interface ClusteringSource {
  settings: SpectraSettings;
  /** [length] */
  boxSize: number;
  /** [time] */
  time: number;
  components: readonly Pick<ComponentRange, "name" | "first" | "count">[];
  /** All of them in the order of their ids, as often as asked. */
  blocks(): AsyncIterable<Block>;
  /** Expanding: H(a) [velocity/length]; velocities are canonical, a² dx/dt. */
  hubble?: number | undefined;
  linear?: LinearPower | undefined;
}

/** A row a bin: numbers under the names of `columns`. */
export interface StatisticTable {
  columns: readonly string[];
  rows: number[][];
  /** Quantities and their dimensions, in words. */
  about: string;
}

export type Statistic = "multipoles" | "cross" | "bispectrum" | "correlation";
export type Statistics = Partial<Record<Statistic, StatisticTable>>;

export const statisticName = (statistic: string, index: number): string =>
  `${statistic}_${String(index).padStart(3, "0")}.csv`;

export function statisticCsv({ columns, rows, about }: StatisticTable, time: number, length: string): string {
  return csvText(columns, rows, `time ${csvNumber(time)}; ${about.replaceAll("LENGTH", `(${length})`)}`);
}

const meshOf = ({ boxSize, settings: { cells } }: ClusteringSource): ModeMesh => ({
  ...{ boxSize, cells, assignment: SPECTRUM_ASSIGNMENT, interlaced: true },
});

/** Modes of the particles of `range`, or of all; `along`: an axis, and what is added there of the velocity [length/velocity]. */
export async function modesOfParticles(
  source: ClusteringSource,
  range: IdRange = { first: 0, count: Number.POSITIVE_INFINITY },
  along?: { axis: number; factor: number },
): Promise<DensityModes> {
  const deposit = new ModeDeposit(meshOf(source));
  for await (const { first, count, positions, velocities, masses } of source.blocks()) {
    const place = along
      ? positions.map((x, i) => (i % 3 === along.axis ? x + along.factor * velocities[i] : x))
      : positions;
    const from = Math.min(count, Math.max(0, range.first - first));
    const to = Math.max(from, Math.min(count, range.first + range.count - first));
    deposit.add(place, masses, from, to);
  }
  return deposit.modes();
}

/** Columns of the bins of k, and of a value of each. */
function perShell({ settings: { cells }, boxSize }: ClusteringSource, values: Record<string, ArrayLike<number>>) {
  const { k, low, high, modes } = shellsOf(cells);
  const [names, unit] = [Object.keys(values), (2 * Math.PI) / boxSize];
  return {
    columns: ["k", "k_low", "k_high", "modes", ...names],
    rows: Array.from(k, (_, i) => [
      ...[k, low, high].map((one) => unit * one[i]),
      modes[i],
      ...names.map((name) => values[name][i]),
    ]),
  };
}

const SPECTRAL = "k in 1/LENGTH, power in LENGTH^3";

/** P₀, P₂, P₄ of particles at s = x + v/(aH) along the line of sight (Kaiser 1987, eq. 2.5), beside Kaiser's. */
async function multipoles(source: ClusteringSource): Promise<StatisticTable | undefined> {
  const { settings, boxSize, time: a, hubble, linear } = source;
  if (settings.multipoles === "none" || hubble === undefined) return undefined;
  const axis = "xyz".indexOf(settings.multipoles) as 0 | 1 | 2;
  const bins = shellsOf(settings.cells);
  const modes = await modesOfParticles(source, undefined, { axis, factor: 1 / (a * a * hubble) });
  const values: Record<string, ArrayLike<number>> = {};
  for (const [i, power] of multipolesOf(modes, bins, axis).entries()) values[`P${MULTIPOLES[i]}`] = power;
  values.shot_noise = bins.noise.map((factor) => factor * modes.noise);
  if (linear) {
    const power = (k: number) => linear.power(((2 * Math.PI) / boxSize) * k, a);
    const theory = kaiserMultipoles(settings.cells, bins, axis, linear.growth.f1(a), power);
    for (const [i, kaiser] of theory.entries()) values[`kaiser${MULTIPOLES[i]}`] = kaiser;
  }
  const about = `${SPECTRAL}; redshift space along ${settings.multipoles}, P0 holds shot noise`;
  return { ...perShell(source, values), about };
}

/** Power of all particles, noise included. */
export function powerTable(source: ClusteringSource, modes: DensityModes): StatisticTable {
  const bins = shellsOf(source.settings.cells);
  const power = crossSpectrum(modes, modes, bins).both;
  const shot_noise = bins.noise.map((factor) => factor * modes.noise);
  return { ...perShell(source, { power, shot_noise }), about: `${SPECTRAL}; power holds shot noise` };
}

/** Power of each field, cross-power P_ab and correlation P_ab/√(P_a P_b) of every two, noise included. */
export function crossTable(source: ClusteringSource, fields: readonly { name: string; modes: DensityModes }[]) {
  const bins = shellsOf(source.settings.cells);
  const values: Record<string, ArrayLike<number>> = {};
  const named = fields.map(({ name, modes }) => ({ modes, name: name.replace(/[",\n]/g, " ") }));
  for (const [i, one] of named.entries()) {
    for (const other of named.slice(i + 1)) {
      const { first, second, both } = crossSpectrum(one.modes, other.modes, bins);
      values[`power.${one.name}`] = first;
      values[`power.${other.name}`] = second;
      values[`cross.${one.name}.${other.name}`] = both;
      values[`correlation.${one.name}.${other.name}`] = both.map((power, k) => power / Math.sqrt(first[k] * second[k]));
    }
  }
  return { ...perShell(source, values), about: `${SPECTRAL}; power holds shot noise` };
}

async function cross(source: ClusteringSource): Promise<StatisticTable | undefined> {
  if (!source.settings.cross) return undefined;
  const fields: { name: string; modes: DensityModes }[] = [];
  for (const one of source.components) {
    if (one.count > 0) fields.push({ name: one.name, modes: await modesOfParticles(source, one) });
  }
  return crossTable(source, fields);
}

function triangles({ settings }: ClusteringSource, modes: DensityModes): StatisticTable {
  const found = bispectrum(modes, settings.triangles, settings.triangleWidth);
  return {
    columns: ["k1", "k2", "k3", "triangles", "bispectrum", "shot_noise", "reduced"],
    rows: found.map((row) => [...row.k, row.triangles, row.bispectrum, row.shotNoise, row.reduced]),
    about: "k in 1/LENGTH, bispectrum in LENGTH^6; it holds shot noise, reduced doesn't",
  };
}

function correlation({ settings, boxSize }: ClusteringSource, modes: DensityModes): StatisticTable {
  const edges = separationEdges(settings, boxSize);
  const xi = correlationFunction(modes, edges);
  const rows = Array.from(xi, (value, i) => [Math.sqrt(edges[i] * edges[i + 1]), edges[i], edges[i + 1], value]);
  return { columns: ["r", "r_low", "r_high", "xi"], rows, about: "r in LENGTH; pairs over random ones less 1" };
}

/** All that the settings ask for. Particles are read once for each density. */
export async function measuredStatistics(source: ClusteringSource): Promise<Statistics> {
  const { settings } = source;
  const found: Statistics = {};
  const keep = (statistic: Statistic, table: StatisticTable | undefined) => {
    if (table) found[statistic] = table;
  };
  keep("multipoles", await multipoles(source));
  keep("cross", await cross(source));
  if (settings.triangles === 0 && settings.correlation === 0) return found;
  const modes = await modesOfParticles(source);
  if (settings.triangles > 0) keep("bispectrum", triangles(source, modes));
  if (settings.correlation > 0) keep("correlation", correlation(source, modes));
  return found;
}
