/**
 * Eight particles in a sound file of every format, written from the formats' descriptions, with the places of the file
 * where another byte means other numbers and nobody can tell: formats without sums have such places, the others none.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blocksOf } from "../../src/physics/particles/blocks.ts";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { SPECIES } from "../../src/physics/particles/state.ts";
import { writeSnapshotBlocks } from "../../src/run/io/snapshot.node.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

export const COUNT = 8;
/** By type: those that every format but NEMO's has. */
const COUNTS = [3, 3, 0, 0, 2, 0];
const TYPES = COUNTS.flatMap((n, type) => Array<number>(n).fill(type));
/** Of all halo particles, so that headers may say it. */
const HALO_MASS = 1.5;
const indices = Array.from({ length: COUNT }, (_, i) => i);
/** [3N], [3N], [N], [N]: float32 has them all exactly, and so has a box of 8 in 32 bits. */
const X = indices.flatMap((i) => [0, 1, 2].map((k) => 1 + (3 * i + k) / 8));
const V = X.map((x, k) => (k % 2 === 0 ? -x : x) / 16);
const M = indices.map((i) => (TYPES[i] === 1 ? HALO_MASS : (4 + i) / 4));
const IDS = [13, 10, 15, 12, 17, 14, 11, 16];

/** A particle as a row of a table. */
export interface Row {
  numbers: string;
  species: string;
  id: string;
}

/** What is to come out of a sound file. */
export const ROWS: readonly Row[] = indices.map((i) => ({
  numbers: [...X.slice(3 * i, 3 * i + 3), ...V.slice(3 * i, 3 * i + 3), M[i]].join(),
  species: SPECIES[TYPES[i]],
  id: String(IDS[i]),
}));

export type Range = readonly [from: number, to: number];

export interface SoundFile {
  name: string;
  bytes: Buffer;
  /** Where another byte is another number [byte]. */
  numbers: Range[];
  /** Names of ids and types: under another name they aren't there. */
  names: Range[];
}

export interface Sound {
  /** A row of the table. */
  kind: string;
  /** As --from takes it. */
  format: string;
  /** The parts of a snapshot; the first is read. */
  files: SoundFile[];
  hasIds: boolean;
  /** Of all types, not gas and stars alone. */
  hasTypes: boolean;
}

/** Bytes as they are put together. */
class Layout {
  readonly #pieces: Buffer[] = [];
  #at = 0;
  readonly numbers: Range[] = [];
  readonly names: Range[] = [];

