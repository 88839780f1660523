/** `gravmesh compare` through the built bin: what it prints and writes, what it refuses, failures and interruptions. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Comparison } from "../../src/study/compare/record.ts";
import { contentsOf, eventsOf, gravmesh, SMALL, start, useWorkFolder } from "../support/cli.ts";
import { inFull } from "../support/full.ts";

const work = useWorkFolder();
const textIn = (...path: string[]) => readFileSync(join(work(), ...path), "utf8");
const comparisonIn = (folder: string): Comparison => JSON.parse(textIn(folder, "compare.json"));
const compare = (...args: string[]) => gravmesh(work(), ["compare", "plummer", ...SMALL, ...args]);

describe.each(inFull(["webgpu", "cpu"], ["webgpu"]))("gravmesh compare on %s", (backend) => {
  const folder = `on-${backend}`;

  it("sets every combination side by side", async () => {
    const vary = ["--vary", "mesh.assignment=cic,tsc", "--vary", "mesh.gradient=2-point,4-point"];
    const { code, stdout, stderr } = await compare(...vary, "--backend", backend, "--out", folder);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^Plummer sphere\n4 variants, mesh.assignment = cic, tsc; mesh.gradient = 2-point, 4-point\n/,
    );
    expect(stdout).toMatch(/\n {2}4\/4 tsc, 4-point {2}10 steps .* ms a step/);
    expect(stdout).toMatch(
      /φ rms[\s\S]*energy +at most[\s\S]*step +order +deposit +poisson +gradient +update +updates\/s/,
    );
    expect(stdout).toMatch(/page {2}\/.*compare\.html\n$/);
    expect(stdout).not.toContain("\r");
    expect(readdirSync(join(work(), folder)).sort()).toEqual(["compare.csv", "compare.html", "compare.json"]);
  });

  it("from the same particles, against the first", () => {
    const { cases, status, particles, varied, ...rest } = comparisonIn(folder);
    const variants = cases.map(({ result }) => result);
    expect({ status, particles, varied, backend: rest.backend }).toEqual({
      status: "complete",
      particles: 2000,
      varied: { "mesh.assignment": ["cic", "tsc"], "mesh.gradient": ["2-point", "4-point"] },
      backend,
    });
    const [first, gradient, assignment] = variants;
    expect([first.potential, first.acceleration, first.positionCells]).toEqual([null, null, null]);
    // The gradient comes after the potential: not a bit of it changes.
    expect(gradient.potential).toEqual({ rms: 0, largest: 0 });
    expect(gradient.acceleration?.rms).toBeGreaterThan(0.01);
    expect(gradient.acceleration?.rms).toBeLessThan(0.3);
    expect(assignment.potential?.rms).toBeGreaterThan(1e-3);
    for (const one of cases) expect(one).toMatchObject({ status: "complete", message: null });
    for (const one of variants) {
      expect(one).toMatchObject({ time: 0.2, steps: 10, cells: 24 });
      expect(one.rows.map(({ step }) => step)).toEqual([0, 3, 5, 8, 10]);
      expect(one.energyError).toBe(one.rows.at(-1)?.energyError);
      expect(one.largestEnergyError).toBeLessThan(1e-2);
      expect(one.momentumError).toBeLessThan(1e-3);
      expect(one.stages.map(({ stage }) => stage)).toEqual(["order", "deposit", "poisson", "gradient", "update"]);
      expect(one.memoryBytes).toBeGreaterThan(2000 * 28);
      const { millisecondsPerStep: ms, particleUpdatesPerSecond: updates } = one;
      expect(updates).toBeCloseTo(2e6 / ms!, 3);
    }
    // Against the direct sum: the mesh smooths, and a difference over four points is nearer than over two.
    expect(rest.direct).toMatchObject({ method: "direct sum", softeningCells: 0.5, targets: 2000 });
    for (const { direct } of variants) {
      expect(direct.start?.rms).toBeGreaterThan(1e-3);
      expect(direct.end?.rms).toBeLessThan(0.5);
      expect(direct.end?.targets).toBeGreaterThan(1900);
    }
    expect(first.direct.start!.rms).toBeGreaterThan(gradient.direct.start!.rms);
    expect(rest.verdict).toMatch(/direct sum.* at the first step, .* at the end \(rms, each with the softening.*\)\.$/);
    expect(first.direct.start!.best!.rms).toBeLessThanOrEqual(first.direct.start!.rms);
    for (const one of variants.slice(1)) {
      expect(one.acceleration?.largest).toBeGreaterThan(one.acceleration?.rms ?? 1);
      expect(one.positionCells).toBeGreaterThan(0);
      expect(one.positionCells).toBeLessThan(0.5);
    }
  });

  it("with a table to read in and a page to look at", () => {
    const [header, ...rows] = textIn(folder, "compare.csv").trimEnd().split("\n");
    expect(header).toMatch(/^variant,mesh\.assignment,mesh\.gradient,status,time,steps,potential_rms,/);
    expect(rows).toHaveLength(4);
    expect(rows[3]).toMatch(/^"tsc, 4-point",tsc,4-point,complete,0\.2,10,/);
    const html = textIn(folder, "compare.html");
    expect(html.match(/<img /g)).toHaveLength(7); // four densities, three differences
    const text = html.replace(/base64,[^"]*/g, "");
    expect(/<script|https?:|NaN|undefined/.exec(text.replace(/data:image[^"]*/g, ""))).toBeNull();
  });
});

