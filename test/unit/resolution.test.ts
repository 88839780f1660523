/** What decks say of the lengths and times that a force and a step don't follow, and who hears of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { PaneState } from "../../src/doors/site/stage.ts";
import { RunExhibit } from "../../src/doors/site/worker/run-exhibit.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { run } from "../../src/run/runner.ts";
import { completeScenario, parseScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes, scenarioWarnings } from "../../src/scenario/remarks.ts";
import { resolutionOf } from "../../src/scenario/resolution.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { RunFolder, scenarioOfResults } from "../../src/studio/live/run-folder.node.ts";

const satellite = new URL("../../docs/examples/unresolved-satellite.toml", import.meta.url);
const text = readFileSync(satellite, "utf8");
/** The same cell in a smaller box, and few steps. */
const SMALL = [
  ...["box.size=60", "mesh.cells=32", "particles.0.offset=[16,0,0]", "particles.0.count=200"],
  ...["time.end=0.002", "time.step=0.001", "output.snapshots=1", "output.diagnostics=2"],
];
const WARNING =
  /^satellite: cells are too large for it: within ten dynamical times r10 \(0\.26 kpc, 0\.14 cells of 1\.88 kpc\) grows by more/;

const BALL = { scale: 4, cutoff: 20 };

function deck(changes: object = {}, component: object = {}) {
  return completeScenario({
    title: "t",
    box: { size: 64 },
    mesh: { cells: 64 },
    particles: [
      { kind: "plummer", name: "ball", count: 1000, mass: 1, ...("kind" in component ? {} : BALL), ...component },
    ],
    time: { end: 1, step: 0.01 },
    ...changes,
  });
}

const measures = (length: number, percent: number) => ({
  ...{ length: expect.closeTo(length, 3), ratio: expect.closeTo(length, 3), change: expect.closeTo(percent / 100, 3) },
});

/** What is told of the ball: "r10" and so on, in per cent to a digit. */
const told = (scenario: Scenario) =>
  Object.fromEntries(
    resolutionOf(scenario).map(({ name, key, change }) => [`${name} ${key}`, Math.round(1000 * change) / 10]),
  );

