/** `gravmesh ensemble` on one machine: what is killed, fails or is stopped goes on; nothing is computed twice. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasCheckpoint } from "../../src/run/checkpoint.ts";
import { readSnapshot } from "../../src/run/io/snapshots.ts";
import { eventsOf, gravmesh, start, useWorkFolder } from "../support/cli.ts";
import { computing, killed, STEPS, statesIn } from "../support/ensemble.ts";
import { until } from "../support/patience.ts";

const work = useWorkFolder();
const member = (folder: string, index: number, file = "summary.json") =>
  join(work(), folder, `member_${String(index).padStart(3, "0")}`, file);
const particlesIn = (file: string) => readSnapshot(file, { units: "nbody", comoving: false });

const MANY = ["ensemble", ...STEPS, "--vary", "time.step=0.02..0.05/3,0.5", "--jobs", "2", "--out", "many", "--json"];

it("goes on where a member was killed, repeats what failed, and leaves finished ones alone", async () => {
  const running = start(work(), MANY);
  await running.until('"event":"start"');
  await killed(join(work(), "many"), 1);
  const { code, stdout } = await running.done;
  expect(code).toBe(1);
  const ends = eventsOf(stdout).filter(({ event }) => event === "member");
  expect(ends.filter(({ state }) => state === "finished")).toHaveLength(2);
  expect(ends.find(({ index }) => index === 1)).toMatchObject({
    state: "failed",
    message: expect.stringContaining("ended by SIGKILL"),
  });
  expect(ends.find(({ index }) => index === 3)).toMatchObject({
    state: "failed",
    message: expect.stringContaining("time.maxEnergyError"),
  });
  expect(eventsOf(stdout).at(-1)).toMatchObject({ event: "end", failed: [1, 3], tally: { finished: 2, failed: 2 } });

  const before = [0, 2].map((index) => statSync(member("many", index)).mtimeMs);
  const again = await gravmesh(work(), MANY);
  expect(again.code).toBe(1);
  expect(statesIn(join(work(), "many"))).toEqual(["finished", "finished", "finished", "failed"]);
  const tried = eventsOf(again.stdout).filter(({ event }) => event === "member");
  expect(tried.map(({ index }) => index).sort()).toEqual([1, 3]);
  expect([0, 2].map((index) => statSync(member("many", index)).mtimeMs)).toEqual(before);
  const page = readFileSync(join(work(), "many", "ensemble.html"), "utf8");
  expect(page).toContain("3 finished");

  // The bits of the run by itself.
  const alone = await gravmesh(work(), ["run", ...STEPS, "time.step=0.035", "--out", "alone"]);
  expect(alone.code).toBe(0);
  const [one, other] = await Promise.all([
    particlesIn(member("many", 1, "snapshot_001.hdf5")),
    particlesIn(join(work(), "alone", "snapshot_001.hdf5")),
  ]);
  expect(one.positions).toEqual(other.positions);
  expect(one.velocities).toEqual(other.velocities);
});

const LONG = [
  ...STEPS,
  "time.step=0.02",
  "time.end=5",
  "time.maxEnergyError=inf",
  "--vary",
  "seed=1..2",
  "--jobs",
  "2",
];

describe("Ctrl-C", () => {
  it("stops members with their checkpoints, and --resume ends them", async () => {
    const running = start(work(), ["ensemble", ...LONG, "--out", "stopped", "--json"]);
    await running.until('"what":"writing ');
    running.child.kill("SIGINT");
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    expect(eventsOf(stdout).at(-1)).toMatchObject({
      event: "interrupted",
      resume: "gravmesh ensemble --resume stopped",
    });
    expect(statesIn(join(work(), "stopped"))).toContain("interrupted");
    // Two commands at once share what is left.
    const both = await Promise.all([0, 1].map(() => start(work(), ["ensemble", "--resume", "stopped", "--json"]).done));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const finished = both.flatMap(({ stdout }) =>
      eventsOf(stdout).filter(({ event, state }) => event === "member" && state === "finished"),
    );
    expect(finished.map(({ index }) => index).sort()).toEqual([0, 1]);
    expect(statesIn(join(work(), "stopped"))).toEqual(["finished", "finished"]);
  });

  it("twice leaves at once with its members, and nothing of theirs is lost", async () => {
    const often = ["output.checkpointMinutes=0.0001", "output.snapshots=1", "output.diagnostics=2"];
    const slow = ["particles.plummer.count=20000", "time.end=0.4", "--out", "twice"];
    const running = start(work(), ["ensemble", ...LONG, ...often, ...slow]);
    const saved = (index: number) => hasCheckpoint(member("twice", index, ""));
    await until(() => saved(0) && saved(1));
    // However long it takes between the two, members don't come to an end.
    for (const index of [0, 1]) process.kill(await computing(join(work(), "twice"), index), "SIGSTOP");
    running.child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 100));
    running.child.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    expect(code).toBe(130);
    expect(stderr.trim()).toBe("Stopping members with their checkpoints; Ctrl-C again stops at once.");
    expect(stdout).not.toContain("Go on with");
    // Whoever was still at work was killed, and hasn't said how its run ended.
    await until(() => !statesIn(join(work(), "twice")).includes("running"));
    expect(statesIn(join(work(), "twice"))).toEqual(["interrupted", "interrupted"]);
    expect([0, 1].filter((index) => existsSync(member("twice", index)))).toEqual([]);
    const again = await gravmesh(work(), ["ensemble", "--resume", "twice", "--quiet"]);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(statesIn(join(work(), "twice"))).toEqual(["finished", "finished"]);
    for (const index of [0, 1]) {
      const { resumes } = JSON.parse(readFileSync(member("twice", index), "utf8"));
      expect(resumes).toBe(1);
    }
  });
});

describe("a command that is killed", () => {
  it("takes its members with it; the next one waits for them and goes on, to 0 where all are finished", async () => {
    const slow = ["particles.plummer.count=20000", "time.end=0.6", "--out", "orphans", "--json"];
    const running = start(work(), ["ensemble", ...LONG, ...slow]);
    const folder = join(work(), "orphans");
    // Stopped once they have begun, each by itself: they don't come to see that it is gone before the next command sees them.
    const members = await Promise.all(
      [0, 1].map(async (index) => {
        const begun = () => existsSync(member("orphans", index, "diagnostics.csv"));
        await until(begun);
        const pid = await computing(folder, index);
        process.kill(pid, "SIGSTOP");
        return pid;
      }),
    );
    running.child.kill("SIGKILL");
    const resumed = start(work(), ["ensemble", "--resume", "orphans", "--json"]);
    try {
      await resumed.until('"event":"waiting"');
    } finally {
      for (const pid of members) process.kill(pid, "SIGCONT");
    }
    const { code, stdout, stderr } = await resumed.done;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(eventsOf(stdout).find(({ event }) => event === "waiting")).toMatchObject({
      members: [0, 1].map((index) => ({
        index,
        process: expect.stringMatching(new RegExp(`^process ${members[index]} on \\S+, since 20`)),
      })),
    });
    expect(eventsOf(stdout).at(-1)).toMatchObject({ event: "end", tally: { finished: 2 }, unfinished: [] });
    for (const index of [0, 1]) {
      const { resumes, status } = JSON.parse(readFileSync(member("orphans", index), "utf8"));
      expect({ resumes, status }).toEqual({ resumes: 1, status: "complete" });
    }
  });

  it("while it collects leaves what the next one makes whole, and none of its parts", async () => {
    const plan = ["ensemble", ...STEPS, "time.step=0.05", "--vary", "seed=1..2", "--jobs", "2", "--out", "collected"];
    const killer = start(work(), [...plan, "--json"]);
    await killer.until('"what":"diagnostics.csv of');
    killer.child.kill("SIGKILL");
    await killer.done;
    const folder = join(work(), "collected");
    const part = readdirSync(folder).filter((name) => name.includes(".part-"));
    expect(part).toEqual([expect.stringMatching(/^\.ensemble\.hdf5/)]);
    expect(await gravmesh(work(), ["ensemble", "--resume", "collected", "--quiet"])).toMatchObject({
      code: 0,
      stderr: "",
    });
    const files = ["ensemble.csv", "ensemble.html", "ensemble.hdf5"];
    const made = readdirSync(folder).filter((name) => /^\.?ensemble\./.test(name));
    expect(made.sort()).toEqual([...files, "ensemble.json"].sort());
    expect(readFileSync(join(folder, "ensemble.csv"), "utf8").match(/,finished,/g)).toHaveLength(2);
  });
});

it("ends with 1 and says where a member is that a process has which can't be seen from here", async () => {
  const plan = ["ensemble", ...STEPS, "time.step=0.05", "--vary", "seed=1..2", "--out", "elsewhere", "--quiet"];
  const at = member("elsewhere", 1, "");
  mkdirSync(at, { recursive: true });
  const lock = join(at, ".gravmesh-lock-1");
  const owner = { pid: 4711, host: "node9", place: "there", start: "1", since: "2026-01-02T03:04:05.000Z" };
  expect((await gravmesh(work(), [...plan.slice(0, -3), "--out", "elsewhere2", "--slurm-write"])).code).toBe(0);
  for (const name of ["ensemble.json", "deck.toml"]) {
    writeFileSync(join(work(), "elsewhere", name), readFileSync(join(work(), "elsewhere2", name)));
  }
  writeFileSync(lock, JSON.stringify(owner));
  const { code, stderr } = await gravmesh(work(), plan);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^Member 1 isn't finished\. .*member_001 may be in use: process 4711 on node9 writes into it since .*When it has ended, remove .*\.gravmesh-lock-1/,
  );
  expect(statesIn(join(work(), "elsewhere"))).toEqual(["finished", "running"]);
  const own = await gravmesh(work(), ["ensemble", "--resume", "elsewhere", "--member", "1", "--quiet"]);
  expect(own).toMatchObject({ code: 2, stderr: expect.stringContaining("process 4711 on node9") });
});

it("tells with --quiet why members failed, each reason once, on stderr", async () => {
  const bad = ["time.maxEnergyError=1e-12", "time.step=0.05", "--vary", "seed=1..2", "--out", "bad", "--quiet"];
  const { code, stdout, stderr } = await gravmesh(work(), ["ensemble", ...STEPS, ...bad]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const told = [0, 1].map((index) => readFileSync(member("bad", index, "summary.json"), "utf8"));
  expect(told).toHaveLength(2);
  const lines = stderr.trim().split("\n");
  expect(lines.length).toBeLessThanOrEqual(2);
  for (const line of lines) expect(line).toMatch(/^error: members? [01](, 1)? failed: .*time\.maxEnergyError/);

  const missing = ["--extension", "gone.mjs", "time.step=0.05", "--vary", "seed=1..2", "--out", "gone"];
  writeFileSync(join(work(), "gone.mjs"), "if (process.argv.includes('--member')) throw new Error('no such thing');");
  const same = await gravmesh(work(), ["ensemble", ...STEPS, ...missing, "--quiet"]);
  expect(same.code).toBe(1);
  expect(same.stderr.match(/no such thing/g)).toHaveLength(1);
  expect(same.stderr).toMatch(/^error: members 0, 1 failed: /);
});

describe("a scheduler's member", () => {
  it("is the one that its array names, once", async () => {
    const plan = ["ensemble", ...STEPS, "time.step=0.05", "--vary", "seed=1..3", "--out", "array"];
    const env = { JOB_COMPLETION_INDEX: "2" };
    const first = await gravmesh(work(), [...plan, "--member"], { env });
    expect(first.code).toBe(0);
    expect(statesIn(join(work(), "array"))).toEqual(["waiting", "waiting", "finished"]);
    const second = await gravmesh(work(), ["ensemble", "--resume", "array", "--member", "2"]);
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/Member 2 is finished: nothing to do/);
    const collected = await gravmesh(work(), ["ensemble", "--collect", "array"]);
    expect(collected).toMatchObject({ code: 0, stdout: expect.stringContaining("Collected: 1 finished, 2 left.") });
    expect(existsSync(join(work(), "array", "ensemble.hdf5"))).toBe(true);
  });

  it("is written for Slurm where there is none, and that is said", async () => {
    const plan = ["ensemble", ...STEPS, "--vary", "seed=1..3", "--out", "un submitted"];
    const env = { PATH: "/nowhere" };
    const refused = await gravmesh(work(), [...plan, "--slurm", "--sbatch", "--time=1:00:00 -p gpu --gpus=1"], { env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/There is no sbatch on the PATH.*scripts are in .*un submitted\/slurm/);
    const script = readFileSync(join(work(), "un submitted", "slurm", "members.sh"), "utf8");
    expect(script).toContain("#SBATCH -p gpu\n#SBATCH --gpus=1\n");
    expect(script).toMatch(/ ensemble --resume '.*\/un submitted' --member\n$/);
    const collecting = readFileSync(join(work(), "un submitted", "slurm", "collect.sh"), "utf8");
    expect(collecting).toContain("#SBATCH -p gpu\n");
    expect(collecting).not.toContain("gpus");
    const written = await gravmesh(work(), ["ensemble", "--resume", "un submitted", "--slurm-write"], { env });
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining("sbatch --array=0-2 ") });
    expect(readFileSync(join(work(), "un submitted", "slurm", "members.sh"), "utf8")).toBe(script);
  });
});
