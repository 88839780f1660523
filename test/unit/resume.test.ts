/**
 * Runs that were killed or interrupted, and what --resume makes of them: everything that an undisturbed run leaves. A
 * kill is a copy of the folder at that moment; runs are of a process's own, on the CPU.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/run/events.ts";
import { powerSpectra } from "../../src/run/outputs/power-spectra.ts";
import { type RunRequest, run } from "../../src/run/runner.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { contentsOf } from "../support/cli.ts";
import { asKilled, contentsOfRun } from "../support/result-folder.ts";

const work = mkdtempSync(join(tmpdir(), "gravmesh-resume-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const DIRECT = `
title = "Two dozen bodies"
gravity = "direct"
[box]
size = 16.0
boundary = "isolated"
[[particles]]
kind = "plummer"
count = 24
scale = 0.6
[time]
end = 0.25
step = 0.015625
[direct]
steps = "block"
softening = 0.01
[output]
snapshots = 2
diagnostics = 4
checkpointMinutes = 1e-9
`;

/** Runs to its end; what it told, and how that went. */
async function go(request: Partial<RunRequest>, look: (event: RunEvent, stop: () => void) => void = () => {}) {
  const events: RunEvent[] = [];
  const stop = new AbortController();
  const watch = (event: RunEvent) => {
    events.push(event);
    look(event, () => stop.abort());
  };
  const code = await run({ overrides: [], backend: "auto", ...request }, watch, stop.signal);
  const told = <K extends RunEvent["event"]>(kind: K) =>
    events.filter((one): one is Extract<RunEvent, { event: K }> => one.event === kind);
  return { code, told, warnings: told("warning").map(({ message }) => message) };
}

const resume = (folder: string, more: Partial<RunRequest> = {}) => go({ resume: folder, ...more });
const summaryOf = (folder: string) => JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
const copy = (folder: string, name: string) => {
  cpSync(folder, join(work, name), { recursive: true });
  return join(work, name);
};

/** The run that wasn't disturbed, and what it would have left had it been killed at every event of these kinds. */
const whole = join(work, "whole");
const killed = new Map<string, string>();
let expected: Record<string, unknown>;

beforeAll(async () => {
  writeFileSync(join(work, "bodies.toml"), DIRECT);
  const counts: Record<string, number> = {};
  const { code } = await go({ scenario: join(work, "bodies.toml"), out: whole, backend: "cpu" }, ({ event }) => {
    if (!["start", "diagnostics", "snapshot", "checkpoint"].includes(event)) return;
    counts[event] = (counts[event] ?? 0) + 1;
    const name = `${event}-${counts[event]}`;
    killed.set(name, asKilled(whole, join(work, name)));
  });
  expect(code).toBe(0);
  killed.set("end", killed.get(`checkpoint-${counts.checkpoint}`)!);
  expected = await contentsOfRun(whole);
});

