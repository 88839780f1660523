/**
 * Dawn writes warnings of its own to the process's stderr when it looks for adapters, some of them on every healthy
 * machine. On Linux they are caught here, for that one synchronous call; elsewhere they pass.
 *
 * Where stderr is a terminal or a pipe, or a file that is appended to, a file takes the place of descriptor 2 meanwhile,
 * and the same is opened anew afterwards. A file with a position is shared with whoever else writes into it (a script
 * with 2>log): opened anew it would have a second position, and one would cover the other. There what Dawn wrote is taken
 * back, which the end of the file and its position have to be set for.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
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
    if (fstatSync(STDERR).isFile() && !isAppended()) return takenBack(call);
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
    caught.push(textAt(file, 0, fstatSync(file).size));
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

function textAt(handle: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length);
  readSync(handle, bytes, 0, length, from);
  return bytes.toString();
}

/** A number that Linux knows of the descriptor. */
function known(what: "pos" | "flags", base: number): number {
  const text = readFileSync(`/proc/self/fdinfo/${STDERR}`, "utf8");
  return Number.parseInt(new RegExp(`^${what}:\\s*(\\d+)$`, "m").exec(text)?.[1] ?? "", base);
}

const isAppended = () => (known("flags", 8) & constants.O_APPEND) !== 0;

/** Dawn's warnings, with the lines that follow from each. */
const WARNINGS = /^(Warning: .*\n(\s+at .*\n)*)+$/;

/** Calls `call`, and takes back what it has written to a file with a position. */
function takenBack<T>(call: () => T): T {
  const before = known("pos", 10);
  try {
    return call();
  } finally {
    try {
      takeBackFrom(before);
    } catch {
      // Then it stays.
    }
  }
}

function takeBackFrom(before: number): void {
  const length = known("pos", 10) - before;
  // Another process may have written behind it.
  if (!(length > 0) || fstatSync(STDERR).size !== before + length) return;
  const handle = openSync(`/proc/self/fd/${STDERR}`, "r");
  let text: string;
  try {
    text = textAt(handle, before, length);
  } finally {
    closeSync(handle);
  }
  if (!WARNINGS.test(text)) return;
  if (!seek(before)) return;
  ftruncateSync(STDERR, before);
  caught.push(text);
}

/** Sets the position of the descriptor, for which Node has no call of its own but in its system interface for WebAssembly. */
function seek(position: number): boolean {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // that the interface is experimental
  try {
    const { WASI } = createRequire(import.meta.url)("node:wasi") as typeof import("node:wasi");
    const system = new WASI({ version: "preview1", stderr: STDERR });
    system.initialize({ exports: { memory: new WebAssembly.Memory({ initial: 1 }) } });
    const { fd_seek } = system.wasiImport as { fd_seek(handle: number, to: bigint, from: number, at: number): number };
    return fd_seek(STDERR, BigInt(position), 0, 0) === 0;
  } finally {
    process.emitWarning = emitWarning;
  }
}
