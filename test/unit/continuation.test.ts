/** A run that goes on beyond its end: its schedule, and which keys of its deck may change. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { continuation, laterKeys } from "../../src/scenario/continuation.ts";
import { deckText } from "../../src/scenario/deck.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { scheduleOf } from "../../src/scenario/timetables.ts";
import { fixtureScenario } from "../support/scenario-fixture.ts";

function scheduleFor(time: Partial<Scenario["time"]>, output: Partial<Scenario["output"]>, maps = 0) {
  const scenario = fixtureScenario();
  return scheduleOf({
    ...scenario,
    time: { ...scenario.time, ...time },
    output: { ...scenario.output, ...output },
    maps: { ...scenario.maps, count: maps },
  });
}

describe("the schedule of a run that was continued", () => {
  it("is that of a run with the later end from the start, where spacings divide it", () => {
    for (const step of [2 ** -5, "adaptive"] as const) {
      const parts = scheduleFor({ continued: [1, 1.5], end: 3, step }, { snapshots: 2, diagnostics: 4 }, 8);
      expect(parts).toEqual(scheduleFor({ end: 3, step }, { snapshots: 6, diagnostics: 12 }, 24));
    }
  });

  it("keeps the step to the bit, and the spacing of outputs from the first part on, with all of them at a part's end", () => {
    const times = { end: 1, step: 0.3 };
    const before = scheduleFor(times, { snapshots: 2, diagnostics: 4 });
    expect(before.step).toBe(0.25);
    const { step, totalSteps, outputs } = scheduleFor(
      { ...times, continued: [1], end: 1.75 },
      { snapshots: 2, diagnostics: 4 },
    );
    expect([step, totalSteps]).toEqual([0.25, 7]);
    expect(outputs.slice(0, 5)).toEqual(before.outputs);
    expect(outputs.slice(5).map(({ index, time, snapshot }) => [index, time, snapshot])).toEqual([
      [5, 1.25, false],
      [6, 1.5, true],
      [7, 1.75, true],
    ]);
  });

  it("has listed times after the former end, and whole steps to listed redshifts", () => {
    const listed = { continued: [1], end: 2 };
    const { outputs } = scheduleFor({ ...listed, step: 0.125 }, { times: [0.5, 1.5], diagnostics: 1 });
    expect(outputs.filter(({ snapshot }) => snapshot).map(({ time }) => time)).toEqual([0, 0.5, 1, 1.5, 2]);
    const comoving = { clock: "comoving", start: 0.1, step: 0.1 } as const;
    const redshifts = [4, 1];
    const before = scheduleFor({ ...comoving, end: 0.4 }, { redshifts: [4], diagnostics: 1 });
    const after = scheduleFor({ ...comoving, continued: [0.4], end: 1 }, { redshifts, diagnostics: 1 });
    expect(after.edges?.subarray(0, before.edges?.length)).toEqual(before.edges);
    expect(after.outputs.slice(0, before.outputs.length)).toEqual(before.outputs);
    expect(after.outputs.filter(({ snapshot }) => snapshot).map(({ time }) => time)).toEqual([0.1, 0.2, 0.4, 0.5, 1]);
    expect(after.edges?.length).toBe((after.totalSteps ?? 0) + 1);
    expect(after.outputs.at(-1)).toMatchObject({ step: after.totalSteps, time: 1, diagnostics: true });
  });
});

describe("continuation()", () => {
  const deck = (more: Partial<Scenario["time"]> = {}, output: Partial<Scenario["output"]> = {}) => {
    const scenario = fixtureScenario();
    return deckText({
      ...scenario,
      ...{ time: { ...scenario.time, ...more }, output: { ...scenario.output, ...output } },
      box: { ...scenario.box, size: 20 },
      particles: scenario.particles.map((one) => ({ ...one, cutoff: 5 })),
    });
  };
  const file = "results/disk/scenario.toml";
  const reached = { step: 100, output: 10, tick: 0 };
  const problemsOf = (overrides: string[], at = reached, text = deck()) =>
    continuation(text, { file, overrides, reached: at }).problems.map(({ message }) => message);

  it("raises the end and keeps it in mind, once for each part", () => {
    const first = continuation(deck(), { file, overrides: ["time.end=2"], reached });
    expect(first).toMatchObject({ problems: [], changes: [{ key: "time.end", before: "1", now: "2" }] });
    expect(first.scenario.time).toMatchObject({ end: 2, continued: [1] });
    const again = continuation(deckText(first.scenario), { file, overrides: ["time.end=2.5"], reached });
    expect(again.scenario.time).toMatchObject({ end: 2.5, continued: [1, 2] });
    expect(parseScenario(deckText(again.scenario))).toEqual(again.scenario);
  });

  it("changes nothing where the values are those of the run", () => {
    expect(continuation(deck(), { file, overrides: ["time.end=1", "mesh.cells=64"], reached })).toMatchObject({
      problems: [],
      changes: [],
    });
  });

  it("refuses what the past depends on, key by key, with what it was and the reason", () => {
    expect(
      problemsOf(["time.end=2", "mesh.cells=128", "particles.halo.seed=7", "output.snapshots=4", "time.step=0.02"]),
    ).toEqual([
      "mesh.cells: expected 64, with which it was computed so far, found 128",
      "particles[0].seed: expected 1, with which it was computed so far, found 7",
      "time.step: expected 0.01, with which it was computed so far, found 0.02",
      "output.snapshots: expected 2, with which what it has written so far was written, found 4",
    ]);
    expect(problemsOf(["time.end=0.5"])).toEqual([
      expect.stringMatching(/^time\.end: expected more than 1, .*found 0\.5/),
    ]);
    expect(problemsOf(["time.continued=[0.5]"])).toHaveLength(1);
  });

  it("names the ends that are whole steps", () => {
    expect(() => continuation(deck(), { file, overrides: ["time.end=1.234"], reached })).toThrow(
      /override time\.end=1\.234: time\.end: expected whole steps of 0\.01, .*found 1\.234\. Try 1\.23 or 1\.24/,
    );
    const adaptive = deck({ step: "adaptive" });
    expect(continuation(adaptive, { file, overrides: ["time.end=1.234"], reached }).problems).toEqual([]);
  });

  it("adds listed times that are still to come, and none before", () => {
    const listed = deck({}, { times: [0.25, 0.5] });
    const outputs = scheduleOf(parseScenario(listed)).outputs;
    const output = outputs.findIndex(({ time }) => time === 0.5);
    const at = { step: 55, output, tick: 0 };
    expect(problemsOf(["output.times=[0.25, 0.5, 0.75]"], at, listed)).toEqual([]);
    expect(problemsOf(["output.times=[0.25, 0.5, 1.5]", "time.end=2"], at, listed)).toEqual([]);
    expect(problemsOf(["output.times=[0.25, 0.35, 0.5]"], at, listed)).toEqual([
      expect.stringMatching(
        /^output: expected the outputs up to here as they were written, found others from time 0\.35/,
      ),
    ]);
    expect(problemsOf(["output.times=[0.5]"], at, listed)).toHaveLength(1);
    // Between the last output and the step that the run has come to.
    expect(problemsOf(["output.times=[0.25, 0.5, 0.53]"], at, listed)).toHaveLength(1);
  });

  it("lets other values pass that say nothing of the past", () => {
    const overrides = ["output.checkpointMinutes=1", "time.maxEnergyError=inf", "title=Longer"];
    const { problems, scenario } = continuation(deck(), { file, overrides, reached });
    expect(problems).toEqual([]);
    expect(scenario).toMatchObject({ title: "Longer", time: { continued: [] } });
    expect(laterKeys()).toEqual(expect.arrayContaining(["time.end", "output.checkpointMinutes", "title"]));
    expect(laterKeys().some((key) => /^(mesh|direct|multigrid|units|box|cosmology)\./.test(key))).toBe(false);
  });
});

describe("docs/continuing.md", () => {
  it("names every key that may change", () => {
    const page = readFileSync(new URL("../../docs/continuing.md", import.meta.url), "utf8");
    expect(laterKeys().filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});
