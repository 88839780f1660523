/** Tiny ensembles, and what their members have come to. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isLockName } from "../../src/run/lock.ts";
import { memberFolder, readEnsemble } from "../../src/study/ensemble/ensemble.ts";
import { type MemberState, memberStatus } from "../../src/study/ensemble/member-state.ts";
import { until } from "./patience.ts";

/** A deck of a second on the CPU, whose energy error is too large with a step of 0.5. */
export const STEPS = [
  ...["plummer", "mesh.cells=16", "particles.0.count=300", "time.end=1", "time.maxEnergyError=0.03"],
  ...["output.snapshots=1", "output.diagnostics=4", "--backend", "cpu"],
];

export const statesIn = (folder: string): MemberState[] =>
  readEnsemble(folder).members.map((member) => memberStatus(memberFolder(folder, member)).state);

/** Kills the process that has a member as soon as there is one. */
export async function killed(folder: string, index: number): Promise<void> {
  process.kill(await computing(folder, index), "SIGKILL");
}

/** The process that has a member, as soon as there is one. */
export async function computing(folder: string, index: number): Promise<number> {
  const [member] = readEnsemble(folder).members.filter((one) => one.index === index);
  const at = memberFolder(folder, member);
  let pid = 0;
  await until(() => {
    pid = ownerOf(at);
    return pid > 0;
  });
  return pid;
}

/** The process that has a folder; 0 where there is none. */
function ownerOf(folder: string): number {
  try {
    const lock = readdirSync(folder).find(isLockName);
    return lock === undefined ? 0 : (JSON.parse(readFileSync(join(folder, lock), "utf8")) as { pid: number }).pid;
  } catch {
    return 0; // not there yet, or gone again
  }
}
