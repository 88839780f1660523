/**
 * Files: atomic writes, free space, errors with a name and a size. A file is written under a temporary name in its own
 * folder, flushed and renamed over the old one, so that an interrupted run leaves the old file or the new one. Only a
 * regular file, or a link, ever makes room: devices, pipes, sockets and folders stay.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { constants, hostname } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { bytesText } from "../../foundation/base/bytes.ts";
import { type ErrorKind, GravmeshError } from "../../foundation/base/errors.ts";
import { hasProcess, placeHere } from "./process-table.node.ts";
import { kindOf, printable } from "./regular-file.node.ts";

/** This machine, or container, in names of temporary files: another one that shares the folder has the same pids. */
let place: string | undefined;
const placeName = () =>
  (place ??= createHash("sha256").update(`${hostname()} ${placeHere()}`).digest("hex").slice(0, 6));

/** A name in the folder of `file`, so that a rename never crosses file systems; no link can wait there, as it isn't foreseen. */
export function temporaryName(file: string): string {
  return join(dirname(file), `.${basename(file)}.${placeName()}-${crypto.randomUUID().slice(-12)}.part-${process.pid}`);
}

/** A new empty file in which `file` is built before it is renamed. Throws "io", also where `file` may not be replaced. */
export function newTemporary(file: string, action = "write", remedy = OF_RUN): string {
  const temporary = temporaryName(file);
  try {
    requireReplaceable(file);
    closeSync(openSync(temporary, "wx"));
    return temporary;
  } catch (cause) {
    throw fileError(action, file, cause, undefined, remedy);
  }
}

/** Throws `kind` where something is in the place of `file` that a new file would end: neither a regular one nor a link to one. */
export function requireReplaceable(file: string, kind: ErrorKind = "io", also = ""): void {
  const found = onFile("write", file, () => statSync(file, { throwIfNoEntry: false }));
  if (!found || found.isFile()) return;
  const what = `${printable(file)} is ${kindOf(found)}, not a regular file: it is not replaced`;
  throw new GravmeshError(kind, `${what}. Choose another name${also}.`);
}

/** Whether a writer that was killed may have left a file of this name. */
export const isTemporaryName = (name: string) => /^\..+\.part-\d+$/.test(name);

const writerOf = (name: string) => /^\..+\.([0-9a-f]{6})(?:-[0-9a-f]+)?\.part-(\d+)$/.exec(name);

/** Whether a file of this name is being written, as far as can be seen from here. */
export function isBeingWritten(name: string): boolean {
  const [, where, pid] = writerOf(name) ?? [];
  return where === placeName() && hasProcess(Number(pid));
}

/** Removes what writers of this machine that were killed have left in a folder; there need be none. */
export function removeDeadParts(folder: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return; // no folder yet, or none that can be read, as writing into it will tell
  }
  for (const name of names) {
    const [, where, pid] = writerOf(name) ?? [];
    if (where === placeName() && !hasProcess(Number(pid))) removeLeftover(join(folder, name));
  }
}

/** Makes `folder` and those above it. Node's own `recursive` never ends below /proc, where nothing can be made. */
export function makeFolders(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path) && statSync(path).isDirectory()) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (existsSync(path) && statSync(path).isDirectory()) return;
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw fileError("make the folder", path, cause);
    const message = `Cannot make ${path}: no folder can be made there. Choose another with --out.`;
    throw new GravmeshError("io", message, { cause });
  }
}

