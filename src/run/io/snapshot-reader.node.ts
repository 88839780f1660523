/**
 * Reads snapshots: our own, exactly, and those of other codes, tolerant where a format varies and explicit where a file can't
 * be used. Of a file in the order of its ids, as ours are, no more than a block of particles is held.
 */
import { totalmem } from "node:os";
import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { FileReading, VelocityConvention } from "../../foundation/deck/file-formats.ts";
import { BLOCK_PARTICLES } from "../../physics/particles/blocks.ts";
import { collected, type SourceBlock } from "../../physics/particles/source.ts";
import type { SnapshotSet } from "./column.ts";
import { attributesOf, frameOf, isOne, isToday } from "./file-frame.ts";
import { openFormat } from "./formats.node.ts";
import { componentsOf, coresOf, sideOf } from "./gadget.ts";
import { bad } from "./regular-file.node.ts";
import { type Arrangement, massesIn, particleBlocks, type Reading } from "./snapshot-blocks.ts";
import { memoryError, outOfMemory } from "./snapshot-file.node.ts";
import { orderOf, runsOfComponents } from "./snapshot-order.ts";
import type { FileSource, ReadOptions, Snapshot } from "./snapshot-particles.ts";
import { fileCosmology, ownBoxSize, requireKnownH, snapshotScales, unitNotes } from "./snapshot-units.ts";
import { idsFit, idsOf, massesOf, type TypeRows, typesOf } from "./type-rows.ts";

export type { Snapshot } from "./snapshot-particles.ts";

/** Held for a particle of which all are: arrays, ids, their order, and the arrays once more in that order [byte]. */
const BYTES_PER_PARTICLE = 110;

/** What `of` gives of each type, one after the other: each may take much memory. */
async function inTurn<T>(types: readonly TypeRows[], of: (type: TypeRows) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const type of types) found.push(await of(type));
  return found;
}

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
  const ids = await inTurn(types, idsOf);
  const { rows, components } = orderOf(ranges, { ids, own }, (found, advice) => bad(set.name, found, advice));
  if (rows === undefined)
    return { components, runs: ranges.map(({ first, count: n }) => ({ first, row: first, count: n })) };
  requireRoom(set.name, count);
  return { components, rows };
}

/** What a file says of itself, before a particle is read. */
async function described(file: string, options: ReadOptions) {
  const { units, comoving = false, need = "start", as = {}, h, scaleFactor: start } = options;
  const set = await openFormat(file, need, as);
  const { perH, hasUnits, parameters } = set;
  const named = as.units ?? "file";
  const all = attributesOf(set, (name) => as.header === "deck" || (named !== "file" && name.startsWith("Unit")));
  const frame = frameOf(all, set.time, { comoving: frameSaid(as, units, comoving), ...(comoving && { start }) });
  // At a = 1 a run without expansion may start from a box that expands.
  const today = !comoving && units !== undefined && frame.comoving === true && isToday(frame.a);
  const expanding = today ? undefined : frame.comoving;
  const isComoving = expanding ?? comoving;
  const time = isComoving ? (frame.a ?? set.time ?? (comoving ? 1 : 0)) : (set.time ?? 0);
  const velocities = isComoving ? velocitiesOf(set, time, as) : "peculiar";
  const clock = { file: set.name, attributes: all, time, comoving: isComoving, velocities, perH, hasUnits };
  const deck = { units, momenta: comoving && expanding !== false, named, h };
  const scales = snapshotScales(clock, deck);
  if (!isComoving && perH && frame.comoving !== false) requireKnownH(clock, deck);
  const by = isComoving ? (set.velocities ?? velocities) : velocities;
  const notes = [
    ...(isComoving || frame.comoving !== undefined ? frame.notes : []),
    ...unitNotes(clock, deck),
    ...(by === velocities ? [] : [`velocities are "${velocities}" by the deck, which counts, "${by}" by its own word`]),
  ].map((note) => `${set.name}: ${note}`);
  const types = typesOf(set.parts);
  const { "gravmesh.every": every } = parameters;
  const cores = coresOf(parameters, scales.length);
  return {
    ...{ set, scales, types, expanding, all, notes },
    count: types.reduce((sum, { range }) => sum + range.count, 0),
    every: typeof every === "number" ? every : 1,
    time: time * scales.time,
    levels: cores.length > 0 ? { cores } : {},
  };
}

