/**
 * A Slurm of one node on this machine for as long as a test runs: controller, node daemon and munge with files, socket and
 * ports of their own, so that nothing of the system is touched.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { PATIENCE_MS, until } from "./patience.ts";

/** Daemons lie where the PATH of a user may not lead. */
const PATH = [process.env.PATH, "/usr/sbin", "/usr/local/sbin"].join(delimiter);
const NEEDED = { slurmctld: "slurmctld", slurmd: "slurmd", sbatch: "slurm-client", munged: "munge" };

export interface Slurm {
  /** What commands need to find it. */
  env: Record<string, string>;
  /** What a command of Slurm says. */
  ask(program: string, ...args: string[]): string;
  /** Until no job is in the queue. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian packages that aren't there. */
export function missingPackages(): string[] {
  const isThere = (program: string) => PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));
  return Object.entries(NEEDED).flatMap(([program, name]) => (isThere(program) ? [] : [name]));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

function configuration(folder: string, ports: { control: number; node: number }, tasks: number): string {
  const host = hostname().split(".")[0];
  const user = userInfo().username;
  return `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
AuthInfo=socket=${folder}/munge.socket
CredType=cred/munge
SlurmctldPort=${ports.control}
SlurmdPort=${ports.node}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_interval=1
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${tasks} RealMemory=1000
PartitionName=main Nodes=${host} Default=YES MaxTime=INFINITE State=UP
`;
}

/** Starts one in `folder` that runs `tasks` at once. Throws what to install where something is missing. */
export async function startSlurm(folder: string, tasks: number): Promise<Slurm> {
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new Error(`no Slurm to test with: sudo apt-get install -y --no-install-recommends ${missing.join(" ")}`);
  }
  mkdirSync(join(folder, "state"), { recursive: true });
  mkdirSync(join(folder, "spool"));
  const file = (name: string) => join(folder, name);
  writeFileSync(file("munge.key"), randomBytes(1024), { mode: 0o600 });
  const ports = { control: await freePort(), node: await freePort() };
  writeFileSync(file("slurm.conf"), configuration(folder, ports, tasks));
  const env = { SLURM_CONF: file("slurm.conf"), PATH };
  const ask = (program: string, ...args: string[]) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      encoding: "utf8",
      env: { ...process.env, ...env },
      timeout: PATIENCE_MS,
    });
    if (status === 0) return stdout;
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? `${status} ${stdout}${stderr}`}`);
  };
  const stop = async () => {
    for (const daemon of ["slurmctld", "slurmd", "munged"]) await ended(file(`${daemon}.pid`));
  };
  try {
    ask(
      "munged",
      ...["--force", "--num-threads=1", `--key-file=${file("munge.key")}`, `--socket=${file("munge.socket")}`],
      ...[`--pid-file=${file("munged.pid")}`, `--log-file=${file("munged.log")}`, `--seed-file=${file("munge.seed")}`],
    );
    ask("slurmctld", "-f", file("slurm.conf"));
    ask("slurmd", "-f", file("slurm.conf"));
    await until(() => /idle/.test(ask("sinfo", "--noheader", "--format=%T")));
  } catch (error) {
    await stop();
    throw error;
  }
  return { env, ask, stop, idle: () => until(() => ask("squeue", "--noheader").trim() === "") };
}

/** A daemon ends, by the file that holds its pid. */
async function ended(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    process.kill(pid, "SIGTERM");
    await until(() => !existsSync(`/proc/${pid}`));
  } catch {
    // It is gone, or doesn't go: the machine's next restart sees to it.
  }
}