describe("a run that is killed", () => {
  it("has counters, and a folder without anything of the work", () => {
    expect(summaryOf(whole)).toMatchObject({ status: "complete", resume: null, resumes: 0 });
    expect(summaryOf(whole).counters["particle steps"]).toBeGreaterThan(24 * 16);
    expect(summaryOf(whole).files).toEqual([
      ...["diagnostics.csv", "report.html", "scenario.toml"],
      ...["snapshot_000.hdf5", "snapshot_001.hdf5", "snapshot_002.hdf5", "summary.json"],
    ]);
    expect(readdirSync(whole).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it.each([
    ["as it starts", "start-1", /before its first checkpoint: it begins anew/],
    ["before its first checkpoint", "diagnostics-1", /before its first checkpoint: it begins anew/],
    ["on its way", "checkpoint-5", undefined],
    ["before a snapshot's checkpoint", "snapshot-2", undefined],
    ["after the last step, before summary and report", "end", undefined],
  ])("%s is resumed to what an undisturbed one leaves", async (_, name, warning) => {
    const folder = killed.get(name)!;
    expect(existsSync(join(folder, "summary.json"))).toBe(false);
    const { code, warnings } = await resume(folder);
    expect(code).toBe(0);
    expect(warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
    expect(await contentsOfRun(folder)).toEqual(expected);
    expect(summaryOf(folder).resumes).toBe(warning ? 0 : 1);
    expect((await resume(folder)).warnings).toEqual([expect.stringMatching(/is complete; nothing to do/)]);
  });

  it("and resumed, killed and resumed again, has the whole run's counters and times", async () => {
    const folder = copy(killed.get("checkpoint-3")!, "twice");
    const again = join(work, "again");
    let checkpoints = 0;
    await go({ resume: folder }, ({ event }) => {
      if (event === "checkpoint" && ++checkpoints === 4) asKilled(folder, again);
    });
    const { told } = await resume(again);
    expect(await contentsOfRun(again)).toEqual(expected);
    const [{ summary }] = told("end");
    expect(summary).toMatchObject({ resumes: 2, counters: summaryOf(whole).counters });
    const { wallSeconds, preparationSeconds, stepSeconds, outputSeconds, endSeconds } = summary;
    expect(preparationSeconds + stepSeconds + outputSeconds + endSeconds).toBeCloseTo(wallSeconds, 9);
    for (const part of [preparationSeconds, stepSeconds, outputSeconds, endSeconds]) expect(part).toBeGreaterThan(0);
  });

  it("goes on with the backend that it was begun with, and with no other", async () => {
    const folder = copy(killed.get("start-1")!, "backend");
    rmSync(join(folder, "summary.json"));
    for (const file of readdirSync(join(folder, "checkpoint"))) {
      if (file.startsWith("state_")) rmSync(join(folder, "checkpoint", file));
    }
    await expect(resume(folder, { backend: "webgpu" })).rejects.toThrow(/--backend cpu and can only go on with it/);
    // Another run in its place is refused, with what to do.
    await expect(go({ scenario: join(folder, "scenario.toml"), out: folder, backend: "cpu" })).rejects.toThrow(
      /already holds a run.*continue that run with --resume/,
    );
  });
});

describe("a complete run", () => {
  it.each(["report.html", "summary.json"])("without its %s gets it again", async (name) => {
    const folder = copy(whole, `without-${name}`);
    rmSync(join(folder, name));
    const { code, warnings } = await resume(folder);
    expect(code).toBe(0);
    expect(warnings).toEqual(name === "report.html" ? [expect.stringMatching(/report\.html will be made anew/)] : []);
    expect(await contentsOfRun(folder)).toEqual(expected);
  });

  it("is left as it is, down to the times of its files", async () => {
    const before = contentsOf(whole);
    const times = readdirSync(whole).map((name) => statSync(join(whole, name)).mtimeMs);
    expect((await resume(whole)).code).toBe(0);
    expect(contentsOf(whole)).toEqual(before);
    expect(readdirSync(whole).map((name) => statSync(join(whole, name)).mtimeMs)).toEqual(times);
  });
});

describe("what a run needs of its finished part", () => {
  it("is looked for before the first step: a snapshot that is missing or damaged", async () => {
    const folder = copy(killed.get("snapshot-2")!, "no-snapshot");
    const file = join(folder, "snapshot_000.hdf5");
    for (const name of ["summary.json", "report.html"]) rmSync(join(folder, name), { force: true });
    const kept = readFileSync(file);
    rmSync(file);
    const before = contentsOf(folder);
    const refused = async (message: RegExp) => {
      const events: string[] = [];
      const attempt = go({ resume: folder }, ({ event }) => events.push(event));
      await expect(attempt).rejects.toMatchObject({ kind: "input", message: expect.stringMatching(message) });
      expect(events).not.toContain("progress");
    };
    await refused(
      /no-snapshot can't go on: snapshot_000\.hdf5 is missing.*Put it back, or start the run anew: gravmesh run/s,
    );
    expect(contentsOf(folder)).toEqual(before);
    writeFileSync(file, kept.subarray(0, kept.length / 2));
    await refused(/snapshot_000\.hdf5/);
    writeFileSync(file, kept);
    expect((await resume(folder)).code).toBe(0);
    expect(await contentsOfRun(folder)).toEqual(expected);
  });

  it("is made anew where the checkpoint has it: rows of diagnostics.csv", async () => {
    const folder = copy(killed.get("checkpoint-5")!, "rows");
    for (const name of ["summary.json", "report.html"]) rmSync(join(folder, name), { force: true });
    const file = join(folder, "diagnostics.csv");
    const lines = readFileSync(file, "utf8").split(/(?<=\n)/);
    expect(lines.length).toBeGreaterThan(2);
    const altered = [lines[0], ...lines.slice(2)].join("");
    writeFileSync(file, altered);
    rmSync(join(folder, "checkpoint"), { recursive: true });
    cpSync(join(killed.get("checkpoint-4")!, "checkpoint"), join(folder, "checkpoint"), { recursive: true });
    const { code, warnings } = await resume(folder);
    expect(code).toBe(0);
    expect(warnings).toEqual([expect.stringMatching(/diagnostics\.csv isn't as the run left it.*found-1/)]);
    expect(readFileSync(`${file}.found-1`, "utf8")).toBe(altered);
    rmSync(`${file}.found-1`);
    expect(await contentsOfRun(folder)).toEqual(expected);
  });
});

describe("spectra of earlier sessions", () => {
  it("are written again from the checkpoint, whatever has become of their files", () => {
    const scenario = completeScenario({
      ...{ title: "box", box: { size: 10, boundary: "periodic" }, mesh: { cells: 16 }, time: { end: 1, step: 0.1 } },
      particles: [{ kind: "uniform", count: 5, mass: 1 }],
    });
    const row = { k: 0.7, low: 0.6, high: 0.8, power: 12.5, modes: 6, shotNoise: 2 };
    const kept = [0, 1].map((index) => ({
      index,
      time: index / 2,
      nyquist: 5,
      shotNoiseSubtracted: false,
      rows: [row],
    }));
    const folder = mkdtempSync(join(work, "spectra-"));
    writeFileSync(join(folder, "power_001.csv"), "altered");
    const simulation = { scenario } as unknown as Simulation;
    const writer = powerSpectra.writer({
      ...{ simulation, folder, resumedAt: 5, kept, written: { rows: [], snapshots: [] }, told: () => undefined },
      ...{ lines: () => ({ append: () => {} }), activity: () => {} },
    });
    expect(writer.summary?.()).toEqual(kept);
    for (const name of ["power_000.csv", "power_001.csv"])
      expect(readFileSync(join(folder, name), "utf8")).toMatch(/12\.5/);
  });
});

describe("an interrupted run", () => {
  it("leaves a report and a summary that say so, where it stands and how to go on", async () => {
    const folder = join(work, "it's stopped");
    const deck = { scenario: join(work, "bodies.toml"), out: folder, backend: "cpu" as const };
    const { code, told } = await go(deck, (event, stop) => {
      if (event.event === "progress" && event.step >= 9) stop();
    });
    expect(code).toBe(130);
    const [{ step, time, report, resume: command }] = told("interrupted");
    expect(command).toBe(`gravmesh run --resume '${folder.replace("'", "'\\''")}'`);
    expect(summaryOf(folder)).toMatchObject({ status: "interrupted", steps: step, time, resume: command });
    const [lead] = /(?<=<p class="lead">).*?(?=<\/p>)/.exec(readFileSync(report, "utf8")) ?? [];
    expect(lead).toMatch(
      /^Interrupted at t\u00a0=\u00a00\.14\u00a0time\u00a0units, after 9 steps: this is the run so far\. Go on with gravmesh run --resume /,
    );
    expect(step).toBe(9);
    expect(time).toBeCloseTo(9 / 64, 12);

    const before = summaryOf(folder);
    expect((await resume(folder)).code).toBe(0);
    expect(await contentsOfRun(folder)).toEqual(expected);
    // What the first part took is in the sum, what came after its checkpoint included.
    for (const key of ["preparationSeconds", "stepSeconds", "outputSeconds", "endSeconds", "wallSeconds"]) {
      expect(summaryOf(folder)[key]).toBeGreaterThan(before[key]);
    }
  });
});
