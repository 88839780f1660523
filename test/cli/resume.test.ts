/** Runs that end early: killed, or stopped with Ctrl-C; and resumed, to the same bits as an undisturbed run. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { contentsOf, eventsOf, gravmesh, start, useWorkFolder } from "../support/cli.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const work = useWorkFolder();

/** Long enough to be caught in the middle; a checkpoint every sixteenth of a second. */
const LONG = [
  ...["mesh.cells=16", "particles.0.count=3001", "time.end=1.2", "time.step=0.008"],
  ...["output.snapshots=3", "output.diagnostics=6", "output.checkpointMinutes=1e-3"],
];
const run = (backend: string, out: string, ...more: string[]) =>
  ["run", "plummer", ...LONG, "--backend", backend, "--out", out, "--json", ...more] as const;

/** Every number that a run leaves: snapshots and diagnostics. The HDF5 files themselves carry their time of writing. */
async function numbersOf(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".hdf5"));
  const snapshots = await Promise.all(names.sort().map((name) => readSnapshot(join(folder, name))));
  const bits = snapshots.map(({ positions, velocities, time }) => ({
    time,
    positions: Buffer.from(positions.buffer).toString("base64"),
    velocities: Buffer.from(velocities.buffer).toString("base64"),
  }));
  return { names, bits, diagnostics: readFileSync(join(folder, "diagnostics.csv"), "utf8") };
}

describe.each(["cpu", "webgpu"])("on %s", (backend) => {
  it("a run that was killed resumes to the same bits", async () => {
    const whole = await gravmesh(work(), run(backend, `whole-${backend}`));
    expect(whole.code, whole.stderr).toBe(0);

    const killed = `killed-${backend}`;
    const temporary = join(work(), `temporary-${backend}`);
    mkdirSync(temporary);
    const running = start(work(), run(backend, killed), { env: { TMPDIR: temporary, XDG_RUNTIME_DIR: "" } });
    await running.until('"event":"snapshot","index":1');
    await running.until('"event":"checkpoint"');
    running.child.kill("SIGKILL");
    expect((await running.done).signal).toBe("SIGKILL");
    expect(existsSync(join(work(), killed, "summary.json"))).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);

    const resumed = await gravmesh(work(), ["run", "--resume", killed, "--json"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const first = eventsOf(resumed.stdout).find(({ event }) => event === "start") as unknown as {
      event: string;
      resumedAt: { step: number };
    };
    expect(first.resumedAt.step).toBeGreaterThan(0);
    expect(first.resumedAt.step).toBeLessThan(150);
    expect(await numbersOf(join(work(), killed))).toEqual(await numbersOf(join(work(), `whole-${backend}`)));
    const summary = JSON.parse(readFileSync(join(work(), killed, "summary.json"), "utf8"));
    expect(summary).toMatchObject({ status: "complete", resumes: 1, steps: 150, backend });
    expect(readdirSync(join(work(), killed)).filter((name) => name.startsWith("."))).toEqual([]);
  });
});

describe("Ctrl-C", () => {
  it("saves a checkpoint and says how to go on; the resumed run has the same bits", async () => {
    const running = start(
      work(),
      run("cpu", "stopped").filter((word) => word !== "--json" && !word.includes("checkpointM")),
    );
    await running.until("results in stopped");
    await vi.waitUntil(() => existsSync(join(work(), "stopped/snapshot_001.hdf5")), {
      timeout: PATIENCE_MS,
      interval: 5,
    });
    running.child.kill("SIGINT");
    const outcome = await running.done;
    expect(outcome).toMatchObject({ code: 130, signal: null });
    expect(outcome.stderr).toMatch(
      /Stopping after this step with a checkpoint \(before the first, at once\); Ctrl-C again stops at once/,
    );
    expect(outcome.stdout).toMatch(
      /Stopped at t = .* time units, step \d+; a checkpoint is saved\. Go on with:\n {2}gravmesh run --resume stopped\n/,
    );
    const summary = JSON.parse(readFileSync(join(work(), "stopped/summary.json"), "utf8"));
    expect(summary.status).toBe("interrupted");

    expect((await gravmesh(work(), ["run", "--resume", "stopped", "--quiet"])).code).toBe(0);
    expect(await numbersOf(join(work(), "stopped"))).toMatchObject({
      diagnostics: (await numbersOf(join(work(), "whole-cpu"))).diagnostics,
      bits: (await numbersOf(join(work(), "whole-cpu"))).bits,
    });
  });

  it("twice stops at once", async () => {
    const running = start(work(), run("cpu", "twice", "particles.0.count=200000", "mesh.cells=64"));
    await running.until('"event":"start"');
    running.child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 50));
    running.child.kill("SIGINT");
    expect((await running.done).code).toBe(130);
  });
});

describe("--resume", () => {
  it("of a complete run has nothing to do and changes nothing", async () => {
    const before = contentsOf(join(work(), "whole-cpu"));
    const outcome = await gravmesh(work(), ["run", "--resume", "whole-cpu"]);
    expect(outcome).toMatchObject({ code: 0, stderr: expect.stringMatching(/whole-cpu is complete/) });
    expect(contentsOf(join(work(), "whole-cpu"))).toEqual(before);
  });

  it("refuses another backend and a deck that was changed", async () => {
    const folder = join(work(), "stopped");
    const backend = await gravmesh(work(), ["run", "--resume", "stopped", "--backend", "webgpu"]);
    expect(backend).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--backend cpu and can only go on with it/),
    });
    const deck = readFileSync(join(folder, "scenario.toml"), "utf8");
    writeFileSync(join(folder, "scenario.toml"), deck.replace("0.008", "0.009"));
    const changed = await gravmesh(work(), ["run", "--resume", "stopped"]);
    expect(changed).toMatchObject({ code: 1, stderr: expect.stringMatching(/belongs to another scenario/) });
    writeFileSync(join(folder, "scenario.toml"), deck);
  });

  it("of a run on a GPU needs none where it is complete, and says what to do without one where it isn't", async () => {
    const env = { VK_DRIVER_FILES: "/nonexistent", VK_ICD_FILENAMES: "/nonexistent" };
    const resume = () => gravmesh(work(), ["run", "--resume", "killed-webgpu", "--quiet"], { env });
    expect(await resume()).toMatchObject({ code: 0, stderr: expect.stringMatching(/is complete; nothing to do/) });
    rmSync(join(work(), "killed-webgpu/summary.json"));
    const { code, stderr } = await resume();
    expect(code).toBe(1);
    expect(stderr).toMatch(/`gravmesh doctor` says what to install; the run in killed-webgpu was computed on a GPU/);
    expect(stderr).toMatch(/from the start on the CPU: gravmesh run killed-webgpu.scenario\.toml --backend cpu --out/);
  });

  it("falls back to the checkpoint before when the newest is damaged, and says so", async () => {
    const folder = join(work(), "whole-cpu/checkpoint");
    const newest = readdirSync(folder).sort().at(-1)!;
    truncateSync(join(folder, newest), 1000);
    rmSync(join(work(), "whole-cpu/summary.json")); // with it the run is complete, whatever its checkpoints are
    const outcome = await gravmesh(work(), ["run", "--resume", "whole-cpu", "--quiet"]);
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toMatch(/Passed over a damaged checkpoint: .*(truncated|ends early)/);
    expect((await numbersOf(join(work(), "whole-cpu"))).bits).toHaveLength(4);
  });
});
