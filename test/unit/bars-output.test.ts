/** bars.hdf5 and bars.csv of runs on the CPU: what is in them, and what becomes of them when a run is killed and resumed. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { POLE_PROFILE, PROFILE } from "../../src/engine/diagnostics/bar-profile.ts";
import { BAR_COLUMNS } from "../../src/engine/diagnostics/bar-strength.ts";
import { ringRadii } from "../../src/engine/diagnostics/disk-frequencies.ts";
import { fastestTold, patternSpeeds, unwrapped } from "../../src/engine/diagnostics/pattern-speed.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { clumpsDeck, useFolder, useKilledRun } from "../support/decks.ts";
import { asKilled, contentsOfRun, dataSetOf, runOnCpu } from "../support/result-folder.ts";

const work = useFolder("bars");

const dataOf = async (folder: string, name: string) => (await dataSetOf(join(folder, "bars.hdf5"), name)).value;

const DECK = clumpsDeck(
  `[[particles]]
kind = "plummer"
name = "one"
species = "stars"
count = 160
scale = 0.6
[bars]
count = 8
radius = 2.0
rings = 5
within = 1.2
height = 1.5
window = 5
multipoles = true
velocityMaps = ["y"]
pixels = 12
`,
  { title: "A clump" },
);

const once = useKilledRun(work, DECK);
const { killed, whole } = once;

it("at listed times alone has their rows, also where a run is resumed before the first", async () => {
  const late = DECK.replace("count = 8", "times = [0.1875, 0.25]");
  writeFileSync(join(work, "late.toml"), late);
  const out = join(work, "late");
  let early: string | undefined;
  const code = await runOnCpu({ scenario: join(work, "late.toml"), out }, ({ event }) => {
    if (event === "checkpoint") early ??= asKilled(out, join(work, "late-killed"));
  });
  expect(code).toBe(0);
  expect(Array.from(await dataOf(out, "Time"))).toEqual([0.1875, 0.25]);
  expect((await dataOf(out, "mass")).some(Number.isNaN)).toBe(false);
  expect(await runOnCpu({ resume: early! })).toBe(0);
  expect(await contentsOfRun(early!)).toEqual(await contentsOfRun(out));
});

describe("bars of a run", () => {
  it("are what the particles of its snapshots give, at bars.count times and the start", async () => {
    const found = once.contents["bars.hdf5"] as Record<string, { shape: number[]; unit?: string; meaning?: string }>;
    expect(found.amplitude).toMatchObject({ shape: [9, 6, 5] });
    expect(found.poles.shape).toEqual([9, 24, 5]);
    expect(found.velocity_y.shape).toEqual([9, 12, 12]);
    const series = Object.entries(found).filter(([name]) => !["Time", "R", "R_edges"].includes(name));
    for (const [, { meaning }] of series) expect(meaning).toMatch(/\w/);
    expect(Array.from(await dataOf(whole, "Time"))).toEqual(Array.from({ length: 9 }, (_, i) => i / 32));
    const edges = [0, 0.4, 0.8, 1.2, 1.6, 2];
    for (const [k, R] of ringRadii(edges).entries()) expect((await dataOf(whole, "R"))[k]).toBeCloseTo(R, 14);
    for (const [snapshot, row] of [
      [0, 0],
      [1, 4],
      [2, 8],
    ]) {
      const particles = await readSnapshot(join(whole, `snapshot_00${snapshot}.hdf5`));
      const [x, y, z] = (await dataOf(whole, "centre")).subarray(3 * row, 3 * row + 3);
      const about = reductionsOf(particles, { size: 16, boundary: "isolated" });
      const waves = await about.waves({ centre: [x, y, z], edges, height: 1.5 });
      const amplitude = (await dataOf(whole, "amplitude")).subarray(30 * row, 30 * row + 30);
      const phase = (await dataOf(whole, "phase")).subarray(30 * row, 30 * row + 30);
      for (let m = 1; m <= 6; m++) {
        for (let k = 0; k < 5; k++) {
          const at = 5 * (m - 1) + k;
          expect(amplitude[at] * Math.cos(m * phase[at])).toBeCloseTo(waves.cosine[m - 1][k], 10);
          expect(amplitude[at] * Math.sin(m * phase[at])).toBeCloseTo(waves.sine[m - 1][k], 10);
        }
      }
      const poles = (await dataOf(whole, "poles")).subarray(120 * row, 120 * row + 120);
      const { terms } = await about.multipoles({ centre: [x, y, z], edges });
      for (const [i, value] of terms.flat().entries()) expect(poles[i]).toBeCloseTo(value, 10);
    }
  });

  it("have a line of numbers for each row", async () => {
    const names = BAR_COLUMNS.map(({ name }) => name);
    const [head, ...lines] = readFileSync(join(whole, "bars.csv"), "utf8").trimEnd().split("\n");
    expect(head).toBe(names.join(","));
    const rows = lines.map((line) => line.split(",").map(Number));
    expect(rows.map(([time]) => time)).toEqual(Array.from({ length: 9 }, (_, i) => i / 32));
    for (const row of rows) {
      const of = (name: string) => row[(names as string[]).indexOf(name)];
      expect(of("strengthWithin")).toBeGreaterThan(0);
      expect(of("strengthWithin")).toBeLessThan(0.5);
      expect(of("noise")).toBeCloseTo(0.09, 1);
      expect(Number.isFinite(of("patternSpeed"))).toBe(true);
      expect(of("thickness")).toBeGreaterThan(0.2);
    }
  });

  it("have a section of the report", () => {
    const report = readFileSync(join(whole, "report.html"), "utf8");
    expect(report).toContain("<h2>Bars</h2>");
    const titles = ["Bar strength of one", "Pattern speed", "Two arms over radius and time", "Toomre’s Q", "Buckling"];
    for (const title of [...titles, "Pattern speeds, t"]) expect(report).toContain(`<b>${title}`);
    expect(report).not.toMatch(/NaN/);
  });

  it("say why a chart of the report is empty, where it is", async () => {
    const noteOf = (folder: string, title: string) => {
      const report = readFileSync(join(folder, "report.html"), "utf8");
      const [figure] = report.split("<figure").filter((part) => part.includes(`<b>${title}`));
      expect(figure, title).toBeDefined();
      return /<p class="note">(.*?)<\/p>/.exec(figure)?.[1];
    };
    const noBar = "No bar: A₂ is never above 4 times the noise.";
    const noRing = "No ring has 100 particles: take fewer and wider ones, bars.rings, or more particles.";
    for (const title of ["Pattern speed", "Bar length and corotation"]) expect(noteOf(whole, title)).toBe(noBar);
    for (const title of ["Arms of m = 1 to 6", "Toomre’s Q"]) expect(noteOf(whole, title)).toBe(noRing);

    // Two clumps on a circle about a third, v² = G (M + m/4)/r: a bar by any measure, and wide rings.
    const [r, M, m] = [0.6, 0.4, 0.3];
    const v = Math.sqrt((M + m / 4) / r);
    const clump = (side: number) =>
      `[[particles]]\nkind = "plummer"\nspecies = "stars"\nscale = 0.05\n` +
      `count = ${side === 0 ? 120 : 80}\nmass = ${side === 0 ? M : m}\n` +
      `offset = [${side * r}, 0.0, 0.0]\nvelocity = [0.0, ${side * v}, 0.0]\n`;
    const two = DECK.replace(/\[\[particles\]\][^[]*/, [0, 1, -1].map(clump).join(""));
    writeFileSync(join(work, "two.toml"), two.replace("radius = 2.0\nrings = 5", "radius = 4.0\nrings = 4"));
    const out = join(work, "two");
    expect(await runOnCpu({ scenario: join(work, "two.toml"), out })).toBe(0);
    const titles = ["Pattern speed", "Bar length and corotation", "Arms of m = 1 to 6", "Toomre’s Q"];
    expect(titles.map((title) => noteOf(out, title))).toEqual(titles.map(() => undefined));
    const [head, ...lines] = readFileSync(join(out, "bars.csv"), "utf8").trimEnd().split("\n");
    const speed = Number(lines[4].split(",")[head.split(",").indexOf("patternSpeed")]);
    expect(Math.abs(speed / (v / r) - 1)).toBeLessThan(0.1);
  });

  it("of a run that was killed and resumed are those of one that wasn't", async () => {
    expect(killed.length).toBeGreaterThan(4);
    for (const folder of [killed[1], killed[3]]) {
      expect((await dataOf(folder, "mass")).at(-1)).toBeNaN();
      expect(await runOnCpu({ resume: folder })).toBe(0);
      expect(await contentsOfRun(folder)).toEqual(once.contents);
    }
  });

  it("that are missing are named before the first step", async () => {
    rmSync(join(killed[2], "bars.hdf5"));
    await expect(runOnCpu({ resume: killed[2] })).rejects.toThrow(/bars\.hdf5/);
  });
});

