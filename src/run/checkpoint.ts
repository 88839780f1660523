/**
 * Checkpoints: the exact state of a run, so that --resume continues with the same bits.
 *
 * One file a generation, state_000001.bin, state_000002.bin …; the two newest are kept. Layout, little-endian:
 *   "GRAVMESH CHECKPOINT 1\n" padded to 32 bytes · u64 length of the header · header (JSON) padded to 8 ·
 *   the arrays, each padded to 8 · SHA-256 of everything before (32 bytes)
 * A file is written under a temporary name, flushed and renamed; only then is the oldest generation removed. A run
 * killed at any moment leaves at least one complete generation, and the sum tells a complete one from a damaged one.
 */
import { createHash } from "node:crypto";
import { constants, existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { StateInPieces } from "../backend/backend.ts";
import { GravmeshError } from "../base/errors.ts";
import { fileError, makeFolders, publish, removeLeftover, requireFreeSpace, temporaryName } from "../io/files.node.ts";
import {
  ARRAY_TYPES,
  type ArrayInPieces,
  type ArraysInPieces,
  type ArrayType,
  arrayType,
  piecesOf,
  type SavedArray,
} from "../particles/saved-arrays.ts";
import type { Sums } from "../particles/sums.ts";

const MAGIC = "GRAVMESH CHECKPOINT 1\n";
const MAGIC_BYTES = 32;
const LENGTH_BYTES = 8;
const ALIGNMENT = 8;
const DIGEST_BYTES = 32;
const GENERATIONS_KEPT = 2;
/** Bytes written, read and summed at a time, between which timers and progress lines run. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const LARGEST_HEADER = 64 * 1024 * 1024;
const GENERATION_NAME = /^state_(\d+)\.bin$/;

/** Its folder within a result folder. */
export const CHECKPOINT_FOLDER = "checkpoint";

/** Arrays up to this size are read at once; larger ones in pieces, when they are wanted [byte]. */
const SMALL_BYTES = 64 * 1024;

/** Where in its schedule a run stands; everything that is not particles. */
export interface CheckpointProgress {
  step: number;
  /** [time] */
  time: number;
  /** Sums of the initial state, for the energy error. */
  initialSums: Sums;
  /** Anything else the run wants back; JSON. */
  extra?: unknown;
}

interface Header extends Pick<StateInPieces, "format"> {
  deckHash: string;
  progress: CheckpointProgress;
  arrays: { name: string; type: ArrayType; length: number }[];
}

/** SHA-256 of the complete deck as run (its canonical text), hexadecimal: a checkpoint belongs to one deck. */
export function deckHash(deckText: string): string {
  return createHash("sha256").update(deckText).digest("hex");
}

function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory();

/** Generations in `folder`, newest first. */
function generations(folder: string): { number: number; file: string }[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const match = GENERATION_NAME.exec(name);
      return match === null ? [] : [{ number: Number(match[1]), file: join(folder, name) }];
    })
    .sort((a, b) => b.number - a.number);
}

/** True when a result folder holds a checkpoint, valid or not. */
export function hasCheckpoint(dir: string): boolean {
  return generations(join(dir, CHECKPOINT_FOLDER)).length > 0;
}

