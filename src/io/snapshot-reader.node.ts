/**
 * Reads GADGET HDF5 snapshots: our own, exactly, and those of other codes (GADGET-2/3/4, AREPO, SWIFT-like layouts
 * with PartTypeN groups), tolerant where the format varies and explicit where a file cannot be used.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { UnitSystemName } from "../deck/units.ts";
import { GravmeshError } from "../errors.ts";
import { type ComponentRange, emptyParticles, type ParticleSet, SPECIES } from "../particles/state.ts";
import { DatasetDigest, hasDigest } from "./dataset-digest.node.ts";
import { componentsOf, type ParameterValue } from "./gadget.ts";
import {
  breathe,
  type Hdf5,
  type Hdf5Dataset,
  type Hdf5File,
  type Hdf5Group,
  hdf5Reason,
  loadHdf5,
  rowRanges,
} from "./hdf5.node.ts";
import { fileOrder, type Ids, permuted } from "./snapshot-order.ts";
import { ownBoxSize, type SnapshotScales, snapshotScales } from "./snapshot-units.ts";

export interface Snapshot extends ParticleSet {
  /** Side of the box [length]; 0 when the file does not give one. */
  boxSize: number;
  /** [time]; the scale factor in a comoving file. */
  time: number;
}

const SLAB_ROWS = 262_144;
const SIGNATURE = Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a);

function bad(file: string, found: string, advice = ""): GravmeshError {
  return new GravmeshError("input", `${file}: ${found}${advice === "" ? "" : ` ${advice}`}`);
}

/** Attributes of a group as plain numbers and text; none where the group is missing. */
function attributesOf(group: Hdf5Group | undefined): Record<string, ParameterValue> {
  const values: Record<string, ParameterValue> = {};
  for (const [name, attribute] of Object.entries(group?.attrs ?? {})) {
    const value = attribute.value;
    if (typeof value === "number" || typeof value === "string") values[name] = value;
    else if (typeof value === "bigint") values[name] = Number(value);
    else if (ArrayBuffer.isView(value))
      values[name] = Array.from(value as unknown as ArrayLike<number | bigint>, Number);
  }
  return values;
}

function groupOf(hdf5: Hdf5, parent: Hdf5Group, name: string): Hdf5Group | undefined {
  const found = parent.get(name);
  return found instanceof hdf5.Group ? found : undefined;
}

function checkFile(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined)
    throw bad(file, "there is no such file.", "Give the path relative to the deck, or an absolute one.");
  if (!stat.isFile()) throw bad(file, "this is not a file but a folder or a device.", "Name one snapshot in it.");
  const start = new Uint8Array(SIGNATURE.length);
  let handle: number | undefined;
  try {
    handle = openSync(file, "r");
    readSync(handle, start, 0, start.length, 0);
  } catch (cause) {
    throw new GravmeshError("input", `${file}: cannot be read: ${(cause as Error).message}.`, { cause });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
  if (!SIGNATURE.every((byte, i) => byte === start[i])) {
    const advice = "Expected a GADGET snapshot in HDF5; GADGET's older binary formats must be converted first.";
    throw bad(file, stat.size === 0 ? "the file is empty." : "this is not an HDF5 file.", advice);
  }
}

function openHdf5(hdf5: Hdf5, file: string): Hdf5File {
  try {
    return new hdf5.File(file, "r");
  } catch (cause) {
    const reason = hdf5Reason(cause);
    const eof = /truncated file: eof = (\d+),.*stored_eof = (\d+)/.exec(reason);
    throw eof === null
      ? bad(file, `the HDF5 library cannot open it: ${reason}.`)
      : bad(
          file,
          `the file is truncated: it has ${eof[1]} of ${eof[2]} bytes.`,
          "Copy it again, or use an earlier snapshot.",
        );
  }
}

interface TypeReader {
  file: string;
  path: string;
  group: Hdf5Group;
  hdf5: Hdf5;
  count: number;
}

function datasetOf(type: TypeReader, name: string, width: number): Hdf5Dataset | undefined {
  const { file, path, group, hdf5, count } = type;
  const found = group.get(name);
  if (!(found instanceof hdf5.Dataset)) return undefined;
  const shape = found.shape ?? [];
  const expected = width === 1 ? [count] : [count, width];
  const flat = shape.length === 2 && shape[1] === 1 && width === 1 ? [shape[0]] : shape;
  if (flat.length !== expected.length || flat.some((n, i) => n !== expected[i])) {
    throw bad(
      file,
      `${path}/${name} has shape [${shape.join(", ")}], but Header/NumPart_ThisFile asks for [${expected.join(", ")}].`,
      "The file is inconsistent; was it written completely?",
    );
  }
  return found;
}

