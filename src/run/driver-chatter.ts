/**
 * Dawn writes warnings to the process's stderr when it looks for adapters, some of them on every healthy machine. On
 * Linux a file takes the place of descriptor 2 for that one synchronous call, and the same is opened anew afterwards.
 * Into a file with a position (2>log) they pass: opened anew it would have a second position, and writes would cover
 * each other.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { namelessFile } from "../io/standard-input.node.ts";

const STDERR = 2;
const caught: string[] = [];

export const driverChatter = () => caught.join("").trim();

/** Calls `call`, and keeps what native code writes to stderr meanwhile. */
export function withoutChatter<T>(call: () => T): T {
  if (process.platform !== "linux" || process.env.GRAVMESH_DEBUG === "1") return call();
  let file: number;
  let saved: number;
  try {
    if (fstatSync(STDERR).isFile() && !isAppended()) return call();
    file = namelessFile().handle;
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
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    caught.push(bytes.toString());
    closeSync(file);
  }
}

/** Whether every write to the descriptor goes to the end of its file. */
function isAppended(): boolean {
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${STDERR}`, "utf8"))?.[1] ?? "";
  return (Number.parseInt(flags, 8) & constants.O_APPEND) !== 0;
}
