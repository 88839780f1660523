/**
 * Dawn writes warnings of its own to the process's stderr when it looks for adapters, some of them on every healthy
 * machine. On Linux they are caught here, by a file that takes the place of file descriptor 2 for that one
 * synchronous call; elsewhere they pass.
 */
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
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
  let folder: string;
  let saved: number;
  try {
    // A file opened anew has a position of its own: what others write there later would cover what we write.
    if (fstatSync(STDERR).isFile()) return call();
    folder = mkdtempSync(join(tmpdir(), "gravmesh-stderr-"));
    saved = openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_APPEND);
  } catch {
    return call(); // a socket or a closed descriptor can't be opened anew
  }
  const file = join(folder, "stderr");
  try {
    // The lowest free descriptor is the one just closed.
    closeSync(STDERR);
    const stand = openSync(file, "w");
    try {
      return call();
    } finally {
      closeSync(stand);
      openSync(`/proc/self/fd/${saved}`, constants.O_WRONLY | constants.O_APPEND);
    }
  } finally {
    closeSync(saved);
    try {
      caught.push(readFileSync(file, "utf8"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