describe("a variant that fails", () => {
  it("is reported in its row, and the others go on", async () => {
    const { code, stdout, stderr } = await compare(
      "--vary",
      "mesh.cells=16,4096,24",
      "--backend",
      "cpu",
      "--out",
      "fails",
    );
    expect(code).toBe(1);
    expect(stderr).toContain("warning: cells 4096 failed: Not enough memory");
    expect(stdout).toMatch(/cells 4096 failed: Not enough memory: .*mesh\.cells=\d+ would fit/);
    const { status, cases: variants } = comparisonIn("fails");
    expect(status).toBe("failed");
    expect(variants.map((variant) => variant.status)).toEqual(["complete", "failed", "complete"]);
    expect(variants[2].result.acceleration?.rms).toBeGreaterThan(0);
    expect(textIn("fails", "compare.csv")).toMatch(/\ncells 4096,4096,failed,0,0,,.*Not enough memory/);
    expect(textIn("fails", "compare.html").includes("<b>cells 4096</b> failed. Not enough memory")).toBe(true);
  });

  it("may be a multigrid that misses its tolerance: residuals and advice are in its row", async () => {
    const vary = ["--vary", "multigrid.tolerance=5e-2,1e-5"];
    const { code, stdout } = await compare(
      "mesh.poisson=multigrid",
      "multigrid.maxCycles=1",
      ...vary,
      "--out",
      "missed",
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/tolerance 0\.00001 failed|tolerance 1e-5 failed/);
    const { cases: variants } = comparisonIn("missed");
    expect(variants.map((variant) => variant.status)).toEqual(["complete", "failed"]);
    expect(textIn("missed", "compare.csv")).toMatch(/residual.*maxCycles/);
  });
});

describe("Ctrl-C", () => {
  it("keeps what has been measured and writes the page", async () => {
    const args = ["compare", "plummer", ...SMALL, "time.end=200", "output.diagnostics=1000", "--backend", "cpu"];
    const running = start(work(), [...args, "--vary", "mesh.assignment=cic,tsc", "--out", "stopped", "--json"]);
    await running.until('"event":"progress"');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ event: "end", page: join(work(), "stopped/compare.html") });
    const { status, cases: variants } = comparisonIn("stopped");
    expect([status, ...variants.map((variant) => variant.status)]).toEqual(["interrupted", "interrupted", "waiting"]);
    const { steps, rows, millisecondsPerStep } = variants[0].result;
    expect(steps).toBeGreaterThan(0);
    expect(rows.at(-1)?.step).toBe(steps);
    expect(millisecondsPerStep).toBeGreaterThan(0);
    expect(textIn("stopped", "compare.html").includes("was stopped before its end")).toBe(true);
  });
});

