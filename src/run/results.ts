/** NAME.json, NAME.csv and NAME.html of an instrument in its result folder, each always the old file or the new one. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { GravmeshError } from "../foundation/base/errors.ts";
import { EXIT } from "./failure.ts";
import { makeFolders, removeDeadParts, requireReplaceable, writeFileAtomic } from "./io/files.node.ts";
import { type FolderLock, isLockName, lockFolder, requireUnlocked } from "./lock.ts";

/** "failed": a part has failed, the others are there. */
export type Status = "complete" | "interrupted" | "failed";

export const EXIT_OF: Record<Status, number> = {
  complete: EXIT.success,
  interrupted: EXIT.interrupted,
  failed: EXIT.failed,
};

export function writeJson(file: string, content: object): void {
  writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** At most three of the names, for messages. */
export function someOf(names: readonly string[]): string {
  return names.slice(0, 3).join(", ") + (names.length > 3 ? `, … (${names.length} in all)` : "");
}

/** Names in a folder, but for locks; none where there is none. Throws "usage" for a file. */
export function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (statSync(folder).isDirectory()) return readdirSync(folder).filter((name) => !isLockName(name));
  throw new GravmeshError(
    "usage",
    `${folder} is a file; expected a folder for the results. Choose another with --out.`,
  );
}

/** Makes a folder, takes it for this process and removes what killed writers left there. Throws "io", "usage". */
export function claimFolder(folder: string): FolderLock {
  makeFolders(folder);
  const lock = lockFolder(folder);
  removeDeadParts(folder);
  return lock;
}

export class ResultFiles<R extends { status: Status }> {
  #lock: FolderLock | undefined;

  constructor(
    readonly folder: string,
    private readonly name: string,
  ) {}

  /** Makes the folder and takes it for this process until `release`. Throws as claimFolder and requireEmpty do. */
  claim(force: boolean): void {
    this.#lock = claimFolder(this.folder);
    this.requireEmpty(force);
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** Throws "usage" for a folder that is in use, or holds something, unless `force`. */
  requireEmpty(force: boolean): void {
    if (!this.#lock) requireUnlocked(this.folder);
    const found = namesIn(this.folder);
    const own = (["json", "csv", "html"] as const).map((ending) => this.#file(ending));
    for (const file of own) requireReplaceable(file, "usage");
    if (found.length === 0 || force) return;
    throw new GravmeshError(
      "usage",
      `${this.folder} is not empty (${someOf(found)}). Nothing was changed. Choose another folder with --out, or with ` +
        `--force let ${own.map((file) => basename(file)).join(", ")} be replaced; other files stay as they are.`,
    );
  }

  /** Writes the record as it is: whatever happens next, this is kept. Makes the folder. */
  save(record: R): void {
    makeFolders(this.folder);
    writeJson(this.#file("json"), record);
  }

  /** Writes the record and what is made of it only now, and reports where they are; the exit code. */
  close(
    record: R,
    { csv, html }: { csv?: () => string; html: () => string },
    report: (at: { folder: string; page: string }) => void,
  ): number {
    this.save(record);
    if (csv) writeFileAtomic(this.#file("csv"), csv());
    writeFileAtomic(this.#file("html"), html());
    report({ folder: resolve(this.folder), page: resolve(this.#file("html")) });
    return EXIT_OF[record.status];
  }

  #file(ending: "json" | "csv" | "html"): string {
    return join(this.folder, `${this.name}.${ending}`);
  }
}

/** A set of several files goes by its first. */
const NAMES = { snapshots: /^snapshot_\d{3,}(\.0)?\.hdf5$/, subsamples: /^subsample_\d{3,}(\.0)?\.hdf5$/ };
export type ParticleFiles = keyof typeof NAMES;

/** Names of the files of a kind in a result folder, in the order of their times. */
export function particleFiles(folder: string, kind: ParticleFiles): string[] {
  return namesIn(folder)
    .filter((name) => NAMES[kind].test(name))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
