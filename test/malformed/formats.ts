/**
 * Damaged files of particles: a sound one of every format (eight.ts), cut, with other bytes, with bytes that are gone or
 * there twice, sets of which a part is missing, exchanged or of another snapshot; converted, or read by a deck. What comes
 * out is held against the eight particles that went in.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Choice, type MalformedCase, type Setup, writtenBy } from "./case.ts";
import { goodDeck } from "./decks.ts";
import { COUNT, type Range, ROWS, type Row, type Sound, type SoundFile, soundFiles } from "./eight.ts";
import type { Ending, Verdict } from "./judge.ts";

/** What may come of a damaged file, apart from a message. */
export interface Expected {
  /** A table of what was read, in the case's folder. */
  table: string;
  hasIds: boolean;
  hasTypes: boolean;
  /** All of the damage lies within numbers that have no sum. */
  mayChange: boolean;
  /** It touches names of ids or types, which other columns may have. */
  mayLose: boolean;
}

interface Damage {
  title: string;
  bytes: Buffer;
  /** Of the sound file. */
  at: Range;
}

/** What 4 bytes may be made. */
const HUGE = [0x7fffffff, 0xffffffff, 0x80000000, 0, 0x7fc00000, 0x7f800000, 1];

type Spoiler = (good: Buffer, choice: Choice) => Damage;

/** Bytes from `at` on made others; the damage begins and ends where they differ. */
function made(title: string, good: Buffer, at: number, others: Buffer): Damage {
  const bytes = Buffer.concat([
    good.subarray(0, at),
    others.subarray(0, good.length - at),
    good.subarray(at + others.length),
  ]);
  const differing = Array.from(good.keys()).filter((k) => bytes[k] !== good[k]);
  const [first = 0, last = -1] = [differing[0], differing.at(-1)];
  return { title: `${title} at ${at}`, bytes, at: [first, last + 1] };
}

const SPOILERS: Spoiler[] = [
  (good, choice) => {
    const at = choice.below(good.length);
    return { title: `cut at ${at}`, bytes: good.subarray(0, at), at: [at, good.length] };
  },
  (good, choice) => {
    const at = choice.below(good.length);
    const bit = 1 << choice.below(8);
    return made(`bit ${bit} changed`, good, at, Buffer.of(good[at] ^ bit));
  },
  (good, choice) => {
    const byte = choice.below(256);
    return made(`byte ${byte}`, good, choice.below(good.length), Buffer.of(byte));
  },
  (good, choice) => {
    const value = choice.of(HUGE);
    const bytes = Buffer.alloc(4);
    if (choice.uniform() < 0.5) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    // Most counts, marks and numbers lie at multiples of four.
    return made(value.toString(16), good, 4 * choice.below(Math.floor(good.length / 4)), bytes);
  },
  (good, choice) => made("zeros", good, choice.below(good.length), Buffer.alloc(choice.of([8, 64, 512]))),
  (good, choice) => {
    const at = choice.below(good.length);
    const length = 1 + choice.below(40);
    const bytes = Buffer.concat([good.subarray(0, at), good.subarray(at + length)]);
    return { title: `${length} bytes gone at ${at}`, bytes, at: [at, Math.min(good.length, at + length)] };
  },
  (good, choice) => {
    const at = choice.below(good.length);
    const length = 1 + choice.below(40);
    const bytes = Buffer.concat([good.subarray(0, at + length), good.subarray(at)]);
    return { title: `${length} bytes twice at ${at}`, bytes, at: [at, Math.min(good.length, at + length)] };
  },
  (good) => ({ title: "the file twice", bytes: Buffer.concat([good, good]), at: [0, good.length] }),
];

const within = ([from, to]: Range, ranges: readonly Range[]) =>
  Array.from({ length: to - from }, (_, k) => from + k).every((at) => ranges.some(([a, b]) => at >= a && at < b));
const touches = ([from, to]: Range, ranges: readonly Range[]) => ranges.some(([a, b]) => from < b && to > a);

/** A set as it lies in the folder. */
type Files = Record<string, Buffer>;
const filesOf = ({ files }: Sound): Files => Object.fromEntries(files.map(({ name, bytes }) => [name, bytes]));

/** What goes wrong with sets. */
const OF_SETS: ((sound: Sound, choice: Choice) => { title: string; files: Files })[] = [
  (sound, choice) => {
    const files = filesOf(sound);
    const { name } = choice.of(sound.files.slice(1));
    delete files[name];
    return { title: `${name} is missing`, files };
  },
  (sound) => {
    const [first, second, ...others] = sound.files;
    const files = Object.fromEntries(others.map(({ name, bytes }) => [name, bytes]));
    return {
      title: "two parts exchanged",
      files: { ...files, [first.name]: second.bytes, [second.name]: first.bytes },
    };
  },
  (sound) => {
    const [first, second] = sound.files;
    return { title: "a part twice", files: { ...filesOf(sound), [second.name]: first.bytes } };
  },
];

