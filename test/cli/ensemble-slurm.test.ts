/**
 * An ensemble of 8 on a real Slurm: one member is killed, one fails; resumed, collected, the report right. And one whose command
 * is killed between its two submissions: nothing is submitted twice.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ENSEMBLE_FILE, type Ensemble } from "../../src/study/ensemble/ensemble.ts";
import { eventsOf, gravmesh, useWorkFolder } from "../support/cli.ts";
import { killed, STEPS, statesIn } from "../support/ensemble.ts";
import { type Slurm, startSlurm } from "../support/slurm.ts";

const work = useWorkFolder();
let daemons = "";
let slurm: Slurm;
beforeAll(async () => {
  daemons = mkdtempSync(join(tmpdir(), "gravmesh-slurm-"));
  slurm = await startSlurm(daemons, 4);
});
afterAll(async () => {
  await slurm?.stop();
  rmSync(daemons, { recursive: true, force: true });
});

const MEMBERS = 8;
const DECK = [...STEPS, "--vary", `time.step=0.02..0.05/${MEMBERS - 1},0.5`];

/** Of both jobs, and of the members alone. */
const OPTIONS = ["--sbatch", "--partition=main --time 20"];

it("is submitted, loses a member, goes on with what is left, and is collected", async () => {
  const { env } = slurm;
  const folder = join(work(), "many");
  const submitted = await gravmesh(work(), ["ensemble", ...DECK, "--out", "many", "--slurm", ...OPTIONS], { env });
  expect(submitted).toMatchObject({ code: 0, stderr: "" });
  expect(submitted.stdout).toMatch(/Submitted: job \d+ for members 0-7; job \d+ collects them\./);
  await killed(folder, 3);
  await slurm.idle();
  const states = statesIn(folder);
  expect(states[3]).toMatch(/waiting|interrupted/);
  expect(states[MEMBERS - 1]).toBe("failed");
  expect(states.filter((state) => state === "finished")).toHaveLength(MEMBERS - 2);
  // The collecting job has waited for all of them, however they ended.
  const page = join(folder, "ensemble.html");
  expect(readFileSync(page, "utf8")).toContain("6 finished");

  const untouched = (index: number) =>
    statSync(join(folder, `member_${String(index).padStart(3, "0")}`, "summary.json"));
  const before = [0, 5, 6].map((index) => untouched(index).mtimeMs);
  const again = await gravmesh(work(), ["ensemble", "--resume", "many", "--slurm"], { env });
  expect(again.stdout).toMatch(/for members 3,7;/);
  await slurm.idle();
  expect(statesIn(folder)).toEqual([...Array.from({ length: MEMBERS - 1 }, () => "finished"), "failed"]);
  expect([0, 5, 6].map((index) => untouched(index).mtimeMs)).toEqual(before);
  const html = readFileSync(page, "utf8");
  expect(html).toContain("7 finished");
  expect(html).toMatch(/time\.maxEnergyError/);
  const rows = readFileSync(join(folder, "ensemble.csv"), "utf8").trim().split("\n");
  expect(rows.filter((row) => /finished/.test(row))).toHaveLength(MEMBERS - 1);
  const { members } = JSON.parse(readFileSync(join(folder, ENSEMBLE_FILE), "utf8")) as Ensemble;
  expect(members).toHaveLength(MEMBERS);
  expect(existsSync(join(folder, "ensemble.hdf5"))).toBe(true);
  expect(readdirSync(join(folder, "slurm"))).toContain("member_3.log");
});

it("doesn't submit again what a killed command has submitted, and has it collected", async () => {
  const { env, ask } = slurm;
  const folder = join(work(), "twice");
  // Kills gravmesh as soon as Slurm has the array.
  const bin = join(daemons, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "sbatch"), `#!/bin/bash\nPATH=\${PATH#*:}\nsbatch "$@"\nkill -9 $PPID\n`);
  chmodSync(join(bin, "sbatch"), 0o755);
  const plan = [
    "ensemble",
    ...STEPS,
    "time.step=0.05",
    "time.end=10",
    "time.maxEnergyError=inf",
    "--vary",
    "seed=1..3",
  ];
  const options = ["--out", "twice", "--slurm", ...OPTIONS];
  const killed = await gravmesh(work(), [...plan, ...options], { env: { ...env, PATH: `${bin}:${env.PATH}` } });
  expect(killed.signal).toBe("SIGKILL");
  expect(existsSync(join(folder, "slurm", "jobs.txt"))).toBe(false);
  const tasks = () => ask("squeue", "--noheader", "--array", "--format=%K").match(/\d+/g) ?? [];
  expect(tasks().sort()).toEqual(["0", "1", "2"]);
  const resumed = await gravmesh(work(), ["ensemble", "--resume", "twice", "--slurm", "--json"], { env });
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  expect(eventsOf(resumed.stdout).at(-1)).toMatchObject({ event: "submitted", job: null, queued: 3 });
  const again = await gravmesh(work(), ["ensemble", "--resume", "twice", "--slurm"], { env });
  expect(again.stderr).toMatch(/nothing to submit/);
  await slurm.idle();
  expect(statesIn(folder)).toEqual(["finished", "finished", "finished"]);
  expect(existsSync(join(folder, "ensemble.html"))).toBe(true);
  for (const index of [0, 1, 2]) {
    expect(readFileSync(join(folder, "slurm", `member_${index}.log`), "utf8")).not.toContain("nothing was done");
  }
});
