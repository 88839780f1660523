/**
 * ZIP archives as numpy.savez makes them (PKWARE's APPNOTE 6.3): members found by the directory at the end, with ZIP64 for
 * large ones; stored, or deflated. Written stored, with ZIP64 fields throughout as NumPy does.
 */
import { createReadStream } from "node:fs";
import { createInflateRaw } from "node:zlib";
import type { ByteFile } from "../byte-file.node.ts";
import type { ByteWriter } from "../byte-writer.node.ts";

export interface Member {
  name: string;
  deflated: boolean;
  /** Of its bytes in the file, and without compression [byte]. */
  offset: number;
  bytes: number;
  size: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LARGE = 0xffffffff;
/** Of the record at the end, with the longest comment [byte]. */
const LONGEST_END = 22 + 65_535;
/** More than any table has columns. */
const MOST_MEMBERS = 10_000;

const big = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

/** Where the directory is, and how many members it has. */
function directoryOf(file: ByteFile): { at: number; bytes: number; members: number } {
  const length = Math.min(file.bytes, LONGEST_END);
  const tail = file.read(file.bytes - length, length, "the end of the archive");
  for (let i = length - 22; i >= 0; i--) {
    if (tail.getUint32(i, true) !== END) continue;
    const locator = i - 20;
    if (locator >= 0 && tail.getUint32(locator, true) === LOCATOR_64) {
      const record = file.read(big(tail, locator + 8), 56, "the ZIP64 directory");
      if (record.getUint32(0, true) !== END_64) break;
      return { members: big(record, 32), bytes: big(record, 40), at: big(record, 48) };
    }
    return {
      members: tail.getUint16(i + 10, true),
      bytes: tail.getUint32(i + 12, true),
      at: tail.getUint32(i + 16, true),
    };
  }
  throw file.fault("the archive has no directory at its end.", "It is truncated; copy it again.");
}

/** All members. Throws "input" for an archive that is damaged or compressed in another way. */
export function membersOf(file: ByteFile): Member[] {
  const { at, bytes, members } = directoryOf(file);
  if (members > MOST_MEMBERS) throw file.fault(`the archive has ${members} members; at most ${MOST_MEMBERS} are read.`);
  const view = file.read(at, bytes, "the directory of the archive");
  const found: Member[] = [];
  for (let i = 0, place = 0; i < members; i++) {
    if (place + 46 > bytes || view.getUint32(place, true) !== CENTRAL) {
      throw file.fault("the directory of the archive is damaged.", "Copy the file again.");
    }
    const lengths = [28, 30, 32].map((offset) => view.getUint16(place + offset, true));
    const [nameLength, extraLength] = lengths;
    const end = place + 46 + lengths.reduce((sum, n) => sum + n, 0);
    if (end > bytes) throw file.fault("the directory of the archive is damaged.", "Copy the file again.");
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + place + 46, nameLength));
    found.push(member(file, view, place, { name, extra: place + 46 + nameLength, extraLength }));
    place = end;
  }
  return found;
}

interface Names {
  name: string;
  extra: number;
  extraLength: number;
}

function member(file: ByteFile, view: DataView, place: number, { name, extra, extraLength }: Names): Member {
  const method = view.getUint16(place + 10, true);
  if (method !== 0 && method !== 8)
    throw file.fault(`its member ${name} is compressed by method ${method}; 0 and 8 are read.`);
  let [bytes, size, local] = [20, 24, 42].map((offset) => view.getUint32(place + offset, true));
  for (let at = extra; at + 4 <= extra + extraLength; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    const large = (value: number) => {
      if (value !== LARGE || next + 8 > extra + extraLength) return value;
      next += 8;
      return big(view, next - 8);
    };
    size = large(size);
    bytes = large(bytes);
    local = large(local);
  }
  const head = file.read(local, 30, `the member ${name}`);
  if (head.getUint32(0, true) !== LOCAL) throw file.fault(`its member ${name} is damaged.`, "Copy the file again.");
  const offset = local + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  if (offset + bytes > file.bytes) {
    throw file.fault(
      `its member ${name} should have ${bytes} bytes from byte ${offset} on, but the file has ${file.bytes}.`,
    );
  }
  return { name, deflated: method === 8, offset, bytes, size };
}

