/** A run through the built bin: what it prints, what it writes, in every mode. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../src/foundation/base/version.ts";
import { EVENTS } from "../../src/run/events.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { parseDiagnostics } from "../../src/run/outputs/diagnostics.ts";
import { SUMMARY_KEYS } from "../../src/run/summary.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { eventsOf, gravmesh, root, SMALL, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const jsonIn = (...path: string[]) => JSON.parse(readFileSync(join(work(), ...path), "utf8"));
const textIn = (...path: string[]) => readFileSync(join(work(), ...path), "utf8");

describe.each(["webgpu", "cpu"])("gravmesh run on %s", (backend) => {
  const folder = `on-${backend}`;

  it("writes the result folder", async () => {
    const outcome = await gravmesh(work(), ["run", "plummer", ...SMALL, "--backend", backend, "--out", folder]);
    expect(outcome.stderr).toBe("");
    expect(outcome.code).toBe(0);
    expect(readdirSync(join(work(), folder)).sort()).toEqual([
      ...["checkpoint", "diagnostics.csv", "report.html", "scenario.toml"],
      ...["snapshot_000.hdf5", "snapshot_001.hdf5", "snapshot_002.hdf5", "summary.json"],
    ]);
    expect(readdirSync(join(work(), folder, "checkpoint")).sort()).toEqual(["run.json", "state_000001.bin"]);

    // Without a terminal: a heading, no control characters, the table at the end.
    expect(outcome.stdout).toMatch(
      /^Plummer sphere\n2,000 particles, mesh 24³, to t = 0\.2 time units in 10 steps\non .*; results in on-/,
    );
    expect(outcome.stdout).not.toContain("\r");
    expect(outcome.stdout).not.toContain("\u001b");
    expect(outcome.stdout).toMatch(/wall time +\d.*\n +throughput .*\n +energy error .*\n +momentum error /);
    expect(outcome.stdout).toMatch(
      /stage +ms\/step +share\n.*\n +order .*\n +deposit .*\n +poisson .*\n +gradient .*\n +update /,
    );
    expect(outcome.stdout).toMatch(/report +\/.*report\.html\n$/);
  });

  it("with a summary of documented keys", () => {
    const summary = jsonIn(folder, "summary.json");
    expect(Object.keys(summary)).toEqual(Object.keys(SUMMARY_KEYS));
    expect(summary).toMatchObject({
      status: "complete",
      version,
      backend,
      particles: 2000,
      cells: 24,
      steps: 10,
      time: 0.2,
    });
    expect(summary.adapter === null).toBe(backend === "cpu");
    expect(Math.abs(summary.largestEnergyError)).toBeLessThan(2e-3);
    expect(summary.momentumError).toBeLessThan(1e-3);
    expect(summary.memory.total).toBeGreaterThan(0);
    expect(summary.snapshots.map(({ time }: { time: number }) => time)).toEqual([0, 0.1, 0.2]);
  });

  it("with diagnostics, snapshots and a report", async () => {
    const rows = parseDiagnostics(textIn(folder, "diagnostics.csv"));
    expect(rows.map(({ step }) => step)).toEqual([0, 3, 5, 8, 10]);
    expect(rows[0].relativeEnergyError).toBe(0);
    // The mesh of 24 cells smooths the core: not quite in equilibrium.
    for (const row of rows) expect(Math.abs(row.virialRatio - 1)).toBeLessThan(0.4);
    const { count, positions, time } = await readSnapshot(join(work(), folder, "snapshot_002.hdf5"));
    expect([count, time]).toEqual([2000, 0.2]);
    expect(positions.every((x) => x > 0 && x < 10)).toBe(true);
    const report = textIn(folder, "report.html");
    expect(report).toMatch(/^<!doctype html>/);
    expect(report.match(/data:image\/png/g)!.length).toBeGreaterThanOrEqual(3);
    expect(report).not.toMatch(/(src|href)="https?:/);
  });

  it("and a deck as run that gives the same run again", async () => {
    const again = await gravmesh(work(), [
      ...["run", join(folder, "scenario.toml"), "--backend", backend, "--out", `${folder}-again`, "--quiet"],
    ]);
    expect(again).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    expect(textIn(`${folder}-again`, "diagnostics.csv")).toBe(textIn(folder, "diagnostics.csv"));
    const [a, b] = await Promise.all(
      [folder, `${folder}-again`].map((name) => readSnapshot(join(work(), name, "snapshot_002.hdf5"))),
    );
    expect(Buffer.from(b.positions.buffer).equals(Buffer.from(a.positions.buffer))).toBe(true);
    expect(Buffer.from(b.velocities.buffer).equals(Buffer.from(a.velocities.buffer))).toBe(true);
  });
});

describe("--json", () => {
  it("tells everything that happens, one documented event a line", async () => {
    const { code, stdout, stderr } = await gravmesh(work(), [
      "run",
      "plummer",
      ...SMALL,
      "--backend",
      "cpu",
      "--out",
      "json",
      "--json",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const events = eventsOf(stdout);
    const names = events
      .map(({ event }) => event)
      .filter((name) => !["preparation", "progress", "activity"].includes(name));
    expect(names).toEqual([
      ...["start", "diagnostics", "snapshot", "diagnostics", "diagnostics", "snapshot", "diagnostics", "diagnostics"],
      ...["snapshot", "checkpoint", "end"],
    ]);
    const done = events.flatMap(({ event, what }) => (event === "activity" ? [what] : []));
    expect(done.slice(0, 3)).toEqual(["diagnostics", "snapshot 0", "report: pictures"]);
    expect(done.slice(-5)).toEqual([
      "checkpoint",
      "report: profiles",
      "report: pictures by galaxy and species",
      "report",
      "summary",
    ]);
    expect(events.every(({ event }) => event in EVENTS)).toBe(true);
    expect(events.find(({ event }) => event === "progress")).toMatchObject({
      step: expect.any(Number),
      fraction: expect.any(Number),
    });
    expect(events.at(-1)).toMatchObject({
      summary: jsonIn("json", "summary.json"),
      report: join(work(), "json/report.html"),
    });
  });
});

describe("a reader that goes away", () => {
  it("ends the run without a stack", async () => {
    const args = ["run", "plummer", ...SMALL, "--backend", "cpu", "--out", "gone", "--json"];
    const { stdout, stderr } = await gravmesh(work(), args, { through: '"$@" | head -n 1' });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/^Nobody reads the output any more\. .*\n$/);
  });
});

describe("on a terminal", () => {
  it("one live line is drawn and leaves no trace", async () => {
    const args = ["run", "plummer", ...SMALL, "particles.0.count=30000", "--backend", "cpu", "--out", "live"];
    // `script` gives the command a terminal of its own.
    const through = 'script -qec "stty cols 60; $(printf "%q " "$@")" /dev/null';
    const { code, stdout } = await start(work(), args, { through }).done;
    expect(code).toBe(0);
    const lines = stdout
      .replaceAll("\r\n", "\n")
      .split("\n")
      .flatMap((line) => line.split("\r"));
    const live = lines.map((line) => line.replace("\u001b[2K", "")).filter((line) => /█|░/.test(line));
    expect(live.length).toBeGreaterThan(0);
    for (const line of live) expect(line.length).toBeLessThanOrEqual(59);
    expect(live.some((line) => /^[█▏▎▍▌▋▊▉░]{8,} +\d+ % {2}t = 0\.\d+ time units/.test(line))).toBe(true);
    expect(live.at(-1)).toMatch(/ 100 % {2}writing (report|summary) …$/);
    expect(stdout).toMatch(/wall time[\s\S]*report/);
  });
});

describe("an adaptive step", () => {
  it("lands on its outputs", async () => {
    const args = ["run", "plummer", ...SMALL, "time.step=adaptive", "--backend", "cpu", "--out", "adaptive", "--json"];
    const { code, stdout } = await gravmesh(work(), args);
    expect(code).toBe(0);
    const times = eventsOf(stdout).flatMap(({ event, time }) => (event === "diagnostics" ? [time as number] : []));
    times.forEach((time, i) => {
      expect(time).toBeCloseTo(0.05 * i, 12);
    });
    expect(times).toHaveLength(5);
  });
});

describe("doctor", () => {
  it("finds everything as it should be", async () => {
    const { code, stdout } = await gravmesh(work(), ["doctor", "--json"]);
    const report = JSON.parse(stdout);
    expect(report.checks.filter(({ passed }: { passed: boolean }) => !passed)).toEqual([]);
    const names = report.checks.map(({ name }: { name: string }) => name.split(",")[0]);
    expect(names).toEqual([
      ...["64-bit sums by atomics with carry", "fixed-point products", "float32 sums and products", "rounding"],
      ...["float32 division", "float32 square root", "float32 reciprocal root", "float32 fma"],
      ...["mesh forces against float64", "identical bits on repetition", "identical bits with other kernel shapes"],
      ...["direct forces"],
    ]);
    expect(report.adapter).toMatchObject({ description: expect.any(String), limits: expect.any(Object) });
    expect(report.adapter.copyBandwidth).toBeGreaterThan(1e8);
    expect(code).toBe(0);
  });

  it("finds it without what GRAVMESH_WITHOUT names", async () => {
    const env = { GRAVMESH_WITHOUT: "raised-limits,timestamp-query,subgroups" };
    const { code, stdout } = await gravmesh(work(), ["doctor", "--json"], { env });
    const { checks, adapter } = JSON.parse(stdout);
    expect(checks.filter(({ passed }: { passed: boolean }) => !passed)).toEqual([]);
    expect(adapter.features).not.toContain("subgroups");
    expect(adapter.features).not.toContain("timestamp-query");
    expect(adapter.limits).toMatchObject({
      maxStorageBuffersPerShaderStage: 8,
      maxComputeInvocationsPerWorkgroup: 256,
    });
    expect(code).toBe(0);
  });

  it.each([
    ["GRAVMESH_WITHOUT", "shaders", /GRAVMESH_WITHOUT: "shaders" is none of raised-limits/],
    ["GRAVMESH_ADAPTER", "no such card", /GRAVMESH_ADAPTER: no adapter has "no such card" in its name; found: \S/],
  ])("%s=%s is an error of runs, whatever the backend, and nothing is written", async (name, value, message) => {
    const { code, stderr } = await gravmesh(work(), ["run", "plummer", ...SMALL, "--out", "no"], {
      env: { [name]: value },
    });
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(readdirSync(work())).not.toContain("no");
  });
});

describe("help", () => {
  it.each(["", "run", "doctor", "bench", "bench stages", "bench force"])("of gravmesh %s", async (command) => {
    const { code, stdout } = await gravmesh(work(), [...command.split(" ").filter(Boolean), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: gravmesh ${command}`.trim());
    expect(stdout).toMatch(/Examples?:\n {2}\$ gravmesh/);
  });
});

describe("the documents", () => {
  const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
    name.endsWith(".md"),
  );

  it("show decks that are right", () => {
    const decks = documents.flatMap((name) =>
      [...readFileSync(join(root, name), "utf8").matchAll(/```toml\n([\s\S]*?)```/g)].map((match) => ({
        name,
        deck: match[1],
      })),
    );
    const whole = decks.filter(({ deck }) => /^title/m.test(deck) && /^\[time\]/m.test(deck));
    expect(whole.length).toBeGreaterThan(0);
    for (const { name, deck } of whole) expect(parseScenario(deck, { file: name }).title).toBeTruthy();
  });
});
