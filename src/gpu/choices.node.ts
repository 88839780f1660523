/**
 * The choices between kernel shapes in a JSON file of the user's cache folder. It only saves measurements: whatever isn't
 * as this file writes it is ignored, and gone when the next choice is written.
 */
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ChoiceCache } from "./choices.ts";

/** A thousand choices make about 100 KiB [byte]. */
const LARGEST = 4 * 2 ** 20;

export class FileChoiceCache implements ChoiceCache {
  readonly #file: string;
  #choices: Map<string, string>;

  constructor(file = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gravmesh", "choices-1.json")) {
    this.#file = file;
    this.#choices = choicesIn(file);
  }

  get(key: string): string | undefined {
    return this.#choices.get(key);
  }

  /** Keeps what other processes have written since. */
  set(key: string, value: string): void {
    this.#choices = new Map([...this.#choices, ...choicesIn(this.#file), [key, value]]);
    const temporary = `${this.#file}.${process.pid}`;
    try {
      makeFolder(dirname(this.#file));
      writeFileSync(temporary, JSON.stringify(Object.fromEntries(this.#choices), null, 2));
      renameSync(temporary, this.#file);
    } catch {
      // A read-only home costs a measurement at the next start, nothing more.
      removed(temporary);
    }
  }
}

/** With those above it. Node's own "recursive" never ends below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** The texts by name in a JSON object; none where there is anything else. */
function choicesIn(file: string): Map<string, string> {
  try {
    // A pipe would be waited for, a device read for ever.
    const status = statSync(file);
    if (!status.isFile() || status.size > LARGEST) return new Map();
    const found: unknown = JSON.parse(textIn(file));
    if (typeof found !== "object" || found === null || Array.isArray(found)) return new Map();
    return new Map(Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map();
  }
}

/** Doesn't wait for a file of /proc that has nothing to say yet. */
function textIn(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

function removed(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It isn't there, or can't be reached.
  }
}
