/**
 * One process at a time writes into a result folder: a file there says which.
 *
 * Locks are numbered. The one of the highest number holds; who finds its owner gone makes the next one, in one atomic
 * step that succeeds for one process alone, and then removes those before it. Nothing is ever removed that may be a
 * living process's, so that no order of events gives a folder to two.
 */
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GravmeshError } from "../foundation/base/errors.ts";
import { fileError, forget, newTemporary, onFile } from "./io/files.node.ts";
import { type Life, lifeOf, type ProcessIdentity, thisProcess } from "./process-identity.ts";

const LOCK_NAME = /^\.gravmesh-lock-(\d+)$/;

export const isLockName = (name: string) => LOCK_NAME.test(name);

interface Owner extends ProcessIdentity {
  /** ISO 8601 */
  since: string;
}

interface Lock {
  number: number;
  file: string;
  /** Undefined where the file can't be understood. */
  owner: Owner | undefined;
}

export interface FolderLock {
  /** May be called more than once. */
  release(): void;
}

/** Another process has the folder, or may have it. */
export class FolderInUse extends GravmeshError {
  /** `who`: "process 12 on node7, since …", or the file that says so where it doesn't say which. */
  constructor(
    readonly life: Exclude<Life, "gone">,
    readonly who: string,
    message: string,
  ) {
    super("usage", message);
  }
}

/** Who writes into the folder, as far as can be seen from here; undefined where no process does. */
export function holderOf(folder: string): FolderInUse | undefined {
  return locksIn(folder)
    .map((lock) => inUse(folder, lock))
    .find((fault) => fault !== undefined);
}

/** Throws FolderInUse where another process writes into the folder; there need be none. */
export function requireUnlocked(folder: string): void {
  const holder = holderOf(folder);
  if (holder) throw holder;
}

/** Takes an existing folder for this process, at most until it ends. Throws FolderInUse where another has it, "io". */
export function lockFolder(folder: string): FolderLock {
  for (;;) {
    requireUnlocked(folder);
    const found = locksIn(folder);
    const number = 1 + Math.max(0, ...found.map((lock) => lock.number));
    const file = join(folder, `.gravmesh-lock-${number}`);
    const content = `${JSON.stringify({ ...thisProcess(), since: new Date().toISOString() } satisfies Owner)}\n`;
    if (!make(file, content)) continue; // another was faster
    const release = () => remove(file, content);
    // One that was taken and given back meanwhile may have let a third process in below our number.
    const others = locksIn(folder).filter((one) => one.file !== file);
    if (others.some((lock) => inUse(folder, lock))) {
      release(); // two that see each other both step back, and both try again
      continue;
    }
    try {
      for (const lock of others) rmSync(lock.file, { force: true });
    } catch (error) {
      release();
      throw error;
    }
    process.once("exit", release);
    forget(folder);
    return {
      release: () => {
        process.off("exit", release);
        release();
      },
    };
  }
}

/** Makes a lock with its content in one step; false when there is one of that name. */
function make(file: string, content: string): boolean {
  const temporary = newTemporary(file, "lock");
  onFile("lock", file, () => writeFileSync(temporary, content));
  try {
    linkSync(temporary, file);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // The folder's previous holder may have removed our temporary file.
    if (code === "EEXIST" || (code === "ENOENT" && existsSync(dirname(file)))) return false;
    if (!NO_LINKS.includes(code ?? "")) throw fileError("lock", file, cause);
  } finally {
    rmSync(temporary, { force: true });
  }
  try {
    writeFileSync(file, content, { flag: "wx" }); // a process that is killed within this leaves an empty lock
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw fileError("lock", file, cause);
  }
}

/** Of file systems without hard links. */
const NO_LINKS = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"];

/** Removes a lock if it is still the one of this content: a person may have removed ours, and another process come. */
function remove(file: string, content: string): void {
  try {
    if (readFileSync(file, "utf8") === content) rmSync(file);
  } catch {
    // Gone already, or not to be had: the process that ends is what frees the folder.
  }
}

function locksIn(folder: string): Lock[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // no folder yet, or none that can be used, as making it will tell
  }
  return names.flatMap((name) => {
    const match = LOCK_NAME.exec(name);
    if (match === null) return [];
    const lock: Lock = { number: Number(match[1]), file: join(folder, name), owner: undefined };
    try {
      // A pipe would be waited for; whatever isn't a lock has no owner that could be asked.
      if (statSync(lock.file).isFile()) lock.owner = ownerFrom(readFileSync(lock.file, "utf8"));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return []; // given back since
    }
    return [lock];
  });
}

function ownerFrom(text: string): Owner | undefined {
  try {
    const { pid, host, place, start, since, job } = JSON.parse(text) as Owner;
    const known =
      Number.isSafeInteger(pid) && pid > 0 && [host, place, start, since].every((x) => typeof x === "string");
    return known ? { pid, host, place, start, since, ...(isJob(job) && { job }) } : undefined;
  } catch {
    return undefined;
  }
}

const isJob = (job: Owner["job"]) =>
  typeof job?.cluster === "string" && /^\d+$/.test(job.id) && Number.isSafeInteger(job.restarts);

/** Undefined where the owner of the lock is certainly gone. */
function inUse(folder: string, { file, owner }: Lock): FolderInUse | undefined {
  const life = owner ? lifeOf(owner) : "unknown";
  if (life === "gone") return undefined;
  const who = owner
    ? `process ${owner.pid} on ${owner.host} writes into it since ${owner.since}`
    : `${file} says so, but not for which process`;
  return new FolderInUse(
    life,
    owner ? `process ${owner.pid} on ${owner.host}, since ${owner.since}` : `a process that ${file} doesn't name`,
    life === "alive"
      ? `${folder} is in use: ${who}. Nothing was changed. Wait for its end, stop it (Ctrl-C), or choose another folder with --out.`
      : `${folder} may be in use: ${who}, and whether it still does can't be seen from here. Nothing was changed. ` +
          `When it has ended, remove ${file} and try again.`,
  );
}