it("docs/bars.md has all columns and all data sets", () => {
  const page = readFileSync("docs/bars.md", "utf8");
  const names = [...BAR_COLUMNS.map(({ name }) => name), ...Object.keys({ ...PROFILE, ...POLE_PROFILE })];
  for (const name of names) expect(page).toContain(`| \`${name}\` |`);
});

describe("a pattern speed", () => {
  it("goes on without jumps from row to row, forwards and backwards, past rows without a phase", () => {
    for (const speed of [2.3, -2.3]) {
      const times = Array.from({ length: 40 }, (_, i) => 0.25 * i + 0.02 * Math.sin(i));
      const phases = times.map((t, i) => {
        if (i === 20) return Number.NaN;
        const phi = 0.3 + speed * t;
        return phi - Math.PI * Math.round(phi / Math.PI);
      });
      expect(fastestTold(times, 2)).toBeGreaterThan(5);
      const found = patternSpeeds(times, unwrapped(phases, 2), 5);
      for (const one of found) expect(one).toBeCloseTo(speed, 10);
    }
    expect(patternSpeeds([0, 1], [0, 1], 9)).toEqual([Number.NaN, Number.NaN]);
  });
});

describe("a deck's bars", () => {
  const deck = (bars: object, boundary: "isolated" | "periodic" = "isolated") => ({
    ...{ title: "t", box: { size: 10, boundary }, mesh: { cells: 16 as const }, time: { end: 1, step: 0.1 } },
    particles: [{ kind: "plummer" as const, count: 10, scale: 1 }],
    bars,
  });

  it("reach to a quarter of the box unless said otherwise, half of that being the bar", () => {
    expect(completeScenario(deck({ count: 3 })).bars).toMatchObject({
      radius: 2.5,
      within: 1.25,
      height: 2.5,
      rings: 40,
    });
    expect(completeScenario(deck({ count: 3, radius: 4 })).bars).toMatchObject({ within: 2, height: 4 });
  });

  it.each([
    [{ radius: 6 }, /bars\.radius/],
    [{ radius: 2, within: 3 }, /bars\.within/],
    [{ normal: [0, 0, 0] }, /bars\.normal/],
    [{ components: ["bulb"] }, /bars\.components[\s\S]*bulb/],
    [{ velocityMaps: ["z", "z"] }, /bars\.velocityMaps/],
    [{ rings: 2 }, /bars\.rings/],
    [{ count: 0, times: [1.5] }, /bars\.times: expected times from 0 to time\.end = 1/],
    [{ every: 2, times: [0.5] }, /bars\.every: expected 0 with bars\.times/],
  ])("can't be %o", (bars, message) => {
    expect(() => completeScenario(deck({ count: 3, ...bars }) as never)).toThrow(message);
  });

  it("can't be in a periodic box", () => {
    expect(() => completeScenario(deck({ count: 3 }, "periodic") as never)).toThrow(/bars\.count/);
    expect(() => completeScenario(deck({ every: 2 }, "periodic") as never)).toThrow(/bars\.every/);
    expect(() => completeScenario(deck({ times: [0.5] }, "periodic") as never)).toThrow(/bars\.times/);
  });
});
