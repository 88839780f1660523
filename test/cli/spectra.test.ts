/** Statistics of modes and fields on a grid from a deck and from snapshots, as a user has them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { linearPowerOf } from "../../src/physics/cosmology/power.ts";
import { cosmologyDefaults } from "../../src/physics/cosmology/settings.ts";
import { datasetIn, loadHdf5 } from "../../src/run/io/hdf5.node.ts";
import { gravmesh, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
beforeAll(() => writeFileSync(join(work(), "two.toml"), DECK));
const [N, BOX, START] = [16, 200, 0.1];

const DECK = `title = "two lattices"
[units]
system = "cosmological"
[box]
size = ${BOX}
boundary = "periodic"
[mesh]
cells = ${N}
[time]
clock = "comoving"
start = ${START}
end = 1
step = 0.1
[output]
redshifts = [1]
haloes = false
[spectra]
multipoles = "x"
cross = true
triangles = 3
correlation = 4
[fields]
of = ["density", "velocity", "displacement", "linear density"]
times = [${START}, 0.5]
formats = ["hdf5", "npy"]
${["dark", "baryons"]
  .map(
    (name, i) =>
      `[[particles]]\nkind = "lattice"\nname = "${name}"\nperSide = ${N}\nseed = ${i}\nfixedAmplitudes = true\n`,
  )
  .join("")}`;

/** Numbers of a float32 .npy behind its header. */
function npy(file: string): { shape: string; values: Float32Array } {
  const bytes = readFileSync(file);
  const begin = 10 + bytes.readUInt16LE(8);
  const values = new Float32Array(new Uint8Array(bytes.subarray(begin)).buffer);
  return { shape: /'shape': \(([^)]*)\)/.exec(bytes.toString("latin1", 0, begin))![1], values };
}

const numbersIn = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(2, -1)
    .map((row) => row.split(",").map(Number));

it("writes statistics and fields of a run, the same after a resume, and of its snapshots", {
  timeout: 480_000,
}, async () => {
  const run = (...args: string[]) => gravmesh(work(), ["run", "two.toml", "--quiet", "--backend", "cpu", ...args]);
  expect(await run("--out", "whole")).toMatchObject({ code: 0, stderr: "" });
  const whole = join(work(), "whole");
  const statistics = ["multipoles", "cross", "bispectrum", "correlation"];
  for (const one of statistics) {
    for (const index of ["000", "001", "002"]) {
      const rows = numbersIn(join(whole, `${one}_${index}.csv`));
      expect(rows.length).toBeGreaterThan(2);
      expect(rows.every((row) => row.every(Number.isFinite))).toBe(true);
    }
  }
  expect(readFileSync(join(whole, "cross_002.csv"), "utf8")).toMatch(
    /^# time 1; .*\nk,k_low,k_high,modes,power.dark,power.baryons,cross.dark.baryons,correlation.dark.baryons\n/,
  );
  const report = readFileSync(join(whole, "report.html"), "utf8");
  for (const title of [
    /Multipoles in redshift space/,
    /Correlation of components/,
    /Reduced bispectrum/,
    /Two-point/,
  ]) {
    expect(report).toMatch(title);
  }
  expect(report.replace(/data:image[^"]*/g, "")).not.toMatch(/NaN|undefined/);

  // A fixed amplitude is √(P/V) in every mode; 2LPT's second order is taken out.
  const { shape, values } = npy(join(whole, "initial_linear-density.npy"));
  expect(shape).toBe(`${N}, ${N}, ${N}`);
  const linear = await linearPowerOf(cosmologyDefaults);
  for (const m of [1, 3]) {
    let [re, im] = [0, 0];
    for (const [i, value] of values.entries()) {
      re += (value * Math.cos((2 * Math.PI * m * (i % N)) / N)) / N ** 3;
      im += (value * Math.sin((2 * Math.PI * m * (i % N)) / N)) / N ** 3;
    }
    const power = BOX ** 3 * (re * re + im * im);
    expect(power / linear.power((2 * Math.PI * m) / BOX, START)).toBeCloseTo(1, 4);
  }
  const fields = new (await loadHdf5()).File(join(whole, "fields.hdf5"), "r");
  expect(datasetIn(fields, "Density")!.shape).toEqual([2, N, N, N]);
  expect(datasetIn(fields, "Velocity")!.attrs.unit.value).toBe("km/s, peculiar");
  fields.close();
  expect(npy(join(whole, "fields_001_velocity.npy")).shape).toBe(`${N}, ${N}, ${N}, 3`);
  expect(npy(join(whole, "initial_displacement.npy")).shape).toBe(`${N}, ${N}, ${N}, 3`);
  // The mean density is that of the mass, to float32.
  const density = npy(join(whole, "fields_001_density.npy")).values;
  const mean = npy(join(whole, "fields_000_density.npy")).values.reduce((a, b) => a + b) / N ** 3;
  expect(density.reduce((a, b) => a + b) / N ** 3 / mean).toBeCloseTo(1, 5);

  expect(await run("--out", "part", "time.end=0.5")).toMatchObject({ code: 0 });
  expect(await gravmesh(work(), ["run", "--resume", "part", "time.end=1", "--quiet"])).toMatchObject({ code: 0 });
  const files = readdirSync(whole).filter((name) =>
    /^(fields|initial|multipoles|cross|bispectrum|correlation)_/.test(name),
  );
  expect(files.length).toBe(3 * statistics.length + 2 * 3 + 1);
  for (const file of files) {
    expect(readFileSync(join(work(), "part", file)).equals(readFileSync(join(whole, file)))).toBe(true);
  }

  const snapshots = ["whole/snapshot_002.hdf5", "whole/snapshot_000.hdf5"];
  const asRun = ["--cells", `${N}`, "--multipoles", "x", "--triangles", "3", "--quiet"];
  expect(await gravmesh(work(), ["spectra", ...snapshots, ...asRun])).toMatchObject({ code: 0, stderr: "" });
  const out = join(work(), "results/spectra-snapshot_002");
  // Snapshots have velocities in float32, and the header another unit of length.
  const [own, of] = [numbersIn(join(out, "multipoles_000.csv")), numbersIn(join(whole, "multipoles_002.csv"))];
  for (const [i, row] of own.entries()) expect(row[4] / of[i][4]).toBeCloseTo(1, 4);
  const between = numbersIn(join(out, "cross_000.csv"));
  expect(between[0][7]).toBeGreaterThan(0.8);
  expect(between[0][7]).toBeLessThan(1);
  const again = await gravmesh(work(), ["spectra", ...snapshots]);
  expect(again).toMatchObject({ code: 2 });
  expect(again.stderr).toMatch(/holds bispectrum_000.csv, .* --force/);
  const odd = await gravmesh(work(), ["spectra", snapshots[0], "--cells", "33", "--out", "odd"]);
  expect(odd.stderr).toMatch(/spectra.cells: expected 2\^k .*found 33. Nearest valid sizes: 32 and 48/);
});

it("says what a deck can't have", async () => {
  const refused = async (...overrides: string[]) =>
    (await gravmesh(work(), ["run", "two.toml", "--quiet", "--dry-run", ...overrides])).stderr;
  expect(await refused("spectra.triangles=8")).toMatch(/spectra.triangles: .* below spectra.cells \/ 2 = 8.* found 16/);
  expect(await refused("spectra.separations=[3]")).toMatch(/spectra.separations: expected \[least, largest\]/);
  expect(await refused("spectra.cells=1024")).toMatch(/spectra.cells: expected at most 512, found 1024/);
});
