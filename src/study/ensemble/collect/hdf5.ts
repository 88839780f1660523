/**
 * ensemble.hdf5: members, parameters, what they end with, curves and their statistics, P(k) with its covariance.
 * docs/ensembles.md has the layout.
 */
import { type Hdf5File, type Hdf5Group, writeAttributes, writeHdf5 } from "../../../run/io/hdf5.node.ts";
import { ENSEMBLE_FORMAT, type Ensemble } from "../ensemble.ts";
import { STATES } from "../member-state.ts";
import { type CollectedCurves, type CurveRequest, writeCurves } from "./curves.ts";
import { type Column, matrixOf, writeColumns } from "./file.ts";
import { asNumbers, type Final, type Parameter } from "./finals.ts";
import { type CollectedMassFunction, massFunctionOf, writeMassFunction } from "./mass-function.ts";
import { notCounted } from "./members.ts";
import { type CollectedSpectrum, collectSpectra, deviationOf } from "./spectra.ts";
import { spreadOf } from "./statistics.ts";
import { TABLES, type TableName, type UnitNames } from "./tables.ts";

export interface CollectionParts extends CurveRequest {
  ensemble: Ensemble;
  parameters: readonly Parameter[];
  finals: readonly Final[];
}

export interface Collected {
  curves: Partial<Record<TableName, CollectedCurves>>;
  spectra: Omit<CollectedSpectrum, "power">[];
  massFunction?: CollectedMassFunction | undefined;
}

/** All that a page is made of. */
export type CollectedParts = CollectionParts & Collected;

/** Groups, attributes and indices, generously; and of a member [B]. */
const HEADS = 2 ** 20;
const HEAD_OF_A_MEMBER = 1024;

export async function writeEnsembleHdf5(path: string, parts: CollectionParts): Promise<Collected> {
  let collected: Collected = { curves: {}, spectra: [] };
  await writeHdf5([path], bytesOf(parts), async (file) => {
    const { ensemble, members, parameters, finals, folder, units } = parts;
    writeAttributes(file, {
      ...{ title: ensemble.title, format: ENSEMBLE_FORMAT, gravmesh: ensemble.version },
      ...{ members: members.length, counted: members.filter(({ counted }) => counted).length },
      ...{ overrides: ensemble.overrides.join(" "), sampling: ensemble.sampling.kind },
      about: "statistics are of the members that have finished, where Members/counted is 1",
    });
    const entries = parameters.map((parameter): [string, Column] => {
      const meaning = parameter.isSeed ? "entry of the deck, a seed of random numbers" : "entry of the deck";
      const values = asNumbers(parameter) ?? parameter.values.map((value) => String(value ?? ""));
      return [parameter.key, [values, { meaning }]];
    });
    writeColumns(file.create_group("Parameters"), Object.fromEntries(entries));
    const figures = finals.map(({ name, unit, meaning, values }): [string, Column] => [
      name,
      [values, { meaning, unit, ...spreadOf(values.filter((_, i) => members[i].counted)) }],
    ]);
    writeColumns(file.create_group("Final"), Object.fromEntries(figures));
    const curves = await writeCurves(file, parts);
    const spectra: Collected["spectra"] = [];
    const group = file.create_group("PowerSpectra");
    for await (const spectrum of collectSpectra(folder, members)) {
      writeSpectrum(group, spectrum, units);
      const { power: _, ...rest } = spectrum;
      spectra.push(rest);
    }
    writeMembers(file, parts); // with what couldn't be read meanwhile
    const found = members.flatMap(({ counted, index, haloes }) => (counted && haloes ? [{ index, ...haloes }] : []));
    const massFunction = massFunctionOf(found);
    if (massFunction) writeMassFunction(file.create_group("MassFunction"), massFunction, units);
    collected = { curves, spectra, massFunction };
  });
  return collected;
}

function bytesOf({ members, drawn: _, ...parts }: CollectionParts): number {
  const curves = TABLES.map(({ name }) => {
    const most = Math.max(0, ...members.map(({ tables }) => tables[name]?.times.length ?? 0));
    const columns = Math.max(0, ...members.map(({ tables }) => tables[name]?.names.length ?? 0));
    return 8 * most * columns * (members.length + 8);
  });
  const finals = 8 * members.length * (parts.finals.length + parts.parameters.length);
  return HEADS + HEAD_OF_A_MEMBER * members.length + finals + curves.reduce((sum, bytes) => sum + bytes, 0);
}

function writeMembers(file: Hdf5File, { members }: CollectionParts): void {
  writeColumns(file.create_group("Members"), {
    index: [Int32Array.from(members, ({ index }) => index), { meaning: "as a scheduler's array gives it" }],
    folder: [members.map(({ folder }) => folder)],
    state: [members.map(({ state }) => state), { meaning: STATES.join(", ") }],
    counted: [
      Int32Array.from(members, (one) => Number(one.counted)),
      { meaning: "1: finished, and in the statistics" },
    ],
    message: [
      members.map((member) => notCounted(member).slice(0, 1000)),
      { meaning: "why it failed, files that can't be read" },
    ],
  });
}

function writeSpectrum(parent: Hdf5Group, spectrum: CollectedSpectrum, { length }: UnitNames): void {
  const { index, time, k, low, high, modes, members, leftOut, power, mean, shotNoise, linear } = spectrum;
  const { covariance, correlation } = spectrum;
  const size = k.length;
  const group = parent.create_group(String(index).padStart(3, "0"));
  writeAttributes(group, {
    ...{ snapshot: index, time, members: members.length },
    about: "power holds the shot noise; variance and covariance of one member, with n - 1",
  });
  const [wave, volume] = [`1/(${length})`, `(${length})^3`];
  const square = `${volume} squared`;
  const shape = [size, size];
  writeColumns(group, {
    member: [Int32Array.from(members), { meaning: "indices of the members in it, rows of power" }],
    left_out: [Int32Array.from(leftOut), { meaning: "members at another time, or in other bins" }],
    k: [k, { unit: wave, meaning: "mean wavenumber of a bin's modes" }],
    k_low: [low, { unit: wave, meaning: "lower edge of a bin" }],
    k_high: [high, { unit: wave, meaning: "upper edge of a bin" }],
    modes: [modes, { unit: "", meaning: "modes of a bin, k and -k both" }],
    shot_noise: [shotNoise, { unit: volume, meaning: "mean of the members'" }],
    ...(linear && { linear: [linear, { unit: volume, meaning: "linear theory, mean of the members'" }] as const }),
    mean: [mean, { unit: volume, meaning: "mean power" }],
    deviation: [deviationOf(spectrum), { unit: volume, meaning: "standard deviation of one member, with n - 1" }],
    variance: [k.map((_, i) => covariance[i * size + i]), { unit: square, meaning: "its square" }],
    covariance: [
      covariance,
      { unit: square, meaning: "covariance of one member's power between bins, with n - 1" },
      shape,
    ],
    correlation: [correlation, { unit: "", meaning: "covariance over both deviations" }, shape],
    power: matrixOf(power, size, { unit: volume, meaning: "of each member" }),
  });
}
