/**
 * `mpirun gravmesh run` with Open MPI and MPICH: files of a run equal those of one process, and what goes wrong on a rank ends
 * all with one message.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshots.ts";
import { eventsOf, start, useWorkFolder } from "../support/cli.ts";
import { inFull } from "../support/full.ts";
import { LAUNCHERS, type Launcher, launchers } from "../support/launchers.ts";
import { LivePage } from "../support/live.ts";

const work = useWorkFolder();

const DECK = ["plummer", "mesh.cells=16", "particles.plummer.count=3001", "time.step=0.05", "output.diagnostics=4"];
const SHORT = [...DECK, "time.end=0.4", "output.snapshots=1", "orbits.ids=[3,1700,2999]"];

const run = (args: readonly string[], through?: string) =>
  start(work(), ["run", ...args], through === undefined ? {} : { through });

const snapshotsIn = (folder: string) => readdirSync(join(work(), folder)).filter((name) => /snapshot/.test(name));

async function resultsOf(folder: string) {
  const at = join(work(), folder);
  const { positions, velocities } = await readSnapshot(join(at, "snapshot_001.hdf5"), {
    units: "nbody",
    comoving: false,
  });
  const file = (name: string) => readFileSync(join(at, name));
  return { positions, velocities, rows: file("diagnostics.csv").toString(), orbits: file("orbits.hdf5") };
}

/** What a process has open; nothing where it isn't ours, or gone. */
function openFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

/** Whatever colours a terminal would have: Open MPI's mpirun gives rank 0 one of its own. */
const coloured = (launched: string) => launched.replace('"$@"', '-x TERM=xterm -x NO_COLOR= "$@"');
/** As npx is one, too. */
const throughAnother = (launched: string) => launched.replace('"$@"', `bash -c '"$0" "$@"; exit $?' "$@"`);

/** The run of one process, once. */
let alone: ReturnType<typeof resultsOf> | undefined;
async function runAlone() {
  expect((await run([...SHORT, "--out", "alone"]).done).code).toBe(0);
  return resultsOf("alone");
}
const ofOne = () => (alone ??= runAlone());

describe.each(launchers)("%s", (name) => {
  const through = (size: number) =>
    name === "MPICH" ? LAUNCHERS[name](size) : throughAnother(coloured(LAUNCHERS[name](size)));

  it("gives the bits of one process on two and three ranks", async () => {
    // Ranks of this machine share their cores.
    const who =
      name === "MPICH"
        ? { wish: "GRAVMESH_SOLVERS=each ", solvers: (size: number) => `each of ${size} ranks solves` }
        : { wish: "", solvers: (size: number) => `rank 0 solves for all ${size} on one device` };
    for (const size of inFull([2, 3, 4], name === "MPICH" ? [3] : [2])) {
      const one = name === "MPICH" ? [] : ["output.filePerRank=false"];
      const { code, stdout, stderr } = await run(
        [...SHORT, ...one, "--out", `${name}-${size}`],
        who.wish + through(size),
      ).done;
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
      expect(stdout).toContain(`${size} ranks, each on`);
      for (const mark of ["\u001b", "░"]) expect(stdout).not.toContain(mark);
      expect(await resultsOf(`${name}-${size}`)).toEqual(await ofOne());
      const parts = name === "MPICH" ? Array.from({ length: size }, (_, rank) => `.${rank}`) : [""];
      const files = [0, 1].flatMap((k) => parts.map((part) => `snapshot_00${k}${part}.hdf5`));
      expect(snapshotsIn(`${name}-${size}`)).toEqual(files);
      const summary = JSON.parse(readFileSync(join(work(), `${name}-${size}`, "summary.json"), "utf8"));
      expect(summary).toMatchObject({ status: "complete", ranks: size, particles: 3001, solvers: who.solvers(size) });
      expect(stdout).toContain(`; ${who.solvers(size)}; results in`);
      expect(stdout).toMatch(/other ranks {2,}[\d.]+ ms\/step, \d+ % of the steps/);
      expect(summary.rankAdapters).toHaveLength(size);
      expect(summary.communication.share).toBeGreaterThan(0);
      const stages = summary.stages.map(({ stage }: { stage: string }) => stage);
      expect(stages).toEqual(expect.arrayContaining(["packing for ranks", "waiting for ranks", "sum over ranks"]));
      expect(stages.includes("handing the field on")).toBe(who.solvers(size).includes("for all"));
      expect(summary.rankHosts).toEqual(Array(size).fill(hostname()));
    }
  });
});

