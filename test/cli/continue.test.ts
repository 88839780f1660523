/** Runs that go on beyond their end: `run --resume FOLDER time.end=…`. */
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentsOf, eventsOf, gravmesh, start, useWorkFolder } from "../support/cli.ts";
import { inFull } from "../support/full.ts";
import { contentsOfRun } from "../support/result-folder.ts";

const work = useWorkFolder();

const DECK = [
  ...["mesh.cells=16", "particles.0.count=3001", "time.step=0.03125", "output.checkpointMinutes=0"],
  ...["maps.width=20", "subsample.every=10", "orbits.sample=5", "orbits.every=3"],
];
const half = ["time.end=0.5", "output.snapshots=1", "output.diagnostics=4", "maps.count=3", "subsample.count=5"];
const whole = ["time.end=1", "output.snapshots=2", "output.diagnostics=8", "maps.count=6", "subsample.count=10"];
const run = (out: string, backend: string, overrides: readonly string[]) =>
  gravmesh(work(), ["run", "plummer", ...DECK, ...overrides, "--backend", backend, "--out", out, "--quiet"]);

/** All that a run leaves but its deck, which tells the parts of a run, and what was measured of it. */
async function resultsOf(folder: string) {
  const { "scenario.toml": _, "report.html": page, "summary.json": summary, ...files } = await contentsOfRun(folder);
  return { ...files, summary: { ...(summary as object), continued: [], traffic: null, memory: null, files: null } };
}

// On an adapter a continued run is one that is resumed (resume.test.ts).
describe.each(inFull(["cpu", "webgpu"], ["cpu"]))("on %s a run that is continued", (backend) => {
  it("leaves what one with the later end from the start does, bit for bit", async () => {
    expect(await run(`whole-${backend}`, backend, whole)).toMatchObject({ code: 0 });
    const folder = `parts-${backend}`;
    expect(await run(folder, backend, half)).toMatchObject({ code: 0 });
    const resumed = await gravmesh(work(), ["run", "--resume", folder, "time.end=1", "--json"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const [first] = eventsOf(resumed.stdout).filter(({ event }) => event === "start");
    expect(first).toMatchObject({ end: 1, steps: 32, resumedAt: { step: 16, time: 0.5 } });
    expect(await resultsOf(join(work(), folder))).toEqual(await resultsOf(join(work(), `whole-${backend}`)));
    const summary = JSON.parse(readFileSync(join(work(), folder, "summary.json"), "utf8"));
    expect(summary).toMatchObject({ status: "complete", time: 1, continued: [0.5], resumes: 1 });
    expect(summary.snapshots).toHaveLength(3);
    expect(readFileSync(join(work(), folder, "scenario.toml"), "utf8")).toMatch(/^continued += \[0\.5\]/m);
    expect(readFileSync(join(work(), folder, "report.html"), "utf8").match(/alt="Projected density of/g)).toHaveLength(
      3,
    );
  });
});

describe("--resume with other values", () => {
  it("refuses those that the past depends on, with the reason and what to do, and changes nothing", async () => {
    const before = contentsOf(join(work(), "parts-cpu"));
    const outcome = await gravmesh(work(), ["run", "--resume", "parts-cpu", "time.end=2", "mesh.cells=32"]);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(
      /can't go on so\. Nothing was changed\.\n {2}mesh\.cells: expected 16, .*found 32\n/,
    );
    expect(outcome.stderr).toMatch(/gravmesh run parts-cpu.scenario\.toml time\.end=2 mesh\.cells=32 --out/);
    expect(outcome.stderr).toMatch(/from parts-cpu.snapshot_002\.hdf5/);
    expect(contentsOf(join(work(), "parts-cpu"))).toEqual(before);
    const name = await gravmesh(work(), ["run", "disk", "--resume", "parts-cpu"]);
    expect(name).toMatchObject({ code: 2, stderr: expect.stringMatching(/leave out SCENARIO \(disk\)/) });
  });

  it("may be interrupted and killed, and is no complete run until it has come to its new end", async () => {
    cpSync(join(work(), "parts-cpu"), join(work(), "long"), { recursive: true });
    const words = ["run", "--resume", "long", "time.end=40", "output.checkpointMinutes=1e-5", "--json"];
    const running = start(work(), words);
    await running.until('"event":"checkpoint"');
    running.child.kill("SIGKILL");
    expect((await running.done).signal).toBe("SIGKILL");
    expect(existsSync(join(work(), "long/summary.json"))).toBe(true);

    const again = start(work(), ["run", "--resume", "long", "--json"]);
    await again.until('"event":"checkpoint"');
    again.child.kill("SIGINT");
    const stopped = await again.done;
    expect(stopped.code, stopped.stderr).toBe(130);
    const first = eventsOf(stopped.stdout).find(({ event }) => event === "start");
    expect((first as { resumedAt?: { step: number } } | undefined)?.resumedAt?.step).toBeGreaterThan(32);
    const summary = JSON.parse(readFileSync(join(work(), "long/summary.json"), "utf8"));
    expect(summary).toMatchObject({ status: "interrupted", continued: [0.5, 1] });
  });
});
