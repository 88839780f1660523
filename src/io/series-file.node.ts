/**
 * An HDF5 file of what is measured at many times of a run. It has its whole size from the beginning, NaN where a row is
 * still to come; a row is then written in its place, and nothing else of the file changes. So it can be read at any time, a
 * process that dies in between leaves it whole, and the file of a resumed run is that of one which was never interrupted.
 */
import { GravmeshError } from "../base/errors.ts";
import { datasetIn, withBegunFile } from "./begun-file.node.ts";
import { requireFreeSpace } from "./files.node.ts";
import {
  type AttributeValue,
  breathe,
  type Hdf5Dataset,
  type Hdf5File,
  loadHdf5,
  writeAttributes,
  writeHdf5,
} from "./hdf5.node.ts";

type Attributes = Readonly<Record<string, AttributeValue>>;
type Numbers = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** What has a value at every time. */
export interface Series {
  name: string;
  /** Of its value at one time; [] is a number. */
  shape: readonly number[];
  bits: 32 | 64;
  attributes: Attributes;
}

/** What is the same at all times. */
export interface Constant {
  name: string;
  values: Float64Array;
  attributes: Attributes;
}

export interface SeriesLayout {
  /** [T] [time]; scale factors on the comoving clock. */
  times: readonly number[];
  /** Of the times. */
  timeAttributes?: Attributes;
  /** With redshifts beside the times. */
  comoving: boolean;
  constants?: readonly Constant[];
  series: readonly Series[];
  /** Of the file. */
  attributes: Attributes;
}

/** Times that differ by less than this fraction are one. */
const SAME_TIME = 1e-9;

/** Groups, attributes, and what the index of a series takes, generously [B]. */
const HEADS = 64 * 1024;
const HEAD_OF_A_SERIES = 4096;
const INDEX_OF_A_CHUNK = 256;
/** Rows of a chunk are as many as this holds, at least one [B]. */
const CHUNK_BYTES = 32 * 1024;

const sizeOf = ({ shape }: Series) => shape.reduce((product, side) => product * side, 1);
const bytesOf = (series: Series) => (series.bits / 8) * sizeOf(series);

function rowsOfChunk(series: Series, rows: number): number {
  return Math.max(1, Math.min(rows, Math.floor(CHUNK_BYTES / bytesOf(series))));
}

function blank(series: Series, rows: number): Numbers {
  const count = rows * sizeOf(series);
  return (series.bits === 32 ? new Float32Array(count) : new Float64Array(count)).fill(Number.NaN);
}

const placeOf = (from: number, to: number, { shape }: Series): [number, number][] => [
  [from, to],
  ...shape.map((side): [number, number] => [0, side]),
];

export class SeriesFile {
  private constructor(
    private readonly path: string,
    private readonly layout: SeriesLayout,
  ) {}

  /** Makes the file. Throws "io" where there is no room for all of it. */
  static create(path: string, layout: SeriesLayout): Promise<SeriesFile> {
    return SeriesFile.#make(path, layout);
  }