describe.each(inFull<Launcher>(launchers, ["Open MPI"]))("what goes wrong under %s", (name) => {
  const through = LAUNCHERS[name];

  it("tells of a wrong key once", async () => {
    const { code, stderr } = await run(["plummer", "mesh.cels=3"], through(2)).done;
    expect(code).toBe(2);
    expect(stderr.match(/unknown key mesh\.cels/g)).toHaveLength(1);
  });

  it("is for runs alone", async () => {
    const { code, stderr } = await start(work(), ["compare", "plummer"], { through: through(2) }).done;
    expect(code).toBe(2);
    expect(stderr.match(/gravmesh compare works in one process, found 2 ranks/g)).toHaveLength(1);
  });

  it("refuses a mesh in float64, and a rank without an adapter", async () => {
    const mesh = await run(["plummer", "mesh.cells=16", "--backend", "cpu"], through(2)).done;
    expect(mesh.code).toBe(2);
    expect(mesh.stderr).toContain("several ranks share a mesh on WebGPU; found the float64 pipeline of the CPU");
    const rank = name === "Open MPI" ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK";
    const lacking = `if [ $${rank} = 1 ]; then export GRAVMESH_ADAPTER=nothing-of-this-name; fi; exec "$@"`;
    const one = await run(SHORT, through(2).replace('"$@"', `bash -c '${lacking}' bash "$@"`)).done;
    expect(one.code).toBe(1);
    expect(one.stderr.match(/rank 1: none/g)).toHaveLength(1);
  });
});

it("ends all when a rank is killed, and goes on from the checkpoint on another number of ranks", async () => {
  const folder = join(work(), "killed");
  const long = [...DECK, "time.end=1000", "output.snapshots=1", "output.checkpointMinutes=0.01", "--out", folder];
  const running = run([...long, "--json"], LAUNCHERS["Open MPI"](2));
  await running.until('"event":"checkpoint"');
  // The youngest of the two is as good as the other; the folder is this test's own.
  const { status } = spawnSync("pkill", ["-KILL", "-n", "-f", `gravmesh.js run .*--out ${folder}`]);
  expect(status).toBe(0);
  expect((await running.done).code).not.toBe(0);
  expect(existsSync(join(folder, "checkpoint", "run.json"))).toBe(true);
  const onward = run(["--resume", "killed", "--json"], LAUNCHERS.MPICH(3));
  await onward.until('"event":"progress"');
  onward.child.kill("SIGKILL");
  await onward.done;
});