describe("--json and --quiet", () => {
  it("tell everything that happens, one event a line, or nothing", async () => {
    const vary = ["--vary", "mesh.green=exact,discrete", "--backend", "cpu"];
    const told = await compare(...vary, "--out", "json", "--json");
    expect([told.code, told.stderr]).toEqual([0, ""]);
    const events = eventsOf(told.stdout);
    expect(events.map(({ event }) => event).filter((name) => name !== "progress")).toEqual([
      ...["start", "activity", "activity", "case", "activity", "case", "end"],
    ]);
    expect(events[0]).toMatchObject({
      variants: ["exact", "discrete"],
      particles: 2000,
      backend: "cpu",
      adapter: null,
    });
    expect(events.at(-1)?.record).toEqual(comparisonIn("json"));
    // An isolated box has no periodic Green's function to differ in.
    expect(comparisonIn("json").cases[1].result).toMatchObject({ potential: { rms: 0 }, positionCells: 0 });
    expect(comparisonIn("json").verdict).toMatch(
      /^No variant is measurably nearer to the direct sum than the others: /,
    );
    const silent = await compare(...vary, "--out", "quiet", "--quiet", "--no-direct");
    expect(silent).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const without = comparisonIn("quiet");
    expect([without.direct, without.verdict, without.cases[0].result.direct]).toEqual([
      ...[null, null, { start: null, end: null }],
    ]);
  });
});

describe("what is refused, before anything is computed", () => {
  it.each([
    [["--vary", "particles.0.count=1,2"], "particles.0.count can't vary: it changes the initial conditions"],
    [["--vary", "mesh.assignment=cic"], "at least two variants"],
    [[], "at least two variants"],
    [["--vary", "mesh.assignment=cic,txc"], 'found "txc". Did you mean "tsc"?'],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await compare(...args, "--out", "refused");
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(readdirSync(work())).not.toContain("refused");
  });

  it("variants whose defaults would draw other particles", async () => {
    const deck = `title = "pair"
[box]
size = 10.0
boundary = "isolated"
[mesh]
cells = 16
[[particles]]
kind = "plummer"
count = 100
mass = 1.0
scale = 1.0
offset = [2.0, 0.0, 0.0]
[time]
end = 0.1
step = 0.01
`;
    writeFileSync(join(work(), "pair.toml"), deck);
    const args = ["compare", "pair.toml", "--vary", "box.boundary=isolated,periodic", "--out", "refused"];
    const { code, stderr } = await gravmesh(work(), args);
    expect(code).toBe(2);
    expect(stderr).toContain('The variants "isolated" and "periodic" would start from different particles');
  });

  it("a folder that holds something, unless --force, which replaces only its own files", async () => {
    mkdirSync(join(work(), "full"));
    writeFileSync(join(work(), "full/notes.txt"), "mine");
    writeFileSync(join(work(), "full/compare.csv"), "old");
    const before = contentsOf(join(work(), "full"));
    const args = ["--vary", "mesh.assignment=cic,tsc", "--backend", "cpu", "--out", "full"];
    const refused = await compare(...args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("full is not empty (compare.csv, notes.txt). Nothing was changed.");
    expect(contentsOf(join(work(), "full"))).toEqual(before);
    expect((await compare(...args, "--force")).code).toBe(0);
    expect(textIn("full", "notes.txt")).toBe("mine");
    expect(textIn("full", "compare.csv")).toMatch(/^variant,/);
  });
});

describe("--help", () => {
  it("has an example", async () => {
    const { code, stdout } = await gravmesh(work(), ["compare", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Usage: gravmesh compare[\s\S]*Examples:\n {2}\$ gravmesh compare disk --poisson fft,multigrid/,
    );
  });
});
