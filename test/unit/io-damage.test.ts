/** Snapshots of ours that were damaged on the way: refused whatever bit was hit, by every reader where HDF5 sees it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as hdf5 from "h5wasm/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSnapshot, type Snapshot, writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { fixtureScenario, sequence } from "../support/scenario-fixture.ts";

let dir: string;
let file: string;
let whole: Buffer;
let copies = 0;
let sound: Snapshot;
const count = 1000;
const random = sequence(3);
const particles = {
  count,
  positions: Float64Array.from({ length: 3 * count }, () => 16 * random()),
  velocities: Float32Array.from({ length: 3 * count }, () => random() - 0.5),
  masses: Float64Array.from({ length: count }, random),
  components: [{ name: "a", species: "stars" as const, first: 0, count }],
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-damage-"));
  file = join(dir, "snapshot_000.hdf5");
  await writeSnapshot(file, particles, { scenario: fixtureScenario(), time: 0.5 });
  whole = readFileSync(file);
  sound = await readSnapshot(file);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Where a dataset's bytes lie in the file, by its first row. */
function placeOf(values: Float64Array | Float32Array): number {
  const at = whole.indexOf(Buffer.from(values.buffer, 0, 64));
  expect(at).toBeGreaterThan(0);
  return at;
}

/** What reading says of a damaged copy: a new one each time, since HDF5 keeps a file open whose reading failed. */
async function refusedAfter(damage: (bytes: Buffer) => void): Promise<string> {
  const bytes = Buffer.from(whole);
  damage(bytes);
  copies += 1;
  const damaged = join(dir, `damaged-${copies}.hdf5`);
  writeFileSync(damaged, bytes);
  return readSnapshot(damaged).then(
    (found) => (isDeepStrictEqual(found, sound) ? "as written" : "taken for sound"),
    (error) => `${error.kind}: ${error.message}`,
  );
}

describe("a damaged snapshot of ours", () => {
  it("is read as it was written where nothing was hit", async () => {
    expect(sound).toMatchObject({ ...particles, time: 0.5, boxSize: 16, comoving: false });
    expect(await refusedAfter(() => {})).toBe("as written");
  });

  it("is refused for one flipped bit of any dataset, with the dataset's name", async () => {
    for (const [name, values] of [
      ["Coordinates", particles.positions],
      ["Velocities", particles.velocities],
      ["Masses", particles.masses],
    ] as const) {
      // The lowest bit of a number in the middle: as plausible a value as before.
      const at = placeOf(values) + (values.byteLength / 2 - ((values.byteLength / 2) % 8));
      const found = await refusedAfter((bytes) => {
        bytes[at] ^= 1;
      });
      expect(found).toMatch(new RegExp(`^input: .*PartType4/${name}[ ,].*damaged`));
    }
  });

  it("is refused for a whole chunk of zeros, which HDF5's own sum takes for sound", async () => {
    const at = placeOf(particles.velocities);
    const found = await refusedAfter((bytes) => bytes.fill(0, at, at + particles.velocities.byteLength + 4));
    expect(found).toMatch(/^input: .*PartType4\/Velocities isn't what gravmesh wrote.*damaged/);
  });

  it("is refused where the attributes of /Parameters are lost, which would make it another code's", async () => {
    const at = whole.indexOf("exponential-disk") - 256;
    const found = await refusedAfter((bytes) => bytes.fill(0, at, at + 1024));
    expect(found).toMatch(/^input: .*\/Parameters no longer says.*damaged/);
  });

  it("is refused, or read as it was written, wherever a run of bytes was flipped or zeroed", async () => {
    const draw = sequence(11);
    const found: Record<string, string[]> = { refused: [], "as written": [], "taken for sound": [] };
    for (let trial = 0; trial < 24; trial++) {
      const length = [1, 512, 4096][trial % 3];
      const at = Math.floor(draw() * (whole.length - length));
      const zeroed = trial % 2 === 0;
      if (zeroed && whole.subarray(at, at + length).every((byte) => byte === 0)) continue; // no damage
      const said = await refusedAfter((bytes) => {
        for (let i = at; i < at + length; i++) bytes[i] = zeroed ? 0 : bytes[i] ^ 0x10;
      });
      found[said in found ? said : "refused"].push(`${zeroed ? "zeroed" : "flipped"} ${length} at ${at}`);
    }
    // HDF5 leaves room between its headers.
    expect(found["taken for sound"]).toEqual([]);
    expect(found.refused.length).toBeGreaterThan(0.8 * (found.refused.length + found["as written"].length));
  });

  it("is refused by h5py too, which reads sound ones without a plug-in", () => {
    const at = placeOf(particles.positions) + 8000;
    const bytes = Buffer.from(whole);
    bytes[at] ^= 1;
    const damaged = join(dir, "h5py.hdf5");
    writeFileSync(damaged, bytes);
    const script = `
import h5py, sys
with h5py.File(sys.argv[1]) as f: print(f["PartType4/Coordinates"].fletcher32, f["PartType4/Coordinates"][...].shape)
try:
    with h5py.File(sys.argv[2]) as f: f["PartType4/Coordinates"][...]
    print("accepted")
except OSError as e: print("refused")`;
    const said = execFileSync("/usr/bin/python3", ["-c", script, file, damaged], { encoding: "utf8" });
    expect(said.trim().split("\n")).toEqual([`True (${count}, 3)`, "refused"]);
  });

  it("may have been changed on purpose: without the attribute it is taken as it is", async () => {
    const changed = join(dir, "changed.hdf5");
    writeFileSync(changed, whole);
    await hdf5.ready;
    const open = new hdf5.File(changed, "a");
    const dataset = open.get("PartType4/Coordinates") as hdf5.Dataset;
    dataset.write_slice(
      [
        [0, 1],
        [0, 3],
      ],
      Float64Array.of(1, 2, 3),
    );
    open.flush();
    await expect(readSnapshot(changed)).rejects.toThrow(/If you changed the data yourself, delete that attribute/);
    dataset.delete_attribute("sha256");
    open.close();
    expect((await readSnapshot(changed)).positions.slice(0, 3)).toEqual(Float64Array.of(1, 2, 3));
  });
});
