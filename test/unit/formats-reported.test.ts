/** Files as users of other codes reported them: bytes that writers leave as they are, names and lines of their own. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileReading } from "../../src/foundation/deck/file-formats.ts";
import { convert } from "../../src/run/io/convert.node.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";

const MAKER = `
import struct, sys, os, numpy as np, h5py
os.chdir(sys.argv[1])
N = 12
X = np.arange(3 * N).reshape(N, 3) / 8; V = -X; M = np.full(N, 0.5); I = np.arange(N, dtype="u4")

def tipsy(name, e, pad, counts):
    body = b"".join(struct.pack(e + f"{w}f", 0.5, *X[0], *V[0], *[0] * (w - 7)) for w, n in zip((12, 9, 11), counts) for _ in range(n))
    open(name, "wb").write(struct.pack(e + "d6I", 0.0, sum(counts), 3, *counts, pad) + body)
tipsy("rubbish.tipsy", "<", 32550, (0, N, 0))
tipsy("version.tipsy", "<", 2, (0, N, 0))
tipsy("standard.tipsy", ">", 0xdeadbeef, (3, 4, 5))
tipsy("stars.tipsy", "<", 0x0c000000, (0, 0, N))
tipsy("ones.tipsy", ">", 0xffffffff, (2, N - 2, 0))

def gadget(name, tail=b"", files=1, total=None, form=1):
    n = [0, N, 0, 0, 0, 0]
    head = struct.pack("<6i6d2d2i6I2i4d", *n, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, *(n if total is None else total), 0, files, 0, 0, 0, 0)
    blocks = (("HEAD", (head + tail).ljust(256, b"\\0")), ("POS ", X.astype("<f4").tobytes()), ("VEL ", V.astype("<f4").tobytes()), ("ID  ", I.tobytes()))
    with open(name, "wb") as f:
        for label, data in blocks:
            if form == 2: f.write(struct.pack("<i4s2i", 8, label.encode(), len(data) + 8, 8))
            f.write(struct.pack("<i", len(data)) + data + struct.pack("<i", len(data)))
gadget("reserved.g1", b"\\xa5" * 96)
gadget("words.g1", b"written by hand, in 1998 and later" * 2)
gadget("files.g1", files=-1431655766)
gadget("unfilled.g1", b"\\xff" * 96, 32767, [0] * 6)
gadget("reserved.g2", b"\\x01" * 96, form=2)

def hdf5(name, counts, **groups):
    with h5py.File(name, "w") as f:
        a = f.create_group("Header").attrs
        a["NumPart_ThisFile"] = a["NumPart_Total"] = np.array(counts, "i4")
        a["MassTable"] = np.zeros(len(counts)); a["Time"] = 0.0; a["Redshift"] = 0.0; a["NumFilesPerSnapshot"] = 1
        for group, data in groups.items():
            for key, value in data.items(): f[f"{group}/{key}"] = value
def part(n=N, velocity="Velocities", mass="Masses", ids=I, **more):
    return {"Coordinates": X[:n], velocity: V[:n], mass: M[:n], "ParticleIDs": ids[:n], **more}
hdf5("tracers.hdf5", [0, N, 0, 20, 0, 0], PartType1=part(), PartType3=dict(TracerID=np.arange(20), ParentID=np.arange(20)))
hdf5("no-group.hdf5", [0, N, 5, 0, 0, 0], PartType1=part())
hdf5("neutrinos.hdf5", [0, N, 0, 0, 0, 0, 4], PartType1=part(), PartType6=dict(Weights=np.ones(4)))
hdf5("eagle.hdf5", [3, 0, 0, 0, N, 0], PartType0=part(3, "Velocity", "Mass", I + 100), PartType4=part(N, "Velocity", "Mass"))
hdf5("swift.hdf5", [0, 0, 0, 0, 0, N], PartType5=part(mass="DynamicalMasses", SubgridMasses=9 * M))
hdf5("twice.hdf5", [0, N, 4, 0, 0, 0], PartType1=part(), PartType2=part(4))
hdf5("zeros.hdf5", [0, N, 0, 0, 0, 0], PartType1=part(ids=0 * I))
`;
let dir: string;
const at = (name: string) => join(dir, name);
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-reported-"));
  execFileSync("/usr/bin/python3", ["-c", MAKER, dir]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const quiet = () => {};
const request = (name: string, as: object = {}) => ({
  ...{ from: at(name), to: at("out.csv"), force: true, double: true, as },
});
const text = (content: string) => {
  writeFileSync(at("table.txt"), content);
  return "table.txt";
};

/** A deck's reader and convert alike find `count` particles, all of the mass 0.5. */
async function finds(name: string, count: number, as: FileReading & { units?: never; velocities?: never } = {}) {
  const { masses } = await readSnapshot(at(name), { as });
  expect([...masses]).toEqual(Array(count).fill(0.5));
  expect(await convert(request(name, as), quiet)).toMatchObject({ particles: count });
  return readFileSync(at("out.csv"), "utf8");
}

/** Both refuse it with one message. */
async function refuses(name: string, message: RegExp, as: object = {}) {
  const expected = { kind: "input", message: expect.stringMatching(message) };
  await expect(readSnapshot(at(name), { as }), "a deck").rejects.toMatchObject(expected);
  await expect(convert(request(name, as), quiet), "convert").rejects.toMatchObject(expected);
}