async function open(file: string, options: ReadOptions, whole: boolean): Promise<FileSource> {
  const { admit, block = BLOCK_PARTICLES, need = "start" } = options;
  const { set, scales, types, expanding, all, notes, count, every, time, levels } = await described(file, options);
  if (whole) requireRoom(set.name, count);
  admit?.(count);
  const arrangement = await arranged(set, types, every);
  const byType = await inTurn(types, (type) => massesOf(type, scales.mass));
  const wide = types.every(({ columns }) => columns.every(({ velocities }) => velocities?.size === 8));
  const reading: Reading = { types, count, scales, bits: wide ? 64 : 32, block, moving: need === "start" };
  return {
    ...{ count, components: arrangement.components, bits: reading.bits, every },
    masses: massesIn(types, byType, arrangement),
    blocks: () => inWordsToo(set.name, particleBlocks(reading, arrangement)),
    boxSize: ownBoxSize(set.parameters, scales) ?? sideOf(all) * scales.length,
    ...{ storedSize: sideOf(all), notes },
    time,
    comoving: expanding,
    cosmology: fileCosmology(all),
    ...levels,
  };
}

/** Whether a box expands by what a deck says of the file; undefined where it leaves that to the header. */
function frameSaid(as: FileReading, units: ReadOptions["units"], comoving: boolean): boolean | undefined {
  const { velocities = "file", units: named = "file", header = "file" } = as;
  if (header === "deck") return comoving;
  if (comoving) return velocities === "file" ? undefined : true;
  return units === undefined || named === "file" ? undefined : false;
}

/** What the velocities of an expanding box are. Throws "input" where neither the file nor the deck tells. */
function velocitiesOf(set: SnapshotSet, time: number, as: FileReading = {}): VelocityConvention {
  const { velocities: said = "file" } = as;
  if (said !== "file") return said;
  if (set.velocities !== undefined || isOne(time)) return set.velocities ?? "peculiar";
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
  throw memoryError(
    file,
    `its ${count} particles, which take ${bytesText(needed)} where there are ${bytesText(there)}`,
  );
}

/** Rethrows; want of memory in words of its own. */
const inWords = (file: string) => (cause: unknown) => {
  throw !(cause instanceof GravmeshError) && outOfMemory(cause) ? memoryError(file, "it", cause) : cause;
};

async function* inWordsToo(file: string, blocks: AsyncGenerator<SourceBlock>): AsyncGenerator<SourceBlock> {
  try {
    yield* blocks;
  } catch (cause) {
    inWords(file)(cause);
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
export function openSnapshot(file: string, options: ReadOptions = {}): Promise<FileSource> {
  return open(file, options, false).catch(inWords(file));
}

/** How many particles a snapshot has, of what time, and where levels were, without reading any of them. Throws likewise. */
export async function snapshotMoment(
  file: string,
  options: ReadOptions = {},
): Promise<Pick<FileSource, "time" | "count" | "every" | "cores">> {
  const { time, count, every, levels } = await described(file, options).catch(inWords(file));
  return { time, count, every, ...levels };
}

/** The same in arrays: numbers as float64, masses of each particle. */
export function readSnapshot(file: string, options: ReadOptions = {}): Promise<Snapshot> {
  const whole = async (source: FileSource): Promise<Snapshot> => {
    const { boxSize, storedSize, notes, time, comoving, cosmology, cores } = source;
    const said = { boxSize, storedSize, notes, time, comoving, cosmology };
    return { ...(await collected(source)), ...said, ...(cores && { cores }) };
  };
  return open(file, options, true).then(whole).catch(inWords(file));
}
