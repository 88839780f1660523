// Whether two result folders hold the same run: particles and haloes bit for bit, tables and summary to the letter,
// the report but for times and dates.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import h5wasm from "h5wasm/node";

/**
 * Keys of summary.json that say how long things took and when, which stages were timed, what the last process held beside
 * particles and mesh, and how often the host turned to the device: a submission holds the steps that fit into a time.
 */
const OF_PROCESS =
  /seconds|PerSecond|started|finished|resumes|^(stages|share|total|other|submissions|waits|bytesRead)$/i;
const TEMPORARY = /\.part-\d+$|^\.gravmesh-lock/;

/** In words, a line each, what differs; empty when nothing does. */
export async function differences(expected, found) {
  const names = (folder) => readdirSync(folder).sort();
  const left = [...names(found), ...readdirSync(join(found, "checkpoint"))].filter((name) => TEMPORARY.test(name));
  const told = left.map((name) => `${name} is left behind`);
  const [whole, there] = [names(expected), names(found).filter((name) => !TEMPORARY.test(name))];
  told.push(...whole.filter((name) => !there.includes(name)).map((name) => `${name} is missing`));
  told.push(...there.filter((name) => !whole.includes(name)).map((name) => `${name} is too many`));
  for (const name of whole.filter((one) => there.includes(one) && one !== "checkpoint")) {
    const [a, b] = [join(expected, name), join(found, name)];
    told.push(...(await kindOf(name)(a, b)).map((difference) => `${name}: ${difference}`));
  }
  return told;
}

function kindOf(name) {
  if (name.endsWith(".hdf5")) return inHdf5;
  if (name === "summary.json") return inSummary;
  if (name === "report.html") return inReport;
  return inText;
}

function inText(a, b) {
  return firstDifference(readFileSync(a, "utf8").split("\n"), readFileSync(b, "utf8").split("\n"), "line");
}

function firstDifference(one, other, what) {
  const at = one.findIndex((line, i) => line !== other[i]);
  if (at < 0 && one.length === other.length) return [];
  if (at < 0) return [`expected ${one.length} ${what}s, found ${other.length}`];
  return [`${what} ${at + 1}: expected ${brief(one[at])}, found ${brief(other[at])}`];
}

const brief = (text) => (String(text).length > 100 ? `${String(text).slice(0, 100)}…` : String(text));

function inSummary(a, b) {
  const timeless = (file) => {
    const kept = (key, value) => (OF_PROCESS.test(key) ? undefined : value);
    return JSON.stringify(JSON.parse(readFileSync(file, "utf8")), kept, 1).split("\n");
  };
  return firstDifference(timeless(a), timeless(b), "line");
}

function inReport(a, b) {
  const timeless = (file) =>
    readFileSync(file, "utf8")
      .replace(/<figure>(?:(?!<\/figure>).)*Time per stage.*?<\/figure>/gs, "(times)")
      .replace(/(<dt>(?:Wall time|Particle updates|Pairs|Speed)<\/dt><dd>).*?<\/dd>/gs, "$1(time)</dd>")
      .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "(date)")
      .split(/(?<=>)/);
  return firstDifference(timeless(a), timeless(b), "element");
}

async function inHdf5(a, b) {
  await h5wasm.ready;
  const [one, other] = [contents(a), contents(b)];
  const told = [];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const [x, y] = [one.get(name), other.get(name)];
    if (x === undefined || y === undefined) told.push(`${name} is ${y === undefined ? "missing" : "too many"}`);
    else if (!x.equals(y)) told.push(`${name} has other bits`);
  }
  return told;
}

/** Bytes of every dataset and attribute, by path. */
function contents(path) {
  const file = new h5wasm.File(path, "r");
  const found = new Map();
  const bytes = (value) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength))
      : Buffer.from(JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)));
  const visit = (node, name) => {
    for (const [key, attribute] of Object.entries(node.attrs)) found.set(`${name}@${key}`, bytes(attribute.value));
    if (node.type === "Dataset") found.set(name, Buffer.concat([bytes([node.dtype, node.shape]), bytes(node.value)]));
    else for (const key of node.keys()) visit(node.get(key), `${name}/${key}`);
  };
  visit(file, "");
  file.close();
  return found;
}