describe("what a force resolves", () => {
  it("is told in per cent of radii, heights and bound mass, by the cells there", () => {
    expect(resolutionOf(deck())).toEqual([
      { name: "ball", key: "r10", against: "cell", spacing: 1, enough: true, ...measures(2.045, 5.5) },
      { name: "ball", key: "r50", against: "cell", spacing: 1, enough: true, ...measures(4.958, 4) },
    ]);
    const disk = { kind: "exponential-disk", scaleLength: 3, scaleHeight: 0.5, cutoff: 15 };
    expect(told(deck({}, disk))).toMatchObject({ "ball height": 15.2 });
    // Of a force that is a fifth the disk's own.
    const halo = { kind: "hernquist", name: "halo", rigid: true, mass: 30, scale: 6 };
    const both = deck({ particles: [{ name: "ball", count: 1000, mass: 1, ...disk }, halo] });
    expect(told(both)["ball height"]).toBeLessThan(7);
    const direct = (softening: number) => deck({ gravity: "direct", direct: { softening } });
    expect(resolutionOf(direct(2))).toMatchObject([{ against: "softening", ratio: expect.closeTo(1.022, 3) }, {}]);
    expect(told(direct(2))).toEqual({ "ball r10": 35.5, "ball r50": 29.3 });
    expect(resolutionOf(direct(0))).toEqual([]);
    expect(resolutionOf(deck({}, { mass: 0, scale: 0.1 }))).toEqual([]);
  });

  // 20 000 particles, ten half-mass dynamical times (docs/resolution.md): a cell in scales, r10 and r50 as they grew.
  it.each([
    ["plummer", { cutoff: 24 }, 4.85, 3.5, 2.2],
    ["plummer", { cutoff: 24 }, 1.82, 21.2, 16.9],
    ["hernquist", { cutoff: 16 }, 7.27, 9, 2.1],
    ["hernquist", { cutoff: 16 }, 2.73, 39.1, 14.6],
    ["nfw", { cutoff: 20 }, 5.82, 6.2, 1.2],
    ["nfw", { cutoff: 20 }, 2.18, 27.1, 7.9],
    ["king", { W0: 3, cutoff: 18.8 }, 2.32, 11.7, 9.2],
    ["king", { W0: 6, cutoff: 72 }, 1.62, 12.6, 6.3],
    ["isochrone", { cutoff: 40 }, 1.09, 28.1, 19.5],
    ["dehnen", { cutoff: 12, gamma: 1.5 }, 3.64, 70.9, 23.5],
  ])("is what %s spheres do: %j with %f cells a scale", (kind, keys, inScale, r10, r50) => {
    const size = (64 * 4) / inScale;
    const scaled = {
      ...deck({ box: { size: 200 } }, { kind, scale: 4, ...keys }),
      box: { size, boundary: "isolated" as const },
    };
    const { "ball r10": inner, "ball r50": half } = told(scaled);
    expect(Math.abs(inner - r10)).toBeLessThan(1 + 0.35 * r10);
    expect(Math.abs(half - r50)).toBeLessThan(1 + 0.35 * r50);
  });

  it("is a warning from a tenth on, with what would mend it", () => {
    expect(scenarioWarnings(deck({}, { scale: 3, cutoff: 15 }))).toEqual([]);
    const [small] = scenarioWarnings(deck({}, { scale: 1.5, cutoff: 8 }));
    expect(small).toMatch(
      /^ball: cells are too large for it: within ten dynamical times r10 \(0\.769, 0\.77 cells of 1\) grows by about 29 %, r50 /,
    );
    expect(small).toContain(
      '. Try a [[level]] with around = "ball", refinement = 2, cells = 64, or mesh.cells = 128, or mesh.softenedModels = true,',
    );
    const softened = { mesh: { cells: 64, softenedModels: true } };
    expect(scenarioWarnings(deck(softened, { scale: 1, cutoff: 8 }))).toEqual([]);
    expect(scenarioWarnings(deck(softened, { scale: 0.4, cutoff: 8 }))[0]).toMatch(/ 31 %\. Try mesh\.cells = 192$/);
    // A level mends it, and the next one is what is proposed then, with the substeps that it wants.
    const level = (cells: number, step = 0.01) =>
      deck({ level: [{ around: "ball", cells, refinement: 2 }], time: { end: 4, step } }, { scale: 1.5, cutoff: 8 });
    expect(scenarioWarnings(level(64))).toEqual([]);
    expect(scenarioWarnings(level(96, 1))).toEqual([]);
    const smaller = deck(
      { level: [{ around: "ball", refinement: 2 }], time: { end: 1, step: 0.5 } },
      { scale: 0.5, cutoff: 8 },
    );
    expect(scenarioWarnings(smaller)[0]).toMatch(
      /Try another \[\[level\]\] with around = "ball", refinement = 4, cells = 96 and substeps = 3 in all$/,
    );
  });

  it("is judged by the level whose core holds a radius, of all that moves with it", () => {
    const levels = [{ around: "disk", cells: 128 }];
    const shared = { count: 1000, mass: 1 };
    const particles = [
      { ...shared, kind: "exponential-disk", name: "disk", scaleLength: 4, scaleHeight: 0.5, cutoff: 20 },
      { ...shared, kind: "hernquist", name: "bulge", scale: 1, cutoff: 10 },
      { ...shared, kind: "hernquist", name: "halo", mass: 20, scale: 15, cutoff: 30 },
      {
        ...shared,
        kind: "plummer",
        name: "passing",
        mass: 0.1,
        scale: 1,
        cutoff: 5,
        offset: [2, 0, 0],
        velocity: [1, 0, 0],
      },
    ];
    const cells = resolutionOf(deck({ level: levels, particles })).map(({ name, key, spacing }) => [
      name,
      key,
      spacing,
    ]);
    // Its core reaches 8.25.
    expect(cells).toEqual(
      expect.arrayContaining([
        ...[
          ["disk", "r50", 0.25],
          ["disk", "height", 0.25],
          ["bulge", "r10", 0.25],
          ["halo", "r10", 0.25],
        ],
        ...[
          ["halo", "r50", 1],
          ["passing", "r10", 1],
        ],
      ]),
    );
  });

  it("takes mass that a tide would leave, by the tidal radius", () => {
    const tide = (mass: number) => ({
      potential: [{ kind: "point-mass", mass }],
      particles: [{ kind: "king", name: "ball", count: 1000, mass: 1, scale: 1.4, W0: 3, offset: [20, 0, 0] }],
    });
    // 0.7 cells a scale; on a circle at half of the tidal radius of docs/resolution.md next to nothing is left.
    expect(told(deck({ ...tide(0.0001) }))).not.toHaveProperty("ball bound mass");
    expect(told(deck({ ...tide(50) }))["ball bound mass"]).toBeLessThan(-20);
  });
});

