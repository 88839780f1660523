/** The Python recipes of the documentation, run as printed on snapshots of the decks that they name. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { displacementsInFloat64 } from "../../src/engine/reference/lpt/displacements.ts";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { matterOf } from "../../src/physics/cosmology/settings.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { SeriesFile } from "../../src/run/io/series-file.node.ts";
import { writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { run } from "../../src/run/runner.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { root, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const CHECK = fileURLToPath(new URL("recipes_check.py", import.meta.url));
const COUNT = 600;
const PER_SIDE = 16;
const A = 0.25;

interface Answer {
  values?: Record<string, unknown>;
  failure?: string;
}

/** The blocks of a page in a language. */
function blocksOf(page: string, language: "python" | "toml"): string[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((match) => match[1]);
}

/** The particles of a bundled deck, in a snapshot of the name that its run gives. */
async function snapshotOf(deck: string, number: number, overrides: string[], folder = deck): Promise<ParticleSet> {
  const path = `scenarios/${deck}.toml`;
  const scenario = parseScenario(readFileSync(join(root, path), "utf8"), { file: path, overrides });
  const { G } = unitSystem(scenario.units.system);
  const { particles } = await initialConditions(scenario, { G, displacements: displacementsInFloat64 });
  const file = join(work(), "results", folder, `snapshot_${String(number).padStart(3, "0")}.hdf5`);
  mkdirSync(dirname(file), { recursive: true });
  await writeSnapshot(file, particles, { scenario, time: scenario.time.start });
  return particles;
}

/** Three maps of 6 × 4 pixels, each a unit brighter than the one before. */
async function writeMaps(file: string): Promise<void> {
  const series = [{ name: "density_z", shape: [4, 6], bits: 32 as const, attributes: { axis: "z" } }];
  const layout = { times: [0, 0.5, 1], comoving: false, series, attributes: { title: "disk" } };
  const maps = await SeriesFile.create(file, layout);
  for (const index of [0, 1, 2]) {
    await maps.write(index, { density_z: Float32Array.from({ length: 24 }, (_, i) => i + index) });
  }
}

async function ran(scenario: string, out: string, overrides: string[] = []): Promise<void> {
  const signal = new AbortController().signal;
  expect(await run({ scenario, out, overrides, backend: "cpu" }, () => {}, signal)).toBe(0);
}

/** The deck of docs/orbits.md in a field whose orbits are known: a core with Ω = 1, in which R goes at 2 Ω. */
async function tracersRun(): Promise<void> {
  const deck = join(work(), "tracers.toml");
  const core = '[[potential]]\nkind = "plummer"\nmass = 1e6\nscale = 100.0\n\n';
  const [whole] = blocksOf("docs/orbits.md", "toml");
  writeFileSync(deck, whole.replace(/\[\[potential\]\][\s\S]*?\n\n/, core));
  await ran(deck, join(work(), "results/tracers"), [
    "time.end=100",
    "time.step=0.125",
    "orbits.sample=5",
    "output.snapshots=1",
  ]);
}

const sum = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);
const speeds = ({ velocities }: ParticleSet) => Math.sqrt(sum(velocities.map((v) => v * v)) / velocities.length);

