/** Runs that end, or might, from outside: a terminal that is closed, a reader that goes, streams and limits that fail. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gravmesh, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();

const SMALL = [
  "mesh.cells=16",
  "particles.0.count=200",
  "particles.0.cutoff=2",
  "output.snapshots=1",
  "--backend",
  "cpu",
];
const run = (out: string, ...more: string[]) => ["run", "plummer", ...SMALL, "--out", out, ...more];
/** Goes on for minutes. */
const ENDLESS = ["time.end=1000", "output.diagnostics=1000"];
const SHORT = ["time.end=0.1", "output.diagnostics=2"];

const stateOf = (out: string) => ({
  checkpoints: readdirSync(join(work(), out, "checkpoint")).filter((name) => name.startsWith("state_")).length,
  status: JSON.parse(readFileSync(join(work(), out, "summary.json"), "utf8")).status,
});

describe.skipIf(process.platform === "win32")("a run", () => {
  it("stops with a checkpoint when its terminal is closed, however many signals tell it", async () => {
    const running = start(work(), run("closed", ...ENDLESS, "--json"));
    await running.until('"event":"diagnostics"');
    running.child.kill("SIGHUP");
    running.child.kill("SIGHUP");
    expect(await running.done).toMatchObject({ code: 130, signal: null });
    expect(stateOf("closed")).toEqual({ checkpoints: 1, status: "interrupted" });
  });

  it("goes on under nohup", async () => {
    const running = start(work(), run("kept", ...ENDLESS, "--json"), { through: 'exec env _=/usr/bin/nohup "$@"' });
    await running.until('"event":"diagnostics"');
    running.child.kill("SIGHUP");
    running.child.kill("SIGHUP");
    await running.until('"step":100');
    running.child.kill("SIGTERM");
    expect(await running.done).toMatchObject({ code: 130, signal: null });
  });

  it("stops with a checkpoint when nobody reads its output any more", async () => {
    // Before the first step there would be nothing to keep.
    const through = `"$@" | grep -m1 '"step":[1-9]'; exit $` + "{PIPESTATUS[0]}";
    const outcome = await gravmesh(work(), run("unread", ...ENDLESS, "--json"), { through });
    expect(outcome.code, outcome.stderr).toBe(130);
    expect(stateOf("unread")).toEqual({ checkpoints: 1, status: "interrupted" });
  });

  it.runIf(existsSync("/dev/full"))("goes on where its output can't be written, and says so once", async () => {
    // Nor is there a folder for temporary files.
    const env = { TMPDIR: join(work(), "nowhere"), XDG_RUNTIME_DIR: "" };
    const outcome = await gravmesh(work(), run("full", ...SHORT), { through: '"$@" > /dev/full', env });
    const complaints = outcome.stderr.split("\n").filter((line) => line !== "" && !/^(warning|note):/.test(line));
    expect(complaints).toEqual(["error: stdout can't be written: no space left on device."]);
    expect(outcome.code).toBe(1);
    expect(stateOf("full")).toEqual({ checkpoints: 1, status: "complete" });
    const help = await gravmesh(work(), ["--help"], { through: '"$@" > /dev/full' });
    expect(help).toMatchObject({ code: 1, stderr: "error: stdout can't be written: no space left on device.\n" });
  });

  it("says in a line that too few files may be open", async () => {
    const outcome = await gravmesh(work(), run("few", ...SHORT), { through: 'ulimit -n 40 && "$@"' });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: Too many open files; .*\n$/) });
  });
});
