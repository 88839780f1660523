/** Collecting an ensemble: what is in its files, member by member and in the statistics, and what isn't there. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dataset, Group } from "h5wasm/node";
import { afterAll, describe, expect, it } from "vitest";
import { loadHdf5 } from "../../src/run/io/hdf5.node.ts";
import { lockFolder } from "../../src/run/lock.ts";
import { collect } from "../../src/study/ensemble/collect/collect.ts";
import { DIAGNOSTICS, type MadeMember, makeEnsemble } from "../support/made-ensemble.ts";
import { sequence } from "../support/scenario-fixture.ts";

const root = mkdtempSync(join(tmpdir(), "gravmesh-collect-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const made = (members: readonly MadeMember[]) => makeEnsemble(join(root, `e${count++}`), members);

const [plummer, lcdm] = ["plummer", "lcdm"].map((name) => readFileSync(`scenarios/${name}.toml`, "utf8"));
const deck = (text: string) => ({ files: { "scenario.toml": text } });

/** `rows` times from 0 to 1: energy error i·x, half-mass radius 1 + x. */
const curve = (x: number, rows = 3) =>
  Array.from({ length: rows }, (_, i) => [i / (rows - 1), 5 * i, 0.5, -1, i * x, 1 + i / 100, 1 + x]);

/** Numbers of a dataset, or its texts, and its attributes. */
async function opened(file: string) {
  const { File } = await loadHdf5();
  const hdf5 = new File(file, "r");
  const find = (path: string) => hdf5.get(path) as Dataset;
  return {
    numbers: (path: string) => Array.from(find(path).value as Float64Array),
    texts: (path: string) => find(path).value as string[],
    shape: (path: string) => find(path).shape,
    about: (path: string, name: string) => (hdf5.get(path) as Group).attrs[name].value,
    has: (path: string) => hdf5.get(path) !== null,
    close: () => hdf5.close(),
  };
}

