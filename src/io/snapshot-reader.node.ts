/**
 * Reads snapshots of any format: our own, exactly, and those of other codes, tolerant where a format varies and explicit
 * where a file cannot be used. Particles come in
 * blocks; where a file has them in the order of their ids, as ours do, no more than a block of them is held.
 */
import { totalmem } from "node:os";
import type { FileReading, VelocityConvention } from "../deck/file-formats.ts";
import { GravmeshError } from "../errors.ts";
import { BLOCK_PARTICLES, blockRanges } from "../particles/blocks.ts";
import { ParticleMasses } from "../particles/masses.ts";
import { collected, type SourceBlock } from "../particles/source.ts";
import { type ComponentRange, SPECIES } from "../particles/state.ts";
import type { Column, SnapshotPart, SnapshotSet, TypeColumns } from "./column.ts";
import { bytesText } from "./files.node.ts";
import { openFormat } from "./formats.node.ts";
import { componentsOf, type ParameterValue } from "./gadget.ts";
import { RowFeed, type RowPlace } from "./row-feed.ts";
import { bad, memoryError, outOfMemory } from "./snapshot-file.node.ts";
import { type Ids, orderOf, type RunOfRows, runsOfComponents } from "./snapshot-order.ts";
import type { ReadOptions, Snapshot, SnapshotSource } from "./snapshot-particles.ts";
import { common } from "./snapshot-rows.ts";
import { fileCosmology, fileIsComoving, ownBoxSize, type SnapshotScales, snapshotScales } from "./snapshot-units.ts";

export type { ReadOptions, Snapshot, SnapshotSource } from "./snapshot-particles.ts";

/** Held for a particle of which all are: arrays, ids, their order, and the arrays once more in that order [byte]. */
const BYTES_PER_PARTICLE = 110;

/** The particles of a type, over all files. */
interface TypeRows {
  /** Its rows follow those of the types before. */
  range: ComponentRange;
  /** In the files that have some. */
  columns: TypeColumns[];
}

function typesOf(parts: readonly SnapshotPart[]): TypeRows[] {
  let first = 0;
  return SPECIES.flatMap((species, type) => {
    const columns = parts.flatMap(({ types }) => types.filter((of) => of.type === type));
    const count = columns.reduce((sum, of) => sum + of.count, 0);
    if (count === 0) return [];
    const range = { name: species, species, first, count };
    first += count;
    return [{ range, columns }];
  });
}

/** Of the files that have the column. */
const feedOf = ({ columns }: TypeRows, column: (of: TypeColumns) => Column | undefined) =>
  new RowFeed(columns.flatMap((of) => column(of) ?? []));

/** Calls `use` with feeds that are closed after it. */
async function withFeed<T>(feed: RowFeed, use: (feed: RowFeed) => Promise<T>): Promise<T> {
  try {
    return await use(feed);
  } finally {
    await feed.close();
  }
}

/** Masses of the rows of a type [mass]: one, or [count] of them. */
async function massesOf(type: TypeRows, scale: number): Promise<number | Float64Array> {
  const [of] = type.columns;
  if (typeof of.masses === "number") return of.masses * scale;
  const masses = new Float64Array(type.range.count);
  await withFeed(
    feedOf(type, ({ masses: column }) => column as Column),
    (feed) =>
      feed.each(masses.length, (value, i, { column, row }) => {
        const { path } = column;
        const mass = Number(value) * scale;
        if (!Number.isFinite(mass)) throw column.fault(`${path} row ${row} holds ${mass}; every value must be finite.`);
        if (mass < 0) throw column.fault(`${path.split("/")[0]} row ${row} has the negative mass ${mass}.`);
        masses[i] = mass;
      }),
  );
  return masses;
}

/** Whether all files of a type have ids, which other codes may leave out. */
const hasIds = ({ columns }: TypeRows) => columns.every(({ ids }) => ids !== undefined);

const isId = (id: number | bigint) => id >= 0 && (typeof id === "bigint" || Number.isSafeInteger(id));

