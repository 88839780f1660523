/**
 * Dawn writes warnings to the process's stderr when it looks for adapters, some of them on every healthy machine. On
 * Linux a file takes the place of descriptor 2 for that one synchronous call, and the same is opened anew afterwards. A file
 * with a position (2>log) would have a second one opened anew, and writes would cover each other: its descriptor is
 * duplicated, for which Node has no call of its own; without koffi they pass into it.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { namelessFile } from "./io/standard-input.node.ts";

const STDERR = 2;
const caught: string[] = [];

export const driverChatter = () => caught.join("").trim();

/** Calls `call`, and keeps what native code writes to stderr meanwhile. */
export function withoutChatter<T>(call: () => T): T {
  if (process.platform !== "linux" || process.env.GRAVMESH_DEBUG === "1") return call();
  let file: number;
  let saved: number;
  let place: (descriptor: number) => unknown;
  try {
    if (fstatSync(STDERR).isFile() && !isAppended()) {
      const { dup, dup2 } = duplication();
      [saved, place] = [dup(STDERR), (descriptor) => dup2(descriptor, STDERR)];
    } else [saved, place] = [openedAnew(STDERR), placedAnew];
    file = namelessFile().handle;
  } catch {
    return call(); // a socket or a closed descriptor can't be opened anew
  }
  try {
    place(file);
    try {
      return call();
    } finally {
      place(saved);
    }
  } finally {
    closeSync(saved);
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    caught.push(bytes.toString());
    closeSync(file);
  }
}

const openedAnew = (descriptor: number) =>
  openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_APPEND);

/** In the place of descriptor 2: the lowest free one is the one just closed. */
function placedAnew(descriptor: number): void {
  closeSync(STDERR);
  openedAnew(descriptor);
}

/** The C library's. Throws where koffi isn't installed. */
function duplication(): { dup: (descriptor: number) => number; dup2: (from: number, to: number) => number } {
  const koffi = createRequire(import.meta.url)("koffi") as typeof import("koffi");
  const libc = koffi.load(null);
  return { dup: libc.func("int dup(int)"), dup2: libc.func("int dup2(int, int)") };
}

/** Whether every write to the descriptor goes to the end of its file. */
function isAppended(): boolean {
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${STDERR}`, "utf8"))?.[1] ?? "";
  return (Number.parseInt(flags, 8) & constants.O_APPEND) !== 0;
}
