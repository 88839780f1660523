/** Conversions: what readers that share no code with ours find in the files, exact round trips, and what is refused. */
import { execFileSync } from "node:child_process";
import fs, {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FILE_FORMATS, type FileFormatName } from "../../src/foundation/deck/file-formats.ts";
import { type ConvertRequest, convert } from "../../src/run/io/convert.node.ts";
import { readSnapshot, writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { fixtureParticles, fixtureScenario } from "../support/scenario-fixture.ts";

const READER = fileURLToPath(new URL("../support/read-formats.py", import.meta.url));
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-convert-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const at = (name: string) => join(dir, name);

/** As Python sees a file. */
function seen(file: string, format: FileFormatName) {
  return JSON.parse(execFileSync("/usr/bin/python3", [READER, file, format], { encoding: "utf8" }));
}

const converted = (from: string, to: string, changes: Partial<ConvertRequest> = {}) =>
  convert({ from: at(from), to: at(to), force: false, double: false, as: {}, ...changes }, () => {});

/** A run's snapshot of the fixture's 12 particles, 8 of type 1 and 4 of type 2. */
async function snapshot(change: (particles: ReturnType<typeof fixtureParticles>) => void = () => {}) {
  const particles = fixtureParticles();
  change(particles);
  await writeSnapshot(at("run.hdf5"), particles, { scenario: fixtureScenario(), time: 0.5, version: "1" });
  return particles;
}

/** Positions and masses that float32 has too. */
const short = ({ positions, masses }: ReturnType<typeof fixtureParticles>) => {
  positions.set(positions.map(Math.fround));
  masses.set(masses.map(Math.fround));
};

/** Rows of the file in the order of its types: halo and companion, then the disk. */
const ROWS = [0, 1, 2, 3, 4, 9, 10, 11, 5, 6, 7, 8];
const rowsOf = (values: ArrayLike<number>, width: number) =>
  ROWS.flatMap((i) => Array.from({ length: width }, (_, k) => values[width * i + k]));

const ENDINGS: Record<FileFormatName, string> = {
  ...{ "gadget-hdf5": ".h5", "gadget-2": ".g2", "gadget-1": ".gadget1", tipsy: ".tipsy", nemo: ".nemo", csv: ".csv" },
  ...{ npy: ".npy", npz: ".npz" },
};
const OTHERS = FILE_FORMATS.filter((name) => name !== "tipsy" && name !== "nemo");

describe("a run's snapshot", () => {
  it.each(FILE_FORMATS.filter((name) => name !== "nemo"))(
    "as %s is what an independent reader finds",
    async (format) => {
      const { positions, velocities, masses } = await snapshot(short);
      const file = `out${ENDINGS[format]}`;
      const result = await converted("run.hdf5", file);
      expect(result).toMatchObject({ from: "gadget-hdf5", to: format, particles: 12 });
      const found = seen(at(file), format);
      expect(found.x).toEqual(rowsOf(positions, 3));
      expect(found.v).toEqual(rowsOf(velocities, 3));
      expect(found.m).toEqual(rowsOf(masses, 1));
      expect(found.ids).toEqual(format === "tipsy" ? null : ROWS);
      if (format !== "csv")
        expect(found.types).toEqual(ROWS.map((i) => (i < 5 || i > 8 ? 1 : format === "tipsy" ? 4 : 2)));
      else expect(found.species).toEqual(ROWS.map((i) => (i < 5 || i > 8 ? "halo" : "disk")));
      if ("time" in found) expect(found.time).toBe(0.5);
      const lost = result.lost.join("; ");
      if (format === "tipsy")
        expect(lost).toMatch(/ids: .*the types disk, which became star particles.*units = "deck"/);
      if (format === "csv" || format === "gadget-hdf5" || format === "npz") expect(lost).toBe("");
    },
  );

  it("comes back from every format that holds all of it", async () => {
    await snapshot();
    const whole = await readSnapshot(at("run.hdf5"));
    for (const format of OTHERS) {
      const file = `out${ENDINGS[format]}`;
      const { lost } = await converted("run.hdf5", file, { double: true });
      expect(lost.filter((one) => /digits/.test(one))).toEqual([]);
      await converted(file, "back.hdf5", { force: true });
      const back = await readSnapshot(at("back.hdf5"));
      const order = format === "gadget-hdf5" ? Array.from({ length: 12 }, (_, i) => i) : ROWS;
      const take = (values: ArrayLike<number>, width: number) =>
        order.flatMap((i) => Array.from({ length: width }, (_, k) => values[width * i + k]));
      expect([...back.positions], format).toEqual(take(whole.positions, 3));
      expect([...back.velocities], format).toEqual(take(whole.velocities, 3));
      expect([...back.masses], format).toEqual(take(whole.masses, 1));
      if (format !== "npy") expect(back.time, format).toBe(0.5);
    }
  });

  it("keeps its components and its deck from HDF5 to HDF5", async () => {
    await snapshot();
    await converted("run.hdf5", "copy.hdf5");
    expect(await readSnapshot(at("copy.hdf5"))).toEqual(await readSnapshot(at("run.hdf5")));
  });

  it("is rounded to float32 where the format has it, and says so", async () => {
    const { positions } = await snapshot();
    for (const format of ["gadget-1", "gadget-2", "tipsy"] as const) {
      const { lost } = await converted("run.hdf5", `out${ENDINGS[format]}`);
      expect(lost[0], format).toBe("digits beyond float32 of coordinates, masses");
      expect(seen(at(`out${ENDINGS[format]}`), format).x).toEqual(rowsOf(positions.map(Math.fround), 3));
    }
  });

  it("goes through NEMO and TIPSY without change of what they hold", async () => {
    await snapshot(short);
    for (const format of ["nemo", "tipsy"] as const) {
      const file = `out${ENDINGS[format]}`;
      await converted("run.hdf5", file);
      await converted(file, `again${ENDINGS[format]}`);
      const [first, second] = [await readSnapshot(at(file)), await readSnapshot(at(`again${ENDINGS[format]}`))];
      expect(second).toEqual(first);
      expect([...first.positions]).toEqual(rowsOf(fixtureParticles().positions.map(Math.fround), 3));
      expect(first.time).toBe(0.5);
    }
    const nemo = readFileSync(at("out.nemo"));
    await converted("out.nemo", "twice.nemo");
    expect(readFileSync(at("twice.nemo")).equals(nemo)).toBe(true);
  });
});

describe("units and velocities", () => {
  /** Two particles in a table. */
  const table = (head = "") => writeFileSync(at("t.csv"), `${head}x,y,z,vx,vy,vz,mass\n1,2,3,4,5,6,7\n2,3,4,5,6,7,8\n`);

  it("that are named go into the file", async () => {
    table();
    await converted("t.csv", "t.hdf5", { as: { units: { length: "Mpc", mass: "Msun", velocity: "km/s" } } });
    const { said } = seen(at("t.hdf5"), "gadget-hdf5");
    expect(said.UnitLength_in_cm / 3.085677581e24).toBeCloseTo(1, 9);
    expect(said.UnitMass_in_g / 1.98841e33).toBeCloseTo(1, 4);
    expect(said.UnitVelocity_in_cm_per_s).toBe(1e5);
    const galactic = await readSnapshot(at("t.hdf5"), { units: "galactic" });
    expect(galactic.positions[2]).toBeCloseTo(3000, 9);
    expect(galactic.masses[0]).toBeCloseTo(7e-10, 20);
  });

  it("of an expanding box become GADGET's, and go back", async () => {
    table("# Time = 0.25\n# Redshift = 3\n# Omega0 = 0.3\n# OmegaLambda = 0.7\n# HubbleParam = 0.7\n# BoxSize = 100\n");
    for (const [velocities, factor] of [
      ["peculiar", 2],
      ["gadget", 1],
      ["comoving", 0.5],
      ["canonical", 8],
    ] as const) {
      await converted("t.csv", "t.hdf5", { as: { velocities }, force: true });
      const found = seen(at("t.hdf5"), "gadget-hdf5");
      expect(found.v[0], velocities).toBe(4 * factor);
      expect(found.said).toMatchObject({
        ComovingIntegrationOn: 1,
        Time: 0.25,
        Redshift: 3,
        Omega0: 0.3,
        BoxSize: 100,
      });
      await converted("t.hdf5", "t.g1", { force: true });
      expect(seen(at("t.g1"), "gadget-1")).toMatchObject({
        time: 0.25,
        redshift: 3,
        cosmology: [0.3, 0.7, 0.7],
        box: 100,
      });
      expect((await readSnapshot(at("t.g1"))).velocities[0], velocities).toBeCloseTo(2 * factor, 6);
    }
    await expect(converted("t.csv", "u.hdf5")).rejects.toThrow(/Say it with --velocities: gadget \(√a dx\/dt\)/);
    expect((await converted("t.hdf5", "u.tipsy")).lost.join()).toMatch(
      /what velocities are; in a deck: velocities = "gadget"/,
    );
  });
});

it("what a source doesn't say of its box is no loss", async () => {
  writeFileSync(at("t.csv"), "x,y,z,vx,vy,vz,mass\n1,2,3,4,5,6,7\n");
  const { lost, assumed } = await converted("t.csv", "t.hdf5");
  expect({ lost, assumed }).toEqual({ lost: [], assumed: [expect.stringMatching(/^a box that doesn't expand/)] });
});

describe("a conversion is refused", () => {
  it("over a file that is there, unless it is forced, and always over its own source", async () => {
    await snapshot();
    writeFileSync(at("old.csv"), "precious");
    await expect(converted("run.hdf5", "old.csv")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/there already.*--force/),
    });
    expect(readFileSync(at("old.csv"), "utf8")).toBe("precious");
    await expect(converted("run.hdf5", "run.hdf5", { force: true })).rejects.toMatchObject({ kind: "usage" });
    await converted("run.hdf5", "old.csv", { force: true });
    expect(readFileSync(at("old.csv"), "utf8")).toContain("x,y,z,vx,vy,vz,mass,id,species\n");
  });

  it("onto a link that leads nowhere, unless it is forced", async () => {
    await snapshot();
    symlinkSync(at("gone.csv"), at("link.csv"));
    await expect(converted("run.hdf5", "link.csv")).rejects.toMatchObject({
      ...{ kind: "usage", message: expect.stringMatching(/there already.*--force/) },
    });
    expect(readlinkSync(at("link.csv"))).toBe(at("gone.csv"));
    await converted("run.hdf5", "link.csv", { force: true });
    expect(readFileSync(at("link.csv"), "utf8")).toMatch(/^x,y,z/);
  });

  it.each(["out.hdf5", "out.g1"])(
    "of velocities that are too large for float32 in another convention: %s",
    async (out) => {
      const file = new DataView(new ArrayBuffer(32 + 36));
      file.setFloat64(0, 0.25);
      for (const [k, value] of [1, 3, 0, 1, 0].entries()) file.setInt32(8 + 4 * k, value);
      // Mass, position, velocity: a² dx/dt, of which √a dx/dt is a^-1.5 times as much.
      for (const [k, value] of [1, 1, 1, 1, 1e38, 0, 0].entries()) file.setFloat32(32 + 4 * k, value);
      writeFileSync(at("in.tipsy"), new Uint8Array(file.buffer));
      await expect(converted("in.tipsy", out, { as: { velocities: "canonical" } })).rejects.toMatchObject({
        kind: "input",
        message: expect.stringMatching(/velocities: 7\.99\d*e\+38 is too large for float32/i),
      });
      expect(existsSync(at(out))).toBe(false);
    },
  );

  it("to a name that says no format, and into a folder that isn't there", async () => {
    await snapshot();
    await expect(converted("run.hdf5", "out")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/--to: gadget-hdf5/),
    });
    await expect(converted("run.hdf5", "no/out.csv")).rejects.toMatchObject({ kind: "io" });
  });

  it("for numbers that float32 doesn't have; nothing is left behind, and the old file stays", async () => {
    await snapshot(({ positions }) => {
      positions[4] = 1e300;
    });
    writeFileSync(at("old.g2"), "precious");
    await expect(converted("run.hdf5", "old.g2", { force: true })).rejects.toMatchObject({
      kind: "input",
      message: expect.stringMatching(/Coordinates: .*too large for float32/),
    });
    expect(readFileSync(at("old.g2"), "utf8")).toBe("precious");
    expect(readdirSync(dir).sort()).toEqual(["old.g2", "run.hdf5"]);
  });

  it("when it is stopped", async () => {
    await snapshot();
    const request = { from: at("run.hdf5"), to: at("out.csv"), force: false, double: false, as: {} };
    const seenFractions: number[] = [];
    const stopped = convert(request, ({ fraction }) => {
      seenFractions.push(fraction);
      if (fraction > 0) throw new Error("stop");
    });
    await expect(stopped).rejects.toThrow("stop");
    expect(seenFractions).toEqual([0, expect.closeTo(2 / 3, 12)]);
    expect(existsSync(at("out.csv"))).toBe(false);
    expect(readdirSync(dir)).toEqual(["run.hdf5"]);
  });
});

describe("a full disk", () => {
  const count = 60_000;
  const many = () => {
    const of = (width: number) => Float64Array.from({ length: width * count }, (_, i) => (i % 1000) / 128);
    const components = [{ name: "a", species: "stars" as const, first: 0, count }];
    return { count, components, positions: of(3), velocities: Float32Array.from(of(3)), masses: of(1) };
  };
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it("is found before writing, with what is needed and no advice for runs", async () => {
    await snapshot();
    vi.spyOn(fs, "statfsSync").mockReturnValue({ bavail: 2, bsize: 128 } as unknown as fs.StatsFs & fs.BigIntStatsFs);
    syncBuiltinESMExports();
    await expect(converted("run.hdf5", "out.csv")).rejects.toMatchObject({
      kind: "io",
      message:
        `No space left for ${at("out.csv")}. It needs 384 B (384 bytes); the disk has 256 B free.` +
        " Free some space or choose another place for it. Earlier files are intact.",
    });
    expect(readdirSync(dir)).toEqual(["run.hdf5"]);
  });

  it.each(FILE_FORMATS)("that fills up in the middle of writing %s leaves the older file alone", async (format) => {
    await writeSnapshot(at("run.hdf5"), many(), { scenario: fixtureScenario(), time: 0.5 });
    const name = `old${ENDINGS[format]}`;
    writeFileSync(at(name), "precious");
    const write = fs.writeSync;
    let written = 0;
    vi.spyOn(fs, "writeSync").mockImplementation(((...args: Parameters<typeof fs.writeSync>) => {
      const bytes = Number(args[3]);
      written += bytes;
      // Small writes pass: HDF5 puts its error message together in a temporary file of its own.
      if (written > 1_000_000 && bytes > 10_000) {
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", errno: -28 });
      }
      return write(...args);
    }) as typeof fs.writeSync);
    syncBuiltinESMExports();
    await expect(converted("run.hdf5", name, { force: true })).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(
        new RegExp(
          `^No space left for ${at(name)}\\.[^-]* or choose another place for it\\. Earlier files are intact\\.$`,
        ),
      ),
    });
    expect(written).toBeGreaterThan(1_000_000);
    expect(readFileSync(at(name), "utf8")).toBe("precious");
    expect(readdirSync(dir).sort()).toEqual([name, "run.hdf5"].sort());
  });
});
