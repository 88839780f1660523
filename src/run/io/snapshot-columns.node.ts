/**
 * Datasets of a snapshot as they are written: rows are appended as they come, gathered to whole chunks, so that every
 * chunk is written once, and summed.
 */
import { createHash } from "node:crypto";
import type { SnapshotUnits } from "../../foundation/deck/units.ts";
import type { ParticleColumn } from "../../physics/particles/blocks.ts";
import { DATASET_UNITS, type DatasetName, type UNIT_NAMES } from "./gadget.ts";
import { breathe, DIGEST, type Hdf5Dataset, type Hdf5Group, rowRanges, writeAttributes } from "./hdf5.node.ts";

/** Rows of a chunk at most; the chunks of a dataset are equal, but for what is lacking in the last. */
const CHUNK_ROWS = 65_536;
/** HDF5's fletcher32, by the filter's number: a sum with every chunk, which each reader checks. */
const CHECKSUM = { compression: 3, compression_opts: [] as number[] };

const ARRAYS = {
  ...{ "<d": Float64Array, "<f": Float32Array, "<Q": BigUint64Array, "<I": Uint32Array, "<H": Uint16Array },
};
type Numbers = Float64Array | Float32Array | BigUint64Array | Uint32Array | Uint16Array;

interface DatasetColumn {
  name: DatasetName;
  dtype: keyof typeof ARRAYS;
  width: 1 | 3;
  factor?: number | undefined;
  /** Values are brought into [0, period). */
  period?: number | undefined;
}

/** "galaxies": numbers of the galaxies that particles belong to. */
type SnapshotField = ParticleColumn | "galaxies";

export interface SnapshotColumn extends DatasetColumn {
  field: SnapshotField;
}

export const COLUMNS: Readonly<Record<SnapshotField, DatasetColumn>> = {
  positions: { name: "Coordinates", dtype: "<d", width: 3 },
  velocities: { name: "Velocities", dtype: "<f", width: 3 },
  ids: { name: "ParticleIDs", dtype: "<I", width: 1 },
  galaxies: { name: "GalaxyIDs", dtype: "<H", width: 1 },
  masses: { name: "Masses", dtype: "<d", width: 1 },
  potential: { name: "Potential", dtype: "<f", width: 1 },
  accelerations: { name: "Acceleration", dtype: "<f", width: 3 },
};

export const rowBytes = ({ dtype, width }: DatasetColumn): number => width * ARRAYS[dtype].BYTES_PER_ELEMENT;

function within(period: number, x: number): number {
  if (x >= 0 && x < period) return x;
  const moved = x - period * Math.floor(x / period);
  return moved >= period ? 0 : moved;
}

interface DatasetOptions {
  rows: number;
  /** gzip level, 0 for none. */
  compression: number;
  comoving: boolean;
  /** Undefined where they aren't known. */
  units: Pick<SnapshotUnits, (typeof UNIT_NAMES)[number]> | undefined;
  /** With the sum that tells a run's own files. */
  ours: boolean;
}

export class ColumnRows {
  readonly #dataset: Hdf5Dataset;
  readonly #digest = createHash("sha256");
  readonly #chunk: Numbers;
  readonly #chunkRows: number;
  /** Rows of the chunk that are there, and rows written. */
  #filled = 0;
  #written = 0;

  constructor(
    group: Hdf5Group,
    private readonly column: DatasetColumn,
    private readonly options: DatasetOptions,
  ) {
    const { name, dtype, width } = column;
    const { rows, compression } = options;
    const shape = (n: number) => (width === 1 ? [n] : [n, width]);
    this.#chunkRows = Math.ceil(rows / Math.ceil(rows / CHUNK_ROWS));
    this.#chunk = new ARRAYS[dtype](width * this.#chunkRows);
    this.#dataset = group.create_dataset({
      ...{ name, dtype, data: new ARRAYS[dtype](0) },
      ...{ shape: shape(0), maxshape: shape(rows), chunks: shape(this.#chunkRows) },
      // The library sets one filter alone; gzip's format has a sum of its own.
      ...(compression > 0 ? { compression: "gzip" as const, compression_opts: [compression] } : CHECKSUM),
    });
    this.#dataset.resize(shape(rows));
  }

  /** The next rows: numbers of them, or one that all of them have, or what a row has by its place among these. */
  async append(count: number, values: Numbers | number | ((row: number) => number)): Promise<void> {
    const { width } = this.column;
    for (let done = 0; done < count; ) {
      const rows = Math.min(count - done, this.#chunkRows - this.#filled);
      const place = this.#chunk.subarray(width * this.#filled, width * (this.#filled + rows));
      if (typeof values === "function") for (let i = 0; i < rows; i++) place[i] = values(done + i);
      else if (typeof values === "number") place.fill(values as never);
      else this.#convert(place, values.subarray(width * done, width * (done + rows)));
      this.#filled += rows;
      done += rows;
      if (this.#filled === this.#chunkRows || this.#written + this.#filled === this.options.rows) await this.#write();
    }
  }

  #convert(place: Numbers, values: Numbers): void {
    const { factor = 1, period } = this.column;
    place.set(values as never);
    if (place instanceof BigUint64Array) return;
    if (period !== undefined) for (let k = 0; k < place.length; k++) place[k] = within(period, place[k]);
    if (factor !== 1) for (let k = 0; k < place.length; k++) place[k] *= factor;
  }

  async #write(): Promise<void> {
    const { width } = this.column;
    const slab = this.#chunk.subarray(0, width * this.#filled);
    this.#digest.update(slab);
    const ranges = rowRanges(this.#written, this.#written + this.#filled, width === 1 ? [] : [width]);
    this.#dataset.write_slice(ranges, slab);
    this.#written += this.#filled;
    this.#filled = 0;
    await breathe();
  }

  /** After the last row. Throws an Error where rows are missing. */
  finish(): void {
    const { name } = this.column;
    const { rows, comoving, units, ours } = this.options;
    if (this.#written !== rows) throw new Error(`${name}: expected ${rows} rows, got ${this.#written}`);
    if (ours) writeAttributes(this.#dataset, { [DIGEST]: this.#digest.digest("hex") });
    if (name === "ParticleIDs" || name === "GalaxyIDs") return;
    const { a, h, length, mass, velocity } = DATASET_UNITS[name];
    writeAttributes(this.#dataset, {
      ...{ a_scaling: comoving ? a : 0, h_scaling: comoving ? h : 0 },
      ...{ length_scaling: length, mass_scaling: mass, velocity_scaling: velocity },
      ...(units && {
        to_cgs:
          units.UnitLength_in_cm ** length * units.UnitMass_in_g ** mass * units.UnitVelocity_in_cm_per_s ** velocity,
      }),
    });
  }
}
