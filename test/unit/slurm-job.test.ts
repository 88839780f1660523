/** Locks of processes on nodes that can't be seen: Slurm knows whether their jobs still run. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FolderInUse, lockFolder } from "../../src/run/lock.ts";
import { lifeOfJob, slurmJobIn } from "../../src/run/process-identity.ts";

const root = mkdtempSync(join(tmpdir(), "gravmesh-job-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An environment of job 20 with a squeue that answers so. */
function inJob(answer: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(root, "bin-"));
  const file = join(folder, "squeue");
  writeFileSync(file, `#!/bin/sh\n${answer}\n`);
  chmodSync(file, 0o755);
  const PATH = [folder, process.env.PATH].join(delimiter);
  return { PATH, SLURM_JOB_ID: "20", SLURM_CLUSTER_NAME: "c", ...more };
}
const job = (id: string, restarts = 0, cluster = "c") => ({ id, restarts, cluster });

describe("a job's processes", () => {
  it.each([
    ["echo RUNNING", "alive"],
    ["echo COMPLETING", "alive"],
    ["echo PENDING", "gone"],
    ["echo NODE_FAIL", "gone"],
    ["true", "gone"],
    ["echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", "gone"],
    ["echo 'Unable to contact slurm controller' >&2; exit 1", "unknown"],
  ])("after %j are %s", (answer, life) => {
    expect(lifeOfJob(job("7"), inJob(answer))).toBe(life);
  });

  it("of another cluster, or seen from outside, are unknown", () => {
    expect(lifeOfJob(job("7", 0, "other"), inJob("true"))).toBe("unknown");
    expect(lifeOfJob(job("7"), { PATH: process.env.PATH })).toBe("unknown");
  });

  it("are gone when Slurm has begun the same job again, on whatever node", () => {
    expect(lifeOfJob(job("20"), inJob("echo RUNNING", { SLURM_RESTART_COUNT: "1" }))).toBe("gone");
    expect(lifeOfJob(job("20"), inJob("true"))).toBe("unknown");
    expect(slurmJobIn({ SLURM_JOB_ID: "20", SLURM_CLUSTER_NAME: "c", SLURM_RESTART_COUNT: "1" })).toEqual(job("20", 1));
    expect(slurmJobIn({})).toBeUndefined();
  });
});

it("a folder whose owner's node was lost is taken over", () => {
  const folder = join(root, "member");
  mkdirSync(folder);
  const owner = { pid: 1, host: "lost-node", place: "p", start: "s", since: "2026-01-01", job: job("7") };
  writeFileSync(join(folder, ".gravmesh-lock-1"), JSON.stringify(owner));
  const before = { ...process.env };
  try {
    Object.assign(process.env, inJob("echo RUNNING"));
    expect(() => lockFolder(folder)).toThrow(FolderInUse);
    Object.assign(process.env, inJob("true"));
    lockFolder(folder).release();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
});