/** Reads a dataset slab by slab; `take` receives rows from `first` on. */
async function readSlabs(
  type: TypeReader,
  name: string,
  width: number,
  dataset: Hdf5Dataset,
  take: (slab: ArrayLike<number | bigint>, first: number) => void,
) {
  const digest = new DatasetDigest();
  for (let from = 0; from < type.count; from += SLAB_ROWS) {
    const to = Math.min(type.count, from + SLAB_ROWS);
    const ranges = rowRanges(from, to, dataset.shape?.length === 1 ? undefined : width);
    let slab: unknown;
    try {
      slab = dataset.slice(ranges);
    } catch (cause) {
      const reason = hdf5Reason(cause);
      throw bad(type.file, `${type.path}/${name} cannot be read: ${reason}.`, "The file is damaged or truncated.");
    }
    if (ArrayBuffer.isView(slab)) digest.add(slab);
    take(slab as ArrayLike<number | bigint>, from);
    await breathe();
  }
  if (digest.contradicts(dataset)) {
    throw bad(
      type.file,
      `${type.path}/${name} isn't what gravmesh wrote: its SHA-256 differs from the attribute sha256 beside it.`,
      "The file is damaged; copy it again, or use another snapshot. If you changed the data yourself, delete that attribute.",
    );
  }
}

/** Where the numbers of a dataset go: into `out` from row `at` on, scaled. */
interface Target {
  width: 1 | 3;
  out: Float64Array | Float32Array;
  at: number;
  scale: number;
}

/** Reads a dataset of real numbers; false where there is none, an error where one isn't finite. */
async function readReals(type: TypeReader, name: string, { width, out, at, scale }: Target): Promise<boolean> {
  const dataset = datasetOf(type, name, width);
  if (dataset === undefined) return false;
  await readSlabs(type, name, width, dataset, (slab, first) => {
    for (let i = 0; i < slab.length; i++) {
      const value = Number(slab[i]) * scale;
      if (!Number.isFinite(value)) {
        const row = first + Math.floor(i / width);
        throw bad(type.file, `${type.path}/${name} row ${row} holds ${value}; every value must be finite.`);
      }
      out[(at + first) * width + i] = value;
    }
  });
  return true;
}

async function readIds(type: TypeReader): Promise<Ids | undefined> {
  const dataset = datasetOf(type, "ParticleIDs", 1);
  if (dataset === undefined) return undefined;
  const { size, type: kind } = dataset.metadata;
  const ids: Ids = new (kind !== 0 ? Float64Array : size === 8 ? BigUint64Array : Uint32Array)(type.count);
  await readSlabs(type, "ParticleIDs", 1, dataset, (slab, first) => {
    if (ids instanceof BigUint64Array) for (let i = 0; i < slab.length; i++) ids[first + i] = BigInt(slab[i]);
    else for (let i = 0; i < slab.length; i++) ids[first + i] = Number(slab[i]);
  });
  return ids;
}

function header(hdf5: Hdf5, open: Hdf5File, file: string) {
  const group = groupOf(hdf5, open, "Header");
  if (group === undefined) throw bad(file, "group /Header is missing.", "Expected a GADGET snapshot.");
  const attributes = attributesOf(group);
  const files = attributes.NumFilesPerSnapshot;
  if (typeof files === "number" && files > 1) {
    throw bad(
      file,
      `this is one of ${files} files of a snapshot; sets of several files are not supported.`,
      "Join them into one file first.",
    );
  }
  const numbers = attributes.NumPart_ThisFile;
  if (!Array.isArray(numbers)) throw bad(file, "attribute Header/NumPart_ThisFile is missing or not an array.");
  if (numbers.every((n) => n === 0))
    throw bad(file, "Header/NumPart_ThisFile is 0 for every type: there are no particles.");
  if (typeof attributes.Time !== "number") throw bad(file, "attribute Header/Time is missing or not a number.");
  const table = Array.isArray(attributes.MassTable) ? attributes.MassTable : numbers.map(() => 0);
  return { attributes, numbers, table, time: attributes.Time };
}

