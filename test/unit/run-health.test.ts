/** What a run says of its own numbers: particles outside the mesh, energy that isn't conserved, in words with a way out. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { rowOf } from "../../src/engine/diagnostics/columns.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { failureOf, healthOf } from "../../src/run/health.ts";
import { run } from "../../src/run/runner.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

const COUNT = 20_000;

function deck(changes: object = {}) {
  return completeScenario({
    title: "A galaxy from elsewhere",
    box: { size: 20 },
    mesh: { cells: 64 },
    particles: [{ kind: "plummer", name: "galaxy", count: COUNT, offset: [1, 0, 0] }],
    time: { end: 1, step: 0.01 },
    ...changes,
  });
}

interface Changes {
  energyError?: number;
  outside?: number;
  centre?: number[];
  r50?: number;
  r90?: number;
}

function row(time: number, { energyError = 0, outside = 0, centre = [10, 10, 10], r50 = 1, r90 = 2 }: Changes = {}) {
  const sums = [0.25, -0.5, -0.25, energyError, 0, 0, 0, 0, 0, 0];
  return rowOf([time, 100 * time, ...sums, ...centre, 1, outside, 0.1, 0.3, 0.5, r50, 1.5, r90]);
}

const told = (rows: ReturnType<typeof row>[], scenario = deck()) => healthOf(scenario, COUNT, rows);

describe("health of a run", () => {
  it("has nothing to say of a good one", () => {
    expect(told([row(0), row(1, { energyError: -0.0099, outside: 900 })])).toEqual([]);
    expect(told([row(0, { outside: 200 })])).toEqual([]);
    expect(told([])).toEqual([]);
  });

  it("offers the offset that recentres particles outside the mesh", () => {
    const [one, ...more] = told([row(0, { outside: 19_980, centre: [0.0123456, 0, -1] })]);
    expect(more).toEqual([]);
    expect(one.kind).toBe("outside");
    expect(one.message).toContain("19,980 of 20,000 particles (99.9 %) are outside the mesh at the start");
    expect(one.message).toContain("set offset = [10.99, 10, 11] in [[particles]] galaxy");
    expect(one.message).not.toContain("box.size");
    const two = [..."ab"].map((name) => ({ kind: "plummer", name, count: COUNT / 2 }));
    const [both] = told([row(0, { outside: 201, centre: [0, 0, 0] })], deck({ particles: two }));
    expect(both.message).toContain("add [10, 10, 10] to the offset of every component");
  });

  it("proposes a larger box where the particles don't fit", () => {
    const [one] = told([row(0, { outside: 5000, r90: 30 })]);
    expect(one.message).toMatch(/to have them inside, use a box\.size of about 81$/);
    expect(one.message).not.toContain("offset");
  });

  it("counts those that leave, not those that were outside before", () => {
    const [, one] = told([row(0, { outside: 1000 }), row(1, { outside: 2001 })]);
    expect(one).toMatchObject({ kind: "left", message: expect.stringContaining("1,001 of 20,000 particles (5 %)") });
    expect(told([row(0, { outside: 1000 }), row(1, { outside: 2000 })])).toHaveLength(1);
  });

  it("tells an energy error in percent, the largest one with its time", () => {
    const rows = [row(0), row(0.5, { energyError: -0.025 }), row(1, { energyError: 0.011, outside: 3 })];
    expect(told(rows)).toEqual([
      {
        kind: "energy",
        message:
          "the energy is off by 2.5 % at time 0.5 time units: try a shorter time.step, and where that changes nothing more mesh.cells",
      },
    ]);
    const [far] = told([row(0), row(1, { energyError: 4e23, outside: 3 })]);
    expect(far.message).toMatch(
      /^the energy is off by 4e\+23 times its first value .* particles that leave the mesh count/,
    );
  });

  it("names a collapse below a cell, which no step follows, and otherwise the step that there is", () => {
    const small = { r50: 0.3 }; // a cell is 20/64 = 0.3125
    const rows = [row(0, { r50: 1 }), row(0.5, small), row(1, { r50: 0.8, energyError: 0.03 })];
    const why = "half of the mass is within 0.3 at time 0.5 time units, 0.96 of a cell (0.3125)";
    expect(told(rows)).toEqual([
      {
        kind: "energy",
        message:
          `the energy is off by 3 % at time 1 time units: ${why}, which the mesh doesn't follow at any step; ` +
          "try more mesh.cells, or a sum over pairs (gravity=direct)",
      },
    ]);
    expect(failureOf(deck(), row(0.5, { ...small, energyError: 2 }))).toContain(
      `${why}, which the mesh doesn't follow at any step. Try more mesh.cells`,
    );
    // Not before the energy is off, nor where there is no cell; and a step that isn't fixed has another key.
    const later = [row(0, { r50: 1 }), row(0.5, { r50: 1, energyError: 0.03 }), row(1, small)];
    expect(told(later)[0].message).toMatch(
      /at time 0\.5 time units: try a shorter time\.step, and where that changes nothing more mesh\.cells$/,
    );
    expect(told(rows, deck({ gravity: "direct" }))[0].message).toMatch(/: try a smaller direct\.nu$/);
    const shared = deck({ gravity: "direct", direct: { steps: "shared", softening: 0.1 } });
    expect(told(rows, shared)[0].message).toMatch(/: try a shorter time\.step$/);
    const near = deck({ gravity: "p3m", p3m: { softening: 0.05 } });
    expect(told(rows, near)[0].message).toMatch(/: try a shorter time\.step$/);
    const adaptive = deck({ time: { end: 1, step: "adaptive" } });
    expect(told(later, adaptive)[0].message).toMatch(/: try a smaller time\.accuracy, and where/);
  });

  it("knows the cells and substeps of levels", () => {
    const level = [{ around: "galaxy", refinement: 2, cells: 64, substeps: 4 }];
    const levels = deck({ level, time: { end: 1, step: 0.2 } });
    const off = { energyError: 0.03 };
    // The cells of 0.156 reach so far; a quarter of the step is short there.
    expect(told([row(0), row(0.5, { r50: 0.3, ...off })], levels)[0].message).toMatch(
      /units: try a shorter time\.step, and/,
    );
    expect(told([row(0), row(0.5, { r50: 0.1, ...off })], levels)[0].message).toMatch(
      /0\.64 of a cell \(0\.1563\), which the mesh .*, and time\.step = 0\.2, in 4 substeps, is 0\.57 of .* \(0\.087\); try another \[\[level\]\]/,
    );
  });

  it("names both causes where both are there, and neither for tracers", () => {
    const rows = [row(0), row(0.5, { energyError: 0.03 })];
    const particles = (more: object) => [
      { kind: "plummer" as const, name: "galaxy", count: COUNT, scale: 0.2, mass: 1, ...more },
    ];
    const time = { end: 2, step: 0.4 };
    const [{ message }] = told(rows, deck({ particles: particles({}), time }));
    // ω dt = 0.4 √(M(h)/h³) at the cell of 0.3125, with 0.6 of the mass inside.
    expect(message).toMatch(
      /: galaxy: r10 = 0\.1 is 0\.33 of a cell \(0\.31\), which .*, and time\.step = 0\.4 is 1\.\d of the time r\/v/,
    );
    expect(message).toMatch(/; try a \[\[level\]\] .*, or mesh\.cells = 384; and time\.step = 0\.0\d+$/);
    expect(told(rows, deck({ particles: particles({ mass: 0 }), time }))[0].message).toMatch(
      /units: try a shorter time\.step$/,
    );
  });

  it("judges an expanding box by its worst row as any other, as its report does", () => {
    const comoving = deck({
      units: { system: "cosmological" },
      box: { size: 20, boundary: "periodic" },
      particles: [{ kind: "plane-wave", perSide: 16 }],
      time: { clock: "comoving", start: 0.1, end: 1, step: 0.01 },
    });
    expect(told([row(0.1), row(0.2, { energyError: 0.04 }), row(1, { energyError: 0.01 })], comoving)).toEqual([]);
    const [one] = told([row(0.1), row(0.5, { energyError: -0.06 }), row(1, { energyError: 0.01 })], comoving);
    expect(one.message).toContain("at time 0.5 (z = 1)");
    expect(one.message).toContain("residual of the cosmic energy equation is 6 %");
  });

  it("fails above time.maxEnergyError, unless the deck lets it pass", () => {
    const lost = row(0.5, { energyError: -1.2 });
    expect(failureOf(deck(), row(0.5, { energyError: 1 }))).toBeUndefined();
    expect(failureOf(deck(), lost)).toMatch(
      /^at time 0\.5 time units, step 50, the relative energy error is 1\.2, above time\.maxEnergyError = 1/,
    );
    const allowed = deck({ time: { end: 1, step: 0.01, maxEnergyError: Number.POSITIVE_INFINITY } });
    expect(failureOf(allowed, lost)).toBeUndefined();
    const strict = deck({ time: { end: 1, step: 0.01, maxEnergyError: 0.01 } });
    expect(failureOf(strict, row(1, { energyError: 0.02 }))).toContain("is 0.02, above time.maxEnergyError = 0.01");
  });
});

describe("a run that fails", () => {
  const dir = mkdtempSync(join(tmpdir(), "gravmesh-health-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("stops where its energy is lost, keeps what it has, and says so on every side", async () => {
    const [scenario, out] = [join(dir, "deck.toml"), join(dir, "out")];
    const text = `title = "Edge to edge"
box.size = 10.0
mesh.cells = 16
time = { end = 2.0, step = 0.5, maxEnergyError = 1e-5 }
output.snapshots = 1
[[particles]]
kind = "uniform"
name = "cube"
count = 200
mass = 1.0`;
    writeFileSync(scenario, text);
    const events: RunEvent[] = [];
    const request = { overrides: [], backend: "cpu" as const };
    const watch = (event: RunEvent) => {
      events.push(event);
    };
    const forever = new AbortController().signal;
    const failure =
      /^at time 0\.5 time units, step 1, the relative energy error is .*time\.maxEnergyError = 0\.00001.* is in .*out$/;
    await expect(run({ ...request, scenario, out }, watch, forever)).rejects.toMatchObject({
      kind: "numerical",
      message: expect.stringMatching(failure),
    });
    const told = events.flatMap((event) => (event.event === "warning" ? [event.message] : []));
    const outside = told.find((message) => message.includes("are outside the mesh at the start"));
    expect(outside).toMatch(/of 200 particles \(\d\d(\.\d)? %\).*use a box\.size of about/);
    expect(events.some(({ event }) => event === "end")).toBe(false);
    const summary = JSON.parse(readFileSync(join(out, "summary.json"), "utf8"));
    expect(summary).toMatchObject({ status: "failed", steps: 1, resume: null });
    expect(summary.warnings).toContain(outside);
    const report = readFileSync(join(out, "report.html"), "utf8");
    expect(report).toContain("are outside the mesh at the start");
    expect(report).not.toMatch(/NaN|Infinity/);
    expect(readFileSync(join(out, "diagnostics.csv"), "utf8").split("\n")).toHaveLength(4);
    // It can't be made a success by going on.
    await expect(run({ ...request, backend: "auto", resume: out }, watch, forever)).rejects.toThrow(failure);
  });
});