  /** With the first `kept` rows of the file that it takes the place of. */
  static async #make(path: string, layout: SeriesLayout, kept = 0): Promise<SeriesFile> {
    const { times, timeAttributes = {}, comoving, constants = [], series, attributes } = layout;
    const rows = times.length;
    const bytes = series.reduce((sum, one) => {
      const chunks = Math.ceil(rows / rowsOfChunk(one, rows));
      return sum + HEAD_OF_A_SERIES + chunks * (rowsOfChunk(one, rows) * bytesOf(one) + INDEX_OF_A_CHUNK);
    }, HEADS);
    requireFreeSpace(path, bytes);
    const hdf5 = await loadHdf5();
    await writeHdf5([path], bytes, async (file) => {
      writeAttributes(file, attributes);
      const row = (name: string, data: Float64Array, about: Attributes) =>
        writeAttributes(file.create_dataset({ name, data, shape: [data.length], dtype: "<d" }), about);
      row("Time", Float64Array.from(times), timeAttributes);
      if (comoving) {
        const redshifts = Float64Array.from(times, (a) => 1 / a - 1);
        row("Redshift", redshifts, {});
      }
      for (const { name, values, attributes: about } of constants) row(name, values, about);
      for (const one of series) {
        const chunk = rowsOfChunk(one, rows);
        const dataset = file.create_dataset({
          ...{ name: one.name, dtype: one.bits === 32 ? "<f" : "<d", data: blank(one, 0), shape: [0, ...one.shape] },
          ...{ maxshape: [rows, ...one.shape], chunks: [chunk, ...one.shape] },
        });
        dataset.resize([rows, ...one.shape]);
        writeAttributes(dataset, one.attributes);
        for (let from = 0; from < rows; from += chunk) {
          const to = Math.min(rows, from + chunk);
          dataset.write_slice(placeOf(from, to, one), blank(one, to - from));
          if ((from / chunk) % 16 === 0) await breathe();
        }
        if (kept > 0) copyRows(new hdf5.File(path, "r"), dataset, one, kept);
      }
    });
    return new SeriesFile(path, layout);
  }

  /**
   * Goes on with a file; where the run has got another end, with one that has room for its rows. Throws "input" where it
   * isn't one of this layout.
   */
  static async open(path: string, layout: SeriesLayout): Promise<SeriesFile> {
    const file = new SeriesFile(path, layout);
    const { times } = layout;
    const { earlier, wrong } = await file.#with("input", (open) => {
      const earlier = Array.from((datasetIn(open, "Time")?.value ?? []) as Float64Array);
      const shapes = layout.series.map(({ name, shape }) => {
        const expected = [earlier.length || times.length, ...shape].join(" × ");
        return { name, expected, found: datasetIn(open, name)?.shape?.join(" × ") };
      });
      return { earlier, wrong: shapes.find(({ expected, found }) => found !== expected) };
    });
    if (wrong) {
      const { name, expected, found } = wrong;
      throw new GravmeshError("input", `${path}: expected ${name} of ${expected}, found ${found || "none"}.`);
    }
    const other = earlier.findIndex((time, i) => !(Math.abs(time - times[i]) <= SAME_TIME * Math.abs(time)));
    if (other < 0 && earlier.length === times.length) return file;
    return SeriesFile.#make(path, layout, other < 0 ? earlier.length : other);
  }

  /** Puts row `index` of each series in its place. Throws "io". */
  async write(index: number, values: Readonly<Record<string, Numbers>>): Promise<void> {
    await this.#with("io", (file) => {
      for (const series of this.layout.series) {
        const place = placeOf(index, index + 1, series);
        (file.get(series.name) as Hdf5Dataset).write_slice(place, values[series.name]);
      }
      file.flush();
    });
  }

  /** The first `rows` rows of each series, one after the other. Throws "input". */
  async read(rows: number): Promise<Record<string, Float64Array>> {
    return await this.#with("input", (file) =>
      Object.fromEntries(
        this.layout.series.map((series) => {
          const found = (file.get(series.name) as Hdf5Dataset).slice(placeOf(0, rows, series)) as Numbers;
          return [series.name, Float64Array.from(found)];
        }),
      ),
    );
  }

  async #with<T>(kind: "io" | "input", use: (file: Hdf5File) => T): Promise<T> {
    return withBegunFile(await loadHdf5(), { path: this.path, mode: "a", kind }, use);
  }
}

/** The first `rows` rows of a series of another file, which is closed then. */
function copyRows(from: Hdf5File, into: Hdf5Dataset, series: Series, rows: number): void {
  try {
    const [before, step] = [from.get(series.name) as Hdf5Dataset, rowsOfChunk(series, rows)];
    for (let first = 0; first < rows; first += step) {
      const place = placeOf(first, Math.min(rows, first + step), series);
      into.write_slice(place, before.slice(place) as Numbers);
    }
  } finally {
    from.close();
  }
}
