/**
 * Reading a file that a user names: a regular one, of a limited size, UTF-8 text. Anything else (a folder, /dev/zero, a pipe
 * that nobody writes to) is refused before a byte is asked of it, since reading it may never end.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { bytesText } from "../../foundation/base/bytes.ts";
import { type ErrorKind, GravmeshError } from "../../foundation/base/errors.ts";

interface Named {
  /** What the file is to be, for messages: "The scenario deck", "cosmology.file:". */
  what: string;
  /** Of the error; "input" by default. */
  kind?: ErrorKind;
}
interface Reading extends Named {
  limit: number;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "part of the path is a file, not a folder",
  EISDIR: "it is a folder; name a file in it",
  ELOOP: "its links lead round in a loop; give the path of the file itself",
  ENAMETOOLONG: "the name is too long for this system",
  EMFILE: "this process has too many files open; raise the limit (ulimit -n)",
  ENFILE: "the system has too many files open",
  ENXIO: "it is a device or a socket, not a regular file",
  EIO: "the disk reports a read error",
  ERR_INVALID_ARG_VALUE: "the name holds a NUL character",
};

/** Why reading failed, in words, without a full stop. */
export function readingReason(cause: unknown): string {
  const code = (cause as { code?: string } | null)?.code ?? "";
  return REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
}

export function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a named pipe";
  if (stat.isSocket()) return "a socket";
  return "a device";
}

/** Opens a regular file for who closes it; waits for no pipe or device. Throws GravmeshError for anything else. */
export function openRegularFile(path: string, named: Named) {
  const requireRegular = (stat: Stats) => {
    if (!stat.isFile()) throw refusal(path, named, `it is ${kindOf(stat)}, not a regular file`);
    return stat;
  };
  let handle: number | undefined;
  try {
    // Opening a device may do something to it, so that it is looked at before as well as after.
    requireRegular(statSync(path));
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return { handle, stat: requireRegular(fstatSync(handle)) };
  } catch (cause) {
    if (handle !== undefined) closeSync(handle);
    throw cause instanceof GravmeshError ? cause : refusal(path, named, readingReason(cause), cause);
  }
}

function refusal(path: string, { what, kind = "input" }: Named, reason: string, cause?: unknown) {
  return new GravmeshError(kind, `${what} ${printable(path)} cannot be read: ${reason}.`, { cause });
}

/** Hands the descriptor and the status of a regular file to `use`, and closes it. Throws GravmeshError. */
export function withRegularFile<T>(path: string, named: Named, use: (handle: number, stat: Stats) => T): T {
  const { handle, stat } = openRegularFile(path, named);
  try {
    return use(handle, stat);
  } catch (cause) {
    if (cause instanceof GravmeshError) throw cause;
    throw refusal(path, named, readingReason(cause), cause);
  } finally {
    closeSync(handle);
  }
}

/** The text of a regular UTF-8 file of at most `limit` bytes, without a byte order mark. Throws GravmeshError. */
export function readRegularFile(path: string, reading: Reading): string {
  const { limit } = reading;
  const refused = (reason: string) => refusal(path, reading, reason);
  const tooLarge = (size: string) =>
    refused(`expected at most ${bytesText(limit)}, found ${size}; is it the file that was meant?`);
  const bytes = withRegularFile(path, reading, (handle, stat) => {
    if (stat.size > limit) throw tooLarge(sizeBeside(stat.size, limit));
    return readAtMost(handle, limit + 1, stat.size);
  });
  // What grows while it is read, and files under /proc, tell no size.
  if (bytes.length > limit) throw tooLarge("more");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused("it is not UTF-8 text");
  }
}

/** Largest text that a run keeps in its folder: ten million rows of diagnostics.csv [byte]. */
export const LARGEST_FILE = 4 * 2 ** 30;

/** The text of a file that a run has written; undefined where there is none, or something else in its place. */
export function textOrNone(path: string): string | undefined {
  try {
    return readRegularFile(path, { what: "The file", limit: LARGEST_FILE });
  } catch {
    return undefined;
  }
}

/** A size that is to look larger than its limit. */
const sizeBeside = (size: number, limit: number) =>
  bytesText(size) === bytesText(limit) ? `${size - limit} B more` : bytesText(size);

/** Up to `most` bytes from the start; `expected` is the size to begin with. */
function readAtMost(handle: number, most: number, expected: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < most; ) {
    const piece = new Uint8Array(Math.min(most - length, Math.max(4096, expected + 1 - length)));
    const read = readSync(handle, piece, 0, piece.length, null);
    if (read === 0) break;
    pieces.push(piece.subarray(0, read));
    length += read;
  }
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
}

const LONGEST_PATH = 300;

/** A name as a message may show it: no control characters, not a screenful. */
export function printable(path: string): string {
  const shown = path.length <= LONGEST_PATH ? path : `${path.slice(0, LONGEST_PATH)}… (${path.length} characters)`;
  return shown.replace(/\p{Cc}/gu, "\u{fffd}");
}

/** GravmeshError "input" on a file. */
export function bad(file: string, found: string, advice = ""): GravmeshError {
  return new GravmeshError("input", `${printable(file)}: ${found}${advice === "" ? "" : ` ${advice}`}`);
}