async function readType(type: TypeReader, at: number, set: ParticleSet, scales: SnapshotScales, tableMass: number) {
  const require = async (name: string, target: Omit<Target, "at">, advice = "") => {
    if (await readReals(type, name, { ...target, at })) return;
    throw bad(type.file, `dataset ${type.path}/${name} is missing.`, advice);
  };
  await require("Coordinates", { width: 3, out: set.positions, scale: scales.length });
  await require("Velocities", { width: 3, out: set.velocities, scale: scales.velocity });
  if (tableMass > 0) set.masses.fill(tableMass * scales.mass, at, at + type.count);
  else {
    const advice = "Header/MassTable is 0 for this type, so each particle needs a mass.";
    await require("Masses", { width: 1, out: set.masses, scale: scales.mass }, advice);
  }
  for (let i = at; i < at + type.count; i++) {
    if (set.masses[i] < 0) throw bad(type.file, `${type.path} row ${i - at} has the negative mass ${set.masses[i]}.`);
  }
  return readIds(type);
}

/** h5wasm finds no attributes where their storage is damaged: a file of ours without its own is no other code's. */
function requireForeign(hdf5: Hdf5, open: Hdf5File, file: string, types: readonly ComponentRange[]): void {
  for (const { species } of types) {
    const coordinates = open.get(`PartType${SPECIES.indexOf(species)}/Coordinates`);
    if (!(coordinates instanceof hdf5.Dataset) || !hasDigest(coordinates)) continue;
    throw bad(
      file,
      "gravmesh wrote this file, but /Parameters no longer says which component each particle is of.",
      "The file is damaged; copy it again, or use another snapshot.",
    );
  }
}

export interface ReadOptions {
  /** The deck's system; a file in other physical units is converted to it. Without it, numbers are as stored. */
  units?: UnitSystemName;
  /** The deck's clock is comoving: velocities of a comoving file become canonical momenta a² dx/dt. */
  comoving?: boolean;
}

async function read(hdf5: Hdf5, open: Hdf5File, file: string, { units, comoving }: ReadOptions): Promise<Snapshot> {
  const { attributes, numbers, table, time } = header(hdf5, open, file);
  const parameters = attributesOf(groupOf(hdf5, open, "Parameters"));
  const scales = snapshotScales(file, { ...attributes, ...parameters }, time, units, comoving);
  const count = numbers.reduce((sum, n) => sum + n, 0);
  const set = emptyParticles(count);
  const ids: (Ids | undefined)[] = [];
  const types: ComponentRange[] = [];
  let at = 0;
  for (const [number, n] of numbers.entries()) {
    if (n === 0) continue;
    const species = SPECIES.at(number);
    const path = `PartType${number}`;
    if (species === undefined) throw bad(file, `${path} holds ${n} particles; types 0 to 5 are supported.`);
    const group = groupOf(hdf5, open, path);
    if (group === undefined)
      throw bad(file, `group ${path} is missing, but Header/NumPart_ThisFile counts ${n} of its particles.`);
    ids.push(await readType({ file, path, group, hdf5, count: n }, at, set, scales, table[number] ?? 0));
    types.push({ name: species, species, first: at, count: n });
    at += n;
  }
  const own = componentsOf(parameters, count);
  if (own === undefined) requireForeign(hdf5, open, file, types);
  const { order, components } = fileOrder(ids, types, own);
  const stored = attributes.BoxSize;
  return {
    ...(order === undefined ? set : permuted(set, order)),
    components,
    boxSize: ownBoxSize(parameters, scales) ?? (typeof stored === "number" ? stored * scales.length : 0),
    time: time * scales.time,
  };
}

/**
 * Reads a snapshot, masses from MassTable or Masses, numbers as float64. Our own files give back the very particles,
 * ids and components that were written. Files of other codes: types in turn, one component each, particles of a type
 * in the order of their ids (so that the same snapshot gives the same run however it was sorted), numbered anew from 0.
 *
 * @throws GravmeshError "input": what is missing, damaged or inconsistent, and where.
 */
export async function readSnapshot(file: string, options: ReadOptions = {}): Promise<Snapshot> {
  checkFile(file);
  const hdf5 = await loadHdf5();
  const open = openHdf5(hdf5, file);
  try {
    return await read(hdf5, open, file, options);
  } catch (cause) {
    if (cause instanceof GravmeshError) throw cause;
    throw bad(file, `cannot be read: ${hdf5Reason(cause)}.`, "The file is damaged.");
  } finally {
    open.close();
  }
}
