/** The deck that a SCENARIO argument means, a path or the name of one that ships, and the files it names. */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { GravmeshError } from "../foundation/base/errors.ts";
import { nearestWord } from "../foundation/base/nearest-word.ts";
import type { FileReading } from "../foundation/deck/file-formats.ts";
import { cut } from "../foundation/deck/problems.ts";
import { resolveFiles } from "../physics/initial/components.ts";
import { parseScenario } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { readRegularFile } from "./io/regular-file.node.ts";
import { openSnapshot, snapshotMoment } from "./io/snapshot.node.ts";
import type { FileSource, ReadOptions } from "./io/snapshot-particles.ts";
import { isStandardInput, keepStandardInput, STDIN, standardInput } from "./io/standard-input.node.ts";
import { STDIN_FILE } from "./outputs/deck.ts";

/** The package's own scenarios; the path is the same from src/doors/cli and from the built chunks in dist. */
const scenariosFolder = fileURLToPath(new URL("../../scenarios", import.meta.url));

function scenarioNames(): string[] {
  const names = existsSync(scenariosFolder) ? readdirSync(scenariosFolder) : [];
  return names.flatMap((name) => (name.endsWith(".toml") ? [basename(name, ".toml")] : [])).sort();
}

const LONGEST_NAME = 200;

/** The file that `argument` means. Throws "usage" with the nearest name when there is none. */
export function scenarioFile(argument: string): string {
  if (argument === STDIN) return standardInput(LARGEST_DECK);
  const isPath = /[\\/]/.test(argument) || argument.endsWith(".toml");
  // What is there but leads nowhere, a link in a loop, is said when it is read.
  if (isPath && isThere(argument)) return argument;
  const names = scenarioNames();
  const bare = basename(argument, ".toml");
  if (!isPath && names.includes(bare)) return join(scenariosFolder, `${bare}.toml`);
  const near = nearestWord(bare, names);
  const advice = near ? `Did you mean ${near}?` : `Scenarios that ship with gravmesh: ${names.join(", ")}.`;
  const missing = `${isPath ? "deck at" : "named"} ${cut(argument, LONGEST_NAME)}`;
  throw new GravmeshError("usage", `No scenario ${missing}. ${advice}`);
}

function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ELOOP";
  }
}

/** Ready-made decks have 1 to 4 KiB; one of a thousand components, as run, 1.5 MiB [byte]. */
const LARGEST_DECK = 4 * 2 ** 20;

/** The text of a deck. Throws "usage" for what is no regular file, no text, or far too large. */
export function deckTextIn(file: string): string {
  return readRegularFile(file, { what: "The scenario deck", limit: LARGEST_DECK, kind: "usage" });
}

/**
 * A checked deck with overrides, its name for the result folder; its files are relative to itself, or to `filesFrom` of an
 * ensemble. The deck, or one of the files, may come by stdin, within `withStandardInput`. Throws "scenario", "usage".
 */
export function loadScenario(argument: string, overrides: readonly string[], filesFrom?: string) {
  const file = scenarioFile(argument);
  const text = deckTextIn(file);
  const scenario = parseScenario(text, { file: argument === STDIN ? "stdin" : shortest(file), overrides });
  const folder = filesFrom ?? filesOf(argument, file);
  let taken = argument === STDIN;
  placeFiles(scenario, (name, limit) => {
    if (name !== STDIN) return resolve(folder, name);
    const found = taken ? "a second one" : "an ensemble, whose members all need it";
    if (taken || filesFrom !== undefined) {
      throw new GravmeshError(
        "usage",
        `- stands for stdin, which only one file can come by, found ${found}: name a file.`,
      );
    }
    taken = true;
    return standardInput(limit);
  });
  return { scenario, name: argument === STDIN ? "stdin" : basename(file, ".toml") };
}

/** The folder that the files of a deck are relative to; `file`: where it is. */
export const filesOf = (argument: string, file: string) => (argument === STDIN ? "." : dirname(file));

/** Puts what `place` makes of it in the place of every file that a scenario names. */
function placeFiles(scenario: Scenario, place: (file: string, limit?: number) => string): void {
  resolveFiles(scenario, (file) => place(file));
  const { cosmology } = scenario;
  if (cosmology.transfer === "file") cosmology.file = place(cosmology.file, LARGEST_TABLE);
}

/** What came by stdin goes into the result folder, where the deck as run finds it again. Throws "io". */
export function keepInFolder(scenario: Scenario, folder: string): void {
  const kept = resolve(folder, STDIN_FILE);
  placeFiles(scenario, (file) => {
    if (!isStandardInput(file)) return file;
    keepStandardInput(kept);
    return kept;
  });
}

/** A table of CLASS or CAMB has some thousand rows; this is a hundred times one of them [byte]. */
const LARGEST_TABLE = 64 * 2 ** 20;

/** Reads the text of a table: by default of a power spectrum. Throws "input". */
export async function loadText(file: string, what = "cosmology.file: the table"): Promise<string> {
  return readRegularFile(file, { what, limit: LARGEST_TABLE });
}

/** Readers of a scenario's files. `admit` gets the number of particles before a snapshot is read, and may throw. */
export function fileLoaders({ units, time, cosmology }: Scenario, admit?: (particles: number) => void) {
  let particles = 0;
  const comoving = time.clock === "comoving";
  const reading = {
    ...{ units: units.system, comoving, ...(comoving && { scaleFactor: time.start, h: cosmology.h }) },
    admit: (count: number) => {
      particles += count;
      admit?.(particles);
    },
  };
  return { loadText, loadSnapshot: (file: string, as: FileReading = {}) => startFrom(file, { ...reading, as }) };
}

/** How the files that a run with this deck has written are read: positions alone, or velocities as its state has them too. */
function asWritten({ units, time }: Scenario, need: "positions" | "start"): ReadOptions {
  return { units: units.system, need, comoving: time.clock === "comoving" };
}

/** The particles of a snapshot that a run with this deck has written; masses are those of the file. Throws "input". */
export const ownSnapshot = (file: string, scenario: Scenario, need: "positions" | "start" = "positions") =>
  openSnapshot(file, asWritten(scenario, need));

/** Its time, and how many particles it has, without reading them. Throws "input". */
export const ownMoment = (file: string, scenario: Scenario) => snapshotMoment(file, asWritten(scenario, "positions"));

async function startFrom(file: string, reading: ReadOptions): Promise<FileSource> {
  const source = await openSnapshot(file, reading);
  if (source.every === 1) return source;
  throw new GravmeshError(
    "input",
    `${file}: this is a subsample, every ${source.every}th particle of a snapshot with the mass of one: it is no state to ` +
      "start from. Take a whole snapshot.",
  );
}

/** `file` as a person would type it. */
function shortest(file: string): string {
  const near = relative(process.cwd(), file);
  return near.length < file.length && !near.startsWith("..") ? near : file;
}