describe("reserved bytes are no counts", () => {
  it.each([
    ...["rubbish.tipsy", "version.tipsy", "standard.tipsy", "stars.tipsy", "ones.tipsy"],
    ...["reserved.g1", "words.g1", "files.g1", "unfilled.g1", "reserved.g2"],
  ])("%s", async (name) => {
    await finds(name, 12);
  });

  it("but counts that don't fit the file are", async () => {
    const bytes = readFileSync(at("standard.tipsy"));
    writeFileSync(at("cut.tipsy"), bytes.subarray(0, -8));
    await refuses("cut.tipsy", /no TIPSY file of float32/);
  });
});

describe("types that are read", () => {
  it("are chosen, whatever the others lack", async () => {
    for (const name of ["tracers.hdf5", "no-group.hdf5", "neutrinos.hdf5"]) await finds(name, 12, { types: [1] });
    await refuses("tracers.hdf5", /PartType3\/Coordinates is missing\. .*types = \[1\] \(--types 1\)/);
    await finds("eagle.hdf5", 3, { types: [0] });
    await finds("standard.tipsy", 8, { types: [0, 4] });
    await finds("reserved.g1", 12, { types: [1] });
    await finds(text("x y z vx vy vz mass type\n1 2 3 0 0 0 0.5 1\n1 2 3 0 0 0 7 2\n"), 1, { types: [1] });
  });

  it("are refused where the file has none of one", async () => {
    for (const name of ["tracers.hdf5", "rubbish.tipsy"]) {
      await refuses(name, /no particles of type 2/, { types: [1, 2] });
    }
  });

  it("have the names of EAGLE and SWIFT", async () => {
    await finds("eagle.hdf5", 15);
    await finds("swift.hdf5", 12);
  });
});

describe("ids that are there twice", () => {
  it("are refused, and numbered anew where that is said", async () => {
    await refuses("twice.hdf5", /the id 0 of ParticleIDs is there more than once\. .*ids = "new" \(--ids new\)/);
    for (const [name, count] of [
      ["twice.hdf5", 16],
      ["zeros.hdf5", 12],
    ] as const) {
      const rows = (await finds(name, count, { ids: "new" })).trim().split("\n");
      expect(rows.slice(-count).map((row) => Number(row.split(",")[7]))).toEqual([...Array(count).keys()]);
    }
    expect(await finds("rubbish.tipsy", 12, { ids: "new" })).toMatch(/^x,y,z,vx,vy,vz,mass,id,species/);
    await finds(text("id x y z vx vy vz mass\n1 1 2 3 0 0 0 0.5\n1 1 2 4 0 0 0 0.5\n"), 2, { ids: "new" });
  });
});

describe("text of other codes", () => {
  const NAMES = "mass x y z vx vy vz";
  const columns = NAMES.split(" ");
  const ROWS = "0.5 1 2 3 4 5 6\n0.5 2 3 4 5 6 7\n";

  it("has exponents as Fortran writes them", async () => {
    const written = await finds(text(`${NAMES}\n5.0D-01 1.5d+00 .25D1 -1-300 0.1+101 1D0 0\n`), 1);
    expect(written).toContain("\n1.5,2.5,-1-300,".replace("-1-300", "-1e-300"));
    expect(written).toContain(",1e+100,1,0,0.5,stars");
    await refuses(text(`${NAMES}\n0.5D 1 2 3 4 5 6\n`), /line 2: mass is "0\.5D"; expected a finite number/);
  });

  it("begins with counts, which have to be right", async () => {
    for (const lines of ["2\n", "2 3 0.0\n", "2\n3\n0.0\n", "  2   3\n# from a run\n"]) {
      await finds(text(lines + ROWS), 2, { columns });
      await finds(text(`${lines}${NAMES}\n${ROWS}`), 2);
    }
    await refuses(text(`3 3 0.0\n${ROWS}`), /says that there are 3 particles, and has 2 lines of numbers/, { columns });
    await refuses(text(ROWS), /line 1 has 7 fields, and nothing says what they are/);
  });

  it("names columns and units in comments, as AMUSE does", async () => {
    const sizes = (lines: string, as = {}) =>
      finds(text(`${lines}\n${ROWS}`), 2, as).then((written) =>
        [...written.matchAll(/# Unit\w+ = (\S+)/g)].map(([, size]) => Number(Number(size).toPrecision(4))),
      );
    expect(await sizes(`#${NAMES}\n#MSun parsec parsec parsec kms kms kms`)).toEqual([3.086e18, 1.988e33, 1e5]);
    expect(await sizes(`#${NAMES}\n#kg m m m m * s**-1 m * s**-1 m * s**-1`)).toEqual([100, 1000, 100]);
    expect(await sizes(`# ${NAMES}\n# 1e10 * MSun kpc kpc kpc km / s km / s km / s`)).toEqual([
      3.086e21, 1.988e43, 1e5,
    ]);
    const nbody = `#${NAMES}\n#mass length length length length * time**-1 length * time**-1 length * time**-1`;
    expect(await sizes(nbody)).toEqual([]);
    const { positions } = await readSnapshot(at(text(`#${NAMES}\n#MSun parsec parsec parsec kms kms kms\n${ROWS}`)), {
      units: "galactic",
    });
    expect(positions[0]).toBeCloseTo(1e-3, 9);
    for (const wrong of ["kpc parsec parsec", "RSun RSun RSun"]) {
      await refuses(
        text(`#${NAMES}\n#MSun ${wrong} kms kms kms\n${ROWS}`),
        /a comment says that [xy] is in \w+; expected/,
      );
    }
  });
});
