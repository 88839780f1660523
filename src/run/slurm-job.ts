/**
 * The Slurm job that a process belongs to: what can be known of a process on a node that can't be seen from here, one that was
 * lost above all.
 */
import { spawnSync } from "node:child_process";

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