/** `count` cases, as many of each kind. */
export async function formatCases(choice: Choice, count: number): Promise<MalformedCase[]> {
  const kinds = await soundFiles();
  return Array.from({ length: count }, (_, number) => {
    const sound = kinds[number % kinds.length];
    const round = Math.floor(number / kinds.length);
    if (round === 0) return caseOf(choice, sound, { title: "sound", files: filesOf(sound) });
    const isSet = sound.files.length > 1;
    if (isSet && round <= OF_SETS.length) return caseOf(choice, sound, OF_SETS[round - 1](sound, choice));
    const file = choice.of(sound.files);
    const damage = choice.of(SPOILERS)(file.bytes, choice);
    const title = isSet ? `${damage.title} of ${file.name}` : damage.title;
    const files = { ...filesOf(sound), [file.name]: damage.bytes };
    return caseOf(choice, sound, { title, files, damaged: { file, damage } });
  });
}

interface Damaged {
  title: string;
  files: Files;
  damaged?: { file: SoundFile; damage: Damage };
}

/** What formats don't hold. */
const WITHOUT_IDS = ["o.tipsy", "o.nemo"];
const WITHOUT_TYPES = "o.nemo";
const TARGETS = ["o.csv", "o.npz", "o.npy", "o.g1", "o.g2", "o.hdf5", ...WITHOUT_IDS];

function caseOf(choice: Choice, sound: Sound, { title, files, damaged }: Damaged): MalformedCase {
  const { kind, format, hasIds, hasTypes } = sound;
  const [{ name: first }] = sound.files;
  const setup: Setup[] = Object.entries(files).map(([name, bytes]) => ({
    write: name,
    base64: bytes.toString("base64"),
  }));
  const at = damaged?.damage.at ?? [0, 0];
  const expected: Expected = {
    ...{ table: "o.csv", hasIds, hasTypes },
    mayChange: damaged !== undefined && within(at, damaged.file.numbers),
    mayLose: damaged !== undefined && touches(at, damaged.file.names),
  };
  const base = { kind, title: `${kind}: ${title}`, setup, expected };
  const known = choice.uniform() < 0.5;
  if (choice.uniform() < 0.15) {
    const oneStep = goodDeck().replace("end = 0.1", "end = 0.05");
    const text = oneStep.replace(
      /\[\[particles\]\][\s\S]*$/,
      `[[particles]]\nkind = "snapshot"\nfile = "${first}"\nformat = "${known ? format : "auto"}"\noffset = [0, 0, 0]\n`,
    );
    return {
      ...base,
      setup: [{ write: "deck.toml", text }, ...setup],
      args: ["run", "./deck.toml", "--backend", "cpu", "--out", "out", "--quiet"],
      after: ["convert", "out/snapshot_000.hdf5", "o.csv", "--quiet"],
      expected: { ...expected, hasIds: false },
    };
  }
  const target = choice.of(TARGETS);
  const args = ["convert", first, target, "--double", "--quiet", ...(known ? ["--from", format] : [])];
  if (target === "o.csv") return { ...base, args };
  return {
    ...{ ...base, args, after: ["convert", target, "o.csv", "--quiet"] },
    expected: {
      ...expected,
      hasIds: hasIds && !WITHOUT_IDS.includes(target),
      hasTypes: hasTypes && target !== WITHOUT_TYPES,
    },
  };
}

/** The rows of a table that convert wrote. */
function rowsOf(file: string): Row[] {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split(",");
  return lines
    .filter((line) => !line.startsWith("#"))
    .map((line) => {
      const fields = line.split(",");
      const of = (name: string) => fields[names.indexOf(name)] ?? "";
      return { numbers: fields.slice(0, 7).join(), species: of("species"), id: of("id") };
    });
}

const isFinite7 = ({ numbers }: Row) => {
  const values = numbers.split(",");
  return values.length === 7 && values.every((one) => one !== "" && Number.isFinite(Number(one)));
};

/** What came of a damaged file, where the command itself ended as it should. */
export function verdictOnParticles(one: MalformedCase, ending: Ending, verdict: Verdict, folder: string): Verdict {
  const { expected } = one;
  if (expected === undefined || typeof verdict !== "string" || verdict === "stopped") return verdict;
  const fault = (text: string) => ({ fault: text });
  if (verdict !== "ran") {
    const left = readdirSync(folder).filter((name) => name !== "out" && !writtenBy(one.setup).includes(name));
    if (left.length > 0) return fault(`refused, but ${left.join(", ")} was written`);
    // Numbers that were taken for others may stop a run later on.
    const isOfRun = expected.mayChange && one.args[0] === "run";
    const isNamed = /\bs\.\w|component "snapshot"/.test(ending.stderr);
    return isNamed || isOfRun ? verdict : fault("a message without the file's name");
  }
  const table = join(folder, expected.table);
  if (!existsSync(table)) return fault("nothing was written");
  const rows = rowsOf(table);
  if (rows.length !== COUNT) return fault(`${rows.length} particles of ${COUNT}`);
  const wrong = rows.find((row) => !isFinite7(row));
  if (wrong) return fault(`numbers that aren't finite: ${wrong.numbers}`);
  const same = (text: (row: Row) => string) => rows.map(text).sort().join("\n") === ROWS.map(text).sort().join("\n");
  if (same(({ numbers }) => numbers)) {
    const whole = same(
      ({ numbers, species, id }) => `${numbers} ${expected.hasTypes ? species : ""} ${expected.hasIds ? id : ""}`,
    );
    if (whole) return "unchanged";
    return expected.mayChange || expected.mayLose ? "other numbers" : fault("other ids or types");
  }
  return expected.mayChange ? "other numbers" : fault("other numbers, where the file could tell");
}