/** Free bytes on the file system that holds `path` (which may not exist yet), or undefined where unknown. */
export function freeSpace(path: string): number | undefined {
  let folder = resolve(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** What to try, so that there is less to write or elsewhere: of a file in a result folder, or one that a command line names. */
type Remedy = Record<"fewer" | "elsewhere", string>;
const OF_RUN: Remedy = {
  fewer: ", write fewer snapshots (output.snapshots)",
  elsewhere: "choose another folder with --out",
};
export const OF_NAMED_FILE: Remedy = { fewer: "", elsewhere: "choose another place for it" };

/** Throws "io" when `file` cannot fit on its disk; an old one gives no room, as it stays until the new one is complete. */
export function requireFreeSpace(file: string, bytes: number, remedy = OF_RUN): void {
  const free = freeSpace(file);
  if (free !== undefined && free < bytes) throw noSpaceError(file, bytes, free, { remedy });
}

/** `free`: on the disk; "quota" where it is a quota of one's own that is used up. */
function noSpaceError(
  file: string,
  bytes: number | undefined,
  free: number | "quota" | undefined,
  { remedy, cause }: { remedy: Remedy; cause?: unknown },
): GravmeshError {
  const [found, mend] =
    free === "quota"
      ? ["Your disk quota is used up: no space left", "Remove some of your files"]
      : ["No space left", "Free some space"];
  const facts = [
    ...(bytes === undefined ? [] : [`it needs ${bytesText(bytes)} (${bytes} bytes)`]),
    ...(typeof free === "number" ? [`the disk has ${bytesText(free)} free`] : []),
  ].join("; ");
  const more = facts === "" ? "" : ` ${facts[0].toUpperCase()}${facts.slice(1)}.`;
  const message = `${found} for ${file}.${more} ${mend}${remedy.fewer} or ${remedy.elsewhere}. Earlier files are intact.`;
  return new GravmeshError("io", message, { cause });
}

const DENIED = ({ elsewhere }: Remedy) => `permission denied; ${elsewhere} that you may write to`;
const REASONS_WITH_REMEDY: Readonly<Record<string, (remedy: Remedy) => string>> = {
  EEXIST: ({ elsewhere }) => `something else of that name is there; ${elsewhere}`,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: ({ elsewhere }) => `the file system is read-only; ${elsewhere}`,
};
const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: "part of the path is a file, not a folder",
  EISDIR: "it is a folder, not a file",
  ENOENT: "no such file or folder",
  EMFILE: "too many open files; raise the limit of this shell (ulimit -n 1024)",
  ENFILE: "too many open files on this machine",
};

/** Turns a failed file operation into a GravmeshError "io" that says which file, why, and what to try. */
export function fileError(
  action: string,
  file: string,
  cause: unknown,
  bytes?: number,
  remedy = OF_RUN,
): GravmeshError {
  if (cause instanceof GravmeshError) return cause;
  const { code, errno } = (cause ?? {}) as NodeJS.ErrnoException;
  // Node has no name for the error of a quota.
  if (code === "EDQUOT" || (errno !== undefined && errno === -constants.errno.EDQUOT)) {
    return noSpaceError(file, bytes, "quota", { remedy, cause });
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  const free = freeSpace(file);
  const named = code === "ENOSPC" || /ENOSPC|No space left/i.test(text);
  // A library whose own messages need disk space may fail without a reason.
  const likely = code === undefined && free !== undefined && bytes !== undefined && free < bytes;
  if (named || likely) return noSpaceError(file, bytes, free, { remedy, cause });
  // Node's message, as in "ELOOP: too many symbolic links encountered, open '/a/b'", without its code, and the path that we have.
  const known = /^[A-Z][A-Z0-9]+: (.*?), \w+( '|$)/s.exec(text)?.[1];
  const unnamed = code === "UNKNOWN" && errno !== undefined ? `the system refuses it (error ${-errno})` : known;
  const reason = REASONS_WITH_REMEDY[code ?? ""]?.(remedy) ?? REASONS[code ?? ""] ?? unnamed ?? text;
  return new GravmeshError("io", `Cannot ${action} ${file}: ${reason}.`, { cause });
}

/** The result of `work` with a file; what goes wrong is thrown as `fileError`. */
export function onFile<T>(action: string, file: string, work: () => T, bytes?: number): T {
  try {
    return work();
  } catch (cause) {
    throw fileError(action, file, cause, bytes);
  }
}

/** Removes what a write that failed has left; what can't be removed a later writer does. */
export function removeLeftover(file: string): void {
  try {
    rmSync(file, { force: true, recursive: true });
  } catch {}
}

/** Paths of the files that this process has published. */
const published = new Set<string>();

/** Whether a regular file is there itself, and no link to one. File systems over a network may number files anew: no more is asked. */
export const isFile = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** From now on the file that is there counts as published by this process. */
export function adopt(file: string): void {
  if (isFile(file)) published.add(resolve(file));
}

const within = (folder: string) => [...published].filter((file) => file.startsWith(resolve(folder) + sep));

/** What was published in a folder until now isn't asked for by `lostFrom`. */
export function forget(folder: string): void {
  for (const file of within(folder)) published.delete(file);
}

/** Names of files that this process has published in a folder and that others have removed, or put a link in the place of. */
export const lostFrom = (folder: string): string[] =>
  within(folder).flatMap((file) => (isFile(file) ? [] : [file.slice(resolve(folder).length + 1)]));

/** Removes a regular file or a link, if there is one; anything else stays. */
export function removeFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() || found?.isSymbolicLink()) rmSync(file, { force: true });
  published.delete(resolve(file));
}

/** Renames the complete `temporary` to `file`, its content and the folder's entry flushed to the disk. */
export function publish(temporary: string, file: string): void {
  if (!isFile(temporary)) throw new Error("something else has taken the place of what was written");
  flushFile(temporary);
  requireReplaceable(file);
  renameSync(temporary, file);
  published.add(resolve(file));
  try {
    flushFile(dirname(file), "r");
  } catch {
    // Not every platform can flush a folder (Windows has no handles of them); the rename is still atomic.
  }
}

export interface Unpublished {
  path: string;
  temporary: string;
}

/** Publishes files that belong together, the first one last. Throws "io" for `bytes` in all; what is left is removed. */
export function publishAll(files: readonly Unpublished[], bytes?: number): void {
  for (const { path, temporary } of [...files].reverse()) {
    try {
      publish(temporary, path);
    } catch (cause) {
      for (const one of files) removeLeftover(one.temporary);
      throw fileError("write", path, cause, bytes);
    }
  }
}

/** What was written to a file is on the disk when this returns. */
export function flushFile(path: string, flags: "r" | "r+" = "r+"): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes `content` to `file` so that the file is at every moment the old one or the new one. */
export function writeFileAtomic(file: string, content: string | Uint8Array): void {
  const temporary = newTemporary(file);
  try {
    writeFileSync(temporary, content);
    publish(temporary, file);
  } catch (cause) {
    removeLeftover(temporary);
    throw fileError("write", file, cause, Buffer.byteLength(content));
  }
}
