/**
 * `-` in the place of a file's name: what comes by stdin, whole in a temporary file, since formats are found by how a file
 * begins and are read in several passes. On Linux the file has no name, so that nothing stays of it whenever the process is
 * killed.
 */
import { closeSync, copyFileSync, fstatSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { addAbortSignal } from "node:stream";
import { isatty } from "node:tty";
import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  fileError,
  newTemporary,
  onFile,
  publish,
  removeDeadParts,
  removeLeftover,
  requireFreeSpace,
  temporaryName,
} from "./files.node.ts";

export const STDIN = "-";
/** In the place of a file that is written. */
export const STDOUT = "-";
/** What the disk of temporary files keeps free for others [byte]. */
const LEFT_FREE = 64 * 2 ** 20;
const ADVICE =
  "Pipe a file into it, as in `gravmesh convert IN - --to npz | gravmesh run DECK particles.0.file=-`, or name one.";

let file: string | undefined;

/** What is wanted of stdin, before it has come. */
class Awaited extends Error {
  constructor(readonly limit: number) {
    super("stdin is read by withStandardInput");
  }
}

/** Its path, the same one each time, within `withStandardInput`; `limit`: the most that it may hold [byte]. */
export function standardInput(limit = Number.POSITIVE_INFINITY): string {
  if (file === undefined) throw new Awaited(limit);
  return file;
}

/**
 * The result of `load`, which may ask for stdin: then it is called again when all has come. Timers and signals go on while it
 * is waited for. Throws "usage" for a terminal, for nothing and for too much, "io", and "aborted".
 */
export async function withStandardInput<T>(signal: AbortSignal | undefined, load: () => T): Promise<T> {
  try {
    return load();
  } catch (cause) {
    if (!(cause instanceof Awaited)) throw cause;
    if (isatty(0))
      throw new GravmeshError("usage", `- stands for stdin: expected a pipe or a file, found a terminal. ${ADVICE}`);
    file = await spool(cause.limit, signal);
    return load();
  }
}

/** A path in a folder of its own that goes when the process ends, or when a later one finds it killed. Throws "io". */
export function temporaryFile(name: string): string {
  const folder = temporaryName(join(tmpdir(), "gravmesh"));
  removeDeadParts(tmpdir());
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const advice = "Set TMPDIR to a folder that is there and that you may write to.";
    const { message } = fileError("make a temporary folder in", tmpdir(), cause);
    throw new GravmeshError("io", `${message} ${advice}`, { cause });
  }
  process.once("exit", () => removeLeftover(folder));
  return join(folder, name);
}

/** An open file that on Linux is in no folder any more; its path is good while it is open. Throws "io". */
export function namelessFile(): { handle: number; path: string } {
  const path = temporaryFile("nameless");
  const handle = openSync(path, "wx+");
  if (process.platform !== "linux") return { handle, path };
  removeLeftover(dirname(path));
  return { handle, path: `/proc/self/fd/${handle}` };
}

export const isStandardInput = (path: string) => path === file;

/** A message with stdin by its name, not that of its copy. */
export const namingStandardInput = (text: string) => (file ? text.replaceAll(file, "stdin") : text);

/** Puts a copy of what came by stdin at `path`. Throws "io". */
export function keepStandardInput(path: string): void {
  const temporary = newTemporary(path);
  onFile("keep stdin in", path, () => {
    copyFileSync(standardInput(), temporary);
    publish(temporary, path);
  });
}

async function spool(limit: number, signal = new AbortController().signal): Promise<string> {
  const { handle, path } = namelessFile();
  const requireRoom = (bytes: number) => requireFreeSpace(tmpdir(), bytes + LEFT_FREE, ROOM);
  let bytes = 0;
  try {
    const found = fstatSync(0);
    if (found.isFile()) requireRoom(Math.min(found.size, limit));
    for await (const chunk of addAbortSignal(signal, process.stdin) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) {
        const most = `expected at most ${bytesText(limit)}, found more`;
        throw new GravmeshError("usage", `stdin cannot be read: ${most}; is it the file that was meant?`);
      }
      requireRoom(chunk.length);
      writeFileSync(handle, chunk);
    }
    if (bytes === 0) throw new GravmeshError("usage", `- stands for stdin, and nothing came. ${ADVICE}`);
    return path;
  } catch (cause) {
    closeSync(handle);
    if (signal.aborted) throw new GravmeshError("aborted", "stopped while stdin was read; nothing is written.");
    throw fileError("keep stdin in", tmpdir(), cause, bytes, ROOM);
  }
}

const ROOM = { fewer: "", elsewhere: "set TMPDIR to a folder on another disk" };
