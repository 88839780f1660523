/**
 * An HDF5 file of what is measured at many times of a run. It has room for all rows from the beginning, NaN where one is to
 * come, and a row is written in its place: it can be read at any time, and a process that dies leaves it whole. Where there
 * is to be other room, a new file with the same rows takes its place.
 */
import { existsSync } from "node:fs";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { fileError, isFile, requireFreeSpace } from "./files.node.ts";
import {
  type AttributeValue,
  breathe,
  closeQuietly,
  datasetIn,
  type Hdf5,
  type Hdf5Dataset,
  type Hdf5File,
  hdf5Reason,
  loadHdf5,
  rowRanges,
  writeAttributes,
  writeHdf5,
} from "./hdf5.node.ts";

type Attributes = Readonly<Record<string, AttributeValue>>;
type Numbers = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export interface Series {
  name: string;
  /** The shape of its value at one time; [] is a number. */
  shape: readonly number[];
  bits: 32 | 64;
  attributes: Attributes;
}

interface Constant {
  name: string;
  values: Float64Array | Uint32Array;
  attributes: Attributes;
}

export interface SeriesLayout {
  /** [T] [time] of the rows; scale factors on the comoving clock. Left out where they aren't known before. */
  times?: readonly number[];
  timeAttributes?: Attributes;
  comoving?: boolean;
  constants?: readonly Constant[];
  series: readonly Series[];
  attributes: Attributes;
  /** Rows of a chunk are as many as this holds, at least one [B]. */
  chunkBytes?: number;
}

const SAME_TIME = 1e-9;

/** Groups, attributes, and what the index of a series takes, generously [B]. */
const HEADS = 64 * 1024;
const HEAD_OF_A_SERIES = 4096;
const INDEX_OF_A_CHUNK = 256;
const CHUNK_BYTES = 32 * 1024;

const bytesOf = ({ shape, bits }: Series) => shape.reduce((product, side) => product * side, bits / 8);

function rowsOfChunk({ chunkBytes = CHUNK_BYTES }: SeriesLayout, series: Series, rows: number): number {
  return Math.max(1, Math.min(rows, Math.floor(chunkBytes / bytesOf(series))));
}

function arrayFor(series: Series, rows: number): Numbers {
  const bytes = new ArrayBuffer(rows * bytesOf(series));
  return series.bits === 32 ? new Float32Array(bytes) : new Float64Array(bytes);
}

function constantsOf({ times, timeAttributes = {}, comoving, constants = [] }: SeriesLayout): readonly Constant[] {
  if (!times) return constants;
  const time = { name: "Time", values: Float64Array.from(times), attributes: timeAttributes };
  const redshift = { name: "Redshift", values: time.values.map((a) => 1 / a - 1), attributes: {} };
  return [time, ...(comoving ? [redshift] : []), ...constants];
}

export class SeriesFile {
  private constructor(
    private readonly hdf5: Hdf5,
    private readonly path: string,
    private readonly layout: SeriesLayout,
    public room: number,
  ) {}

  /** Makes a file with room for the times, or for so many rows. Throws "io" where the disk has none for all of it. */
  static async create(path: string, layout: SeriesLayout, room = layout.times?.length ?? 0): Promise<SeriesFile> {
    const file = new SeriesFile(await loadHdf5(), path, layout, room);
    await file.resize(room, 0);
    return file;
  }

  /** Goes on with a file, with room for the rows of a run that has another end. Throws "input" for another layout. */
  static async open(path: string, layout: SeriesLayout): Promise<SeriesFile> {
    const file = new SeriesFile(await loadHdf5(), path, layout, 0);
    const { times, series } = layout;
    const earlier = times ? Array.from(file.values("Time")) : [];
    const shapes = file.#with("input", "r", (open) => series.map(({ name }) => datasetIn(open, name)?.shape ?? []));
    file.room = earlier.length || (times?.length ?? shapes[0][0] ?? 0);
    for (const [i, { name, shape }] of series.entries()) {
      const [expected, found] = [[file.room, ...shape].join(" × "), shapes[i].join(" × ")];
      if (found === expected) continue;
      throw new GravmeshError("input", `${path}: expected ${name} of ${expected}, found ${found || "none"}.`);
    }
    if (!times) return file;
    const other = earlier.findIndex((time, i) => !(Math.abs(time - times[i]) <= SAME_TIME * Math.abs(time)));
    if (other >= 0 || earlier.length !== times.length) {
      await file.resize(times.length, other < 0 ? earlier.length : other);
    }
    return file;
  }