/** The bytes of a deflated member, in pieces. */
export async function* inflated(file: string, { offset, bytes }: Member): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return;
  const source = createReadStream(file, { start: offset, end: offset + bytes - 1 });
  const inflate = createInflateRaw();
  source.on("error", (cause) => inflate.destroy(cause));
  try {
    yield* source.pipe(inflate) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** Writes members one after the other, and the directory. */
export class ZipWriter {
  readonly #written: { name: Uint8Array; crc: number; bytes: number; local: number }[] = [];

  constructor(private readonly out: ByteWriter) {}

  /** A member whose bytes `fill` writes. */
  async add(name: string, fill: (write: (data: ArrayBufferView) => void) => Promise<void> | void): Promise<void> {
    const { out } = this;
    const named = new TextEncoder().encode(name);
    const local = out.position;
    out.write(localHeader(named, 0, 0));
    const begin = out.position;
    let crc = 0xffffffff;
    await fill((data) => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
      out.write(bytes);
    });
    const bytes = out.position - begin;
    crc = (crc ^ 0xffffffff) >>> 0;
    out.patch(local, localHeader(named, crc, bytes));
    this.#written.push({ name: named, crc, bytes, local });
  }

  finish(): void {
    const { out } = this;
    const at = out.position;
    for (const { name, crc, bytes, local } of this.#written) {
      const view = new DataView(new ArrayBuffer(46 + name.length + 28));
      fields(view, [
        [0, 4, CENTRAL],
        [4, 2, 45],
        [6, 2, 45],
        [14, 2, 0x21],
        [16, 4, crc],
        [20, 4, LARGE],
        [24, 4, LARGE],
      ]);
      fields(view, [
        [28, 2, name.length],
        [30, 2, 28],
        [42, 4, LARGE],
      ]);
      new Uint8Array(view.buffer).set(name, 46);
      const extra = 46 + name.length;
      fields(view, [
        [extra, 2, 1],
        [extra + 2, 2, 24],
        [extra + 4, 8, bytes],
        [extra + 12, 8, bytes],
        [extra + 20, 8, local],
      ]);
      out.write(view);
    }
    const bytes = out.position - at;
    const count = this.#written.length;
    const end = new DataView(new ArrayBuffer(56 + 20 + 22));
    fields(end, [
      [0, 4, END_64],
      [4, 8, 44],
      [12, 2, 45],
      [14, 2, 45],
      [24, 8, count],
      [32, 8, count],
      [40, 8, bytes],
      [48, 8, at],
    ]);
    fields(end, [
      [56, 4, LOCATOR_64],
      [64, 8, at + bytes],
      [72, 4, 1],
    ]);
    fields(end, [
      [76, 4, END],
      [84, 2, count],
      [86, 2, count],
      [88, 4, Math.min(bytes, LARGE)],
      [92, 4, Math.min(at, LARGE)],
    ]);
    out.write(end);
  }
}

/** Sets whole numbers of 2, 4 or 8 bytes. */
function fields(view: DataView, values: readonly (readonly [at: number, bytes: 2 | 4 | 8, value: number])[]): void {
  for (const [at, bytes, value] of values) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
  }
}

function localHeader(name: Uint8Array, crc: number, bytes: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(30 + name.length + 20));
  fields(view, [
    [0, 4, LOCAL],
    [4, 2, 45],
    [12, 2, 0x21],
    [14, 4, crc],
    [18, 4, LARGE],
    [22, 4, LARGE],
  ]);
  fields(view, [
    [26, 2, name.length],
    [28, 2, 20],
  ]);
  new Uint8Array(view.buffer).set(name, 30);
  const extra = 30 + name.length;
  fields(view, [
    [extra, 2, 1],
    [extra + 2, 2, 16],
    [extra + 4, 8, bytes],
    [extra + 12, 8, bytes],
  ]);
  return new Uint8Array(view.buffer);
}
