/**
 * ZIP archives as numpy.savez makes them, by zip.js: stored or deflated, with ZIP64 for large ones. The directory has to
 * agree with what stands before each member, members must not overlap, and the bytes of each have to fit their CRC-32.
 */
import type { FileEntry } from "@zip.js/zip.js";
import type { GravmeshError } from "../../../foundation/base/errors.ts";
import { ByteFile } from "../byte-file.node.ts";
import type { ByteWriter } from "../byte-writer.node.ts";
import { printable } from "../regular-file.node.ts";

/** A file of the archive, and its size without compression [byte]. */
export interface ZipMember {
  name: string;
  bytes: number;
}

const MOST_MEMBERS = 10_000;
const PIECE = 2 ** 20;

async function zipLibrary() {
  const zip = await import("@zip.js/zip.js/lib/zip-core-native.js");
  zip.configure({ useWebWorkers: false, chunkSize: PIECE });
  return zip;
}

/** What the library's errors mean; others are shown in its words. */
const MEANINGS: Readonly<Record<string, string>> = {
  "End of central directory not found": "the archive has no directory at its end; it is truncated",
  "File format is not recognized": "it is no ZIP archive, or its directory is damaged",
  "Ambiguous archive": "the directory of the archive contradicts what stands before its members, or names one twice",
  "Central directory header not found": "the directory of the archive is damaged",
  "Local file header not found": "it isn't where the directory says",
  "Invalid CRC32": "its bytes don't fit the sum (CRC-32) that was written with them",
  "Invalid uncompressed size": "it isn't as long as the directory says",
  "Invalid compressed data": "its compressed bytes are damaged",
  "Overlapping entry found": "it overlaps another member of the archive",
  "Compression method not supported": "it is compressed in a way that NumPy has not; stored and deflated ones are read",
};

function fault(file: ByteFile, cause: unknown, member?: string): GravmeshError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const what = member === undefined ? "" : `its member ${printable(member)} can't be read: `;
  return file.fault(`${what}${MEANINGS[said] ?? printable(said)}.`, "Copy the file again, or write it anew.");
}

/** All members of an open archive. Throws "input" where the archive contradicts itself. */
async function entriesOf(file: ByteFile): Promise<FileEntry[]> {
  const { Reader, ZipReader } = await zipLibrary();
  class OfFile extends Reader<ByteFile> {
    override size = file.bytes;
    override async readUint8Array(at: number, length: number): Promise<Uint8Array> {
      return file.readUpTo(at, length);
    }
  }
  let member: string | undefined;
  try {
    const checks = { strictness: "strict", checkCrc32: true, checkOverlappingEntry: true } as const;
    const reader = new ZipReader(new OfFile(file), checks);
    const entries: FileEntry[] = [];
    for await (const entry of reader.getEntriesGenerator()) {
      if (entries.length >= MOST_MEMBERS) throw new Error(`it has more than ${MOST_MEMBERS} members`);
      if (entry.filename.endsWith("/")) continue;
      member = entry.filename;
      if (entry.directory) throw new Error("it is marked as a folder");
      await entry.getData(new WritableStream(), { checkOverlappingEntryOnly: true });
      entries.push(entry);
    }
    return entries;
  } catch (cause) {
    throw fault(file, cause, member);
  }
}

/** The members of an archive. Throws "input" for one that is damaged. */
export async function zipMembers(name: string): Promise<ZipMember[]> {
  const file = ByteFile.open(name);
  try {
    const entries = await entriesOf(file);
    return entries.map(({ filename, uncompressedSize }) => ({ name: filename, bytes: uncompressedSize }));
  } finally {
    file.close();
  }
}

/** The bytes of a member, in pieces. Throws "input" for damaged ones, at the latest after the last piece. */
export async function* bytesOf(name: string, member: string): AsyncGenerator<Uint8Array> {
  const file = ByteFile.open(name);
  const stop = new AbortController();
  let finished: Promise<unknown> | undefined;
  try {
    const entry = (await entriesOf(file)).find(({ filename }) => filename === member);
    if (entry === undefined) throw file.fault(`its member ${printable(member)} is gone.`, "Was the file replaced?");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    let failed: unknown;
    finished = entry.getData(writable, { signal: stop.signal }).catch((cause) => {
      failed = cause;
    });
    try {
      yield* readable as unknown as AsyncIterable<Uint8Array>;
    } catch (cause) {
      failed ??= cause;
    }
    await finished;
    if (failed !== undefined) throw fault(file, failed, member);
  } finally {
    stop.abort();
    await finished;
    file.close();
  }
}

/** Writes an archive of uncompressed members, which `use` adds; their pieces are written as they come. */
export async function writeZip(
  out: ByteWriter,
  use: (add: (name: string, pieces: Pieces) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { ZipWriter } = await zipLibrary();
  const writable = new WritableStream<Uint8Array>({ write: (bytes) => out.write(bytes) });
  // As NumPy's: of no date, so that the same particles give the same bytes.
  const options = { level: 0, lastModDate: new Date(1980, 0, 1), extendedTimestamp: false };
  const writer = new ZipWriter(writable, options);
  await use((name, pieces) => writer.add(name, streamOf(pieces)));
  await writer.close();
}

type Pieces = Iterable<ArrayBufferView> | AsyncIterable<ArrayBufferView>;

function streamOf(pieces: Pieces): ReadableStream<Uint8Array> {
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      },
    },
    { highWaterMark: 0 },
  );
}
