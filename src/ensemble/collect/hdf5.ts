/**
 * ensemble.hdf5: members, parameters, what they end with, curves and their statistics, P(k) with its covariance.
 * docs/ensembles.md has the layout.
 */
import { type Hdf5File, type Hdf5Group, writeAttributes, writeHdf5 } from "../../io/hdf5.node.ts";
import { ENSEMBLE_FORMAT, type Ensemble } from "../ensemble.ts";
import { type CollectedCurves, type CurveRequest, writeCurves } from "./curves.ts";
import { counts, numbers, texts } from "./file.ts";
import { asNumbers, type Final, type Parameter } from "./finals.ts";
import { type CollectedMassFunction, massFunctionOf, writeMassFunction } from "./mass-function.ts";
import { type CollectedSpectrum, collectSpectra, deviationOf } from "./spectra.ts";
import { spreadOf } from "./statistics.ts";
import { TABLES, type TableName, type UnitNames } from "./tables.ts";
import { notCounted, STATES } from "./words.ts";

export interface CollectionParts extends CurveRequest {
  ensemble: Ensemble;
  parameters: readonly Parameter[];
  finals: readonly Final[];
}

/** What a page draws besides the finals. */
export interface Collected {
  curves: Partial<Record<TableName, CollectedCurves>>;
  /** Without the members' own. */
  spectra: Omit<CollectedSpectrum, "power">[];
  massFunction?: CollectedMassFunction | undefined;
}

/** Groups, attributes and indices, generously; and of a member [B]. */
const HEADS = 2 ** 20;
const HEAD_OF_A_MEMBER = 1024;

/** Throws "io" where it can't be written. */
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
    const entries = file.create_group("Parameters");
    for (const parameter of parameters) writeParameter(entries, parameter);
    writeFinals(
      file.create_group("Final"),
      members.map(({ counted }) => counted),
      finals,
    );
    const curves = await writeCurves(file, parts);
    const spectra: Collected["spectra"] = [];
    const group = file.create_group("PowerSpectra");
    for await (const spectrum of collectSpectra(folder, members)) {
      writeSpectrum(group, spectrum, units);
      const { power: _, ...rest } = spectrum;
      spectra.push(rest);
    }
    writeMembers(file, parts); // with what couldn't be read meanwhile
    const massFunction = massFunctionOf(
      members.flatMap(({ counted, index, haloes }) => (counted && haloes ? [{ index, ...haloes }] : [])),
    );
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
  const group = file.create_group("Members");
  const whole = (of: (member: (typeof members)[number]) => number) => Int32Array.from(members, of);
  counts(
    group,
    "index",
    whole(({ index }) => index),
    { meaning: "as a scheduler's array gives it" },
  );
  texts(
    group,
    "folder",
    members.map(({ folder }) => folder),
  );
  texts(
    group,
    "state",
    members.map(({ state }) => state),
    { meaning: STATES.join(", ") },
  );
  counts(
    group,
    "counted",
    whole(({ counted }) => Number(counted)),
    { meaning: "1: finished, and in the statistics" },
  );
  texts(
    group,
    "message",
    members.map((member) => notCounted(member).slice(0, 1000)),
    {
      meaning: "why it failed, files that can't be read",
    },
  );
}

function writeParameter(group: Hdf5Group, parameter: Parameter): void {
  const values = asNumbers(parameter);
  const meaning = parameter.isSeed ? "entry of the deck, a seed of random numbers" : "entry of the deck";
  if (values) numbers(group, parameter.key, values, { meaning });
  else
    texts(
      group,
      parameter.key,
      parameter.values.map((value) => String(value ?? "")),
      { meaning },
    );
}

function writeFinals(group: Hdf5Group, counted: readonly boolean[], finals: readonly Final[]): void {
  for (const { name, unit, meaning, values } of finals) {
    numbers(group, name, values, { meaning, unit, ...spreadOf(values.filter((_, i) => counted[i])) });
  }
}

function writeSpectrum(parent: Hdf5Group, spectrum: CollectedSpectrum, { length }: UnitNames): void {
  const { index, time, k, members, leftOut, power, linear, covariance } = spectrum;
  const size = k.length;
  const group = parent.create_group(String(index).padStart(3, "0"));
  writeAttributes(group, {
    ...{ snapshot: index, time, members: members.length },
    about: "power holds the shot noise; variance and covariance of one member, with n - 1",
  });
  const [wave, volume] = [`1/(${length})`, `(${length})^3`];
  const bins = (name: string, data: Float64Array, unit: string, meaning: string) =>
    numbers(group, name, data, { unit, meaning });
  counts(group, "member", Int32Array.from(members), { meaning: "indices of the members in it, rows of power" });
  counts(group, "left_out", Int32Array.from(leftOut), { meaning: "members at another time, or in other bins" });
  bins("k", k, wave, "mean wavenumber of a bin's modes");
  bins("k_low", spectrum.low, wave, "lower edge of a bin");
  bins("k_high", spectrum.high, wave, "upper edge of a bin");
  bins("modes", spectrum.modes, "", "modes of a bin, k and -k both");
  bins("shot_noise", spectrum.shotNoise, volume, "mean of the members'");
  if (linear) bins("linear", linear, volume, "linear theory, mean of the members'");
  bins("mean", spectrum.mean, volume, "mean power");
  const deviation = deviationOf(spectrum);
  bins("deviation", deviation, volume, "standard deviation of one member, with n - 1");
  bins(
    "variance",
    deviation.map((_, i) => covariance[i * size + i]),
    `${volume} squared`,
    "its square",
  );
  const square = { unit: `${volume} squared`, meaning: "covariance of one member's power between bins, with n - 1" };
  numbers(group, "covariance", covariance, square, [size, size]);
  const correlation = { unit: "", meaning: "covariance over both deviations" };
  numbers(group, "correlation", spectrum.correlation, correlation, [size, size]);
  const rows = new Float64Array(size * power.length);
  for (const [i, row] of power.entries()) rows.set(row, i * size);
  numbers(group, "power", rows, { unit: volume, meaning: "of each member" }, [power.length, size]);
}
