/**
 * System errors under the HDF5 library. Emscripten's file system (NODERAWFS) hands them on by number, and those that Node
 * has no name for (a quota that is used up, a damaged file system) as no error at all: libhdf5 then takes a write for one
 * of 0 bytes and tries again for ever, a read for the end of the file and goes on with zeroes. Here they become the error
 * EIO, and the system's own error of a write that failed is kept for the message.
 */
import { writeSync } from "node:fs";

type FileSystem = Record<string, (...given: unknown[]) => unknown>;

/** EIO in WASI's numbers. */
const EIO = 29;
const MAY_FAIL = ["open", "close", "read", "write", "llseek", "stat", "fstat", "truncate", "ftruncate"];

/** Takes over the file system of the library; gives what tells the error of the last write that failed, once. */
export function keepWriteErrors(files: FileSystem): () => Error | undefined {
  // Where a link leads that is an open file without a name, libhdf5 would ask in vain.
  const { lstat, stat } = files;
  files.lstat = (path) => (String(path).startsWith("/proc/self/fd/") ? stat(path) : lstat(path));
  let last: Error | undefined;
  for (const name of MAY_FAIL) {
    const original = files[name];
    files[name] = (...given) => {
      try {
        return original(...given);
      } catch (thrown) {
        if (name === "write") last = reasonOfWrite(given) ?? last;
        const error = thrown as Error & { errno: number | undefined };
        if (error.name === "ErrnoError" && error.errno === undefined) error.errno = EIO;
        throw error;
      }
    };
  }
  return () => {
    const taken = last;
    last = undefined;
    return taken;
  };
}

/** Asks the system again what is the matter, into the same place. */
function reasonOfWrite([stream, buffer, offset, length, position]: unknown[]): Error | undefined {
  const { nfd, position: at } = stream as { nfd: number; position: number };
  try {
    writeSync(nfd, buffer as Uint8Array, offset as number, length as number, (position as number | undefined) ?? at);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
