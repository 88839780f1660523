/** Snapshots that no reader should trust: each is refused in one message that names the place and what is wrong with it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";

const MAKER = fileURLToPath(new URL("../support/hostile-snapshots.py", import.meta.url));
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-hostile-"));
  execFileSync("/usr/bin/python3", [MAKER, dir]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, `${name}.hdf5`);
const at1 = "PartType1/Coordinates";

describe("a snapshot", () => {
  it.each(["sound", "inner-link", "checksums", "odd-attributes"])("that is %s is read", async (name) => {
    const { positions, count, boxSize } = await readSnapshot(at(name));
    expect([count, boxSize]).toEqual([3, 10]);
    expect([...positions]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  const refused: [name: string, message: string][] = [
    ["external-storage", `${at1}, rows 0 to 2: the data are in another file, /etc/passwd, which is not read`],
    ["external-link", `${at1}: the data are in another file, DIR/other.hdf5, which is not read`],
    ["external-group", "group /PartType1: the data are in another file, DIR/other.hdf5, which is not read"],
    ["link-loop", `${at1} is a link that leads round in a loop`],
    ["group-loop", "group /PartType1 is a link that leads round in a loop"],
    ["virtual", `${at1} is a virtual data set, whose numbers lie in nowhere.hdf5`],
    ["virtual-there", `${at1} is a virtual data set, whose numbers lie in other.hdf5`],
    ["lzf", `${at1} is compressed with the HDF5 filter lzf (number 32000), which is not at hand`],
    ["unknown-filter", `${at1} is compressed with the HDF5 filter number 32001, which is not at hand`],
    ["booleans", `${at1} holds booleans or names; expected float32, float64 or whole numbers`],
    ["text", `${at1} holds text; expected`],
    ["half-floats", `${at1} holds floats of 16 bits; expected`],
    ["never-written", `${at1} declares 1.3 GiB of numbers, but the whole file has`],
    ["never-written-flat", `${at1} declares 1.3 GiB of numbers, but the whole file has`],
    ["never-written-gzip", `${at1} declares 1.3 GiB of numbers, but the whole file has`],
    ["one-chunk", `${at1} is stored in chunks of 458 MiB; at most 256 MiB can be read`],
    ["too-many", `${at1} has shape [3, 3], but Header/NumPart_ThisFile asks for [1125899906842624, 3]`],
    ["negative-count", "Header/NumPart_ThisFile holds -3; expected whole numbers from 0 up"],
    ["nan-time", "Header/Time is NaN; expected a finite number"],
    ["nan-mass", "Header/MassTable holds NaN for PartType1; expected a mass"],
    ["uneven-box", "Header/BoxSize is 10, 10, 20; expected the side of a cube, or 0"],
    ["nan-velocity", "PartType1/Velocities row 1 holds NaN; every value must be finite"],
    ["repeated-ids", "the id 7 of ParticleIDs is there more than once"],
    ["nan-ids", "PartType1/ParticleIDs row 1 holds NaN; expected whole numbers from 0 up"],
    ["negative-ids", "PartType1/ParticleIDs row 1 holds -2; expected whole numbers from 0 up"],
    ["unit", "Header/UnitLength_in_cm is 1e+300; expected a number from 1 to 1e+35"],
    ["nan-unit", "Header/UnitMass_in_g is NaN; expected a number from 1 to 1e+65"],
    ["flipped", `${at1}, rows 0 to 2: damaged; the data don't fit their checksum`],
  ];
  it.each(refused)("with %s is refused", async (name, message) => {
    const error = await readSnapshot(at(name), { units: "galactic" }).catch((reason) => reason);
    expect(error).toMatchObject({ name: "GravmeshError", kind: "input" });
    expect(error.message).toContain(`${at(name)}: ${message.replace("DIR", dir)}`);
    expect(error.message).not.toContain("\n");
  });

  it("leaves the library fit to read the next, and to open other files by itself", async () => {
    const both = await Promise.all([readSnapshot(at("sound")), readSnapshot(at("checksums"))]);
    expect(both.map(({ count }) => count)).toEqual([3, 3]);
  });

  it("that is no regular file is refused before it is opened", async () => {
    symlinkSync("turn.hdf5", at("turn"));
    const refusal = (file: string, reason: string) =>
      expect(readSnapshot(file)).rejects.toMatchObject({ kind: "input", message: expect.stringContaining(reason) });
    await refusal("/dev/zero", "The snapshot /dev/zero cannot be read: it is a device, not a regular file");
    await refusal(at("turn"), "cannot be read: its links lead round in a loop");
    await refusal(`${at("sound")}\0`, "the name holds a NUL character");
  });

  it("too large for the memory says so, whoever notices, and not that the file is damaged", async () => {
    const without = async (admit?: () => void) => {
      const error = await readSnapshot(at("sound"), admit && { admit }).catch((reason) => reason);
      expect(error).toMatchObject({ kind: "memory", message: expect.stringContaining("not enough memory to read it") });
      expect(error.message).not.toContain("damaged");
    };
    await without(() => new Float64Array(2 ** 50));
    await without(() => {
      throw new WebAssembly.RuntimeError("Aborted(OOM)");
    });
    vi.spyOn(os, "totalmem").mockReturnValue(100);
    syncBuiltinESMExports();
    await without();
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it("tells how many particles it has before memory is taken for them", async () => {
    const seen: number[] = [];
    await readSnapshot(at("sound"), { admit: (count) => seen.push(count) });
    expect(seen).toEqual([3]);
  });
});
