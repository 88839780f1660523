/**
 * orbits.hdf5: chosen particles at many times. Rows are written one after the other into a file that has room for more, NaN
 * where they are still to come, so that writing them changes nothing else: the file can be read at any time, and a process
 * that dies leaves it whole. Where room is short a larger file takes its place, and in the end one of the rows alone.
 */
import { GravmeshError } from "../base/errors.ts";
import { datasetIn, withBegunFile } from "./begun-file.node.ts";
import { requireFreeSpace } from "./files.node.ts";
import {
  type AttributeValue,
  breathe,
  type Hdf5,
  type Hdf5Dataset,
  type Hdf5File,
  loadHdf5,
  writeAttributes,
  writeHdf5,
} from "./hdf5.node.ts";

type Numbers = Float32Array | Float64Array;

export interface OrbitLayout {
  /** [K] */
  ids: Uint32Array;
  /** Of a component of a velocity. */
  bits: 32 | 64;
  /** Of the file, and of the data sets by name. */
  attributes: Readonly<Record<string, AttributeValue>>;
  about: Readonly<Record<string, Readonly<Record<string, AttributeValue>>>>;
}

/** A row as it is in the file. */
export interface OrbitFileRow {
  time: number;
  step: number;
  /** [3K] */
  positions: Float64Array;
  /** [3K] */
  velocities: Numbers;
}

/** Groups and attributes, generously [B]. */
const HEADS = 64 * 1024;
/** Rows of a chunk are as many as this holds, at least one [B]. */
const CHUNK_BYTES = 128 * 1024;

interface Column {
  name: "Time" | "Step" | "Coordinates" | "Velocities";
  /** Numbers of a row. */
  width: number;
  bits: 32 | 64;
  of(row: OrbitFileRow): ArrayLike<number>;
}

function columnsOf({ ids, bits }: OrbitLayout): Column[] {
  const width = 3 * ids.length;
  return [
    { name: "Time", width: 1, bits: 64, of: ({ time }) => [time] },
    { name: "Step", width: 1, bits: 64, of: ({ step }) => [step] },
    { name: "Coordinates", width, bits: 64, of: ({ positions }) => positions },
    { name: "Velocities", width, bits, of: ({ velocities }) => velocities },
  ];
}

const arrayOf = (column: Pick<Column, "bits">, length: number): Numbers =>
  column.bits === 32 ? new Float32Array(length) : new Float64Array(length);

const shapeOf = ({ width }: Column, rows: number): number[] => (width === 1 ? [rows] : [rows, width / 3, 3]);

const placeOf = (column: Column, from: number, to: number): [number, number][] => [
  [from, to],
  ...shapeOf(column, 0)
    .slice(1)
    .map((side): [number, number] => [0, side]),
];

const rowsOfChunk = ({ width, bits }: Column, rows: number): number =>
  Math.max(1, Math.min(rows, Math.floor(CHUNK_BYTES / ((width * bits) / 8))));

export class OrbitFile {
  readonly #columns: readonly Column[];

  private constructor(
    private readonly hdf5: Hdf5,
    private readonly path: string,
    private readonly layout: OrbitLayout,
    private at: { rows: number; room: number },
  ) {
    this.#columns = columnsOf(layout);
  }

  /** Makes a file with room for so many rows. Throws "io" where the disk has none. */
  static async create(path: string, layout: OrbitLayout, room: number): Promise<OrbitFile> {
    const file = new OrbitFile(await loadHdf5(), path, layout, { rows: 0, room: 0 });
    await file.#make(room);
    return file;
  }

