/**
 * `-` in the place of a file's name: what comes by stdin, whole in a temporary file, since formats are found by how a file
 * begins and are read in several passes.
 */
import { closeSync, copyFileSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";
import { GravmeshError } from "../base/errors.ts";
import { onFile } from "./files.node.ts";

export const STDIN = "-";
/** In the place of a file that is written. */
export const STDOUT = "-";
const CHUNK = 1024 * 1024;
/** Pause where a pipe that waits for nobody has nothing yet [ms]. */
const PAUSE = 5;

let file: string | undefined;

/** Its path, the same one each time. Throws "usage" for a terminal and for nothing, "io". */
export function standardInput(): string {
  if (file !== undefined) return file;
  const advice =
    "Pipe a file into it, as in `gravmesh convert IN - --to npz | gravmesh run DECK particles.0.file=-`, or name one.";
  if (isatty(0))
    throw new GravmeshError("usage", `- stands for stdin: expected a pipe or a file, found a terminal. ${advice}`);
  const path = temporaryFile("stdin");
  const bytes = onFile("keep stdin in", path, () => spool(path));
  if (bytes === 0) throw new GravmeshError("usage", `- stands for stdin, and nothing came. ${advice}`);
  file = path;
  return path;
}

/** A path in a folder of its own that goes when the process ends. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export const isStandardInput = (path: string) => path === file;

/** Puts a copy of what came by stdin at `path`. Throws "io". */
export function keepStandardInput(path: string): void {
  onFile("keep stdin in", path, () => copyFileSync(standardInput(), path));
}

/** Bytes that came. */
function spool(path: string): number {
  const [target, chunk] = [openSync(path, "wx"), new Uint8Array(CHUNK)];
  try {
    for (let bytes = 0; ; ) {
      const read = readSome(chunk);
      if (read === 0) return bytes;
      for (let done = 0; done < read; ) done += writeSync(target, chunk, done, read - done);
      bytes += read;
    }
  } finally {
    closeSync(target);
  }
}

function readSome(chunk: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, chunk, 0, chunk.length, null);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EOF") return 0; // Windows
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}
