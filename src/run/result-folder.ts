/** A run's result folder: which files are its own, and how it is made ready. Others are never touched. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { GravmeshError } from "../foundation/base/errors.ts";
import { CHECKPOINT_FOLDER, hasCheckpoint, removeCheckpoints } from "./checkpoint.ts";
import { fileError, isBeingWritten, isTemporaryName, onFile, removeFile, requireReplaceable } from "./io/files.node.ts";
import { type FolderLock, requireUnlocked } from "./lock.ts";
import { DECK_FILE } from "./outputs/deck.ts";
import { outputs } from "./outputs/index.ts";
import { SUMMARY_FILE } from "./outputs/summary.ts";
import { claimFolder, namesIn, someOf } from "./results.ts";
import { hasStartRecord, removeStartRecord } from "./start-record.ts";

/** Names in `dir` that belong to a gravmesh run, folders with a trailing slash. */
function runFiles(dir: string): string[] {
  const files = outputs().flatMap((output) => output.files);
  const own = namesIn(dir).filter((name) =>
    files.some((file) => (typeof file === "string" ? file === name : file.test(name))),
  );
  return hasCheckpoint(dir) ? [...own, `${CHECKPOINT_FOLDER}/`] : own;
}

export const holdsRun = (dir: string) => runFiles(dir).length > 0;

/** Names of a run's files in `dir`, checkpoints apart, and that of the summary that lists them. */
export function resultFiles(dir: string): string[] {
  const found = runFiles(dir).filter((name) => !name.endsWith("/"));
  return [...new Set([...found, SUMMARY_FILE])].sort();
}

export function removeTemporaryFiles(dir: string): void {
  for (const folder of [dir, join(dir, CHECKPOINT_FOLDER)]) {
    for (const name of namesIn(folder)) {
      // A movie of this run may be on its way.
      if (isTemporaryName(name) && !isBeingWritten(name)) rmSync(join(folder, name), { force: true, recursive: true });
    }
  }
}

/** Removes the files of a run from a folder that this process has taken. Throws "io". */
export function clearRun(dir: string): void {
  onFile("use the result folder", dir, () => {
    for (const name of runFiles(dir)) if (!name.endsWith("/")) removeFile(join(dir, name));
    removeTemporaryFiles(dir);
    if (!hasCheckpoint(dir) && !hasStartRecord(dir)) return;
    removeStartRecord(dir);
    removeCheckpoints(dir);
  });
}

/** Refuses a folder that is in use, that holds a run (unless `force`) or is none, before anything is computed or made. */
export function requireFreshFolder(dir: string, force: boolean): void {
  requireUnlocked(dir);
  requireNoRun(dir, force);
}

function requireNoRun(dir: string, force: boolean): void {
  const found = runFiles(dir);
  if (force) for (const name of found) if (!name.endsWith("/")) requireReplaceable(join(dir, name), "usage");
  if (found.length === 0 || force) return;
  const goesOn = [`${CHECKPOINT_FOLDER}/`, DECK_FILE].some((name) => found.includes(name));
  const resume = goesOn ? `, continue that run with --resume ${dir}` : "";
  throw new GravmeshError(
    "usage",
    `${dir} already holds a run (${someOf(found)}). Nothing was changed. ` +
      `Choose another folder with --out${resume}, or replace the run with --force.`,
  );
}

/** Makes `dir` ready for a new run and takes it; with `force` it is cleared of an earlier one. Throws "usage", "io". */
export function prepareResultFolder(dir: string, { force = false }: { force?: boolean } = {}): FolderLock {
  requireFreshFolder(dir, force);
  const lock = claimFolder(dir);
  try {
    requireNoRun(dir, force); // another process may have come and gone
    clearRun(dir); // a process that was killed early leaves what is no run yet
    return lock;
  } catch (cause) {
    lock.release();
    throw fileError("use the result folder", dir, cause);
  }
}