  /** Goes on behind the first `rows` of a file. Throws "input" where it isn't one of these particles, or has fewer. */
  static async open(path: string, layout: OrbitLayout, rows: number): Promise<OrbitFile> {
    const file = new OrbitFile(await loadHdf5(), path, layout, { rows, room: 0 });
    const { found, ids } = file.#with("input", "r", (open) => ({
      found: file.#columns.map((column) => datasetIn(open, column.name)?.shape ?? []),
      ids: Array.from((datasetIn(open, "ParticleIDs")?.value ?? []) as Uint32Array),
    }));
    const room = found[0]?.[0] ?? 0;
    const fits = file.#columns.every((column, i) => found[i].join() === shapeOf(column, room).join());
    if (!fits || room < rows || ids.join() !== layout.ids.join()) {
      throw new GravmeshError(
        "input",
        `${path}: expected ${rows} rows or more of ${layout.ids.length} particles, those of the run, found ${room} of ${ids.length}.`,
      );
    }
    file.at = { rows, room };
    return file;
  }

  /** Rows that it has. */
  get rows(): number {
    return this.at.rows;
  }

  /** Rows that it has room for. */
  get room(): number {
    return this.at.room;
  }

  /** Writes rows for which there is room. Throws "io". */
  append(rows: readonly OrbitFileRow[]): void {
    const { at } = this;
    if (rows.length === 0) return;
    this.#with("io", "a", (file) => {
      for (const column of this.#columns) {
        const values = arrayOf(column, column.width * rows.length);
        for (const [i, row] of rows.entries()) values.set(column.of(row), column.width * i);
        (file.get(column.name) as Hdf5Dataset).write_slice(placeOf(column, at.rows, at.rows + rows.length), values);
      }
      file.flush();
    });
    at.rows += rows.length;
  }

  /** A file with the same rows and other room takes its place. Throws "io". */
  async resize(room: number): Promise<void> {
    if (room !== this.at.room) await this.#make(Math.max(room, this.at.rows));
  }

  /** Coordinates of some of the particles, by their place among the ids, in every `step`-th row [rows][3·places]. */
  paths(places: readonly number[], step: number): Float64Array[] {
    const [, , column] = this.#columns;
    return this.#with("input", "r", (file) => {
      const dataset = datasetIn(file, column.name)!;
      const paths: Float64Array[] = [];
      for (let row = 0; row < this.at.rows; row += step) {
        const found = dataset.slice(placeOf(column, row, row + 1)) as Float64Array;
        paths.push(Float64Array.from(places.flatMap((k) => [...found.subarray(3 * k, 3 * k + 3)])));
      }
      return paths;
    });
  }

  async #make(room: number): Promise<void> {
    const { path, layout } = this;
    const { rows } = this.at;
    const bytes = this.#columns.reduce((sum, { width, bits }) => sum + (room * width * bits) / 8, HEADS);
    requireFreeSpace(path, bytes);
    await writeHdf5([path], bytes, async (file) => {
      writeAttributes(file, layout.attributes);
      const ids = file.create_dataset({
        name: "ParticleIDs",
        data: layout.ids,
        shape: [layout.ids.length],
        dtype: "<I",
      });
      writeAttributes(ids, layout.about.ParticleIDs ?? {});
      const before = rows > 0 ? new this.hdf5.File(path, "r") : undefined;
      try {
        for (const column of this.#columns) await this.#fill(file, column, room, before);
      } finally {
        before?.close();
      }
    });
    this.at = { rows, room };
  }

  /** A column with room for so many rows: those of the file before, then NaN. */
  async #fill(file: Hdf5File, column: Column, room: number, before: Hdf5File | undefined): Promise<void> {
    const { rows } = this.at;
    const chunk = rowsOfChunk(column, room);
    const [, ...sides] = shapeOf(column, room);
    const dataset = file.create_dataset({
      ...{ name: column.name, dtype: column.bits === 32 ? "<f" : "<d", data: arrayOf(column, 0), shape: [0, ...sides] },
      ...{ maxshape: [room, ...sides], chunks: [chunk, ...sides] },
    });
    dataset.resize([room, ...sides]);
    writeAttributes(dataset, this.layout.about[column.name] ?? {});
    const earlier = before && datasetIn(before, column.name);
    for (let from = 0, n = 0; from < room; from += chunk, n++) {
      const to = Math.min(room, from + chunk);
      const values = arrayOf(column, column.width * (to - from)).fill(Number.NaN);
      if (earlier && from < rows) values.set(earlier.slice(placeOf(column, from, Math.min(to, rows))) as Numbers);
      dataset.write_slice(placeOf(column, from, to), values);
      if (n % 16 === 0) await breathe();
    }
  }

  #with<T>(kind: "io" | "input", mode: "r" | "a", use: (file: Hdf5File) => T): T {
    return withBegunFile(this.hdf5, { path: this.path, mode, kind }, use);
  }
}
