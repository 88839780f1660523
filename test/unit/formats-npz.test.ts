/** NumPy's archives: what NumPy writes is read, and no byte that counts can change without being noticed. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";

/** Archives of the same eight particles, in every way that NumPy and zipfile have, and archives that contradict themselves. */
const MAKER = `
import io, os, struct, sys, zipfile
import numpy as np
os.chdir(sys.argv[1])
N = 8
x = (np.arange(3 * N) / 8).reshape(N, 3)
v = -x.astype("f4")
arrays = dict(positions=x, velocities=v, masses=np.full(N, 0.5), ids=np.arange(N)[::-1], Time=0.5)
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
fortran = dict(arrays, positions=np.asfortranarray(x), velocities=np.array(np.asfortranarray(v)))
np.savez("fortran.npz", **fortran)
np.savez_compressed("fortran-deflated.npz", **fortran)

class Pipe(io.RawIOBase):
    """Where zipfile can't go back: sizes and sums stand behind each member."""
    def __init__(self, name): self.f = open(name, "wb")
    def writable(self): return True
    def write(self, b): return self.f.write(b)
with zipfile.ZipFile(Pipe("streamed.npz"), "w", zipfile.ZIP_DEFLATED) as z:
    for name, value in arrays.items():
        with z.open(name + ".npy", "w") as f: np.lib.format.write_array(f, np.asanyarray(value))

def archive(name, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(name, "w", method) as z:
        for member, value in members:
            data = io.BytesIO(); np.lib.format.write_array(data, np.asanyarray(value))
            z.writestr(member + ".npy", data.getvalue())
archive("bzip2.npz", arrays.items(), zipfile.ZIP_BZIP2)
import warnings; warnings.simplefilter("ignore")
archive("twice.npz", [*arrays.items(), ("positions", x + 1)])
good = open("stored.npz", "rb").read()
at = good.index(b"PK\\x01\\x02")
# The directory sends velocities to where positions are: the same shape, other numbers.
second = good.index(b"PK\\x01\\x02", at + 4)
moved = bytearray(good); moved[second + 42:second + 46] = struct.pack("<I", 0)
open("elsewhere.npz", "wb").write(moved)
`;
let dir: string;
const at = (name: string) => join(dir, name);
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-npz-"));
  execFileSync("/usr/bin/python3", ["-c", MAKER, dir]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const read = async (name: string) => {
  const { positions, velocities, masses, time } = await readSnapshot(at(name));
  return JSON.stringify({ x: [...positions], v: Array.from(velocities, (v) => v || 0), m: [...masses], time });
};

describe("an archive of NumPy's", () => {
  it.each(["stored.npz", "deflated.npz", "fortran.npz", "fortran-deflated.npz", "streamed.npz"])(
    "%s gives the particles in the order of their ids",
    async (name) => {
      const rows = [7, 6, 5, 4, 3, 2, 1, 0].flatMap((i) => [0, 1, 2].map((k) => (3 * i + k) / 8));
      expect(JSON.parse(await read(name))).toEqual({
        ...{ x: rows, v: rows.map((value) => -value || 0), m: Array(8).fill(0.5), time: 0.5 },
      });
    },
  );

  it.each([
    ["twice.npz", /the directory of the archive contradicts what stands before its members, or names one twice/],
    ["elsewhere.npz", /the directory of the archive contradicts what stands before its members/],
    ["bzip2.npz", /its member positions\.npy can't be read: it is compressed in a way that NumPy has not/],
  ])("%s is refused", async (name, message) => {
    await expect(read(name)).rejects.toMatchObject({ kind: "input", message: expect.stringMatching(message) });
  });

  it.each(["stored.npz", "deflated.npz", "streamed.npz"])(
    "%s with a byte changed gives the same particles, or is refused",
    async (name) => {
      const good = readFileSync(at(name));
      const whole = await read(name);
      const sums: string[] = [];
      for (let i = 0; i < good.length; i += 31) {
        const bytes = Buffer.from(good);
        bytes[i] ^= 1 << (i % 8);
        writeFileSync(at("flipped.npz"), bytes);
        const found = await read("flipped.npz").catch((cause) => {
          expect(cause, `byte ${i}`).toMatchObject({ kind: "input", message: expect.stringContaining("flipped.npz") });
          if (/CRC-32/.test(cause.message)) sums.push(cause.message);
          return whole;
        });
        expect(found, `byte ${i}`).toBe(whole);
      }
      expect(sums.length).toBeGreaterThan(4);
    },
  );

  it("that is cut anywhere is refused", async () => {
    const good = readFileSync(at("deflated.npz"));
    for (let i = 1; i < good.length; i += 41) {
      writeFileSync(at("cut.npz"), good.subarray(0, i));
      await expect(read("cut.npz"), `byte ${i}`).rejects.toMatchObject({ kind: "input" });
    }
  });
});
