/**
 * Reads GADGET HDF5 snapshots: our own, exactly, and those of other codes (GADGET-2/3/4, AREPO, SWIFT-like layouts
 * with PartTypeN groups), tolerant where the format varies and explicit where a file cannot be used.
 */
import { totalmem } from "node:os";
import { GravmeshError } from "../errors.ts";
import { type ComponentRange, emptyParticles, type ParticleSet, SPECIES } from "../particles/state.ts";
import { bytesText } from "./files.node.ts";
import { componentsOf, type ParameterValue } from "./gadget.ts";
import { type Column, memoryError, outOfMemory, SnapshotFile } from "./snapshot-file.node.ts";
import { type Ids, ordered } from "./snapshot-order.ts";
import type { ReadOptions, Snapshot } from "./snapshot-particles.ts";
import { fileCosmology, fileIsComoving, ownBoxSize, snapshotScales } from "./snapshot-units.ts";

export type { ReadOptions, Snapshot } from "./snapshot-particles.ts";

/** Held for a particle while a file is read: arrays, ids, their order, and the arrays once more in that order [byte]. */
const BYTES_PER_PARTICLE = 110;

function header(file: SnapshotFile) {
  const attributes = file.attributes("Header");
  if (attributes === undefined) throw file.fault("group /Header is missing.", "Expected a GADGET snapshot.");
  const files = attributes.NumFilesPerSnapshot;
  if (typeof files === "number" && files > 1) {
    throw file.fault(
      `this is one of ${files} files of a snapshot; sets of several files are not supported.`,
      "Join them into one file first.",
    );
  }
  const numbers = attributes.NumPart_ThisFile;
  if (!Array.isArray(numbers)) throw file.fault("attribute Header/NumPart_ThisFile is missing or not an array.");
  const wrong = numbers.find((n) => !(Number.isSafeInteger(n) && n >= 0));
  if (wrong !== undefined)
    throw file.fault(`Header/NumPart_ThisFile holds ${wrong}; expected whole numbers from 0 up.`);
  if (numbers.every((n) => n === 0))
    throw file.fault("Header/NumPart_ThisFile is 0 for every type: there are no particles.");
  const time = attributes.Time;
  if (typeof time !== "number") throw file.fault("attribute Header/Time is missing or not a number.");
  if (!Number.isFinite(time)) throw file.fault(`Header/Time is ${time}; expected a finite number.`);
  const table = Array.isArray(attributes.MassTable) ? attributes.MassTable : numbers.map(() => 0);
  return { attributes, numbers, table, time };
}

/** Particles of one type and where they are in the file; all that can be known before they are read. */
interface TypeRows {
  path: string;
  range: ComponentRange;
  coordinates: Column;
  velocities: Column;
  /** One for each particle, or the mass of all of them [file's unit]. */
  masses: Column | number;
  ids: Column | undefined;
}

function survey(file: SnapshotFile, numbers: readonly number[], table: readonly number[]): TypeRows[] {
  let first = 0;
  return numbers.flatMap((count, number) => {
    if (count === 0) return [];
    const species = SPECIES.at(number);
    const path = `PartType${number}`;
    if (species === undefined) throw file.fault(`${path} holds ${count} particles; types 0 to 5 are supported.`);
    if (!file.hasGroup(path))
      throw file.fault(`group ${path} is missing, but Header/NumPart_ThisFile counts ${count} of its particles.`);
    const need = (name: string, width: 1 | 3, advice = "") => {
      const column = file.column(`${path}/${name}`, count, width);
      if (column === undefined) throw file.fault(`dataset ${path}/${name} is missing.`, advice);
      return column;
    };
    const tableMass = table[number] ?? 0;
    if (!(tableMass >= 0 && Number.isFinite(tableMass)))
      throw file.fault(`Header/MassTable holds ${tableMass} for ${path}; expected a mass.`);
    const range = { name: species, species, first, count };
    first += count;
    const advice = "Header/MassTable is 0 for this type, so each particle needs a mass.";
    return [
      {
        ...{ path, range },
        coordinates: need("Coordinates", 3),
        velocities: need("Velocities", 3),
        masses: tableMass > 0 ? tableMass : need("Masses", 1, advice),
        ids: file.column(`${path}/ParticleIDs`, count, 1),
      },
    ];
  });
}

/** Where the numbers of a column go: into `out` from row `at` on, scaled. */
interface Target {
  out: Float64Array | Float32Array;
  at: number;
  scale: number;
}

/** Reads a column of real numbers. Throws where one isn't finite. */
async function readReals(file: SnapshotFile, column: Column, { out, at, scale }: Target): Promise<void> {
  const { path, width } = column;
  await file.read(column, (slab, first) => {
    for (let i = 0; i < slab.length; i++) {
      const value = Number(slab[i]) * scale;
      if (!Number.isFinite(value)) {
        const row = first + Math.floor(i / width);
        throw file.fault(`${path} row ${row} holds ${value}; every value must be finite.`);
      }
      out[(at + first) * width + i] = value;
    }
  });
}

