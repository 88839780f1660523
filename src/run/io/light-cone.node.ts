/** Files of a light cone: the particles of a shell, and what is under way at a checkpoint. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  type AttributeValue,
  breathe,
  type Hdf5Dataset,
  type Hdf5Group,
  hdf5Reason,
  loadHdf5,
  rowRanges,
  writeAttributes,
  writeHdf5,
} from "./hdf5.node.ts";

const CHUNK = 65_536;
const HEAD_BYTES = 2 ** 14;

interface ConeColumn {
  width: 1 | 3;
  type: typeof Uint32Array | typeof Float32Array | typeof Float64Array;
  unit: string;
  meaning: string;
}

/** What a file has of each particle. */
export const CONE_COLUMNS = {
  ParticleIDs: { width: 1, type: Uint32Array, unit: "", meaning: "as in snapshots" },
  Coordinates: { width: 3, type: Float64Array, unit: "comoving Mpc/h", meaning: "from the observer" },
  Velocities: { width: 3, type: Float32Array, unit: "km/s", meaning: "peculiar" },
  ScaleFactor: { width: 1, type: Float64Array, unit: "", meaning: "at the crossing" },
} as const satisfies Record<string, ConeColumn>;
const COLUMNS = Object.entries(CONE_COLUMNS) as [keyof typeof CONE_COLUMNS, ConeColumn][];

/** Particles of a shell so far, in the order in which they were found. */
export class ConeRows {
  count = 0;
  #values = COLUMNS.map(([, { type, width }]) => new type(width * 1024));

  add(id: number, x: readonly number[], v: readonly number[], a: number): void {
    const { count } = this;
    if (count === this.#values[0].length) this.#grow(2 * count);
    const [ids, positions, velocities, times] = this.#values;
    ids[count] = id;
    times[count] = a;
    for (let axis = 0; axis < 3; axis++) {
      positions[3 * count + axis] = x[axis];
      velocities[3 * count + axis] = v[axis];
    }
    this.count++;
  }

  /** Those of each column [width · count], by name. */
  get columns(): Record<string, Values> {
    return Object.fromEntries(
      COLUMNS.map(([name, { width }], i) => [name, this.#values[i].subarray(0, width * this.count)]),
    );
  }

  set columns(given: Record<string, Values>) {
    this.count = given.ParticleIDs.length;
    this.#grow(Math.max(1024, this.count));
    for (const [i, [name]] of COLUMNS.entries()) this.#values[i].set(given[name]);
  }

  #grow(room: number): void {
    this.#values = COLUMNS.map(([, { type, width }], i) => {
      const larger = new type(width * room);
      larger.set(this.#values[i].subarray(0, larger.length));
      return larger;
    });
  }
}

type Values = Uint32Array | Float32Array | Float64Array;

const DTYPES = { Uint32Array: "<I", Float32Array: "<f", Float64Array: "<d" } as const;

/** A data set [n] or [n, 3], in slabs: one of all may be more than the library has room for. */
async function write(group: Hdf5Group, name: string, values: Values, width = 1): Promise<Hdf5Dataset> {
  const rows = values.length / width;
  const own = width === 1 ? [] : [width];
  const made = group.create_dataset({
    ...{ name, dtype: DTYPES[values.constructor.name as keyof typeof DTYPES], data: values.slice(0, 0) },
    ...{
      shape: [0, ...own],
      maxshape: [Math.max(1, rows), ...own],
      chunks: [Math.max(1, Math.min(CHUNK, rows)), ...own],
    },
  });
  if (rows > 0) made.resize([rows, ...own]);
  for (let from = 0; from < rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK);
    made.write_slice(rowRanges(from, to, own), values.slice(width * from, width * to));
    await breathe();
  }
  return made;
}

const bytesOf = (arrays: Record<string, Values>) =>
  Object.values(arrays).reduce((sum, { byteLength }) => sum + byteLength, HEAD_BYTES);

/** Throws "io". */
export async function writeShell(path: string, rows: ConeRows, about: Record<string, AttributeValue>): Promise<void> {
  const { columns, count } = rows;
  await writeHdf5([path], bytesOf(columns), async (file) => {
    writeAttributes(file, { ...about, NumPart: count });
    for (const [name, { width, unit, meaning }] of COLUMNS) {
      const made = await write(file, name, columns[name], width);
      writeAttributes(made, { ...(unit && { unit }), meaning });
    }
  });
}

/** Arrays by name: those of a run that is to go on. Throws "io". */
export async function writeArrays(path: string, arrays: Record<string, Values>): Promise<void> {
  await writeHdf5([path], bytesOf(arrays), async (file) => {
    for (const [name, values] of Object.entries(arrays)) await write(file, name, values);
  });
}

/** Throws "input" where the file isn't one. */
export async function readArrays(path: string): Promise<Map<string, Values>> {
  const library = await loadHdf5();
  try {
    const file = new library.File(path, "r");
    try {
      return new Map(file.keys().map((name) => [name, (file.get(name) as Hdf5Dataset).value as Values]));
    } finally {
      file.close();
    }
  } catch (cause) {
    throw new GravmeshError("input", `${path} doesn't hold what this run's light cone was: ${hdf5Reason(cause)}`, {
      cause,
    });
  }
}
