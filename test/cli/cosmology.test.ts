/** A cosmological run from the command line: spectra, haloes, report, and snapshots as h5py reads them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gravmesh, useWorkFolder } from "../support/cli.ts";
import { describeHdf5 } from "../support/hdf5-description.ts";

const work = useWorkFolder();

it("writes comoving snapshots, power spectra, haloes and a report", async () => {
  const out = join(work(), "web");
  const overrides = ["mesh.cells=32", "box.size=40", "output.redshifts=[3, 1]", "haloes.members=10"].concat(
    ["perSide=16", "fixedAmplitudes=true"].map((entry) => `particles.dark matter.${entry}`),
  );
  const { code, stderr } = await gravmesh(work(), [
    ...["run", "lcdm", ...overrides, "time.step=0.05", "--out", "web", "--quiet"],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });

  const nodes = describeHdf5(join(out, "snapshot_001.hdf5"));
  const value = (node: string, name: string) => nodes[node].attributes[name].value;
  expect(value("Header", "Time")).toBe(0.25);
  expect(value("Header", "Redshift")).toBe(3);
  expect(value("Header", "BoxSize")).toBe(40_000); // kpc/h
  expect(value("Parameters", "ComovingIntegrationOn")).toBe(1);
  expect(value("Parameters", "Omega0")).toBe(0.3);
  expect(value("Parameters", "OmegaLambda")).toBeCloseTo(0.7, 12);
  expect(value("Parameters", "OmegaBaryon")).toBe(0.05);
  expect(value("Parameters", "HubbleParam")).toBe(0.7);
  const scalings = (name: string) => ["a_scaling", "h_scaling"].map((key) => value(`PartType1/${name}`, key));
  expect(scalings("Coordinates")).toEqual([1, -1]);
  expect(scalings("Velocities")).toEqual([0.5, 0]);
  // 16³ particles with the matter of (40 Mpc/h)³, in 1e10 Msun/h.
  const table = value("Header", "MassTable") as number[];
  expect(table[1]).toBeCloseTo((0.3 * 27.7536627 * 40 ** 3) / 16 ** 3, 4);

  // At the start u = v/√a belongs to Zel'dovich motion: displacement and velocity in proportion, u = √a H f (x − q).
  const start = describeHdf5(join(out, "snapshot_000.hdf5"));
  const a = start.Header.attributes.Time.value as number;
  const [x, u] = ["Coordinates", "Velocities"].map((name) => (start[`PartType1/${name}`] as { first: number[] }).first);
  const spacing = 40_000 / 16;
  const hubble = 0.1 * Math.sqrt(0.3 / a ** 3 + 0.7); // km/s/(kpc/h)
  for (let axis = 0; axis < 3; axis++) {
    const displacement = x[axis] - 0.5 * spacing;
    expect(u[axis] / (Math.sqrt(a) * hubble * displacement)).toBeCloseTo(1, 1);
  }

  const power = readFileSync(join(out, "power_003.csv"), "utf8").split("\n");
  expect(power[0]).toMatch(/^# time 1; k in 1\/\(Mpc\/h\)/);
  expect(power[1]).toBe("k,k_low,k_high,power,modes,shot_noise,linear,halofit");
  const rows = power.slice(2, -1).map((row) => row.split(",").map(Number));
  expect(rows.length).toBe(15);
  expect(rows.every((row) => row.length === 8 && row.every(Number.isFinite))).toBe(true);
  // Fixed amplitudes leave no scatter at the start: what is left in the first shells, where P isn't straight, is of the bin.
  const first = readFileSync(join(out, "power_000.csv"), "utf8").split("\n").slice(2, 6);
  for (const [, , , measured, , , linear] of first.map((row) => row.split(",").map(Number))) {
    expect(Math.abs(measured / linear - 1)).toBeLessThan(7e-3);
  }
  expect(JSON.parse(readFileSync(join(out, "summary.json"), "utf8")).notes).toEqual([
    "with cells of 1.25 Mpc/h power is right to 1 % up to k = 0.11 h/Mpc and to 10 % up to 0.46 where clustering is nonlinear",
  ]);
  expect(readFileSync(join(out, "haloes.csv"), "utf8").split("\n")[1]).toMatch(/^id,members,mass,x,y,z/);
  const haloes = describeHdf5(join(out, "haloes.hdf5"));
  expect(haloes["Haloes/Mass"].attributes.unit.value).toBe("1e10 Msun/h");
  expect(readFileSync(join(out, "haloes_003.csv"), "utf8")).toMatch(
    /; mass in Msun\/h; .*\nhalo_id,.*\n30000000,-1,\d+,/,
  );
  expect(readFileSync(join(out, "halo_trees.csv"), "utf8").split("\n")[1]).toMatch(/^halo_id,halo_snapnum/);
  const report = readFileSync(join(out, "report.html"), "utf8");
  for (const text of [
    /Power spectrum/,
    /Layzer–Irvine/,
    /z.=.3/,
    /z.=.0/,
    /Merger tree of the heaviest/,
    /Sheth–Tormen/,
  ])
    expect(report).toMatch(text);
  expect(report.replace(/data:image[^"]*/g, "")).not.toMatch(/NaN|undefined/);
});