  add(data: Buffer | string, role?: "numbers" | "names"): this {
    const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : data;
    if (role) this[role].push([this.#at, this.#at + bytes.length]);
    this.#pieces.push(bytes);
    this.#at += bytes.length;
    return this;
  }

  file(name: string): SoundFile {
    return { name, bytes: Buffer.concat(this.#pieces), numbers: this.numbers, names: this.names };
  }
}

type Numbers = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
const bytesOf = (values: Numbers) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
const reals = (values: readonly number[]) => bytesOf(Float32Array.from(values));
const int = (...values: number[]) => bytesOf(Int32Array.from(values));

/** `reserved`: bytes that mean nothing aren't 0. */
function gadget(format: 1 | 2, reserved = false): Sound {
  const layout = new Layout();
  const block = (name: string, data: Buffer, fill: () => void) => {
    if (format === 2) {
      layout
        .add(int(8))
        .add(name, name === "ID  " ? "names" : undefined)
        .add(int(data.length + 8, 8));
    }
    layout.add(int(data.length));
    fill();
    layout.add(int(data.length));
  };
  const header = Buffer.alloc(256);
  for (const [type, n] of COUNTS.entries()) {
    header.writeInt32LE(n, 4 * type);
    header.writeInt32LE(n, 96 + 4 * type);
  }
  header.writeDoubleLE(HALO_MASS, 32);
  header.writeDoubleLE(0.5, 72);
  header.writeInt32LE(1, 124);
  header.writeDoubleLE(8, 128);
  if (reserved) header.fill(0xa5, 160);
  block("HEAD", header, () =>
    layout
      .add(header.subarray(0, 32))
      .add(header.subarray(32, 40), "numbers")
      .add(header.subarray(40, 128))
      // The side of the box: a deck puts its middle onto that of its own.
      .add(header.subarray(128, 136), "numbers")
      .add(header.subarray(136)),
  );
  const own = M.filter((_, i) => TYPES[i] !== 1);
  for (const [name, data] of [
    ["POS ", reals(X)],
    ["VEL ", reals(V)],
    ["ID  ", int(...IDS)],
    ["MASS", reals(own)],
  ] as const)
    block(name, data, () => layout.add(data, "numbers"));
  const kind = `gadget-${format}`;
  return {
    kind: `${kind}${reserved ? ", reserved" : ""}`,
    format: kind,
    files: [layout.file(`s.g${format}`)],
    hasIds: true,
    hasTypes: true,
  };
}

function tipsy(pad = 0): Sound {
  const layout = new Layout();
  const header = Buffer.alloc(32);
  header.writeDoubleBE(0.5, 0);
  for (const [k, value] of [COUNT, 3, COUNTS[0], COUNTS[1], COUNTS[4]].entries()) header.writeInt32BE(value, 8 + 4 * k);
  header.writeInt32BE(pad, 28);
  layout.add(header);
  const floats: Record<number, number> = { 0: 12, 1: 9, 4: 11 };
  for (const i of indices) {
    const record = Buffer.alloc(4 * floats[TYPES[i]]);
    for (const [k, value] of [M[i], ...X.slice(3 * i, 3 * i + 3), ...V.slice(3 * i, 3 * i + 3)].entries())
      record.writeFloatBE(value, 4 * k);
    layout.add(record, "numbers");
  }
  return {
    kind: pad === 0 ? "tipsy" : "tipsy, pad",
    format: "tipsy",
    files: [layout.file("s.tipsy")],
    hasIds: false,
    hasTypes: true,
  };
}

function nemo(): Sound {
  const layout = new Layout();
  const item = (type: string, tag: string, data = Buffer.alloc(0), dims: number[] = [], isData = false) => {
    layout.add(Buffer.from(Uint16Array.of(dims.length > 0 ? 2962 : 2450).buffer)).add(`${type}\0`);
    if (type !== ")") layout.add(tag, tag === "Ngas" ? "names" : undefined).add("\0");
    if (dims.length > 0) layout.add(int(...dims, 0));
    layout.add(data, isData ? "numbers" : undefined);
  };
  item("c", "History", Buffer.from("by hand\0"), [8]);
  item("(", "SnapShot");
  item("(", "Parameters");
  item("i", "Nobj", int(COUNT));
  item("i", "Ngas", int(COUNTS[0]), [], true);
  item("d", "Time", bytesOf(Float64Array.of(0.5)));
  item(")", "");
  item("(", "Particles");
  item("i", "CoordSystem", int((1 << 16) | (3 << 8) | 2));
  item("f", "Mass", reals(M), [COUNT], true);
  const phase = indices.flatMap((i) => [...X.slice(3 * i, 3 * i + 3), ...V.slice(3 * i, 3 * i + 3)]);
  item("f", "PhaseSpace", reals(phase), [COUNT, 2, 3], true);
  item(")", "");
  item(")", "");
  return { kind: "nemo", format: "nemo", files: [layout.file("s.nemo")], hasIds: false, hasTypes: false };
}

function csv(): Sound {
  const layout = new Layout().add("x,y,z,vx,vy,vz,mass,").add("id", "names").add(",").add("species", "names").add("\n");
  layout.add(`# Particles = ${COUNT}\n# Time = 0.5\n`);
  for (const [i, { numbers, id, species }] of ROWS.entries()) {
    for (const field of [...numbers.split(","), id]) layout.add(field, "numbers").add(",");
    layout.add(`${species}${i % 2 === 0 ? "\n" : "\r\n"}`);
  }
  return { kind: "csv", format: "csv", files: [layout.file("s.csv")], hasIds: true, hasTypes: true };
}

/** Lines of counts, comments of names and units, Fortran's exponents. */
function text(): Sound {
  const layout = new Layout().add(`${COUNT} 3 0.5\n#x y z vx vy vz mass `).add("id species", "names");
  layout.add("\n#parsec parsec parsec kms kms kms MSun none none\n");
  for (const { numbers, id, species } of ROWS) {
    for (const field of numbers.split(",")) layout.add(`${field}D+00`, "numbers").add(" ");
    layout.add(id, "numbers").add(` ${species}\n`);
  }
  return { kind: "text of AMUSE", format: "csv", files: [layout.file("s.txt")], hasIds: true, hasTypes: true };
}

/** Records, whose header says how numbers are coded, without a sum. */
function npy(): Sound {
  const layout = new Layout();
  const fields = ["x", "y", "z", "vx", "vy", "vz", "mass"];
  const text = new Layout().add("{'descr': [");
  for (const name of fields) text.add(`('${name}', '`).add("<f4", "numbers").add("'), ");
  text.add("('").add("type", "names").add("', '").add("|u1", "numbers").add("'), ('").add("id", "names").add("', '");
  text.add("<i4", "numbers").add(`')], 'fortran_order': False, 'shape': (${COUNT},), }`);
  const said = text.file("").bytes;
  const length = 64 * Math.ceil((said.length + 11) / 64) - 10;
  layout.add(Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, length & 0xff, length >> 8]));
  for (const role of ["numbers", "names"] as const)
    layout[role].push(...text[role].map(([from, to]): Range => [from + 10, to + 10]));
  layout.add(said).add(`${" ".repeat(length - said.length - 1)}\n`);
  for (const i of indices) {
    const row = reals([...X.slice(3 * i, 3 * i + 3), ...V.slice(3 * i, 3 * i + 3), M[i]]);
    layout.add(Buffer.concat([row, Buffer.from([TYPES[i]]), int(IDS[i])]), "numbers");
  }
  return { kind: "npy", format: "npy", files: [layout.file("s.npy")], hasIds: true, hasTypes: true };
}

/** As NumPy's savez writes it, stored: a sum for each array, and a directory that repeats what stands before each. */
async function npz(): Promise<Sound> {
  const array = (descr: string, shape: string, data: Buffer) => {
    const said = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
    const head = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${said.padEnd(117)}\n`, "latin1");
    return Buffer.concat([head, data]);
  };
  const members: [string, Buffer][] = [
    ["pos", array("<f4", `(${COUNT}, 3)`, reals(X))],
    ["vel", array("<f4", `(${COUNT}, 3)`, reals(V))],
    ["mass", array("<f4", `(${COUNT},)`, reals(M))],
    ["id", array("<i4", `(${COUNT},)`, int(...IDS))],
    ["type", array("<i4", `(${COUNT},)`, int(...TYPES))],
    ["Time", array("<f8", "()", bytesOf(Float64Array.of(0.5)))],
  ];
  const { ZipWriter, Uint8ArrayReader, Uint8ArrayWriter, configure } = await import("@zip.js/zip.js");
  configure({ useWebWorkers: false });
  const options = { level: 0, dataDescriptor: false, extendedTimestamp: false, lastModDate: new Date(1980, 0, 1) };
  const zip = new ZipWriter(new Uint8ArrayWriter(), options);
  for (const [tag, data] of members) await zip.add(`${tag}.npy`, new Uint8ArrayReader(data));
  const layout = new Layout().add(Buffer.from(await zip.close()));
  return { kind: "npz", format: "npz", files: [layout.file("s.npz")], hasIds: true, hasTypes: true };
}

/** The first and the last particle of each file of a set, types across them. */
const PARTS: readonly Range[] = [
  [0, 2],
  [2, 5],
  [5, COUNT],
];

/** HDF5 of another code. `sums`: of the format since 1.8, whose headers have sums; the data have none. */
async function hdf5(kind: string, parts: readonly Range[], sums: boolean, folder: string): Promise<Sound> {
  const library = await import("h5wasm/node");
  await library.ready;
  const files = parts.map(([from, to], part): SoundFile => {
    const name = parts.length === 1 ? "s.hdf5" : `s.${part}.hdf5`;
    const path = join(folder, `${kind}-${name}`.replaceAll(" ", "-"));
    const file = new library.File(path, "w", sums ? { libver: ["v108", "v110"] } : {});
    const here = COUNTS.map((_, type) => TYPES.slice(from, to).filter((one) => one === type).length);
    const header = file.create_group("Header");
    header.create_attribute("NumPart_ThisFile", Int32Array.from(here), [6], "<i");
    header.create_attribute("NumPart_Total", Int32Array.from(COUNTS), [6], "<i");
    header.create_attribute(
      "MassTable",
      Float64Array.from(COUNTS, (_, type) => (type === 1 ? HALO_MASS : 0)),
      [6],
    );
    header.create_attribute("NumFilesPerSnapshot", Int32Array.of(parts.length), [], "<i");
    for (const [attribute, value] of Object.entries({ Time: 0.5, Redshift: 0, BoxSize: 8 }))
      header.create_attribute(attribute, Float64Array.of(value), [], "<d");
    const data: Buffer[] = [];
    for (const [type, n] of here.entries()) {
      if (n === 0) continue;
      const rows = indices.slice(from, to).filter((i) => TYPES[i] === type);
      const group = file.create_group(`PartType${type}`);
      const add = (dataset: string, values: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>, shape: number[]) => {
        group.create_dataset({ name: dataset, data: values, shape });
        data.push(bytesOf(values));
      };
      const three = (of: readonly number[]) => Float32Array.from(rows.flatMap((i) => of.slice(3 * i, 3 * i + 3)));
      add("Coordinates", three(X), [n, 3]);
      add("Velocities", three(V), [n, 3]);
      const ids = rows.map((i) => IDS[i]);
      add("ParticleIDs", Int32Array.from(ids), [n]);
      if (type !== 1) add("Masses", Float32Array.from(rows.map((i) => M[i])), [n]);
    }
    file.close();
    const bytes = readFileSync(path);
    const numbers = data.map((one): Range => [bytes.indexOf(one), bytes.indexOf(one) + one.length]);
    // Without sums of the headers a wrong byte in them may be another place or kind of the data.
    return { name, bytes, numbers: sums ? numbers : [[0, bytes.length]], names: [] };
  });
  return { kind, format: "gadget-hdf5", files, hasIds: true, hasTypes: true };
}

/** As a run writes it: sums of headers, of chunks and of each data set. */
async function own(kind: string, perFile: number | undefined, folder: string): Promise<Sound> {
  const components = COUNTS.flatMap((count, type) => {
    const species = SPECIES[type];
    return count === 0 ? [] : [{ name: species, species, first: TYPES.indexOf(type), count }];
  });
  const masses = Float64Array.from(M);
  const set = {
    ...{ count: COUNT, components, masses, positions: Float64Array.from(X), velocities: Float64Array.from(V) },
  };
  const path = join(folder, `${kind.replaceAll(" ", "-")}.hdf5`);
  const scenario = completeScenario({
    ...{ title: "T", box: { size: 8 }, mesh: { cells: 16 }, time: { end: 1, step: 0.1 } },
    particles: [{ kind: "plummer", count: COUNT }],
    output: perFile === undefined ? {} : { particlesPerFile: perFile },
  });
  const names = await writeSnapshotBlocks(
    path,
    {
      ...{ count: COUNT, components, bits: 64, masses: ParticleMasses.of(masses, components) },
      async *blocks() {
        yield* blocksOf(set, {});
      },
    },
    { scenario, time: 0.5, fields: ["positions", "velocities", "ids", "masses"] },
  );
  const files = names.map((name, part) => ({
    name: names.length === 1 ? "s.hdf5" : `s.${part}.hdf5`,
    ...{ bytes: readFileSync(name), numbers: [], names: [] },
  }));
  return { kind, format: "gadget-hdf5", files, hasIds: false, hasTypes: true };
}

/** One of every kind. */
export async function soundFiles(): Promise<Sound[]> {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-sound-"));
  try {
    return [
      ...[tipsy(), tipsy(32550), nemo(), csv(), text(), npy(), await npz(), gadget(1), gadget(1, true), gadget(2)],
      await hdf5("HDF5 of 1.8", [[0, COUNT]], true, folder),
      await hdf5("HDF5 before 1.8", [[0, COUNT]], false, folder),
      await hdf5("HDF5 in parts", PARTS, true, folder),
      await own("gravmesh's", undefined, folder),
      await own("gravmesh's parts", 3, folder),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
