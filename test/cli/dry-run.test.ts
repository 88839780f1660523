/** `gravmesh run --dry-run`: what a run would be, held against the run itself; nothing is written, what is refused is refused. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PlanEvent } from "../../src/run/events.ts";
import { eventsOf, gravmesh, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const SMALL = [
  "mesh.cells=16",
  "particles.disk.count=1000",
  "particles.disk.cutoff=3",
  "time.end=2",
  "--backend",
  "cpu",
];
const OUTPUTS = ["output.snapshots=2", "output.diagnostics=4", "subsample.every=10", "subsample.count=5"];

it("tells particles, memory, resolution, outputs, disk and time, and writes nothing", async () => {
  const { code, stdout, stderr } = await gravmesh(work(), ["run", "disk", ...SMALL, ...OUTPUTS, "--dry-run", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(readdirSync(work())).toEqual([]);
  const events = eventsOf(stdout);
  expect(events).toHaveLength(1);
  const plan = events[0] as unknown as PlanEvent;
  expect(plan).toMatchObject({
    ...{ event: "plan", backend: "cpu", particles: 1000, cells: 16, steps: 20, end: 2 },
    components: [{ name: "disk", species: "disk", count: 1000, mass: 1 }],
    resolution: [{ key: "r10", spacing: 0.875, enough: false }, { key: "r50" }, { key: "height", enough: false }],
    outputs: [
      { what: "snapshot", count: 3, from: 0, to: 2 },
      { what: "subsample", count: 6 },
      { what: "diagnostics", count: 5 },
      { what: "checkpoint" },
    ],
    time: { expectedSteps: 20 },
    warnings: [expect.stringMatching(/^disk: cells are too large .* height \(0\.1, 0\.11 cells of 0\.875\)/)],
  });
  expect(plan.time.seconds).toBeGreaterThan(20 * plan.time.secondsPerStep);
  expect(plan.memory.total).toBeGreaterThan(0);

  const run = await gravmesh(work(), ["run", "disk", ...SMALL, ...OUTPUTS, "--quiet", "--out", "out"]);
  expect(run.code).toBe(0);
  const files = readdirSync(join(work(), "out"));
  const of = (what: string) => plan.outputs.find((one) => one.what === what)!;
  for (const what of ["snapshot", "subsample"]) {
    const own = files.filter((name) => name.startsWith(`${what}_`));
    expect(own).toHaveLength(of(what).count);
    const bytes = own.reduce((sum, name) => sum + statSync(join(work(), "out", name)).size, 0);
    // The rest of a file is its header: some 30 KB.
    expect(bytes).toBeGreaterThan(of(what).bytes);
    expect(bytes - of(what).bytes).toBeLessThan(60_000 * own.length);
  }
  expect(readFileSync(join(work(), "out/diagnostics.csv"), "utf8").trim().split("\n")).toHaveLength(
    1 + of("diagnostics").count,
  );
  const summary = JSON.parse(readFileSync(join(work(), "out/summary.json"), "utf8"));
  expect([summary.steps, summary.notes, summary.warnings[0]]).toEqual([20, plan.notes, ...plan.warnings]);
});

it("shows it on the terminal, for adaptive steps and direct sums too", async () => {
  const adaptive = await gravmesh(work(), ["run", "disk", ...SMALL, "time.step=adaptive", "--dry-run", "--out", "no"]);
  expect(adaptive.code).toBe(0);
  expect(adaptive.stdout).toMatch(/about \d+ steps as long as now and their diagnostics, from \d+ trial steps/);
  expect(adaptive.stdout).toMatch(/disk: height +0\.1 +0\.875 +0\.114 +\S+ \d+ % +too much/);
  expect(adaptive.stderr).toMatch(/^warning: disk: cells are too large/);
  const direct = await gravmesh(work(), [
    "run",
    "plummer-hermite",
    "particles.0.count=64",
    "time.end=0.25",
    "--dry-run",
    "--out",
    "no",
  ]);
  expect([direct.code, direct.stdout]).toEqual([
    0,
    expect.stringMatching(/softening there[\s\S]* plummer: r50 +0\.757 +0\.00391 +194/),
  ]);
  expect(readdirSync(work()).filter((name) => name === "no")).toEqual([]);
});

it("ends with 2 and the reason where the run would be refused", async () => {
  const dry = (...args: string[]) => gravmesh(work(), ["run", ...args, "--dry-run"]);
  const refused = await Promise.all([
    dry("disk", "mesh.cells=17"),
    dry("disk", "mesh.cells=1536", "particles.disk.count=4_000_000_000", "--backend", "cpu"),
    dry("--resume", "out"),
    dry("disk", ...SMALL, "--live"),
  ]);
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  const reasons = [/mesh\.cells: expected/, /Not enough memory/, /leave out --resume/, /leave out --live/];
  for (const [i, reason] of reasons.entries()) expect(refused[i].stderr).toMatch(reason);
});