export function removeCheckpoints(dir: string): void {
  const folder = join(dir, CHECKPOINT_FOLDER);
  for (const { file } of generations(folder)) rmSync(file, { force: true });
  if (isFolder(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function bytesOf(array: SavedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * Writes a new generation to DIR/checkpoint.
 * @throws GravmeshError "io": the disk is full, the folder is not writable; older generations stay.
 */
export async function writeCheckpoint(
  dir: string,
  checkpoint: { state: StateInPieces; progress: CheckpointProgress; deckHash: string },
): Promise<string> {
  const folder = join(dir, CHECKPOINT_FOLDER);
  const older = generations(folder);
  const file = join(folder, `state_${String((older[0]?.number ?? 0) + 1).padStart(6, "0")}.bin`);
  const arrays = Object.entries(checkpoint.state.arrays);
  const header: Header = {
    format: checkpoint.state.format,
    deckHash: checkpoint.deckHash,
    progress: checkpoint.progress,
    arrays: arrays.map(([name, array]) => ({ name, type: arrayType(array), length: array.length })),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = new Uint8Array(MAGIC_BYTES + LENGTH_BYTES + padded(text.length));
  new TextEncoder().encodeInto(MAGIC, start);
  new DataView(start.buffer).setBigUint64(MAGIC_BYTES, BigInt(text.length), true);
  start.set(text, MAGIC_BYTES + LENGTH_BYTES);
  const total = start.length + arrays.reduce((sum, [, array]) => sum + padded(byteLength(array)), 0) + DIGEST_BYTES;

  requireFreeSpace(file, total);
  const temporary = temporaryName(file);
  let handle: FileHandle | undefined;
  try {
    makeFolders(folder);
    handle = await open(temporary, "w");
    const sum = createHash("sha256");
    const put = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        const block = bytes.subarray(at, at + BLOCK_BYTES);
        sum.update(block);
        await handle?.writeFile(block);
      }
    };
    await put(start);
    for (const [name, array] of arrays) {
      let length = 0;
      for await (const { piece } of piecesOf(array)) {
        await put(bytesOf(piece));
        length += piece.length;
      }
      if (length !== array.length) throw new Error(`${name}: expected ${array.length} elements, got ${length}`);
      await put(new Uint8Array(padded(byteLength(array)) - byteLength(array)));
    }
    await handle.writeFile(sum.digest());
    await handle.sync();
    await handle.close();
    handle = undefined;
    publish(temporary, file);
  } catch (cause) {
    await handle?.close().catch(() => {});
    removeLeftover(temporary);
    throw fileError("write", file, cause, total);
  }
  for (const { file: old } of older.slice(GENERATIONS_KEPT - 1)) rmSync(old, { force: true });
  return file;
}

const byteLength = (array: { length: number } & (SavedArray | ArrayInPieces)): number =>
  array.length * ARRAY_TYPES[arrayType(array)].BYTES_PER_ELEMENT;

function parsedHeader(text: Uint8Array): Header {
  try {
    const header = JSON.parse(new TextDecoder().decode(text)) as Header;
    if (header.arrays.every(({ type, length }) => type in ARRAY_TYPES && length >= 0)) return header;
  } catch {
    // Said below.
  }
  throw new Error("its header is damaged");
}

/** For reading; a pipe would be waited for, and so would some files of /proc. */
const openToRead = (file: string) => open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));

/**
 * Looks through one generation, whose sum has to be right: large arrays are read again when their pieces are asked for.
 * Throws a plain Error that says what is wrong with it.
 */
async function readGeneration(file: string): Promise<{ header: Header; state: StateInPieces }> {
  if (!statSync(file).isFile()) throw new Error("it is no regular file");
  const handle = await openToRead(file);
  try {
    const sum = createHash("sha256");
    let position = 0;
    const take = async (bytes: number, into: Uint8Array = new Uint8Array(bytes)) => {
      for (let at = 0; at < bytes; ) {
        const { bytesRead } = await handle.read(into, at, Math.min(bytes - at, BLOCK_BYTES), null);
        if (bytesRead === 0) throw new Error("the file ends early");
        sum.update(into.subarray(at, at + bytesRead));
        at += bytesRead;
      }
      position += bytes;
      return into;
    };
    const start = await take(MAGIC_BYTES + LENGTH_BYTES);
    if (!new TextDecoder().decode(start.subarray(0, MAGIC_BYTES)).startsWith(MAGIC)) {
      throw new Error("it is not a checkpoint of this version");
    }
    const length = Number(new DataView(start.buffer, start.byteOffset).getBigUint64(MAGIC_BYTES, true));
    if (length > LARGEST_HEADER) throw new Error("its header is damaged");
    const text = await take(padded(length));
    const header = parsedHeader(text.subarray(0, length));
    const arrays: ArraysInPieces = {};
    const bytesIn = ({ type, length: elements }: Header["arrays"][number]) =>
      elements * ARRAY_TYPES[type].BYTES_PER_ELEMENT;
    const expected = header.arrays.reduce(
      (total, array) => total + padded(bytesIn(array)),
      start.length + text.length + DIGEST_BYTES,
    );
    const { size } = statSync(file);
    if (size !== expected) throw new Error(`it is truncated: ${size} of ${expected} bytes`);
    const scratch = new Uint8Array(BLOCK_BYTES);
    for (const array of header.arrays) {
      const { name, type, length: elements } = array;
      const bytes = bytesIn(array);
      if (bytes <= SMALL_BYTES) {
        const whole = new ARRAY_TYPES[type](elements);
        await take(bytes, bytesOf(whole));
        arrays[name] = whole;
      } else {
        arrays[name] = arrayIn(file, array, position);
        for (let at = 0; at < bytes; at += BLOCK_BYTES) await take(Math.min(BLOCK_BYTES, bytes - at), scratch);
      }
      await take(padded(bytes) - bytes);
    }
    const digest = sum.copy().digest();
    if (!digest.equals(await take(DIGEST_BYTES))) throw new Error("its checksum does not match: the file is damaged");
    return { header, state: { format: header.format, arrays } };
  } finally {
    await handle.close();
  }
}

/** An array of a file, from a byte on. */
function arrayIn(file: string, { type, length }: Header["arrays"][number], position: number): ArrayInPieces {
  const most = BLOCK_BYTES / ARRAY_TYPES[type].BYTES_PER_ELEMENT;
  return {
    ...{ type, length },
    async *pieces() {
      const handle = await openToRead(file);
      try {
        for (let first = 0; first < length; first += most) {
          const piece = new ARRAY_TYPES[type](Math.min(most, length - first));
          const bytes = bytesOf(piece);
          const from = position + first * ARRAY_TYPES[type].BYTES_PER_ELEMENT;
          for (let at = 0; at < bytes.length; ) {
            const { bytesRead } = await handle.read(bytes, at, bytes.length - at, from + at);
            if (bytesRead === 0) throw new GravmeshError("input", `${file} ends early: was it changed meanwhile?`);
            at += bytesRead;
          }
          yield piece;
        }
      } finally {
        await handle.close();
      }
    },
  };
}

/** A checkpoint as its file has it. */
export interface FoundCheckpoint {
  state: StateInPieces;
  progress: CheckpointProgress;
}

/**
 * Reads the newest complete generation of DIR/checkpoint, falling back to the one before if the newest is damaged.
 * `expectedHash`, where given, must be that of the checkpoint's deck; `faultOf` says in words what of a complete one
 * can't be, which counts as damage. `skipped`: newer generations that were damaged, and how; empty in the normal case.
 * @throws GravmeshError "input": no checkpoint, none that is complete, or one of another deck.
 */
export async function readCheckpoint(
  dir: string,
  expectedHash?: string,
  faultOf?: (found: FoundCheckpoint) => Promise<string | undefined>,
): Promise<FoundCheckpoint & { skipped: string[] }> {
  const folder = join(dir, CHECKPOINT_FOLDER);
  const found = generations(folder);
  if (found.length === 0) {
    throw new GravmeshError(
      "input",
      `${dir} holds no checkpoint (expected ${join(folder, "state_*.bin")}); start the run anew without --resume.`,
    );
  }
  const skipped: string[] = [];
  let another: string | undefined;
  for (const { file } of found) {
    let read: { header: Header; state: StateInPieces };
    try {
      read = await readGeneration(file);
    } catch (cause) {
      skipped.push(`${file}: ${(cause as Error).message}`);
      continue;
    }
    const { header, state } = read;
    // A process that was killed when it had given a run another deck leaves one of either.
    if (expectedHash !== undefined && header.deckHash !== expectedHash) {
      another ??= file;
      continue;
    }
    const checkpoint = { state, progress: header.progress };
    const fault = await faultOf?.(checkpoint);
    if (fault === undefined) return { ...checkpoint, skipped };
    skipped.push(`${file}: ${fault}`);
  }
  if (another !== undefined) {
    throw new GravmeshError(
      "input",
      `${another} belongs to another scenario: the deck has changed since it was written. ` +
        `Resume with the deck in ${join(dir, "scenario.toml")} as it was, or start the run anew.`,
    );
  }
  throw new GravmeshError(
    "input",
    `No usable checkpoint in ${folder}. ${skipped.join("; ")}. Start the run anew without --resume.`,
  );
}
