/**
 * The result folder of a run: which of its files are a run's (those that the outputs name, and checkpoints), and how it
 * is made ready for a new one. Foreign files in it are never touched.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { GravmeshError } from "../errors.ts";
import { fileError, isTemporaryName } from "../io/files.node.ts";
import { CHECKPOINT_FOLDER, hasCheckpoint, removeCheckpoints } from "./checkpoint.ts";
import { type FolderLock, requireUnlocked } from "./lock.ts";
import { outputs } from "./outputs/index.ts";
import { claimFolder, namesIn, someOf } from "./results.ts";

/** Names in `dir` that belong to a gravmesh run, folders with a trailing slash. */
function runFiles(dir: string): string[] {
  const files = outputs().flatMap((output) => output.files);
  const own = namesIn(dir).filter((name) =>
    files.some((file) => (typeof file === "string" ? file === name : file.test(name))),
  );
  return hasCheckpoint(dir) ? [...own, `${CHECKPOINT_FOLDER}/`] : own;
}

/** Removes what writers that were killed left behind. */
export function removeTemporaryFiles(dir: string): void {
  for (const folder of [dir, join(dir, CHECKPOINT_FOLDER)]) {
    for (const name of namesIn(folder)) if (isTemporaryName(name)) rmSync(join(folder, name), { force: true });
  }
}

function removeRun(dir: string): void {
  for (const name of runFiles(dir)) if (!name.endsWith("/")) rmSync(join(dir, name), { force: true });
  removeTemporaryFiles(dir);
  removeCheckpoints(dir);
}

/** Refuses a folder that is in use, that holds a run (unless `force`) or is none, before anything is computed or made. */
export function requireFreshFolder(dir: string, force: boolean): void {
  requireUnlocked(dir);
  requireNoRun(dir, force);
}

function requireNoRun(dir: string, force: boolean): void {
  const found = runFiles(dir);
  if (found.length === 0 || force) return;
  const resume = found.includes(`${CHECKPOINT_FOLDER}/`) ? `, continue that run with --resume ${dir}` : "";
  throw new GravmeshError(
    "usage",
    `${dir} already holds a run (${someOf(found)}). Nothing was changed. ` +
      `Choose another folder with --out${resume}, or replace the run with --force.`,
  );
}

/**
 * Makes `dir` ready for a new run and takes it for this process; with `force` it is cleared of the files of an earlier
 * one. Throws "usage", "io".
 */
export function prepareResultFolder(dir: string, { force = false }: { force?: boolean } = {}): FolderLock {
  requireFreshFolder(dir, force);
  const lock = claimFolder(dir);
  try {
    requireNoRun(dir, force); // another process may have come and gone
    if (runFiles(dir).length > 0) removeRun(dir);
    return lock;
  } catch (cause) {
    lock.release();
    throw fileError("use the result folder", dir, cause);
  }
}