/** Fields of a row of the csv, by head; no field here has a comma in it but the message, which is last. */
function csvRows(file: string): Record<string, string>[] {
  const [, head, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const heads = head.split(",");
  return lines.map((line) => {
    const fields = line.split(",");
    const all = [...fields.slice(0, heads.length - 1), fields.slice(heads.length - 1).join(",")];
    return Object.fromEntries(heads.map((name, i) => [name, all[i]]));
  });
}

const mixed = () =>
  made([
    { values: { seed: 1 }, summary: {}, rows: curve(1), ...deck(plummer) },
    { values: { seed: 2 }, summary: { largestEnergyError: 6e-5, warnings: ["much is outside"] }, rows: curve(4) },
    { values: { seed: 3 }, summary: { status: "interrupted", time: 0.5 }, rows: curve(9).slice(0, 2) },
    { values: { seed: 4 }, rows: curve(100), files: { "error.txt": 'no adapter, "none"\nat all\n' } },
    { values: { seed: 5 } },
    { values: { seed: 6 }, summary: { wallSeconds: 8 }, files: { "diagnostics.csv": "time,step\n0,0\n1,x\n" } },
    { values: { seed: 7 }, summary: {}, rows: curve(2) },
  ]);

describe("a collection", () => {
  it("has every member with its state, and statistics of those that are finished", async () => {
    const folder = mixed();
    const lock = lockFolder(join(folder, "member_002"));
    const { csv, hdf5, html, members } = await collect(folder).finally(() => lock.release());
    const states = ["finished", "finished", "running", "failed", "waiting", "finished", "finished"];
    expect(members.map(({ state }) => state)).toEqual(states);
    const rows = csvRows(csv);
    expect(rows.map(({ state }) => state)).toEqual(states);
    expect(rows.map(({ counted }) => counted)).toEqual(["1", "1", "0", "0", "0", "1", "1"]);
    expect(rows[1]).toMatchObject({
      index: "1",
      seed: "2",
      largest_energy_error: "0.00006",
      energy_error: "8",
      r50: "5",
    });
    expect(rows[2]).toMatchObject({ time: "0.5", step: "5", energy_error: "9", wall_seconds: "2" });
    expect(rows[3]).toMatchObject({
      energy_error: "200",
      wall_seconds: "NaN",
      message: '"no adapter, ""none"" at all"',
    });
    expect(rows[4]).toMatchObject({ time: "NaN", steps: "NaN", message: "" });
    expect(rows[5]).toMatchObject({ wall_seconds: "8", energy_error: "NaN" });
    expect(rows[5].message).toMatch(/diagnostics.csv: line 3 is not a row/);

    const file = await opened(hdf5);
    expect(file.texts("Members/state")).toEqual(states);
    expect(file.texts("Members/message")[5]).toMatch(/diagnostics.csv: line 3/);
    expect(file.numbers("Parameters/seed")).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(file.shape("Curves/diagnostics/energy_error")).toEqual([7, 3]);
    const none = [Number.NaN, Number.NaN, Number.NaN];
    expect(file.numbers("Curves/diagnostics/energy_error")).toEqual([
      ...[0, 1, 2, 0, 4, 8, 0, 9, Number.NaN, 0, 100, 200],
      ...[...none, ...none, 0, 2, 4],
    ]);
    expect(file.has("Raw")).toBe(false);
    const of = (what: string) => file.numbers(`Statistics/diagnostics/energy_error/${what}`);
    expect(of("count")).toEqual([3, 3, 3]);
    expect(of("median")).toEqual([0, 2, 4]);
    expect(of("least")).toEqual([0, 1, 2]);
    expect(of("greatest")).toEqual([0, 4, 8]);
    expect(of("mean")[1]).toBeCloseTo(7 / 3, 14);
    expect(of("deviation")[1]).toBeCloseTo(Math.sqrt(((16 + 25 / 1 + 1) / 9 / 2) * 1), 14);
    expect(of("q16")[2]).toBeCloseTo(2 + 0.32 * 2, 14);
    expect(file.about("Final/wall_seconds", "mean")).toBe(3.5);
    expect(file.about("Final/wall_seconds", "count")).toBe(4);
    expect(file.about("Curves/diagnostics/time", "grid")).toBe("shared");
    expect(file.about("/", "counted")).toBe(4);
    file.close();

    const page = readFileSync(html, "utf8");
    expect(page).toContain("4 finished, 1 running, 1 failed, 1 waiting");
    expect(page).toContain('<a href="member_000/report.html">✓ 0</a>');
    expect(page).toMatch(/✕ 3/);
    expect(page).toContain("Member 3 failed: no adapter, &quot;none&quot;\nat all");
    expect(page).toContain("Statistics are of the 4 members that have finished. 3 of 7 have not");
    expect(page).toMatch(/Member 5 has a file that can&#39;t be read.*diagnostics.csv: line 3/);
    expect(page).toContain("Member 1 warned: much is outside");
    expect(page).not.toMatch(/NaN|Infinity|undefined|<script|https?:/);
  });

  it("is the same again, and leaves nothing else behind", async () => {
    const folder = mixed();
    const before = readdirSync(folder);
    const first = await collect(folder);
    const texts = [first.csv, first.html].map((file) => readFileSync(file, "utf8"));
    await collect(folder);
    expect([first.csv, first.html].map((file) => readFileSync(file, "utf8"))).toEqual(texts);
    const now = readdirSync(folder).filter((name) => !before.includes(name));
    expect(now.sort()).toEqual(["ensemble.csv", "ensemble.hdf5", "ensemble.html"]);
  });

  it("of a folder that is no ensemble is refused, and nothing is written", async () => {
    const folder = mkdtempSync(join(root, "foreign-"));
    writeFileSync(join(folder, "notes.txt"), "mine");
    await expect(collect(folder)).rejects.toThrow(/is no ensemble: expected ensemble.json/);
    expect(readdirSync(folder)).toEqual(["notes.txt"]);
  });

  it("of members that haven't begun, of one member and of two is whole", async () => {
    const begun = { summary: {}, rows: curve(1), ...deck(plummer) };
    for (const members of [
      [{ values: { seed: 1 } }],
      [{ values: {}, ...begun }],
      [
        { values: { seed: 1 }, ...begun },
        { values: { seed: 2 }, ...begun, rows: curve(3) },
      ],
    ]) {
      const { html, hdf5, csv } = await collect(made(members));
      expect([html, hdf5, csv].every(existsSync)).toBe(true);
      expect(readFileSync(html, "utf8")).not.toMatch(/NaN|Infinity|undefined/);
      expect(csvRows(csv)).toHaveLength(members.length);
    }
  });

  it("has bars and galaxies, and what they end with against numbers, words and switches", async () => {
    const heads = "time,strength,phase,patternSpeed";
    const member = (x: number, poisson: string): MadeMember => ({
      ...{ values: { "particles.0.scale": x, "mesh.poisson": poisson, "time.adaptive": x > 1 }, summary: {} },
      files: {
        "scenario.toml": plummer,
        "bars.csv": `${heads}\n0,NaN,0,${x}\n1,${x / 10},1,${2 * x}\n`,
        "galaxies.csv": `time,step,a.x,a:b.separation\n0,0,1,${x}\n1,5,1,${3 * x}\n`,
      },
      rows: curve(x),
    });
    const folder = made([member(1, "fft"), member(2, "multigrid"), member(3, "fft"), member(1, "multigrid")]);
    const { hdf5, html, csv } = await collect(folder);
    const file = await opened(hdf5);
    expect(file.numbers("Statistics/bars/strength/count")).toEqual([0, 4]);
    expect(file.numbers("Statistics/bars/patternSpeed/median")).toEqual([1.5, 3]);
    expect(file.numbers("Curves/galaxies/a:b.separation")).toEqual([1, 3, 2, 6, 3, 9, 1, 3]);
    expect(file.texts("Parameters/mesh.poisson")).toEqual(["fft", "multigrid", "fft", "multigrid"]);
    expect(file.texts("Parameters/time.adaptive")).toEqual(["false", "true", "true", "false"]);
    expect(file.about("Curves/galaxies/a:b.separation", "unit")).toBe("length units");
    file.close();
    expect(csvRows(csv)[2]).toMatchObject({
      "mesh.poisson": "fft",
      "bars.strength": "0.3",
      "galaxies.a:b.separation": "9",
    });
    const page = readFileSync(html, "utf8");
    for (const title of [
      "Pattern speed",
      "Bar strength at the end: particles.0.scale",
      "Bar strength at the end: mesh.poisson",
    ]) {
      expect(page).toContain(title);
    }
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    // A curve a member, coloured by the first number that varies, with its legend.
    for (const tone of ["t0", "t2", "t4"]) expect(page).toContain(`curve s-${tone} thin`);
    expect(page).toMatch(/particles\.0\.scale = 1<.*?>2<.*?>3</s);
  });

  it("says where extensions and decks can't be read, and has everything else", async () => {
    const folder = made([{ values: { seed: 1 }, summary: {}, rows: curve(1), ...deck("not a deck") }]);
    const record = JSON.parse(readFileSync(join(folder, "ensemble.json"), "utf8"));
    writeFileSync(join(folder, "ensemble.json"), JSON.stringify({ ...record, extensions: ["/nowhere/mine.js"] }));
    const { csv, html } = await collect(folder);
    expect(csvRows(csv)[0]).toMatchObject({ state: "finished", r50: "2" });
    const page = readFileSync(html, "utf8");
    expect(page).toMatch(/No member&#39;s deck can be read.*\/nowhere\/mine.js: expected a JavaScript module/);
  });

  it("takes curves between rows where members write at different times, and keeps the rows", async () => {
    const folder = made([
      { values: { "time.end": 1 }, summary: {}, rows: curve(1, 3), ...deck(plummer) },
      { values: { "time.end": 2 }, summary: {}, rows: curve(2, 4) },
    ]);
    const { hdf5, html } = await collect(folder);
    const file = await opened(hdf5);
    const third = 1 / 3;
    for (const [i, time] of [0, third, 0.5, 2 * third, 1].entries()) {
      expect(file.numbers("Curves/diagnostics/time")[i]).toBeCloseTo(time, 8);
    }
    // 2 t of the one, 6 t of the other
    const mean = file.numbers("Statistics/diagnostics/energy_error/mean");
    for (const [i, value] of [0, 4 * third, 2, 8 * third, 4].entries()) expect(mean[i]).toBeCloseTo(value, 7);
    expect(file.shape("Raw/diagnostics/time")).toEqual([2, 4]);
    expect(file.numbers("Raw/diagnostics/energy_error")).toEqual([0, 1, 2, Number.NaN, 0, 2, 4, 6]);
    file.close();
    expect(readFileSync(html, "utf8")).toContain("Rows of diagnostics.csv are at different times.");
  });

  it("has the same statistics however many bands of members and times it takes", async () => {
    const random = sequence(5);
    const [size, times] = [70, 300];
    const values = Array.from({ length: size }, () =>
      Array.from({ length: times }, () => Number(random().toPrecision(9))),
    );
    const folder = made(
      values.map((own, seed) => ({
        ...{ values: { seed }, summary: {}, ...(seed === 0 ? deck(plummer) : {}) },
        rows: own.map((x, i) => [i, i, 0.5, -1, x, 1, 1]),
      })),
    );
    const file = await opened((await collect(folder)).hdf5);
    const [median, deviation] = ["median", "deviation"].map((what) =>
      file.numbers(`Statistics/diagnostics/energy_error/${what}`),
    );
    for (let i = 0; i < times; i++) {
      const column = values.map((own) => own[i]).sort((a, b) => a - b);
      const mean = column.reduce((sum, x) => sum + x, 0) / size;
      const variance = column.reduce((sum, x) => sum + x * x, 0) / (size - 1) - (mean * mean * size) / (size - 1);
      expect(median[i]).toBeCloseTo((column[34] + column[35]) / 2, 14);
      expect(deviation[i]).toBeCloseTo(Math.sqrt(variance), 12);
    }
    file.close();
  });
});

describe("power spectra of an ensemble", () => {
  const bins = (...power: number[]) => power.map((p, i): [number, number, number] => [i + 1, p, 18 * (i + 1)]);
  const member = (seed: number, ...spectra: NonNullable<MadeMember["spectra"]>[number][]): MadeMember => ({
    ...{ values: { seed }, summary: {}, ...deck(lcdm), spectra },
  });

  it("have mean, variance and covariance of members in the same bins at the same time", async () => {
    const folder = made([
      member(1, { time: 0.5, rows: bins(1, 2) }, { time: 1, rows: bins(4, 5) }),
      member(2, { time: 0.5, rows: bins(2, 4) }, { time: 1, rows: bins(4, 5) }),
      member(3, { time: 0.5, rows: bins(6, 3) }, { time: 0.9, rows: bins(9, 9) }),
      member(4, { time: 0.5, rows: bins(7, 7, 7) }),
      { ...member(5, { time: 0.5, rows: bins(50, 70) }), summary: { status: "interrupted" } },
    ]);
    const { hdf5, html } = await collect(folder);
    const file = await opened(hdf5);
    const of = (what: string) => file.numbers(`PowerSpectra/000/${what}`);
    expect(of("member")).toEqual([0, 1, 2]);
    expect(of("left_out")).toEqual([3]);
    expect([of("k"), of("k_low"), of("modes")]).toEqual([
      [1, 2],
      [0.5, 1.5],
      [18, 36],
    ]);
    expect([of("mean"), of("covariance"), of("shot_noise")]).toEqual([
      [3, 3],
      [7, 0.5, 0.5, 1],
      [0.25, 0.25],
    ]);
    expect(of("variance").map((v) => Number(v.toFixed(12)))).toEqual([7, 1]);
    expect(of("power")).toEqual([1, 2, 2, 4, 6, 3]);
    expect(file.about("PowerSpectra/000", "time")).toBe(0.5);
    expect(file.numbers("PowerSpectra/001/member")).toEqual([0, 1]);
    expect(file.numbers("PowerSpectra/001/covariance")).toEqual([0, 0, 0, 0]);
    file.close();
    const page = readFileSync(html, "utf8");
    expect(page).toContain("Member 3 not in the power spectrum of snapshot 0");
    expect(page).toContain("Scatter of the power");
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("leave out a damaged one, which is named", async () => {
    const good = [1, 2, 3].map((seed) => member(seed, { time: 1, rows: bins(seed, 2 * seed) }));
    const bad = { ...member(4), files: { "power_000.csv": "# time 1; cut\nk,k_low" } };
    const { hdf5, html, members } = await collect(made([...good, bad]));
    const file = await opened(hdf5);
    expect(file.numbers("PowerSpectra/000/member")).toEqual([0, 1, 2]);
    expect(file.numbers("PowerSpectra/000/correlation")).toEqual([1, 1, 1, 1]);
    file.close();
    expect(members[3].faults).toEqual([expect.stringMatching(/^power_000.csv/)]);
    expect(readFileSync(html, "utf8")).toMatch(/Member 3 has a file that can&#39;t be read.*power_000.csv/);
  });
});

describe("haloes of an ensemble", () => {
  const member = (seed: number, text: string, size = 10): MadeMember => ({
    ...{ values: { seed, "box.size": size }, summary: {} },
    files: { "haloes.csv": text, ...deck(lcdm).files },
  });

  it("are counted in the same bins of all members, those without any as none", async () => {
    const heads = "# made\nid,members,mass\n";
    const folder = made([
      member(1, `${heads}1,9,100.5\n2,8,12\n3,7,10\n`),
      member(2, `${heads}1,30,30\n`),
      member(3, heads),
      member(4, `${heads}1,9\n`),
    ]);
    const { hdf5, html, csv, members } = await collect(folder);
    const file = await opened(hdf5);
    // 10, 15.8, 25.1, 39.8, 63.1, 100, 158
    expect(file.numbers("MassFunction/low").map(Math.round)).toEqual([10, 16, 25, 40, 63, 100]);
    expect(file.numbers("MassFunction/number")).toEqual([2, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const perHalo = 5 / Math.LN10 / 1000;
    const [mean, deviation] = ["mean", "deviation"].map((what) => file.numbers(`MassFunction/${what}`));
    expect(mean[0]).toBeCloseTo((2 / 3) * perHalo, 14);
    expect(deviation[0]).toBeCloseTo(Math.sqrt(4 / 3) * perHalo, 14);
    expect(mean[2]).toBeCloseTo(perHalo / 3, 14);
    file.close();
    expect(csvRows(csv).map(({ haloes }) => haloes)).toEqual(["3", "1", "0", "NaN"]);
    expect(members[3].faults).toEqual([expect.stringMatching(/haloes.csv: line 2/)]);
    expect(readFileSync(html, "utf8")).toContain("Mass function of haloes, mean of 3");
  });
});

it("members made here have the columns that a run writes", async () => {
  const { columnHeads } = await import("../../src/engine/diagnostics/columns.ts");
  expect(columnHeads()).toEqual(expect.arrayContaining(DIAGNOSTICS));
});