describe("Open MPI's mpirun", () => {
  it("leaves a run that is watched two seconds after Ctrl-C, which has saved a checkpoint by then", async () => {
    // Twice as long as usual: the machine of a test may have much to do.
    const patient = LAUNCHERS["Open MPI"](2).replace("mpirun.openmpi", "exec $& --mca odls_base_sigkill_timeout 2");
    const running = run(["--resume", "killed", "output.checkpointMinutes=0", "--json", "--live"], patient);
    await running.until('"event":"progress"');
    // No rank has a file open of the checkpoint that it goes on from.
    const of = spawnSync("pgrep", ["-f", "gravmesh.js run --resume killed output"], { encoding: "utf8" }).stdout;
    const pids = of.trim().split("\n");
    expect(pids.length).toBeGreaterThan(1);
    const open = pids
      .flatMap((pid) => openFiles(pid))
      .filter((file) => file.startsWith(join(work(), "killed/checkpoint")));
    expect(open).toEqual([]);
    const page = await LivePage.open(new URL(/http:[^\s"]+/.exec(running.heard())![0]), 4000);
    await page.until("two frames", () => page.frames.length > 1);
    // The particles of both ranks.
    expect(page.frames[0].positions).toHaveLength(3 * 3001);
    page.close();
    running.child.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    expect(code).not.toBe(0);
    const startOf = (text: string) =>
      eventsOf(text).find(({ event }) => event === "start")!.resumedAt as { step: number };
    const { step } = eventsOf(stdout).find(({ event }) => event === "checkpoint")!;
    expect(step).toBeGreaterThan(startOf(stdout).step);
    expect(stdout).toContain(`A checkpoint of step ${step} is saved, in case mpirun ends the run now`);
    expect(stderr).not.toContain("error");
    const onward = run(["--resume", "killed", "--json"], LAUNCHERS["Open MPI"](2));
    await onward.until('"event":"progress"');
    onward.child.kill("SIGUSR2"); // mpirun hands it on
    const interrupted = await onward.done;
    expect(interrupted.code).toBe(130);
    expect(startOf(interrupted.stdout).step).toBeGreaterThanOrEqual(step as number);
    expect(interrupted.stdout).toMatch(/"event":"checkpoint".*\n(.*\n)*.*"event":"interrupted"/);
  });

  it("has its own terminal for rank 0, as wide as the one that there is", async () => {
    const mpirun = LAUNCHERS["Open MPI"](2).replace('"$@"', '$(printf "%q " "$@")');
    const seen = await run(
      [...SHORT, "time.end=0.2", "--out", "seen"],
      `script -qec "stty cols 60; ${mpirun}" /dev/null`,
    ).done;
    const live = seen.stdout
      .split(/\r|\n/)
      .map((line) => line.replace("\u001b[2K", ""))
      .filter((line) => /█|░/.test(line));
    const widths = live.map((line) => line.length);
    expect(Math.max(...widths)).toBeGreaterThan(30);
    expect(Math.max(...widths)).toBeLessThan(60);
  });
});

it("tells of a full disk on one rank, keeps what was written, and goes on with other ranks", async () => {
  // Rank 1 finds no room for its part of the second snapshot.
  const preload = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { writeSync } = fs;
fs.writeSync = (file, ...rest) => {
  if (!fs.readlinkSync("/proc/self/fd/" + file).includes("snapshot_001.1.hdf5")) return writeSync(file, ...rest);
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", errno: -28 });
};
syncBuiltinESMExports();`;
  writeFileSync(join(work(), "full.mjs"), preload);
  const full = `[ $OMPI_COMM_WORLD_RANK = 1 ] && export NODE_OPTIONS=--import=./full.mjs; exec "$@"`;
  const through = coloured(LAUNCHERS["Open MPI"](2)).replace('"$@"', () => `bash -c '${full}' bash "$@"`);
  const failed = await run([...SHORT, "output.checkpointMinutes=0.0001", "--out", "full"], through).done;
  expect(failed.code).toBe(1);
  // Into a file, Open MPI's terminal or not, and without a program between.
  for (const mark of ["\u001b", "░"]) expect(failed.stdout).not.toContain(mark);
  expect(failed.stderr.match(/error: rank 1 on \S+: No space left for \S+snapshot_001\.1\.hdf5/g)).toHaveLength(1);
  expect(snapshotsIn("full")).toEqual(["snapshot_000.0.hdf5", "snapshot_000.1.hdf5"]);
  // Left by a run on more ranks.
  copyFileSync(join(work(), "full", "snapshot_000.1.hdf5"), join(work(), "full", "snapshot_001.5.hdf5"));
  const { code, stderr } = await run(["--resume", "full"], LAUNCHERS.MPICH(3)).done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
  expect(snapshotsIn("full").slice(2)).toEqual([0, 1, 2].map((rank) => `snapshot_001.${rank}.hdf5`));
  expect(await resultsOf("full")).toEqual(await ofOne());
});
