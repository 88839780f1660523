/** `gravmesh validate` through the built bin: what it prints and writes, what it refuses, failures and interruptions. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KNOWN_FORCE_LAW } from "../../src/study/validate/law.ts";
import { failuresOf, partsOf, type Validation } from "../../src/study/validate/record.ts";
import { contentsOf, eventsOf, gravmesh, SMALL, start, useWorkFolder } from "../support/cli.ts";
import { smallDeck } from "../support/decks.ts";
import { inFull, itInFull } from "../support/full.ts";

const work = useWorkFolder();
const FILES = ["validate.csv", "validate.html", "validate.json"];
const textIn = (...path: string[]) => readFileSync(join(work(), ...path), "utf8");
const recordIn = (folder: string): Validation => JSON.parse(textIn(folder, "validate.json"));
/** With its parts by name. */
const validationIn = (folder: string) => ({ ...recordIn(folder), ...partsOf(recordIn(folder)) });
/** A mesh that is large enough for a force law that has rows of the known table. */
const DECK = ["validate", "plummer", ...SMALL, "mesh.cells=32"];
const validate = (...args: string[]) => gravmesh(work(), [...DECK, ...args]);

describe.each(inFull(["webgpu", "cpu"], ["webgpu"]))("gravmesh validate on %s", (backend) => {
  const folder = `on-${backend}`;

  it("sets the mesh against direct summation", async () => {
    // Time enough for all particles and all steps, however busy the machine is.
    const args = ["--targets", "500", "--budget", "1000", "--backend", backend, "--out", folder];
    const { code, stdout, stderr } = await validate(...args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Plummer sphere\n2,000 particles, mesh 32³ against direct summation\non /);
    const precision = backend === "cpu" ? "float64" : "double-single";
    expect(stdout).toContain(`Mesh acceleration against the direct sum (${precision}), on 500 of 2,000\n`);
    expect(stdout).toMatch(/best\s+described\s+by\s+a\s+softening\s+of\s+0\.\d+\s+cells/);
    expect(stdout).toMatch(/Force of a point mass, CIC, cell-integrated, 4-point, 32³/);
    expect(stdout).toMatch(/All 2,000 particles evolved to t = 0\.2 of 0\.2 time units, step 0\.02:/);
    expect(stdout).toMatch(/page {2}\/.*validate\.html\n$/);
    expect(stdout).not.toContain("\r");
    expect(readdirSync(join(work(), folder)).sort()).toEqual(FILES);
  });

  it("with what it measured in validate.json", () => {
    const { status, particles, cell, forces, forceLaw, evolution, notes, ...rest } = validationIn(folder);
    expect([status, particles, cell, notes, failuresOf(rest)]).toEqual(["complete", 2000, 10 / 32, [], []]);
    expect(rest).toMatchObject({ backend, scenario: "plummer", boundary: "isolated", mesh: { cells: 32 } });
    expect(forces).toMatchObject({ targets: 500, sources: 2000, against: "radius", outside: 0, triedOn: 256 });
    const { plain, fitted, tried } = forces!;
    expect(tried.map(({ cells }) => cells)).toEqual([...tried.map(({ cells }) => cells)].sort((a, b) => a - b));
    expect(tried.length).toBeGreaterThan(4);
    expect(plain).toMatchObject({ softening: 0, softeningCells: 0 });
    // The softening that leaves the least is among those tried, and the mesh is within some per cent of that sum.
    expect(fitted?.softeningCells).toBeGreaterThan(0.3);
    expect(fitted?.softeningCells).toBeLessThan(1);
    expect(fitted?.scaled.rms).toBeLessThan(0.1);
    expect(plain?.relative.median).toBeGreaterThan(2 * fitted!.relative.median);
    expect(plain!.bins.reduce((sum, { targets }) => sum + targets, 0)).toBe(500);
    expect(plain!.histogram.share.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    const known = forceLaw?.rows.filter(({ known }) => known) ?? [];
    expect(known.map(({ separation }) => separation)).toEqual([2, 3, 4, 6, 8]);
    for (const { meanRadial, scatter, known: figures } of known) {
      expect(Math.abs(meanRadial - figures!.meanRadial)).toBeLessThan(0.05);
      expect(Math.abs(scatter - figures!.scatter)).toBeLessThan(0.1);
    }
    const { rows, profiles, ...run } = evolution!;
    expect(run).toMatchObject({ particles: 2000, of: 2000, step: 0.02, steps: 10, time: 0.2, end: 0.2 });
    // The evolution's is that of two axes.
    const [, ofTwoAxes] = [...forces!.softeningByAxis!].sort((a, b) => a - b);
    expect(run.softening).toBe(ofTwoAxes * cell);
    expect(Math.abs(ofTwoAxes - fitted!.softeningCells)).toBeLessThan(0.1);
    const last = rows.at(-1)!;
    expect([rows[0].step, last.step]).toEqual([0, 10]);
    expect(rows[0].distance.rms).toBeLessThan(1e-6);
    expect(Math.abs(rows[0].chaos!.rms / run.perturbation - 1)).toBeLessThan(0.05);
    expect(last.distance.rms).toBeGreaterThan(1e-4);
    expect(last.distance.rms).toBeLessThan(0.2);
    expect(last.chaos!.rms).toBeLessThan(last.distance.rms);
    for (const { mesh, direct } of rows) {
      expect(Math.abs(mesh.energyError)).toBeLessThan(1e-2);
      expect(Math.abs(direct.energyError)).toBeLessThan(1e-4);
      expect(Math.abs(mesh.lagrangianRadii[3] / direct.lagrangianRadii[3] - 1)).toBeLessThan(0.03);
    }
    expect(profiles?.kind).toBe("density");
    expect(profiles?.mesh.radius.length).toBeGreaterThan(5);
  });

  it("a row a target in validate.csv, and a page that stands alone", () => {
    const [header, ...rows] = textIn(folder, "validate.csv").trimEnd().split("\n");
    expect(header.split(",")).toHaveLength(13);
    expect(rows).toHaveLength(500);
    const errors = rows.map((row) => Number(row.split(",")[11])).sort((a, b) => a - b);
    expect((errors[249] + errors[250]) / 2).toBeCloseTo(validationIn(folder).forces!.plain!.relative.median, 5);
    const html = textIn(folder, "validate.html");
    expect(/<script|https?:|NaN|undefined|>null/.exec(html)).toBeNull();
    expect(html.match(/<svg/g)).toHaveLength(12);
  });
});

describe("both backends", () => {
  itInFull("find the same errors on the same targets", () => {
    const [gpu, cpu] = ["on-webgpu", "on-cpu"].map((folder) => validationIn(folder));
    for (const which of ["plain", "fitted"] as const) {
      for (const figure of ["rms", "median", "p90"] as const) {
        const [a, b] = [gpu, cpu].map(({ forces }) => forces![which]!.relative[figure]);
        expect(Math.abs(a / b - 1)).toBeLessThan(1e-3);
      }
    }
    const ids = ["on-webgpu", "on-cpu"].map((folder) => textIn(folder, "validate.csv").replaceAll(/,.*/g, ""));
    expect(ids[0]).toBe(ids[1]);
  });
});

describe("a deck with levels", () => {
  it("has errors by the mesh that a force comes from, in cells of where a particle is", async () => {
    const level = '[[level]]\naround = "plummer"\nrefinement = 2\ncells = 64\n';
    const particles = `[[particles]]\nkind = "plummer"\ncount = 4000\nscale = 1.0\ncutoff = 6.0\n${level}`;
    writeFileSync(join(work(), "levels.toml"), smallDeck(particles, { cells: 48, end: 0.1 }));
    const args = ["--targets", "4000", "--no-evolve", "--out", "levels"];
    const { code, stdout, stderr } = await gravmesh(work(), ["validate", "levels.toml", ...args]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^note: level "plummer", 64³ cells of 0\.167: its core reaches 2\.42 to each side, .*\n$/);
    expect(stdout).toMatch(/best\s+described\s+by\s+a\s+softening\s+of\s+0\.\d+\s+cells/);
    expect(stdout).toMatch(/by the mesh that the force comes from[\s\S]*h +targets +median[\s\S]*plummer: core +0\.17/);
    const { byLevel, targets, tried } = validationIn("levels").forces!;
    expect(byLevel!.map(({ name, cell }) => [name, cell])).toEqual([
      ["box", 16 / 48],
      ["plummer: blend", 16 / 96],
      ["plummer: core", 16 / 96],
    ]);
    expect(byLevel!.reduce((sum, part) => sum + part.targets, 0)).toBe(targets);
    for (const part of byLevel!) expect(part.targets).toBeGreaterThan(100);
    expect(tried.length).toBeGreaterThan(4);
    for (const { relative } of byLevel!) expect(relative.median).toBeLessThan(0.05);
    expect(textIn("levels", "validate.html")).toContain("plummer: core");
  });
});

describe("a periodic box, with multigrid", () => {
  it("is compared with Ewald's sum, and not evolved", async () => {
    const deck = ["uniform", "mesh.cells=32", "mesh.poisson=multigrid", "particles.0.count=1000"];
    const { code, stdout, stderr } = await gravmesh(work(), [
      "validate",
      ...deck,
      "--targets",
      "64",
      "--out",
      "periodic",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("against the Ewald sum (float64), on 64 of 1,000");
    expect(stdout.replaceAll("\n", " ")).toContain("Not evolved: the direct sum has no periodic images.");
    const { evolution, forces } = validationIn("periodic");
    expect([evolution, forces?.against, forces?.method]).toEqual([null, "strength", "Ewald sum"]);
    expect(forces!.fitted!.scaled.rms).toBeLessThan(forces!.plain!.scaled.rms);
  });

  it("has the force law of the discrete Green's function, which multigrid inverts", () => {
    const { scheme, rows } = validationIn("periodic").forceLaw!;
    expect(scheme).toBe("multigrid, CIC, 4-point");
    const known = KNOWN_FORCE_LAW.periodic["CIC, discrete, 4-point"]
      .split(" ")
      .map((pair) => pair.split("/").map(Number));
    [2, 3, 4].forEach((separation, i) => {
      const { meanRadial, scatter } = rows.find((row) => row.separation === separation)!;
      expect(Math.abs(meanRadial - known[i][0])).toBeLessThan(0.05);
      expect(Math.abs(scatter - known[i][1])).toBeLessThan(0.1);
    });
  });
});

describe("options", () => {
  it("evolve fewer particles, or to an earlier time, when the time allows no more", async () => {
    const args = [
      "mesh.cells=16",
      "particles.0.count=20000",
      "time.end=500",
      "--targets",
      "64",
      "--budget",
      "1",
      "--out",
      "sample",
    ];
    const { code, stdout } = await validate(...args);
    expect(code).toBe(0);
    const { evolution, notes } = validationIn("sample");
    expect(evolution!.particles * evolution!.time).toBeLessThan(20_000 * 500);
    expect(evolution!.of).toBe(20_000);
    expect(evolution!.rows.length).toBeGreaterThan(1);
    expect(notes[0]).toMatch(
      /^Evolved (is a random sample of .* of the 20\u202f000 particles|to t = .* of 500 time units, )/,
    );
    // A terminal has commas where a page has narrow spaces.
    expect(stdout.replaceAll("\n", " ")).toContain(notes[0].replaceAll("\u202f", ","));
  });

  it.each([
    [["--targets", "0"], /--targets.*whole number from 1 up/],
    [["--budget", "0.5"], /--budget.*a number from 1 up/],
    [["--softening", "-1"], /--softening.*a number from 0 up/],
    [["mesh.celsl=3"], /did you mean mesh\.cells/i],
  ])("%s are refused", async (args, message) => {
    const { code, stderr } = await validate(...args, "--out", "refused");
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(contentsOf(join(work(), "refused"))).toEqual({});
  });
});

describe("the folder", () => {
  it("is never overwritten without --force, and then only the three files", async () => {
    const folder = join(work(), "mine");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "mine");
    const args = ["mesh.cells=16", "--no-evolve", "--targets", "16", "--out", "mine"];
    const refused = await validate(...args);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("is not empty (notes.txt)");
    expect(readdirSync(folder)).toEqual(["notes.txt"]);
    expect((await validate(...args, "--force", "--quiet")).stdout).toBe("");
    expect(readdirSync(folder).sort()).toEqual(["notes.txt", ...FILES]);
    expect(textIn("mine", "notes.txt")).toBe("mine");
  });
});

describe("Ctrl-C", () => {
  it("keeps what has been measured and writes the page", async () => {
    const args = [...DECK, "mesh.cells=16", "time.end=100", "--targets", "64", "--out", "stopped", "--json"];
    const running = start(work(), args);
    await running.until('"event":"case","index":1');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ event: "end", page: join(work(), "stopped/validate.html") });
    const { status, forces, forceLaw } = validationIn("stopped");
    expect([status, forces?.targets, forceLaw?.cells]).toEqual(["interrupted", 64, 16]);
    expect(textIn("stopped", "validate.html")).toContain("It was stopped before its end.");
  });
});

describe("--json", () => {
  it("tells everything that happens, one event a line; no evolution, and a softening, where asked for", async () => {
    const { code, stdout, stderr } = await validate(
      "mesh.cells=16",
      "--no-evolve",
      "--softening",
      "0.3",
      "--out",
      "json",
      "--json",
    );
    expect([code, stderr]).toEqual([0, ""]);
    const events = eventsOf(stdout);
    expect(events.map(({ event }) => event).filter((name) => name !== "progress")).toEqual([
      ...["start", "case", "case", "end"],
    ]);
    const { forces, evolution } = validationIn("json");
    expect(events.at(-1)?.record).toEqual(recordIn("json"));
    expect([evolution, forces?.targets, forces?.plain?.softening]).toEqual([null, 2000, 0.3]);
  });
});
