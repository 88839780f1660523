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
import { constants, existsSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { StateInPieces } from "../engine/backend/backend.ts";
import { GravmeshError } from "../foundation/base/errors.ts";
import {
  ARRAY_TYPES,
  type ArrayInPieces,
  type ArraysInPieces,
  type ArrayType,
  arrayType,
  piecesOf,
  type SavedArray,
} from "../physics/particles/saved-arrays.ts";
import type { Sums } from "../physics/particles/sums.ts";
import {
  fileError,
  makeFolders,
  newTemporary,
  publish,
  removeFile,
  removeLeftover,
  requireFreeSpace,
} from "./io/files.node.ts";

const MAGIC = "GRAVMESH CHECKPOINT 1\n";
const MAGIC_BYTES = 32;
const LENGTH_BYTES = 8;
const ALIGNMENT = 8;
const DIGEST_BYTES = 32;
const GENERATIONS_KEPT = 2;
/** Bytes written, read and summed at a time; timers run in between. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const LARGEST_HEADER = 64 * 1024 * 1024;
const GENERATION_NAME = /^state_(\d+)\.bin$/;

export const CHECKPOINT_FOLDER = "checkpoint";

/** Arrays up to this size are read at once; larger ones in pieces, when they are wanted [byte]. */
const SMALL_BYTES = 64 * 1024;

export interface CheckpointProgress {
  step: number;
  /** [time] */
  time: number;
  /** Sums of the initial state, for the energy error. */
  initialSums: Sums;
  /** Whatever else the run wants back; JSON. */
  extra?: unknown;
}

interface ArrayEntry {
  name: string;
  type: ArrayType;
  length: number;
}

interface Header extends Pick<StateInPieces, "format"> {
  deckHash: string;
  progress: CheckpointProgress;
  arrays: ArrayEntry[];
}

/** SHA-256 of the complete deck as run (its canonical text), hexadecimal: a checkpoint belongs to one deck. */
export function deckHash(deckText: string): string {
  return createHash("sha256").update(deckText).digest("hex");
}

const padded = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

const byteLength = ({ type, length }: Omit<ArrayEntry, "name">) => length * ARRAY_TYPES[type].BYTES_PER_ELEMENT;

const bytesOfAll = (arrays: readonly ArrayEntry[]) => arrays.reduce((sum, one) => sum + padded(byteLength(one)), 0);

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

/** Whether a result folder holds a checkpoint, valid or not. */
export function hasCheckpoint(dir: string): boolean {
  return generations(join(dir, CHECKPOINT_FOLDER)).length > 0;
}

export function removeCheckpoints(dir: string): void {
  const folder = join(dir, CHECKPOINT_FOLDER);
  for (const { file } of generations(folder)) removeFile(file);
  if (isFolder(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function bytesOf(array: SavedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Writes a new generation to DIR/checkpoint. Throws "io", and then older generations stay. */
export async function writeCheckpoint(
  dir: string,
  checkpoint: { state: StateInPieces; progress: CheckpointProgress; deckHash: string },
): Promise<string> {
  const folder = join(dir, CHECKPOINT_FOLDER);
  const older = generations(folder);
  const file = join(folder, `state_${String((older[0]?.number ?? 0) + 1).padStart(6, "0")}.bin`);
  const { state, progress, deckHash } = checkpoint;
  const arrays = Object.entries(state.arrays).map(([name, array]) => ({
    ...{ name, type: arrayType(array), length: array.length },
  }));
  const header: Header = { format: state.format, deckHash, progress, arrays };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(MAGIC_BYTES + LENGTH_BYTES + padded(text.length));
  start.write(MAGIC);
  start.writeBigUInt64LE(BigInt(text.length), MAGIC_BYTES);
  start.set(text, MAGIC_BYTES + LENGTH_BYTES);
  const total = start.length + bytesOfAll(arrays) + DIGEST_BYTES;

  requireFreeSpace(file, total);
  makeFolders(folder);
  const temporary = newTemporary(file);
  try {
    const handle = await open(temporary, "w");
    try {
      const sum = createHash("sha256");
      const put = async (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
          const block = bytes.subarray(at, at + BLOCK_BYTES);
          sum.update(block);
          await handle.writeFile(block);
        }
      };
      await put(start);
      for (const array of arrays) {
        let length = 0;
        for await (const { piece } of piecesOf(state.arrays[array.name])) {
          await put(bytesOf(piece));
          length += piece.length;
        }
        if (length !== array.length) throw new Error(`${array.name}: expected ${array.length} elements, got ${length}`);
        await put(new Uint8Array(padded(byteLength(array)) - byteLength(array)));
      }
      await handle.writeFile(sum.digest());
      await handle.sync();
    } finally {
      await handle.close();
    }
    publish(temporary, file);
  } catch (cause) {
    removeLeftover(temporary);
    throw fileError("write", file, cause, total);
  }
  for (const { file: old } of older.slice(GENERATIONS_KEPT - 1)) removeFile(old);
  return file;
}

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

/** Fills `bytes` from a place in a file. Throws where the file ends before. */
async function fill(handle: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, place + at);
    if (bytesRead === 0) throw new Error("the file ends early");
    at += bytesRead;
  }
}

/** Looks through one generation, whose sum has to be right. Throws a plain Error that says what is wrong with it. */
async function readGeneration(file: string): Promise<{ header: Header; state: StateInPieces }> {
  if (!statSync(file).isFile()) throw new Error("it is no regular file");
  const handle = await openToRead(file);
  try {
    const sum = createHash("sha256");
    let position = 0;
    const take = async (into: Uint8Array) => {
      await fill(handle, into, position);
      sum.update(into);
      position += into.length;
      return Buffer.from(into.buffer, into.byteOffset, into.length);
    };
    const start = await take(new Uint8Array(MAGIC_BYTES + LENGTH_BYTES));
    if (!start.toString().startsWith(MAGIC)) throw new Error("it is not a checkpoint of this version");
    const length = Number(start.readBigUInt64LE(MAGIC_BYTES));
    if (length > LARGEST_HEADER) throw new Error("its header is damaged");
    const text = await take(new Uint8Array(padded(length)));
    const header = parsedHeader(text.subarray(0, length));
    const expected = start.length + text.length + bytesOfAll(header.arrays) + DIGEST_BYTES;
    const { size } = statSync(file);
    if (size !== expected) throw new Error(`it is truncated: ${size} of ${expected} bytes`);
    const arrays: ArraysInPieces = {};
    const scratch = new Uint8Array(BLOCK_BYTES);
    for (const array of header.arrays) {
      const { name, type, length: elements } = array;
      const bytes = byteLength(array);
      if (bytes <= SMALL_BYTES) {
        const whole = new ARRAY_TYPES[type](elements);
        await take(bytesOf(whole));
        arrays[name] = whole;
      } else {
        arrays[name] = arrayIn(file, array, position);
        for (let at = 0; at < bytes; at += BLOCK_BYTES) await take(scratch.subarray(0, bytes - at));
      }
      await take(new Uint8Array(padded(bytes) - bytes));
    }
    const digest = sum.copy().digest();
    if (!digest.equals(await take(new Uint8Array(DIGEST_BYTES)))) {
      throw new Error("its checksum does not match: the file is damaged");
    }
    return { header, state: { format: header.format, arrays } };
  } finally {
    await handle.close();
  }
}

function arrayIn(file: string, { type, length }: ArrayEntry, position: number): ArrayInPieces {
  const most = BLOCK_BYTES / ARRAY_TYPES[type].BYTES_PER_ELEMENT;
  return {
    ...{ type, length },
    async *pieces() {
      const handle = await openToRead(file);
      try {
        for (let first = 0; first < length; first += most) {
          const piece = new ARRAY_TYPES[type](Math.min(most, length - first));
          await fill(handle, bytesOf(piece), position + first * piece.BYTES_PER_ELEMENT).catch((cause: Error) => {
            throw new GravmeshError("input", `${file}: ${cause.message}; was it changed meanwhile?`, { cause });
          });
          yield piece;
        }
      } finally {
        await handle.close();
      }
    },
  };
}

export interface FoundCheckpoint {
  state: StateInPieces;
  progress: CheckpointProgress;
}

/**
 * Reads the newest complete generation of DIR/checkpoint whose deck has `expectedHash`; what `faultOf` says in words
 * counts as damage. `skipped`: newer ones that were damaged, and how. Throws "input" where there is none.
 */
export async function readCheckpoint(
  dir: string,
  expectedHash?: string,
  faultOf?: (found: FoundCheckpoint) => Promise<string | undefined>,
): Promise<FoundCheckpoint & { skipped: string[] }> {
  const folder = join(dir, CHECKPOINT_FOLDER);
  const found = generations(folder);
  const skipped: string[] = [];
  let another: string | undefined;
  for (const { file } of found) {
    const read = await readGeneration(file).catch((cause: Error) => cause);
    if (read instanceof Error) {
      skipped.push(`${file}: ${read.message}`);
      continue;
    }
    // A process that was killed when it had given a run another deck leaves one of either.
    if (expectedHash !== undefined && read.header.deckHash !== expectedHash) {
      another ??= file;
      continue;
    }
    const checkpoint = { state: read.state, progress: read.header.progress };
    const fault = await faultOf?.(checkpoint);
    if (fault === undefined) return { ...checkpoint, skipped };
    skipped.push(`${file}: ${fault}`);
  }
  const none =
    found.length === 0
      ? `${dir} holds no checkpoint (expected ${join(folder, "state_*.bin")}); start the run anew without --resume.`
      : `No usable checkpoint in ${folder}. ${skipped.join("; ")}. Start the run anew without --resume.`;
  const changed =
    another &&
    `${another} belongs to another scenario: the deck has changed since it was written. ` +
      `Resume with the deck in ${join(dir, "scenario.toml")} as it was, or start the run anew.`;
  throw new GravmeshError("input", changed ?? none);
}
