/**
 * Which process this is, told so that another one can find out later whether it still lives: a pid alone is given to
 * another process some day, and means nothing on another machine or in another container.
 */
import { execFileSync } from "node:child_process";
import { hostname } from "node:os";
import { hasProcess, placeHere, textOf } from "../io/process-table.node.ts";
import { type Life, lifeOfJob, type SlurmJob, slurmJobIn } from "./slurm-job.ts";

export interface ProcessIdentity {
  pid: number;
  host: string;
  /** What tells machines of one name apart, and containers on one of them, where the system has it; else "". */
  place: string;
  /** What tells processes of one pid apart: the boot and the moment of its start, as the system tells it; else "". */
  start: string;
  /** Its job, where Slurm has started it. */
  job?: SlurmJob | undefined;
}

export function thisProcess(): ProcessIdentity {
  const job = slurmJobIn(process.env);
  const here = { pid: process.pid, host: hostname(), place: placeHere(), start: startOf(process.pid) ?? "" };
  return job === undefined ? here : { ...here, job };
}

export function lifeOf({ pid, host, place, start, job }: ProcessIdentity): Life {
  if (host !== hostname() || place !== placeHere()) return job === undefined ? "unknown" : lifeOfJob(job);
  const found = startOf(pid);
  if (found === undefined) return "gone";
  return start !== "" && found !== "" && found !== start ? "gone" : "alive";
}

/** When the process of this pid began: "" where the system doesn't tell, undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  if (!hasProcess(pid)) return undefined;
  return process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
}

function startOnLinux(pid: number): string | undefined {
  const [state, ...fields] = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\)\s*/s, "") // the command's name may hold anything
    .split(" ");
  if (state === "Z" || state === "X") return undefined; // it has ended; nobody has asked how
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
