/**
 * An HDF5 file as a snapshot reader sees it: attributes, groups, and columns of numbers read slab by slab. Every access
 * either gives what is there or throws one GravmeshError that names the file, the place in it and what is wrong:
 * damaged, of another kind, in another file, or too large for the memory.
 */
import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type CheckedColumn, SLAB_ROWS, type Slab } from "./column.ts";
import type { ParameterValue } from "./gadget.ts";
import {
  breathe,
  closeQuietly,
  DIGEST,
  type Hdf5,
  type Hdf5Dataset,
  type Hdf5File,
  type Hdf5Group,
  hdf5Reason,
  loadHdf5,
  rowRanges,
} from "./hdf5.node.ts";
import { alone, ElsewhereError } from "./hdf5-guard.node.ts";
import { bad, printable, withRegularFile } from "./regular-file.node.ts";

const COPY_AGAIN = "Copy it again, or use an earlier snapshot.";
const COPY_DATA = "A snapshot has to hold its data itself: h5repack, or h5py, can copy them into it.";

export const SIGNATURE = Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a);
/** A longer attribute is none that a snapshot needs [byte]. */
const LONGEST_ATTRIBUTE = 65_536;
/** The largest chunk: the library reads one as a whole, in a memory of 2 GiB [byte]. */
const LARGEST_CHUNK = 256 * 2 ** 20;

/** Classes of HDF5's types that are read, and what the others are called. */
const INTEGER = 0;
const FLOAT = 1;
const TEXT = 3;
const ENUM = 8;
const CLASS_NAMES: Readonly<Record<number, string>> = {
  ...{ 2: "times", 3: "text", 4: "bit fields", 5: "opaque data", 6: "records", 7: "references" },
  ...{ 8: "booleans or names", 9: "lists", 10: "arrays" },
};

/** Filters of the library itself: gzip, shuffle, fletcher32, szip, nbit, scaleoffset; others are plug-ins. */
const GZIP = 1;
const FLETCHER32 = 3;
const SCALE_OFFSET = 6;
/** What gzip and szip make of equal numbers, at most (1032:1). */
const LARGEST_RATIO = 1032;

export class SnapshotFile {
  private constructor(
    readonly name: string,
    private readonly bytes: number,
    private readonly hdf5: Hdf5,
    private readonly open: Hdf5File,
  ) {}

  /** Throws GravmeshError "input" unless `name` is a whole HDF5 file. */
  static async open(name: string): Promise<SnapshotFile> {
    const bytes = sizeOfHdf5(name);
    const hdf5 = await loadHdf5();
    try {
      return new SnapshotFile(name, bytes, hdf5, new hdf5.File(name, "r"));
    } catch (cause) {
      if (outOfMemory(cause)) throw memoryError(name, "it", cause);
      const reason = hdf5Reason(cause);
      const eof = /truncated file: eof = (\d+),.*stored_eof = (\d+)/.exec(reason);
      throw eof === null
        ? bad(name, `the HDF5 library cannot open it: ${reason}.`, "The file is damaged.")
        : bad(name, `the file is truncated: it has ${eof[1]} of ${eof[2]} bytes.`, COPY_AGAIN);
    }
  }

  close(): void {
    closeQuietly(this.open);
  }

  fault(found: string, advice = ""): GravmeshError {
    return bad(this.name, found, advice);
  }