describe("what a fixed step follows", () => {
  it("is the motion in the inner part of each model", () => {
    const long = deck({ time: { end: 10, step: 10 } });
    expect(scenarioWarnings(long)).toEqual([
      "ball: time.step = 10 is 1.2 of the time r/v of circular orbits in its inner part (8.7), which such steps don't follow. " +
        "Try time.step = 4.3",
    ]);
    expect(scenarioWarnings(deck({ time: { end: 10, step: 5 } }))).toEqual([]);
    expect(scenarioWarnings(deck({ time: { end: 10, step: "adaptive" } }))).toEqual([]);
    // A level kicks several times in a step, where it acts.
    const divided = (substeps: number) =>
      deck({ time: { end: 16, step: 16 }, level: [{ around: "ball", cells: 64, refinement: 2, substeps }] });
    expect(scenarioWarnings(divided(1))).toEqual([
      expect.stringMatching(
        /time\.step = 16 is 1\.\d of .* Try time\.step = 4\.\d, or substeps = 4 in all \[\[level\]\] tables$/,
      ),
    ]);
    expect(scenarioWarnings(divided(4))).toEqual([]);
  });

  it("is how softened particles pass each other, where all have one step", () => {
    const shared = (softening: number, step: number) =>
      deck({ gravity: "direct", direct: { steps: "shared", softening }, time: { end: 4, step } });
    // √(0.01³/(2·1/1000)) = 0.0224
    expect(scenarioWarnings(shared(0.01, 0.02))).toEqual([]);
    expect(scenarioWarnings(shared(0.01, 0.1))).toEqual([
      expect.stringMatching(
        /^time\.step = 0\.1 is 4\.5 times the time in which two particles pass .* Try time\.step = 0\.011/,
      ),
    ]);
    expect(scenarioWarnings(shared(0, 0.1))).toEqual([expect.stringMatching(/follows no close encounter of points/)]);
    expect(scenarioWarnings(deck({ gravity: "direct" }))).toEqual([]);
  });
});

describe("the bundled decks", () => {
  const folder = new URL("../../scenarios/", import.meta.url);
  const bundled = readdirSync(folder).filter((name) => name.endsWith(".toml"));
  /** Decks that say so themselves. */
  const swollen = (n: number) =>
    Array.from(
      { length: n },
      (_, k) => new RegExp(`^galaxy ${k + 1}: the softening is too large .* r50 .* grows by about (29|30) %`),
    );
  const warned = new Map([
    ["disk.toml", [/^disk: cells are too large .* height \(0\.1, 0\.46 cells of 0\.219\) grows by about 17 %/]],
    ["satellite.toml", [/^satellite: .* r10 .* grows by about 20 %, 17 % of the mass that its tide leaves is lost/]],
    ...([
      ["figure-eight-3.toml", swollen(3)],
      ["figure-eight-4.toml", swollen(4)],
    ] as const),
  ]);

  it.each(bundled)("%s warns of what its own text says, and of nothing else", (name) => {
    const own = readFileSync(new URL(name, folder), "utf8");
    const expected = warned.get(name) ?? [];
    const told = scenarioWarnings(parseScenario(own, { file: name }));
    expect(told).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    if (expected.length > 0) expect(own).toMatch(/docs\/resolution\.md/);
  });
});

describe("a satellite smaller than a cell", () => {
  const work = mkdtempSync(join(tmpdir(), "gravmesh-warned-"));
  afterAll(() => rmSync(work, { recursive: true, force: true }));
  const forever = new AbortController().signal;

  it("warns as it is in the documentation, and is no matter of notes", () => {
    const scenario = parseScenario(text, { file: "deck" });
    expect(scenarioWarnings(scenario)).toEqual([expect.stringMatching(WARNING)]);
    expect(scenarioNotes(scenario)).toEqual([]);
    const page = readFileSync(new URL("../../docs/resolution.md", import.meta.url), "utf8");
    expect(page.replace(/\s+/g, " ")).toContain(scenarioWarnings(scenario)[0]);
  });

  it("is warned of in events, summary, report and the page of its folder, and again when it is resumed", async () => {
    const out = join(work, "out");
    const events: RunEvent[] = [];
    const stop = new AbortController();
    const told = () => events.flatMap((event) => (event.event === "warning" ? [event.message] : []));
    const watch = (event: RunEvent) => {
      events.push(event);
      if (event.event === "diagnostics" && event.step === 0) stop.abort();
    };
    const request = { overrides: SMALL, backend: "cpu" as const };
    await run({ ...request, scenario: satellite.pathname, out }, watch, stop.signal);
    expect(told()).toEqual([expect.stringMatching(WARNING)]);
    // Before anything is computed.
    expect(events[0]).toMatchObject({ event: "warning" });
    events.length = 0;
    await run({ overrides: [], backend: "auto", resume: out }, watch, forever);
    expect(told()).toEqual([expect.stringMatching(WARNING)]);
    const [warning] = told();
    const summary = JSON.parse(readFileSync(join(out, "summary.json"), "utf8"));
    expect(summary).toMatchObject({ status: "complete", resumes: 1, warnings: [warning], notes: [] });
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("0.14 cells of 1.88 kpc");
    const shown = new RunFolder(out, scenarioOfResults(out));
    await shown.look();
    expect(shown.about.warnings).toEqual([warning]);
  });

  it("is warned of in a tab", async () => {
    const host = { gpu: undefined, changed() {}, emit() {} };
    const exhibit = new RunExhibit(host, { text, overrides: SMALL });
    await exhibit.ready();
    const { status, warnings }: Pick<PaneState, "status" | "warnings"> = exhibit.state();
    expect([status, warnings]).toEqual(["paused", [expect.stringMatching(WARNING)]]);
    exhibit.destroy();
  });
});