async function readMasses(file: SnapshotFile, { masses, path, range }: TypeRows, set: ParticleSet, scale: number) {
  const { first: at, count } = range;
  if (typeof masses === "number") {
    set.masses.fill(masses * scale, at, at + count);
    return;
  }
  await readReals(file, masses, { out: set.masses, at, scale });
  for (let i = at; i < at + count; i++) {
    if (set.masses[i] < 0) throw file.fault(`${path} row ${i - at} has the negative mass ${set.masses[i]}.`);
  }
}

async function readIds(file: SnapshotFile, column: Column): Promise<Ids> {
  const { path, rows, real, size } = column;
  const ids: Ids = new (real ? Float64Array : size === 8 ? BigUint64Array : Uint32Array)(rows);
  await file.read(column, (slab, first) => {
    for (let i = 0; i < slab.length; i++) {
      const id = slab[i];
      if (!(id >= 0 && (typeof id === "bigint" || Number.isSafeInteger(id)))) {
        throw file.fault(`${path} row ${first + i} holds ${id}; expected whole numbers from 0 up.`);
      }
      ids[first + i] = ids instanceof BigUint64Array ? BigInt(id) : Number(id);
    }
  });
  return ids;
}

/** Side of the box as the header has it [file's unit]; 0 where it has none. */
function boxSizeOf(file: SnapshotFile, stored: ParameterValue | undefined): number {
  const sides = typeof stored === "number" ? [stored] : Array.isArray(stored) ? stored : [0];
  const [side] = sides;
  if (sides.every((one) => one === side && Number.isFinite(one) && one >= 0)) return side;
  throw file.fault(`Header/BoxSize is ${sides.join(", ")}; expected the side of a cube, or 0.`);
}

async function read(file: SnapshotFile, { units, comoving, admit }: ReadOptions): Promise<Snapshot> {
  const { attributes, numbers, table, time } = header(file);
  const parameters = file.attributes("Parameters") ?? {};
  const all = { ...attributes, ...parameters };
  const expanding = fileIsComoving(all, time);
  const inMomenta = comoving && expanding !== false;
  const scales = snapshotScales(
    { file: file.name, attributes: all, time, comoving: expanding ?? comoving ?? false },
    units,
    inMomenta,
  );
  const types = survey(file, numbers, table);
  const count = types.reduce((sum, { range }) => sum + range.count, 0);
  requireRoom(file.name, count);
  admit?.(count);
  const set = emptyParticles(count, [], types.every(({ velocities }) => velocities.size === 8) ? 64 : 32);
  const ids: (Ids | undefined)[] = [];
  for (const type of types) {
    const at = type.range.first;
    await readReals(file, type.coordinates, { out: set.positions, at, scale: scales.length });
    await readReals(file, type.velocities, { out: set.velocities, at, scale: scales.velocity });
    await readMasses(file, type, set, scales.mass);
    ids.push(type.ids && (await readIds(file, type.ids)));
  }
  const own = componentsOf(parameters, count);
  // The library finds no attributes where their storage is damaged: a file of ours without its own is no other code's.
  if (own === undefined && types.some(({ coordinates }) => file.isOurs(coordinates))) {
    throw file.fault(
      "gravmesh wrote this file, but /Parameters no longer says which component each particle is of.",
      "The file is damaged; copy it again, or use another snapshot.",
    );
  }
  const particles = ordered({ ...set, components: types.map(({ range }) => range) }, { ids, own }, (found, advice) =>
    file.fault(found, advice),
  );
  return {
    ...particles,
    boxSize: ownBoxSize(parameters, scales) ?? boxSizeOf(file, attributes.BoxSize) * scales.length,
    time: time * scales.time,
    comoving: expanding,
    cosmology: fileCosmology(all),
  };
}

/** Throws "memory" where a machine can't hold that many particles: asking for it may end the process. */
function requireRoom(file: string, count: number): void {
  const [needed, there] = [count * BYTES_PER_PARTICLE, totalmem()];
  if (needed <= there) return;
  const what = `its ${count} particles, which take ${bytesText(needed)} where there are ${bytesText(there)}`;
  throw memoryError(file, what);
}

/**
 * Reads a snapshot, masses from MassTable or Masses, numbers as float64. Our own files give back the very particles,
 * ids and components that were written. Files of other codes: types in turn, one component each, particles of a type
 * in the order of their ids (so that the same snapshot gives the same run however it was sorted), numbered anew from 0.
 *
 * @throws GravmeshError "input": what is missing, damaged or inconsistent, and where; "memory".
 */
export async function readSnapshot(file: string, options: ReadOptions = {}): Promise<Snapshot> {
  const open = await SnapshotFile.open(file);
  try {
    return await read(open, options);
  } catch (cause) {
    if (cause instanceof GravmeshError) throw cause;
    if (outOfMemory(cause)) throw memoryError(file, "it", cause);
    throw cause;
  } finally {
    open.close();
  }
}
