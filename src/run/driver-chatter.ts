/**
 * Dawn writes warnings of its own to the process's stderr when it looks for adapters, some of them on every healthy
 * machine. On Linux they are caught here, by a file that takes the place of file descriptor 2 for that one
 * synchronous call; elsewhere they pass.
 */
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const STDERR = 2;
const caught: string[] = [];

/** What was caught so far. */
export function driverChatter(): string {
  return caught.join("").trim();
}

/** Calls `call`, and keeps what native code writes to stderr meanwhile. */
export function withoutChatter<T>(call: () => T): T {
  if (process.platform !== "linux" || process.env.GRAVMESH_DEBUG === "1") return call();
  let file: number;
  let saved: number;
  try {
    // A file opened anew has a position of its own: what others write there later would cover what we write.
    if (fstatSync(STDERR).isFile()) return call();
    file = namelessFile();
    saved = openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_APPEND);
  } catch {
    return call(); // a socket or a closed descriptor can't be opened anew
  }
  try {
    // The lowest free descriptor is the one just closed.
    closeSync(STDERR);
    const stand = openSync(`/proc/self/fd/${file}`, constants.O_WRONLY | constants.O_APPEND);
    try {
      return call();
    } finally {
      closeSync(stand);
      openSync(`/proc/self/fd/${saved}`, constants.O_WRONLY | constants.O_APPEND);
    }
  } finally {
    closeSync(saved);
    const text = Buffer.alloc(fstatSync(file).size);
    readSync(file, text, 0, text.length, 0);
    caught.push(text.toString());
    closeSync(file);
  }
}

/** A file that is in no folder any more, so that nothing stays of it whenever the process is killed. */
function namelessFile(): number {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-stderr-"));
  try {
    return openSync(join(folder, "stderr"), "w+");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
