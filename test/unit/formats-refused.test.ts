/** Files that contradict themselves or hold what no particle has: refused alike by a deck and by a conversion. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { convert } from "../../src/run/io/convert.node.ts";
import { DistinctIds } from "../../src/run/io/distinct-ids.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";

/** Written as the sound files of foreign-formats.py are, each with one thing wrong. */
const MAKER = `
import sys
exec(open(sys.argv[2]).read())
nan, inf = float("nan"), float("inf")
for name, change in dict(time=dict(time=inf), redshift=dict(redshift=nan), box=dict(box=-1), omega=dict(cosmology=(nan, 0, 1)),
                         hubble=dict(cosmology=(0.3, 0.7, 1e300)), total=dict(total=[54, 0, 0, 0, 0, 0])).items():
    gadget(f"{name}.g1", head=header("<", **change))
    gadget(f"{name}.g2", 2, ">", head=header(">", **change))
gadget("unfilled-total.g1", head=header("<", total=[0] * 6))
gadget("mass.g1", masses=np.where(np.arange(N) == 5, -1, M))
gadget("mass-table.g1", head=header("<", table=[0, -3, 0, 0, 0, 0]))
gadget("two.g2", 2, extra=block("<", "POS ", X.astype("f4").tobytes(), 2))
gadget("later.g2", 2, extra=block("<", "POT ", M.astype("f4").tobytes(), 2)[:-2])
good = dict(Time=0.5, Redshift=0.0, NumFilesPerSnapshot=1, BoxSize=10.0)
hdf5("omega.hdf5", {**good, "Omega0": nan})
hdf5("unit.hdf5", good, [("Parameters", {"UnitVelocity_in_cm_per_s": inf})])
hdf5("text.hdf5", {**good, "HubbleParam": "much"})
hdf5("total.hdf5", good)
hdf5("short.hdf5", good)
hdf5("table.hdf5", good)
hdf5("ids.hdf5", good)
hdf5("mass.hdf5", good)
def changed(name, key, value):
    with h5py.File(name, "a") as f:
        del f["Header"].attrs[key]
        f["Header"].attrs[key] = value
changed("total.hdf5", "NumPart_Total", np.array([54, 3, 2, 0, 1, 0], "u4"))
changed("short.hdf5", "NumPart_ThisFile", np.array([2, 3], "i4"))
changed("table.hdf5", "MassTable", np.zeros(2))
with h5py.File("ids.hdf5", "a") as f: f["PartType1/ParticleIDs"][0] = 7
with h5py.File("mass.hdf5", "a") as f: f["PartType2/Masses"][1] = -0.5
gadget("ids.g1", ids="u8")
raw = bytearray(open("ids.g1", "rb").read())
at = 264 + 2 * (8 + 12 * N) + 4
raw[at:at + 8] = raw[at + 8:at + 16]
open("ids.g1", "wb").write(raw)

whole = open("standard.tipsy", "rb").read()
open("time.tipsy", "wb").write(struct.pack(">d", inf) + whole[8:])
open("mass.tipsy", "wb").write(whole[:32] + struct.pack(">f", -1) + whole[36:])
open("time.nemo", "wb").write(nemo_snapshot("<", time=nan))
mass = item("<", "f", "Mass", M.astype("f4").tobytes(), (N,))
open("two.nemo", "wb").write(nemo_snapshot("<").replace(mass, mass + mass))

whole = open("array.npy", "rb").read()
end = whole.index(b"\\n")
for n in (6, 7, 9): open(f"cut-{n}.npy", "wb").write(whole[:n])
open("blanks.npy", "wb").write(whole[:end - 2] + bytes(3) + whole[end + 1:])
for version in (0, 9): open(f"version-{version}.npy", "wb").write(whole[:6] + bytes([version]) + whole[7:])
cut = record.copy(); cut["m"][3] = -2; np.save("mass.npy", cut)
cut = record.copy(); cut["id"][3] = 3; np.save("ids.npy", cut)
arrays = dict(pos=X, vel=V, mass=M)
np.savez("time.npz", **arrays, Time=inf)
np.savez("box.npz", **arrays, BoxSize=np.ones(3))
np.savez("mass.npz", **{**arrays, "mass": -1.0})
np.savez("words.npz", **arrays, Velocities="slow")
`;
const SUPPORT = fileURLToPath(new URL("../support/foreign-formats.py", import.meta.url));
let dir: string;
const at = (name: string) => join(dir, name);
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-refused-"));
  execFileSync("/usr/bin/python3", ["-c", MAKER, dir, SUPPORT]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const COLUMNS = ["x", "y", "z", "vx", "vy", "vz", "mass"];

/** By a deck's reader and by convert, with one message. */
async function refused(name: string, message: RegExp): Promise<void> {
  const as = /^(version|blanks)/.test(name) ? { columns: COLUMNS } : {};
  const expected = { kind: "input", message: expect.stringMatching(message) };
  await expect(readSnapshot(at(name), { as }), "a deck").rejects.toMatchObject(expected);
  const request = { from: at(name), to: at("out.csv"), force: true, double: true, as };
  await expect(
    convert(request, () => {}),
    "convert",
  ).rejects.toMatchObject(expected);
}

const HEAD = "x,y,z,vx,vy,vz,mass,id\n";
const ROW = "1,2,3,0,0,0,0.5";
const table = (text: string) => {
  writeFileSync(at("table.csv"), text);
  return "table.csv";
};

describe("numbers of a header that can't be", () => {
  it.each([
    ["time.g1", /Header\/Time is Infinity; expected a finite number/],
    ["redshift.g2", /Header\/Redshift is NaN; expected a finite number above -1/],
    ["box.g1", /Header\/BoxSize is -1; expected the side of a cube, or 0/],
    ["omega.g2", /Header\/Omega0 is NaN; expected a density parameter/],
    ["hubble.g1", /Header\/HubbleParam is 1e\+300; expected h/],
    ["mass-table.g1", /Header\/MassTable holds -3 for PartType1; expected a mass/],
    ["omega.hdf5", /Header\/Omega0 is NaN/],
    ["unit.hdf5", /Parameters\/UnitVelocity_in_cm_per_s is Infinity; expected a number from/],
    ["text.hdf5", /Header\/HubbleParam is much; expected h/],
    ["time.tipsy", /Time is Infinity; expected a finite number/],
    ["time.nemo", /Time is NaN; expected a finite number/],
    ["time.npz", /Time is Infinity/],
    ["box.npz", /its array BoxSize has the shape \[3\]; expected a single value/],
    ["words.npz", /Velocities is slow; expected one of gadget, peculiar/],
    ["mass.npz", /the mass of all particles of rows is -1; expected a finite number from 0 up/],
  ])("%s", refused);

  it.each([
    ["# Time = 1e999\n", /Time is Infinity; expected a finite number/],
    ["# Time = 0x10\n", /Time is 0x10; expected a finite number/],
    ["# BoxSize = nan\n", /BoxSize is nan; expected the side/],
    ["# UnitVelocity_in_cm_per_s = -1\n", /UnitVelocity_in_cm_per_s is -1; expected a number from/],
    ["# Omega0 = inf\n", /Omega0 is inf; expected a density/],
    ["# Time = 1\n# Time = 2\n", /line 3 says Time again/],
  ])("a comment %j", async (comment, message) => {
    await refused(table(`${HEAD}${comment}${ROW},1\n`), message);
  });
});

describe("counts that contradict each other", () => {
  it.each([
    ["total.g1", /Header\/NumPart_Total counts 54 particles of PartType0, its files hold 2/],
    ["total.g2", /Header\/NumPart_Total counts 54 particles of PartType0/],
    ["total.hdf5", /Header\/NumPart_Total counts 54 particles of PartType0/],
    ["short.hdf5", /Header\/NumPart_ThisFile has 2 entries; expected one for each of 6 types/],
    ["table.hdf5", /Header\/MassTable has 2 entries/],
    ["two.g2", /the block POS is there twice, at bytes \d+ and \d+/],
    ["later.g2", /the block "POT" at byte \d+ should have 32 bytes, but the file ends/],
    ["two.nemo", /Mass is twice in one set/],
    ["version-0.npy", /the file is of NumPy's version 0\.0; 1\.0, 2\.0, 3\.0 are read/],
    ["blanks.npy", /its header isn't a dictionary, blanks and the end of a line/],
    ["cut-6.npy", /the file has 6 bytes, less than NumPy.s header/],
    ["cut-9.npy", /the file has a header of 9 bytes|truncated/],
    ["version-9.npy", /the file is of NumPy's version 9\.0/],
  ])("%s", refused);

  it("of a text that is cut at the end of a line", async () => {
    await refused(
      table(`${HEAD}# Particles = 2\n${ROW},1\n`),
      /says that there are 2 particles, and has 1 lines of numbers/,
    );
    expect((await readSnapshot(at(table(`${HEAD}# Particles = 2\n${ROW},1\n${ROW},2\n`)))).count).toBe(2);
  });

  it("but one file may leave the total out", async () => {
    expect((await readSnapshot(at("unfilled-total.g1"))).count).toBe(8);
  });
});

describe("particles that can't be", () => {
  it.each([
    ["mass.g1", /has the negative mass -1/],
    ["mass.hdf5", /PartType2 row 1 has the negative mass -0\.5/],
    ["mass.tipsy", /row 0 has the negative mass -1/],
    ["mass.npy", /has the negative mass -2/],
    ["ids.g1", /the id 0 of ParticleIDs is there more than once/],
    ["ids.hdf5", /the id 7 of ParticleIDs is there more than once/],
    ["ids.npy", /the id 3 of ParticleIDs is there more than once/],
  ])("%s", refused);

  it.each([
    [`${ROW},18446744073709551616\n`, /id row 0 holds 18446744073709551616; expected whole numbers/],
    ["0x10,2,3,0,0,0,0.5,1\n", /line 2: x is "0x10"; expected a finite number/],
    ["1,2,3,0,0,0,0b1,1\n", /line 2: mass is "0b1"/],
    ["1,2,3,0,0,0,-0.5,1\n", /row 0 has the negative mass -0\.5/],
    [`${ROW},9007199254740993\n${ROW},9007199254740993\n`, /the id 9007199254740993 of ParticleIDs is there more/],
  ])("a line %j", async (rows, message) => {
    await refused(table(`${HEAD}${rows}`), message);
  });

  it("ids of 64 bits are told apart to the last of them", async () => {
    const name = table(`${HEAD}${ROW},18446744073709551615\n${ROW},18446744073709551614\n`);
    expect((await readSnapshot(at(name))).count).toBe(2);
  });

  it("ids that are there twice are left out by formats without ids", async () => {
    const request = { from: at("ids.hdf5"), to: at("out.tipsy"), force: true, double: false, as: {} };
    const { lost } = await convert(request, () => {});
    expect(lost.join()).toContain("ids: particles are in the order of the source");
    expect((await readSnapshot(at("out.tipsy"))).count).toBe(8);
  });
});

describe("ids in passes", () => {
  const found = (ids: readonly (number | bigint)[], most: number) => {
    const distinct = new DistinctIds(ids.length, most);
    let passes = 0;
    do {
      passes++;
      for (const id of ids) distinct.take(id);
    } while (!distinct.done());
    return { repeated: distinct.repeated, passes };
  };
  const shuffled = Array.from({ length: 10_007 }, (_, i) => (i * 5003) % 10_007);

  it.each([10_007, 1000, 64])("of about %i: one that is there twice is found, wherever it is", (most) => {
    expect(found(shuffled, most)).toEqual({ repeated: undefined, passes: Math.ceil(10_007 / most) });
    for (const place of [0, 4321, 10_006]) {
      const ids = shuffled.map((id, i) => (i === place ? shuffled[(i + 5000) % 10_007] : id) * 4096);
      expect(found(ids, most).repeated).toBe(ids[place]);
    }
  });

  it("that ascend take one pass, and large ones are told apart", () => {
    expect(
      found(
        [...shuffled].sort((a, b) => a - b),
        10,
      ),
    ).toEqual({ repeated: undefined, passes: 1 });
    const large = shuffled.map((id) => 2n ** 60n + BigInt(id));
    expect(found(large, 1000).repeated).toBeUndefined();
    expect(found([...large, large[77]], 1000).repeated).toBe(large[77]);
    expect(found([3n, 1, 3], 10).repeated).toBe(3);
  });
});