/** All ids of a type. Throws "input" for what is no whole number from 0 up. */
async function idsOf(type: TypeRows): Promise<Ids | undefined> {
  if (!hasIds(type)) return undefined;
  const kinds = type.columns.map(({ ids }) => ids!);
  const real = kinds.some((column) => column.real);
  const ids: Ids = new (real ? Float64Array : kinds.some(({ size }) => size === 8) ? BigUint64Array : Uint32Array)(
    type.range.count,
  );
  const take = (id: number | bigint, i: number, { column, row }: RowPlace) => {
    if (!isId(id)) throw column.fault(`${column.path} row ${row} holds ${id}; expected whole numbers from 0 up.`);
    ids[i] = ids instanceof BigUint64Array ? BigInt(id) : Number(id);
  };
  await withFeed(
    feedOf(type, ({ ids: column }) => column!),
    (feed) => feed.each(ids.length, take),
  );
  return ids;
}

/** Whether the rows have the ids that gravmesh gives these particles, as far as they have any. */
async function idsFit(types: readonly TypeRows[], runs: readonly RunOfRows[], every: number): Promise<boolean> {
  for (const type of types) {
    if (!hasIds(type)) continue;
    const feed = feedOf(type, ({ ids }) => ids!);
    let fit = true;
    await withFeed(feed, async () => {
      for (const { first, count } of runs.filter(({ row }) => within(type, row))) {
        await feed.each(count, (id, i) => {
          fit &&= Number(id) === every * (first + i);
        });
        if (!fit) return;
      }
    });
    if (!fit) return false;
  }
  return true;
}

const within = ({ range }: TypeRows, row: number) => row >= range.first && row < range.first + range.count;

/** Side of the box as the header has it [file's unit]; 0 where it has none. */
function boxSizeOf(file: string, stored: ParameterValue | undefined): number {
  const sides = typeof stored === "number" ? [stored] : Array.isArray(stored) ? stored : [0];
  const [side] = sides;
  if (sides.every((one) => one === side && Number.isFinite(one) && one >= 0)) return side;
  throw bad(file, `Header/BoxSize is ${sides.join(", ")}; expected the side of a cube, or 0.`);
}

/** How the rows of a set become particles. */
type Arrangement =
  | { components: readonly ComponentRange[]; runs: readonly RunOfRows[] }
  /** Particle → row, in no order. */
  | { components: readonly ComponentRange[]; rows: Uint32Array };

async function arranged(set: SnapshotSet, types: readonly TypeRows[], every: number): Promise<Arrangement> {
  const ranges = types.map(({ range }) => range);
  const count = ranges.reduce((sum, range) => sum + range.count, 0);
  const own = componentsOf(set.parameters, count);
  // The library finds no attributes where their storage is damaged: a file of ours without its own is no other code's.
  if (own === undefined && set.ours) {
    throw bad(
      set.name,
      "gravmesh wrote this file, but /Parameters no longer says which component each particle is of.",
      "The file is damaged; copy it again, or use another snapshot.",
    );
  }
  const runs = own && runsOfComponents(own, ranges);
  if (own && runs && (await idsFit(types, runs, every))) return { components: own, runs };
  const ids: (Ids | undefined)[] = [];
  for (const type of types) ids.push(await idsOf(type));
  const { rows, components } = orderOf(ranges, { ids, own }, (found, advice) => bad(set.name, found, advice));
  if (rows === undefined)
    return { components, runs: ranges.map(({ first, count: n }) => ({ first, row: first, count: n })) };
  requireRoom(set.name, count);
  return { components, rows };
}

/** What is read of every particle, block after block. */
interface Reading {
  types: readonly TypeRows[];
  count: number;
  scales: SnapshotScales;
  bits: 32 | 64;
  block: number;
  /** Velocities are wanted. */
  moving: boolean;
}

/** Particles whose rows follow each other as they do. */
async function* inRuns(reading: Reading, runs: readonly RunOfRows[]): AsyncGenerator<SourceBlock> {
  const { types, count, scales, bits, block, moving } = reading;
  const feeds = types.map((type) => ({
    type,
    positions: feedOf(type, ({ coordinates }) => coordinates),
    velocities: feedOf(type, ({ velocities }) => velocities),
  }));
  try {
    for (const range of blockRanges(count, block)) {
      const positions = new Float64Array(3 * range.count);
      const velocities = new (bits === 64 ? Float64Array : Float32Array)(3 * range.count);
      for (const run of runs) {
        const part = common(run, range);
        if (part === undefined) continue;
        const feed = feeds.find(({ type }) => within(type, run.row))!;
        const at = part.first - range.first;
        await feed.positions.fill(positions, at, part.count, scales.length);
        if (moving) await feed.velocities.fill(velocities, at, part.count, scales.velocity);
      }
      yield { ...range, positions, velocities };
    }
  } finally {
    for (const { positions, velocities } of feeds) await Promise.all([positions.close(), velocities.close()]);
  }
}

