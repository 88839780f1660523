/** A process, so that another can find out whether it lives: pids are given again, and are one machine's own. */
import { execFileSync, spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { hasProcess, placeHere, textOf } from "./io/process-table.node.ts";

export interface ProcessIdentity {
  pid: number;
  host: string;
  /** Distinguishes machines of one name, and containers on one, where the system can; else "". */
  place: string;
  /** Distinguishes processes of one pid: the boot and the moment of the start, where the system knows; else "". */
  start: string;
  job?: SlurmJob | undefined;
}

export function thisProcess(): ProcessIdentity {
  const job = slurmJobIn(process.env);
  const start = startOf(process.pid) ?? "";
  return { pid: process.pid, host: hostname(), place: placeHere(), start, ...(job && { job }) };
}

export function lifeOf({ pid, host, place, start, job }: ProcessIdentity): Life {
  if (host !== hostname() || place !== placeHere()) return job === undefined ? "unknown" : lifeOfJob(job);
  const found = startOf(pid);
  if (found === undefined) return "gone";
  return start !== "" && found !== "" && found !== start ? "gone" : "alive";
}

/** When the process of this pid began: "" where the system doesn't say, undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  if (!hasProcess(pid)) return undefined;
  return process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
}

function startOnLinux(pid: number): string | undefined {
  const [state, ...fields] = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\)\s*/s, "") // the command's name may hold anything
    .split(" ");
  if (state === "Z" || state === "X") return undefined; // it has ended, and its parent hasn't collected its status
  const ticks = fields[18];
  return ticks === undefined ? "" : `${textOf("/proc/sys/kernel/random/boot_id")} ${ticks}`;
}

function startByPs(pid: number): string {
  if (process.platform === "win32") return "";
  try {
    const env = { ...process.env, LC_ALL: "C" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env, stdio: "pipe" }).trim();
  } catch {
    return "";
  }
}

/** "unknown": on another host or in another container, whose processes can't be seen from here, nor by Slurm. */
export type Life = "alive" | "gone" | "unknown";

export interface SlurmJob {
  cluster: string;
  id: string;
  /** How often Slurm has begun it again. */
  restarts: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The job of a process with this environment; undefined outside of Slurm. */
export function slurmJobIn(environment: Environment): SlurmJob | undefined {
  const { SLURM_JOB_ID: id, SLURM_CLUSTER_NAME: cluster = "", SLURM_RESTART_COUNT: restarts = "0" } = environment;
  return id !== undefined && /^\d+$/.test(id) ? { cluster, id, restarts: Number(restarts) || 0 } : undefined;
}

/** States of a job whose processes may live. */
const MAY_LIVE = /^(RUNNING|COMPLETING|SUSPENDED|STOPPED|CONFIGURING|SIGNALING|STAGE_OUT|RESIZING)/m;
/** squeue answers within seconds, or the controller is down [ms]. */
const PATIENCE_MS = 30_000;

/** What Slurm knows of the processes of `job`, asked within a job of the same cluster; "unknown" elsewhere. */
export function lifeOfJob(job: SlurmJob, environment: Environment = process.env): Life {
  const own = slurmJobIn(environment);
  if (own === undefined || own.cluster !== job.cluster) return "unknown";
  // Slurm runs a job once at a time: what its earlier start has begun is gone.
  if (own.id === job.id) return own.restarts > job.restarts ? "gone" : "unknown";
  const { status, stdout, stderr } = spawnSync("squeue", ["--noheader", "--format=%T", `--jobs=${job.id}`], {
    encoding: "utf8",
    env: environment,
    timeout: PATIENCE_MS,
  });
  if (status === 0) return MAY_LIVE.test(stdout.trim()) ? "alive" : "gone";
  return /Invalid job id/i.test(stderr ?? "") ? "gone" : "unknown"; // it has forgotten a job that ended long ago
}
