/** A binary file read piece by piece, and numbers at regular places in it as a column. */
import { closeSync, readSync } from "node:fs";
import type { GravmeshError } from "../../foundation/base/errors.ts";
import { type CheckedColumn, SLAB_ROWS, type Slab } from "./column.ts";
import { breathe } from "./hdf5.node.ts";
import { decoded, NUMBER_KINDS, type RowLayout } from "./number-kinds.ts";
import { bad, openRegularFile, readingReason } from "./regular-file.node.ts";

export class ByteFile {
  private constructor(
    readonly name: string,
    readonly bytes: number,
    private readonly handle: number,
  ) {}

  /** Throws "input" for what is no regular file. */
  static open(name: string): ByteFile {
    const { handle, stat } = openRegularFile(name, { what: "The snapshot" });
    return new ByteFile(name, stat.size, handle);
  }

  /** `length` bytes from `offset` on, or as many as the file still has. */
  readUpTo(offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.bytes - offset)));
    let done = 0;
    try {
      while (done < bytes.length) {
        const read = readSync(this.handle, bytes, done, bytes.length - done, offset + done);
        if (read === 0) break;
        done += read;
      }
    } catch (cause) {
      throw bad(this.name, `bytes from ${offset} on cannot be read: ${readingReason(cause)}.`);
    }
    return bytes.subarray(0, done);
  }

  /** `length` bytes from `offset` on; throws "input" where the file ends before. */
  read(offset: number, length: number, what: string): DataView<ArrayBuffer> {
    const bytes = this.readUpTo(offset, length);
    if (bytes.length < length) {
      throw this.fault(
        `${what} should be ${length} bytes from byte ${offset} on, but the file has ${this.bytes}.`,
        "It is truncated, or another format than it looks like.",
      );
    }
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }

  fault(found: string, advice = ""): GravmeshError {
    return bad(this.name, found, advice);
  }

  close(): void {
    closeSync(this.handle);
  }
}

export function withByteFile<T>(name: string, use: (file: ByteFile) => T): T {
  const file = ByteFile.open(name);
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** Where the numbers of a column are: the one or three of its first row in `offsets`. */
interface Places extends RowLayout, Pick<CheckedColumn, "path" | "rows"> {
  file: string;
}

const SLAB_BYTES = 2 ** 24;

export function binaryColumn(places: Places): CheckedColumn {
  const { file, path, rows, offsets, kind } = places;
  const { size, real } = NUMBER_KINDS[kind];
  return {
    ...{ path, rows, real, size, width: offsets.length === 3 ? 3 : 1 },
    slabs: () => slabsOf(places),
    fault: (found, advice) => bad(file, found, advice),
  };
}

async function* slabsOf({ path, rows, offsets, stride, kind, little, file: name }: Places): AsyncGenerator<Slab> {
  const first = Math.min(...offsets);
  const span = Math.max(...offsets) - first + NUMBER_KINDS[kind].size;
  const layout = { offsets: offsets.map((offset) => offset - first), stride, kind, little };
  const slabRows = Math.max(1, Math.min(SLAB_ROWS, Math.floor(SLAB_BYTES / stride)));
  const file = ByteFile.open(name);
  try {
    for (let from = 0; from < rows; from += slabRows) {
      const count = Math.min(slabRows, rows - from);
      const view = file.read(first + from * stride, (count - 1) * stride + span, path);
      yield { values: decoded(view, count, layout), first: from };
      await breathe();
    }
  } finally {
    file.close();
  }
}