/** Particles whose rows are in no order: all of them are read first, in the precision of the file. */
async function* inOrder(reading: Reading, rows: Uint32Array): AsyncGenerator<SourceBlock> {
  const { types, count, scales, bits, block, moving } = reading;
  const all = async (column: (of: TypeColumns) => Column | undefined) => {
    const found = types.flatMap(({ columns }) => columns.map(column));
    const wide = found.some((one) => one && (one.size === 8 || !one.real));
    const values = new (wide ? Float64Array : Float32Array)(3 * count);
    if (found.includes(undefined)) return values;
    for (const type of types) {
      await withFeed(feedOf(type, column), (feed) => feed.fill(values, type.range.first, type.range.count, 1));
    }
    return values;
  };
  const [x, v] = [await all(({ coordinates }) => coordinates), await all(({ velocities }) => velocities)];
  for (const range of blockRanges(count, block)) {
    const positions = new Float64Array(3 * range.count);
    const velocities = new (bits === 64 ? Float64Array : Float32Array)(3 * range.count);
    for (let k = 0; k < positions.length; k++) {
      const at = 3 * rows[range.first + Math.floor(k / 3)] + (k % 3);
      positions[k] = x[at] * scales.length;
      if (moving) velocities[k] = v[at] * scales.velocity;
    }
    yield { ...range, positions, velocities };
  }
}

/** Of every particle, from those of the rows of each type. */
function massesIn(
  types: readonly TypeRows[],
  byType: readonly (number | Float64Array)[],
  arrangement: Arrangement,
): ParticleMasses {
  const typeOf = (row: number) => types.findIndex((type) => within(type, row));
  if ("runs" in arrangement) {
    return new ParticleMasses(
      arrangement.runs.map(({ first, row, count }) => {
        const type = typeOf(row);
        const masses = byType[type];
        if (typeof masses === "number") return { first, count, mass: masses };
        const part = masses.subarray(row - types[type].range.first, row - types[type].range.first + count);
        return { first, count, mass: part.every((mass) => mass === part[0]) ? part[0] : part };
      }),
    );
  }
  const { rows, components } = arrangement;
  if (byType.every((mass) => mass === byType[0]) && typeof byType[0] === "number") {
    return new ParticleMasses([{ first: 0, count: rows.length, mass: byType[0] }]);
  }
  const all = Float64Array.from(rows, (row) => {
    const type = typeOf(row);
    const masses = byType[type];
    return typeof masses === "number" ? masses : masses[row - types[type].range.first];
  });
  return ParticleMasses.of(all, components);
}

/** What a file says of itself, before a particle is read. */
async function described(file: string, options: ReadOptions) {
  const { units, comoving = false, need = "start", as, h } = options;
  const set = await openFormat(file, need, as);
  const { header, parameters, perH, hasUnits } = set;
  const all = { ...header, ...parameters };
  const expanding = set.time === undefined ? undefined : fileIsComoving(all, set.time);
  const time = set.time ?? (comoving ? (options.scaleFactor ?? 1) : 0);
  const isComoving = expanding ?? comoving;
  const velocities = isComoving ? velocitiesOf(set, time, as) : "peculiar";
  const scales = snapshotScales(
    { file: set.name, attributes: all, time, comoving: isComoving, velocities, perH, hasUnits },
    { units, momenta: comoving && expanding !== false, named: as?.units, h },
  );
  const types = typesOf(set.parts);
  const { "gravmesh.every": every } = parameters;
  return {
    ...{ set, scales, types, expanding, all },
    count: types.reduce((sum, { range }) => sum + range.count, 0),
    every: typeof every === "number" ? every : 1,
    time: time * scales.time,
  };
}

