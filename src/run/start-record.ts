/** checkpoint/run.json: with the deck, all to begin a run anew that was killed before its first checkpoint. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { GravmeshError } from "../foundation/base/errors.ts";
import { CHECKPOINT_FOLDER } from "./checkpoint.ts";
import { makeFolders, removeFile } from "./io/files.node.ts";
import { textOrNone } from "./io/regular-file.node.ts";
import { writeJson } from "./results.ts";

interface StartRecord {
  backend: "webgpu" | "cpu";
  extensions: string[];
}

const fileIn = (folder: string) => join(folder, CHECKPOINT_FOLDER, "run.json");

export function writeStartRecord(folder: string, record: StartRecord): void {
  const file = fileIn(folder);
  makeFolders(dirname(file));
  writeJson(file, record);
}

/** Undefined where there is none: a version before wrote the folder. Throws "input" for one that is damaged. */
export function readStartRecord(folder: string): StartRecord | undefined {
  const file = fileIn(folder);
  if (!hasStartRecord(folder)) return undefined;
  try {
    const { backend, extensions } = JSON.parse(textOrNone(file) ?? "") as StartRecord;
    const known = ["webgpu", "cpu"].includes(backend) && extensions.every((name) => typeof name === "string");
    if (known) return { backend, extensions };
  } catch {
    // Said below.
  }
  throw new GravmeshError(
    "input",
    `${file} is damaged. Remove it to begin the run in ${folder} anew on --backend auto.`,
  );
}

export function hasStartRecord(folder: string): boolean {
  return existsSync(fileIn(folder));
}

export function removeStartRecord(folder: string): void {
  removeFile(fileIn(folder));
}
