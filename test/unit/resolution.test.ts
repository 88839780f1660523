/** What decks say of the lengths and times that a force and a step don't follow, and who hears of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { RunFolder, scenarioOfResults } from "../../src/live/run-folder.node.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { run } from "../../src/run/runner.ts";
import { completeScenario, parseScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes, scenarioWarnings } from "../../src/scenario/remarks.ts";
import { resolutionOf } from "../../src/scenario/resolution.ts";
import type { PaneState } from "../../src/site/stage.ts";
import { RunExhibit } from "../../src/site/worker/run-exhibit.ts";

const satellite = new URL("../../docs/examples/unresolved-satellite.toml", import.meta.url);
const text = readFileSync(satellite, "utf8");
/** The same cell in a smaller box, and few steps. */
const SMALL = [
  ...["box.size=60", "mesh.cells=32", "particles.0.offset=[16,0,0]", "particles.0.count=200"],
  ...["time.end=0.002", "time.step=0.001", "output.snapshots=1", "output.diagnostics=2"],
];
const WARNING =
  /^satellite: scale = 0\.5 kpc is 0\.27 of a cell \(1\.88 kpc\), .* Try mesh\.cells = \d+, or mesh\.softe/;

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

describe("what a force resolves", () => {
  it("is told for every length that a record names, fine or not", () => {
    const disk = { kind: "exponential-disk", scaleLength: 3, scaleHeight: 0.5, cutoff: 15 };
    expect(resolutionOf(deck({}, disk))).toEqual([
      { name: "ball", key: "scaleLength", length: 3, against: "cell", spacing: 1, ratio: 3, enough: true },
      { name: "ball", key: "scaleHeight", length: 0.5, against: "cell", spacing: 1, ratio: 0.5, enough: false },
    ]);
    const direct = { gravity: "direct", direct: { softening: 2.5 } };
    expect(resolutionOf(deck(direct))).toMatchObject([
      { key: "scale", against: "softening", ratio: 1.6, enough: false },
    ]);
    expect(resolutionOf(deck({ gravity: "direct" }))).toEqual([]);
    expect(resolutionOf(deck({}, { mass: 0, scale: 0.1 }))).toEqual([]);
  });

  it("is a warning below 1.4 cells, with what would mend it", () => {
    expect(scenarioWarnings(deck({}, { scale: 1.5, cutoff: 8 }))).toEqual([]);
    expect(scenarioWarnings(deck({}, { scale: 1.25, cutoff: 8 }))).toEqual([
      "ball: scale = 1.25 is only 1.3 times a cell (1), so that the mesh's force is too weak to hold it: it expands, and may " +
        "dissolve. Try mesh.cells = 96, or mesh.softenedModels = true, which sets it up in equilibrium with the mesh's force, " +
        'or gravity = "direct", or a box.size of 57',
    ]);
    const softened = { mesh: { cells: 64, softenedModels: true } };
    expect(scenarioWarnings(deck(softened, { scale: 0.3, cutoff: 8 }))).toEqual([]);
    expect(scenarioWarnings(deck(softened, { scale: 0.2, cutoff: 8 }))[0]).toMatch(
      /0\.2 of a cell .* Try mesh\.cells = 96/,
    );
    // Far too small for any mesh: none is proposed.
    expect(scenarioWarnings(deck({}, { scale: 0.01, cutoff: 8 }))[0]).toMatch(
      /0\.01 of a cell.* Try gravity = "direct"/,
    );
    const cold = { kind: "uniform-sphere", radius: 1 };
    expect(scenarioWarnings(deck({}, cold))[0]).toMatch(
      /radius = 1 is only 1 times a cell.*hardly follows its structure\. Try/,
    );
  });

  it("is the softening of a direct sum, too", () => {
    const direct = (softening: number) => ({ gravity: "direct", direct: { softening } });
    expect(scenarioWarnings(deck(direct(2)))).toEqual([]);
    expect(scenarioWarnings(deck(direct(2.5)))).toEqual([
      "ball: scale = 4 is only 1.6 times a softening (2.5), so that the softened force is too weak to hold it: it expands, " +
        "and may dissolve. Try direct.softening = 2",
    ]);
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
  });

  it("is how softened particles pass each other, where all have one step", () => {
    const shared = (softening: number, step: number) =>
      deck({ gravity: "direct", direct: { steps: "shared", softening }, time: { end: 1, step } });
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
  /** Thin disks, of which the decks say themselves that their mesh thickens them. */
  const warned = new Map([["disk.toml", [/^disk: scaleHeight = 0\.1 is 0\.46 of a cell \(0\.219\)/]]]);

  it.each(bundled)("%s warns of what its own text says, and of nothing else", (name) => {
    const own = readFileSync(new URL(name, folder), "utf8");
    const expected = warned.get(name) ?? [];
    const told = scenarioWarnings(parseScenario(own, { file: name }));
    expect(told).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    if (expected.length > 0) expect(own).toMatch(/the mesh thickens/);
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
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("is 0.27 of a cell (1.88 kpc)");
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