async function open(file: string, options: ReadOptions, whole: boolean): Promise<SnapshotSource> {
  const { admit, block = BLOCK_PARTICLES, need = "start" } = options;
  const { set, scales, types, expanding, all, count, every, time } = await described(file, options);
  if (whole) requireRoom(set.name, count);
  admit?.(count);
  const arrangement = await arranged(set, types, every);
  const byType: (number | Float64Array)[] = [];
  for (const type of types) byType.push(await massesOf(type, scales.mass));
  const wide = types.every(({ columns }) => columns.every(({ velocities }) => velocities?.size === 8));
  const reading: Reading = { types, count, scales, bits: wide ? 64 : 32, block, moving: need === "start" };
  return {
    ...{ count, components: arrangement.components, bits: reading.bits, every },
    masses: massesIn(types, byType, arrangement),
    blocks: () =>
      toldApart(
        set.name,
        "runs" in arrangement ? inRuns(reading, arrangement.runs) : inOrder(reading, arrangement.rows),
      ),
    boxSize: ownBoxSize(set.parameters, scales) ?? boxSizeOf(set.name, set.header.BoxSize) * scales.length,
    time,
    comoving: expanding,
    cosmology: fileCosmology(all),
  };
}

/** What the velocities of an expanding box are. Throws "input" where neither the file nor the deck tells. */
function velocitiesOf(set: SnapshotSet, time: number, as: FileReading = {}): VelocityConvention {
  const { velocities: said = "file" } = as;
  if (said !== "file") return said;
  // At a = 1 all conventions are one.
  if (set.velocities !== undefined || time === 1) return set.velocities ?? "peculiar";
  throw bad(
    set.name,
    "nothing in the file says what its velocities are in an expanding box.",
    'Say it beside file: velocities = "gadget" (√a dx/dt), "peculiar" (a dx/dt), "comoving" (dx/dt) or "canonical" (a² dx/dt).',
  );
}

/** Throws "memory" where a machine can't hold that many particles: asking for it may end the process. */
function requireRoom(file: string, count: number): void {
  const [needed, there] = [count * BYTES_PER_PARTICLE, totalmem()];
  if (needed <= there) return;
  const what = `its ${count} particles, which take ${bytesText(needed)} where there are ${bytesText(there)}`;
  throw memoryError(file, what);
}

/** Want of memory in words of its own. */
function inWords(file: string, cause: unknown): unknown {
  return !(cause instanceof GravmeshError) && outOfMemory(cause) ? memoryError(file, "it", cause) : cause;
}

async function* toldApart(file: string, blocks: AsyncGenerator<SourceBlock>): AsyncGenerator<SourceBlock> {
  try {
    yield* blocks;
  } catch (cause) {
    throw inWords(file, cause);
  }
}

/**
 * A snapshot, of one file or of several (any of them, or the name of the whole): what it says of itself, with its
 * particles as they are asked for. Our own files give back the very particles, ids and components that were written. Files
 * of other codes: types in turn, one component each, particles of a type in the order of their ids (so that the same
 * snapshot gives the same run however it was sorted), numbered anew from 0.
 *
 * @throws GravmeshError "input": what is missing, damaged or inconsistent, and where; "memory". The blocks throw likewise.
 */
export async function openSnapshot(file: string, options: ReadOptions = {}): Promise<SnapshotSource> {
  return open(file, options, false).catch((cause) => {
    throw inWords(file, cause);
  });
}

/** How many particles a snapshot has, and of what time, without reading any of them. Throws likewise. */
export async function snapshotMoment(
  file: string,
  options: ReadOptions = {},
): Promise<Pick<SnapshotSource, "time" | "count" | "every">> {
  try {
    const { time, count, every } = await described(file, options);
    return { time, count, every };
  } catch (cause) {
    throw inWords(file, cause);
  }
}

/** The same in arrays: numbers as float64, masses of each particle. */
export async function readSnapshot(file: string, options: ReadOptions = {}): Promise<Snapshot> {
  try {
    const source = await open(file, options, true);
    const { boxSize, time, comoving, cosmology } = source;
    return { ...(await collected(source)), boxSize, time, comoving, cosmology };
  } catch (cause) {
    throw inWords(file, cause);
  }
}
