/** Writes that the system refuses: each ends, says which reason the system gave, and leaves what was there. */
import fs, {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeCheckpoint } from "../../src/run/checkpoint.ts";
import { messageOf } from "../../src/run/failure.ts";
import { fileError, writeFileAtomic } from "../../src/run/io/files.node.ts";
import { loadHdf5, writeHdf5 } from "../../src/run/io/hdf5.node.ts";
import { keepWriteErrors } from "../../src/run/io/hdf5-system-errors.node.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-faults-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(dir, { recursive: true, force: true });
});

const fault = (code: string, errno: number, text = "") => Object.assign(new Error(`${code}: ${text}`), { code, errno });
/** As Node gives it: without a name. */
const quota = () => fault("UNKNOWN", -constants.errno.EDQUOT, "unknown error, write");
const readOnly = () => fault("EROFS", -constants.errno.EROFS, "read-only file system, unlink");

/** Has functions of node:fs throw. */
function failing(names: readonly ("writeSync" | "writeFileSync" | "rmSync")[], error: () => Error): void {
  for (const name of names) {
    vi.spyOn(fs, name).mockImplementation(() => {
      throw error();
    });
  }
  syncBuiltinESMExports();
}

const write = (path: string, numbers: number) =>
  writeHdf5([path], 8 * numbers, async (file) => {
    file.create_dataset({ name: "x", data: new Float64Array(numbers).fill(1) });
  });

describe("a quota that is used up", () => {
  it("ends the writing of a snapshot, with its name", async () => {
    const path = join(dir, "a.hdf5");
    await loadHdf5();
    let calls = 0;
    failing(["writeSync"], () => {
      calls += 1;
      // What tries for ever is let go, to be told by another message.
      if (calls > 1000) throw new Error("tried for ever");
      return quota();
    });
    await expect(write(path, 1000)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/^Your disk quota is used up: no space left for .*a\.hdf5\. It needs 7\.8 KiB/),
    });
    expect(calls).toBeLessThan(100);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(readdirSync(dir)).toEqual([]);
    await write(path, 1000);
    expect(readdirSync(dir)).toEqual(["a.hdf5"]);
  });

  it("has its name in every other file's error, too", () => {
    failing(["writeFileSync"], quota);
    expect(() => writeFileAtomic(join(dir, "a.csv"), "1,2\n")).toThrow(
      /^Your disk quota is used up: .*a\.csv\. It needs 4 B/,
    );
    const other = fileError("write", "a.csv", fault("UNKNOWN", -117, "unknown error, write"));
    expect(other.message).toBe("Cannot write a.csv: the system refuses it (error 117).");
  });
});

describe("the library's file system", () => {
  const numbered = (errno: number | undefined) => Object.assign(new Error("FS"), { name: "ErrnoError", errno });
  const failingFiles = (errno: number | undefined) => {
    const fail = () => {
      throw numbered(errno);
    };
    return Object.fromEntries(
      ["open", "close", "read", "write", "llseek", "stat", "fstat", "truncate", "ftruncate"].map((name) => [
        name,
        fail,
      ]),
    );
  };

  it("never takes an error without a number for success", () => {
    for (const [given, expected] of [
      [undefined, 29],
      [51, 51],
    ]) {
      const files: Record<string, (...given: unknown[]) => unknown> = failingFiles(given);
      keepWriteErrors(files);
      for (const name of ["read", "llseek", "close"]) {
        expect(() => files[name]({ nfd: -1, position: 0 })).toThrow(expect.objectContaining({ errno: expected }));
      }
    }
  });

  it.runIf(existsSync("/dev/full"))("keeps the system's own reason of a write", () => {
    const files: Record<string, (...given: unknown[]) => unknown> = failingFiles(undefined);
    const take = keepWriteErrors(files);
    const nfd = openSync("/dev/full", "w");
    expect(() => files.write({ nfd, position: 0 }, new Uint8Array(8), 0, 8)).toThrow();
    closeSync(nfd);
    expect(take()).toMatchObject({ code: "ENOSPC" });
    expect(take()).toBeUndefined();
  });
});

describe("a file system that turns read-only", () => {
  const told = /: the file system is read-only; choose another folder with --out\.$/;

  it("is what the message says, though nothing can be cleaned up there", async () => {
    const [snapshot, table] = [join(dir, "a.hdf5"), join(dir, "a.csv")];
    writeFileSync(table, "old");
    failing(["writeSync", "writeFileSync", "rmSync"], readOnly);
    await expect(write(snapshot, 1000)).rejects.toThrow(told);
    expect(() => writeFileAtomic(table, "new")).toThrow(told);
    expect(readFileSync(table, "utf8")).toBe("old");
  });

  it("is so for a checkpoint", async () => {
    const progress = { step: 0, time: 0, initialSums: {} as never };
    const checkpoint = { state: { format: "cpu-1", arrays: {} }, progress, deckHash: "x" };
    vi.spyOn(fs, "renameSync").mockImplementation(() => {
      throw readOnly();
    });
    failing(["rmSync"], readOnly);
    await expect(writeCheckpoint(dir, checkpoint)).rejects.toThrow(told);
  });
});

it("too many open files are no defect of ours", () => {
  expect(messageOf(fault("EMFILE", -24, "too many open files, open 'x'"))).toMatch(/^Too many open files; raise/);
});
