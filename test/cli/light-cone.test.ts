/** The files of a light cone, from the command line. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { datasetIn, loadHdf5 } from "../../src/run/io/hdf5.node.ts";
import { gravmesh, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();

const DECK = `
title = "cone"
units.system = "cosmological"
box = { size = 100.0, boundary = "periodic" }
mesh.cells = 16
cosmology = { h = 0.7, omegaM = 0.3 }
particles = [{ kind = "lattice", perSide = 16, seed = 1 }]
time = { clock = "comoving", start = 0.125, end = 1.0, step = 0.125 }
output = { snapshots = 0, diagnosticsTimes = [0.875], haloes = false }
lightcone = { redshift = 0.3, opening = "octant", shells = 4, nside = 16, sources = [0.2, 0.3] }
`;

it("are the same of a run that was continued, and hold what they say", { timeout: 480_000 }, async () => {
  writeFileSync(join(work(), "cone.toml"), DECK);
  const run = (...args: string[]) => gravmesh(work(), ["run", "cone.toml", "--quiet", "--backend", "cpu", ...args]);
  expect(await run("--out", "whole")).toMatchObject({ code: 0 });
  expect(await run("--out", "part", "time.end=0.875")).toMatchObject({ code: 0 });
  expect(await gravmesh(work(), ["run", "--resume", "part", "time.end=1", "--quiet"])).toMatchObject({ code: 0 });
  const whole = join(work(), "whole");
  const files = readdirSync(whole).filter((name) => /^(lightcone_\d{3}|kappa)/.test(name));
  expect(files.length).toBe(4 * 2 + 2 * 2);
  for (const name of files) {
    expect(readFileSync(join(work(), "part", name)).equals(readFileSync(join(whole, name))), name).toBe(true);
  }
  const report = readFileSync(join(whole, "report.html"), "utf8").replace(/data:image[^"]*/g, "");
  for (const title of [
    "Convergence κ of sources at z = 0.2",
    "Power of κ, sources at z = 0.3",
    "Density of the shells",
  ]) {
    expect(report).toContain(title);
  }
  expect(report).not.toMatch(/NaN|undefined/);

  const shell = new (await loadHdf5()).File(join(whole, "lightcone_002.hdf5"), "r");
  const positions = datasetIn(shell, "Coordinates")!.value as Float64Array;
  const [near, far, area] = ["Near", "Far", "SolidAngle"].map((name) => Number(shell.attrs[name].value));
  const count = positions.length / 3;
  expect(datasetIn(shell, "ParticleIDs")!.shape).toEqual([count]);
  shell.close();
  for (let i = 0; i < count; i++) {
    const x = positions.subarray(3 * i, 3 * i + 3);
    const r = Math.hypot(...x);
    if (!(r >= near && r < far && Math.min(...x) >= 0)) expect(x).toBeUndefined();
  }
  expect(count / ((16 / 100) ** 3 * area * ((far ** 3 - near ** 3) / 3))).toBeCloseTo(1, 1);
});