  /** Attributes of a group as plain numbers and text; undefined where the group is missing. */
  attributes(path: string): Record<string, ParameterValue> | undefined {
    return this.#ask(`group /${path}`, () => {
      const found = this.open.get(path);
      return found instanceof this.hdf5.Group ? this.#plainAttributes(found) : undefined;
    });
  }

  attributesOfDataset(path: string): Record<string, ParameterValue> {
    return this.#ask(path, () => this.#plainAttributes(this.open.get(path) as Hdf5Dataset));
  }

  #plainAttributes(group: Hdf5Group | Hdf5Dataset): Record<string, ParameterValue> {
    const { Module } = this.hdf5;
    const values: Record<string, ParameterValue> = {};
    for (const name of Module.get_attribute_names(group.file_id, group.path)) {
      const { type, size, total_size } = Module.get_attribute_metadata(group.file_id, group.path, name);
      const number = type === FLOAT ? size === 4 || size === 8 : (type === INTEGER || type === ENUM) && size <= 8;
      if (!(number || type === TEXT) || size * total_size > LONGEST_ATTRIBUTE) continue;
      const value = plainValue(group.get_attribute(name, false));
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  /** The column `path` of `rows` × `width` numbers; undefined where there is none. */
  column(path: string, rows: number, width: 1 | 3): CheckedColumn | undefined {
    const found = this.#ask(path, () => this.open.get(path));
    if (!(found instanceof this.hdf5.Dataset)) return undefined;
    const { metadata, filters } = this.#ask(path, () => ({ metadata: found.metadata, filters: found.filters }));
    const { type, size, shape, chunks, virtual_sources: sources } = metadata;
    if (sources !== undefined) {
      const names = [...new Set(sources.map(({ file_name }) => printable(file_name)))].slice(0, 3).join(", ");
      throw this.fault(`${path} is a virtual data set, whose numbers lie in ${names}.`, COPY_DATA);
    }
    const real = type === FLOAT;
    if (!(type === INTEGER ? [1, 2, 4, 8].includes(size) : real && [4, 8].includes(size))) {
      const holds = real ? `floats of ${8 * size} bits` : (CLASS_NAMES[type] ?? `numbers of ${8 * size} bits`);
      throw this.fault(`${path} holds ${holds}; expected float32, float64 or whole numbers.`);
    }
    this.#requireShape(path, shape ?? [], rows, width);
    for (const { id, name } of filters) {
      if (id >= 1 && id <= SCALE_OFFSET) continue;
      const shown = name === "" ? `number ${id}` : `${printable(name)} (number ${id})`;
      throw this.fault(
        `${path} is compressed with the HDF5 filter ${shown}, which is not at hand.`,
        "Write it with gzip or without compression: h5repack -f GZIP=4, or -f NONE.",
      );
    }
    const chunk = (chunks ?? []).reduce((product, n) => product * n, size);
    if (chunks && chunk > LARGEST_CHUNK) {
      throw this.fault(
        `${path} is stored in chunks of ${bytesText(chunk)}; at most ${bytesText(LARGEST_CHUNK)} can be read.`,
        `Write it in smaller ones: h5repack -l CHUNK=65536${width === 1 ? "" : "x3"}.`,
      );
    }
    this.#requireStored(path, rows * width * size, filters);
    const { name: file } = this;
    const place = { path, rows, width, real, size };
    return { ...place, slabs: () => slabsIn(file, place), fault: (found, advice) => bad(file, found, advice) };
  }

  #requireShape(path: string, shape: readonly number[], rows: number, width: number): void {
    const expected = width === 1 ? [rows] : [rows, width];
    const flat = shape.length === 2 && shape[1] === 1 && width === 1 ? [shape[0]] : shape;
    if (flat.join() === expected.join()) return;
    throw this.fault(
      `${path} has shape [${shape.join(", ")}], but Header/NumPart_ThisFile asks for [${expected.join(", ")}].`,
      "The file is inconsistent; was it written completely?",
    );
  }

  /** What was declared and never written takes no room in the file, and reads as zeros without end. */
  #requireStored(path: string, declared: number, filters: readonly { id: number }[]): void {
    const ids = filters.map(({ id }) => id).filter((id) => id !== FLETCHER32);
    const ratio = ids.includes(SCALE_OFFSET) ? Number.POSITIVE_INFINITY : ids.length > 0 ? LARGEST_RATIO : 1;
    if (declared <= this.bytes * ratio) return;
    throw this.fault(
      `${path} declares ${bytesText(declared)} of numbers, but the whole file has ${bytesText(this.bytes)}.`,
      "The file is inconsistent; was it written completely?",
    );
  }

  /** All rows of a column; throws after the last slab where the data don't fit their sum. */
  async *slabs({ path, rows, width }: Pick<CheckedColumn, "path" | "rows" | "width">): AsyncGenerator<Slab> {
    const { dataset, slabRows, checked } = this.#ask(path, () => {
      const dataset = this.open.get(path) as Hdf5Dataset;
      const chunkRows = dataset.metadata.chunks?.[0] ?? 1;
      // Whole chunks, of which each is decompressed once.
      const slabRows = Math.max(1, Math.floor(SLAB_ROWS / chunkRows)) * chunkRows;
      return { dataset, slabRows, checked: dataset.filters.some(({ id }) => id === FLETCHER32 || id === GZIP) };
    });
    const flat = dataset.shape?.length === 1;
    const digest = createHash("sha256");
    for (let from = 0; from < rows; from += slabRows) {
      const to = Math.min(rows, from + slabRows);
      const where = `${path}, rows ${from} to ${to - 1}`;
      const slab = this.#ask(where, () => dataset.slice(rowRanges(from, to, flat ? [] : [width])), checked);
      if (ArrayBuffer.isView(slab)) digest.update(new Uint8Array(slab.buffer, slab.byteOffset, slab.byteLength));
      yield { values: slab as ArrayLike<number | bigint>, first: from };
      await breathe();
    }
    const written = this.#ask(path, () => dataset.attrs[DIGEST]?.value);
    if (written === undefined || written === digest.digest("hex")) return;
    throw this.fault(
      `${path} isn't what gravmesh wrote: its SHA-256 differs from the attribute sha256 beside it.`,
      "The file is damaged; copy it again, or use another snapshot. If you changed the data yourself, delete that attribute.",
    );
  }

  /** The result of `use`, which may look at this file alone. `checked`: the data have checksums. */
  #ask<T>(where: string, use: () => T, checked = false): T {
    try {
      return alone(this.hdf5, use);
    } catch (cause) {
      if (cause instanceof GravmeshError) throw cause;
      if (cause instanceof ElsewhereError) {
        throw this.fault(
          `${where}: the data are in another file, ${printable(cause.path)}, which is not read.`,
          COPY_DATA,
        );
      }
      if (outOfMemory(cause)) throw memoryError(this.name, where, cause);
      const reason = hdf5Reason(cause);
      if (/too many links/.test(reason)) throw this.fault(`${where} is a link that leads round in a loop.`);
      throw checked
        ? this.fault(`${where}: damaged; the data don't fit their checksum.`, COPY_AGAIN)
        : this.fault(`${where} cannot be read: ${reason}.`, "The file is damaged or truncated.");
    }
  }
}