describe("the Python recipes", () => {
  const values: [test: RegExp, expressions: string[]][] = [
    [
      /results\/lcdm/,
      [
        "ds.current_redshift",
        'ds.domain_width.to("Mpccm/h")',
        'ds.all_data()["all", "particle_mass"].to("Msun/h").sum()',
        // The plot's own picture holds every particle.
        'np.nansum(yt.ParticleProjectionPlot(ds, "z", ("PartType1", "particle_mass")).frb["PartType1", "particle_mass"].to("Msun/h"))',
        'np.sqrt((ds.all_data()["PartType1", "particle_velocity"].to("km/s") ** 2).mean())',
      ],
    ],
    [
      /yt[\s\S]*results\/disk/,
      [
        "ds.domain_width",
        "ds.periodicity",
        'ds.all_data()["PartType2", "particle_position"].to("code_length").mean(axis=0)',
        'np.nansum(yt.ParticleProjectionPlot(ds, "z", ("PartType2", "particle_mass")).frb["PartType2", "particle_mass"].to("code_mass"))',
      ],
    ],
    [/results\/disk\/maps/, ["times", "picture.shape", "picture.max()", "most"]],
    [/results\/disk\/bars/, ["A2.shape", "np.nanmax(A2)", "len(plt.gcf().axes)"]],
    [/results\/tracers/, ["t.shape", "x.shape", "kappa"]],
    [/results\/antennae/, ["names", "x.shape"]],
    [/results\/disk/, ["x.shape", "x.mean()", "v.shape", "m", "t"]],
    [/results\/plummer/, ["positions.shape"]],
    [/yt[\s\S]*results\/big/, ['ds.all_data()["all", "particle_ones"].sum()']],
    [/results\/big/, ["len(parts)", "x.shape", "x.sum(axis=0)"]],
  ];
  const pages = ["snapshots", "quickstart", "maps", "bars", "orbits"];
  const recipes = pages.flatMap((page) => blocksOf(`docs/${page}.md`, "python"));
  const found: Record<string, Answer> = {};
  let disk: ParticleSet;
  let big: ParticleSet;
  let box: ParticleSet;

  beforeAll(async () => {
    const few = ["particles.0.count=600", "mesh.cells=16", "time.end=0.5", "output.snapshots=1"];
    // With the table of the page, but for its number of rows.
    const bars = ["bars.count=5", 'bars.components=["disk"]', "bars.radius=4", "bars.within=1.5"];
    await ran(join(root, "scenarios/disk.toml"), join(work(), "results/disk"), [...few, ...bars]);
    await tracersRun();
    disk = await snapshotOf("disk", 10, [`particles.0.count=${COUNT}`]);
    big = await snapshotOf("uniform", 3, [`particles.0.count=${COUNT}`, "output.particlesPerFile=250"], "big");
    await writeMaps(join(work(), "results/disk/maps.hdf5"));
    await snapshotOf(
      "antennae",
      8,
      [0, 1, 2, 3].map((i) => `particles.${i}.count=${COUNT + i}`),
    );
    await snapshotOf("plummer", 10, [`particles.0.count=${COUNT}`]);
    box = await snapshotOf("lcdm", 4, [`particles.0.perSide=${PER_SIDE}`, `time.start=${A}`, "output.redshifts=[0]"]);
    const asked = recipes.map((code) => ({ code, values: values.find(([test]) => test.test(code))?.[1] ?? [] }));
    const { stdout, stderr } = spawnSync("/usr/bin/python3", [CHECK], {
      cwd: work(),
      input: JSON.stringify(asked),
      encoding: "utf8",
    });
    expect(stdout, stderr).toMatch(/^\[/);
    for (const [i, answer] of (JSON.parse(stdout) as Answer[]).entries()) found[recipes[i]] = answer;
  });

  const answerOf = (test: RegExp): unknown[] => {
    const recipe = recipes.find((code) => test.test(code));
    const { failure, values } = found[recipe ?? ""];
    expect(failure).toBeUndefined();
    return Object.values(values ?? {});
  };

  it("are all known here, and run", () => {
    expect(recipes.length).toBe(10);
    for (const recipe of recipes)
      expect(
        values.some(([test]) => test.test(recipe)),
        recipe,
      ).toBe(true);
    expect(Object.values(found).flatMap(({ failure }) => failure ?? [])).toEqual([]);
  });

  it("yt sees an expanding box as it is: redshift, size, mass and peculiar velocities", () => {
    const [redshift, width, mass, drawn, speed] = answerOf(/results\/lcdm/) as [number, number[], ...number[]];
    expect(redshift).toBeCloseTo(1 / A - 1, 12);
    for (const side of width) expect(side).toBeCloseTo(100, 6);
    expect(mass / (1e10 * matterOf(0.3, 100))).toBeCloseTo(1, 3);
    expect(drawn / mass).toBeCloseTo(1, 5);
    expect(speed / (speeds(box) / A)).toBeCloseTo(1, 5); // p = a v
  });

  it("h5py tells the stars of two galaxies apart", () => {
    const [names, shape] = answerOf(/results\/antennae/);
    expect(names).toEqual({ "NGC 4038": 1, "NGC 4039": 2 });
    expect(shape).toEqual([COUNT + 2, 3]);
  });

  it("yt and h5py read a snapshot of several files whole", () => {
    expect(answerOf(/yt[\s\S]*results\/big/)).toEqual([COUNT]);
    const [files, shape, sums] = answerOf(/glob[\s\S]*results\/big/) as [number, number[], number[]];
    expect(files).toBe(3);
    expect(shape).toEqual([COUNT, 3]);
    for (const axis of [0, 1, 2])
      expect(sums[axis]).toBeCloseTo(sum(big.positions.filter((_, k) => k % 3 === axis)), 9);
  });

  it("yt draws every particle of an isolated run, and repeats no box", () => {
    const [width, periodic, mean, drawn] = answerOf(/yt[\s\S]*results\/disk/) as [
      number[],
      boolean[],
      number[],
      number,
    ];
    expect(width).toEqual([14, 14, 14]);
    expect(periodic).toEqual([false, false, false]);
    const centre = [0, 1, 2].map((axis) => sum(disk.positions.filter((_, k) => k % 3 === axis)) / COUNT);
    for (const axis of [0, 1, 2]) expect(mean[axis]).toBeCloseTo(centre[axis], 6);
    expect(drawn / sum(disk.masses)).toBeCloseTo(1, 5);
  });

  it("h5py has the arrays that the page names", () => {
    const [shape, mean, moving, mass, time] = answerOf(/^import h5py[\s\S]*results\/disk/) as [number[], ...unknown[]];
    expect([shape, moving, mass, time]).toEqual([[COUNT, 3], [COUNT, 3], disk.masses[0], 0]);
    expect(mean).toBeCloseTo(sum(disk.positions) / (3 * COUNT), 9);
    expect(answerOf(/results\/plummer/)).toEqual([[COUNT, 3]]);
  });

  it("h5py has the maps that the page names", () => {
    const [times, shape, brightest, most] = answerOf(/results\/disk\/maps/) as [number[], number[], number, number];
    expect([times, shape]).toEqual([
      [0, 0.5, 1],
      [4, 6],
    ]);
    expect(most).toBe(23);
    expect(brightest).toBeCloseTo(Math.log10(2 + 23) - Math.log10(23), 6);
  });

  it("h5py has the bars that the page names", () => {
    const [shape, most, axes] = answerOf(/results\/disk\/bars/) as [number[], number, number];
    expect(shape).toEqual([6, 40]);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1);
    expect(axes).toBe(2);
  });

  it("h5py has the orbits that the page names, and their radial frequency", () => {
    const [times, places, kappa] = answerOf(/results\/tracers/) as [number[], number[], number];
    expect([times, places]).toEqual([[801], [801, 3]]);
    // To half a bin of a transform over 100 time units; a core is harmonic to its edge to 1e-3.
    expect(Math.abs(kappa - 2)).toBeLessThan((2 * Math.PI) / 100);
  });

  it("save the pictures beside", () => {
    const all = readdirSync(work()).filter((name) => name.endsWith(".png"));
    const pictures = all.filter((name) => name.includes("_Particle"));
    expect(all.filter((name) => name.startsWith("disk_"))).toHaveLength(3);
    expect(pictures.map((name) => name.split("_Particle")[0]).sort()).toEqual(["snapshot_004", "snapshot_010"]);
  });
});