  /** Puts values of each series in their places, from row `index` on. Throws "io". */
  write(index: number, values: Readonly<Record<string, Numbers>>): void {
    this.#with("io", "a", (file) => {
      for (const series of this.layout.series) {
        const own = values[series.name];
        const place = rowRanges(index, index + own.byteLength / bytesOf(series), series.shape);
        (file.get(series.name) as Hdf5Dataset).write_slice(place, own);
      }
      file.flush();
    });
  }

  /** The first `rows` rows of each series, or every `step`-th of them, one after the other. Throws "input". */
  read(rows: number, { step = 1, names }: { step?: number; names?: readonly string[] } = {}) {
    const wanted = this.layout.series.filter(({ name }) => names?.includes(name) ?? true);
    return this.#with("input", "r", (file) => {
      const found = wanted.map((series): [string, Float64Array] => {
        const [[from, to], ...inner] = rowRanges(0, rows, series.shape);
        const values = (file.get(series.name) as Hdf5Dataset).slice([[from, to, step], ...inner]);
        return [series.name, Float64Array.from(values as Numbers)];
      });
      return Object.fromEntries(found);
    });
  }

  /** What is the same at all times; nothing where it has none of that name. Throws "input". */
  values(name: string): Float64Array | Uint32Array {
    const found = this.#with("input", "r", (file) => datasetIn(file, name)?.value);
    return (found ?? new Float64Array(0)) as Float64Array | Uint32Array;
  }

  /** A file with the first `kept` rows and other room takes its place. Throws "io". */
  async resize(room: number, kept: number): Promise<void> {
    const { path, layout } = this;
    const bytes = layout.series.reduce((sum, one) => {
      const rows = rowsOfChunk(layout, one, room);
      return sum + HEAD_OF_A_SERIES + Math.ceil(room / rows) * (rows * bytesOf(one) + INDEX_OF_A_CHUNK);
    }, HEADS);
    requireFreeSpace(path, bytes);
    await writeHdf5([path], bytes, async (file) => {
      writeAttributes(file, layout.attributes);
      for (const { name, values: data, attributes } of constantsOf(layout)) {
        const dtype = data instanceof Uint32Array ? "<I" : "<d";
        writeAttributes(file.create_dataset({ name, data, shape: [data.length], dtype }), attributes);
      }
      const before = kept > 0 ? new this.hdf5.File(path, "r") : undefined;
      try {
        for (const series of layout.series) await this.#fill(file, series, { room, kept, before });
      } finally {
        before?.close();
      }
    });
    this.room = room;
  }

  /** A series with room for so many rows: those of the file before that are kept, then NaN. */
  async #fill(
    file: Hdf5File,
    series: Series,
    { room, kept, before }: { room: number; kept: number; before: Hdf5File | undefined },
  ): Promise<void> {
    const { name, shape, bits, attributes } = series;
    const chunk = rowsOfChunk(this.layout, series, room);
    const dataset = file.create_dataset({
      ...{ name, dtype: bits === 32 ? "<f" : "<d", data: arrayFor(series, 0), shape: [0, ...shape] },
      ...{ maxshape: [room, ...shape], chunks: [chunk, ...shape] },
    });
    dataset.resize([room, ...shape]);
    writeAttributes(dataset, attributes);
    const earlier = before && datasetIn(before, name);
    for (let from = 0; from < room; from += chunk) {
      const to = Math.min(room, from + chunk);
      const values = arrayFor(series, to - from).fill(Number.NaN);
      if (earlier && from < kept) values.set(earlier.slice(rowRanges(from, Math.min(to, kept), shape)) as Numbers);
      dataset.write_slice(rowRanges(from, to, shape), values);
      if ((from / chunk) % 16 === 0) await breathe();
    }
  }

  /** The result of `use`, while the file is open. Throws `kind`. */
  #with<T>(kind: "io" | "input", mode: "r" | "a", use: (file: Hdf5File) => T): T {
    const { path } = this;
    const lost = !existsSync(path)
      ? "is missing"
      : mode === "a" && !isFile(path)
        ? "was replaced by others"
        : undefined;
    if (lost) throw new GravmeshError(kind, `${path} ${lost}, which the run has begun.`);
    let file: Hdf5File | undefined;
    try {
      file = new this.hdf5.File(path, mode);
      const result = use(file);
      file.close();
      return result;
    } catch (cause) {
      closeQuietly(file);
      const reason = hdf5Reason(cause);
      if (kind === "input") throw new GravmeshError("input", `${path} can't be gone on with: ${reason}`, { cause });
      throw fileError("write", path, new Error(reason, { cause }));
    }
  }
}