async function* slabsIn(name: string, column: Pick<CheckedColumn, "path" | "rows" | "width">): AsyncGenerator<Slab> {
  const file = await SnapshotFile.open(name);
  try {
    yield* file.slabs(column);
  } finally {
    file.close();
  }
}

/** Whether memory ran out: JavaScript's, WebAssembly's or within HDF5. */
export function outOfMemory(cause: unknown): boolean {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError) return /allocation|Invalid (typed )?array (buffer )?length/i.test(text);
  return /OOM|out of memory|memory allocation|maximum memory|No space available for allocation/i.test(text);
}

export function memoryError(file: string, what: string, cause?: unknown): GravmeshError {
  return new GravmeshError(
    "memory",
    `${printable(file)}: not enough memory to read ${what}. Take a snapshot with fewer particles, or a machine with more memory.`,
    { cause },
  );
}

function sizeOfHdf5(file: string): number {
  const advice = 'Expected a GADGET snapshot in HDF5; a file of another format is named with format = "…" (--from).';
  return withRegularFile(file, { what: "The snapshot" }, (handle, { size }) => {
    const start = new Uint8Array(SIGNATURE.length);
    readSync(handle, start, 0, start.length, 0);
    if (SIGNATURE.every((byte, i) => byte === start[i])) return size;
    throw bad(file, size === 0 ? "the file is empty." : "this is not an HDF5 file.", advice);
  });
}

function plainValue(value: unknown): ParameterValue | undefined {
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "bigint") return Number(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>, Number);
  return undefined;
}
