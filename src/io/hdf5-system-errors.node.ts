/**
 * System errors under the HDF5 library. Emscripten's file system (NODERAWFS) hands them on by number, and those that Node
 * has no name for (a quota that is used up, a damaged file system) as no error at all: libhdf5 then takes a write for one
 * of 0 bytes and tries again for ever, a read for the end of the file and goes on with zeroes. Here they become the error
 * EIO, and the system's own error of a write that failed is kept for the message.
 */
import { writeSync } from "node:fs";

type FileFunction = (...given: unknown[]) => unknown;
type FileSystem = Record<string, FileFunction>;

/** What Emscripten throws. */
interface NumberedError extends Error {
  errno: number | undefined;
}

/** EIO in WASI's numbers. */
const EIO = 29;
const MAY_FAIL = ["open", "close", "read", "write", "llseek", "stat", "fstat", "truncate", "ftruncate"];

/** The error of the last write that failed, since it was asked for. */
export class WriteErrors {
  #last: Error | undefined;

  /** Takes over the file system of the library. */
  constructor(files: FileSystem) {
    for (const name of MAY_FAIL) {
      const original = files[name];
      files[name] = (...given) => {
        try {
          return original(...given);
        } catch (error) {
          if (name === "write") this.#noteWrite(given);
          const { name: kind, errno } = error as NumberedError;
          if (kind === "ErrnoError" && errno === undefined) (error as NumberedError).errno = EIO;
          throw error;
        }
      };
    }
  }

  /** Gives it and forgets it. */
  take(): Error | undefined {
    const last = this.#last;
    this.#last = undefined;
    return last;
  }

  /** Asks the system again what is the matter, into the same place. */
  #noteWrite([stream, buffer, offset, length, position]: unknown[]): void {
    const { nfd, position: at } = stream as { nfd: number; position: number };
    try {
      writeSync(nfd, buffer as Uint8Array, offset as number, length as number, (position as number | undefined) ?? at);
    } catch (error) {
      this.#last = error as Error;
    }
  }
}
