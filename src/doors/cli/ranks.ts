/** `gravmesh run` under mpirun: the other ranks serve rank 0. What goes wrong on one ends all, with one message. */

import { endService } from "../../engine/ranked/rank-channel.ts";
import { serve } from "../../engine/ranked/service.ts";
import { acquireNodeContext } from "../../foundation/gpu/device.node.ts";
import { mpiRanks, rankIn } from "../../foundation/ranks/mpi.node.ts";
import type { Ranks } from "../../foundation/ranks/ranks.ts";
import { withoutChatter } from "../../run/driver-chatter.ts";
import { loadExtensions } from "../../run/extensions.ts";
import { EXIT, exitCodeOf, messageOf } from "../../run/failure.ts";
import { snapshotParts } from "../../run/io/snapshot-of-ranks.node.ts";
import { lookForFolder } from "../../run/shared-folder.ts";
import { StudyRanks, serveStudy } from "../../study/ranks.ts";
import type { Suite } from "../../study/spec.ts";
import { plainMessage } from "./plain.ts";

const rankTasks = [snapshotParts, lookForFolder] as const;

/** `work` on rank 0, or alone; resolves to the exit code. On the other ranks it isn't called. */
export async function onRanks(work: (ranks: Ranks) => Promise<number>): Promise<number> {
  let ranks: Ranks;
  try {
    ranks = await mpiRanks();
  } catch (error) {
    if (rankIn(process.env) === 0) process.stderr.write(`error: ${plainMessage(messageOf(error))}\n`);
    return exitCodeOf(error);
  }
  if (ranks.rank > 0) return serving(ranks, () => serve(ranks, { acquire, tasks: rankTasks, load: loadExtensions }));
  return ended(ranks, await work(ranks), () => endService(ranks));
}

export async function suiteOnRanks(suite: Suite, work: (ranks: StudyRanks) => Promise<number>): Promise<number> {
  const ranks = await mpiRanks();
  if (ranks.rank > 0) return serving(ranks, () => serveStudy(suite.ranked ?? [], ranks, acquire));
  const all = new StudyRanks(ranks);
  return ended(ranks, await work(all), () => all.end());
}

const acquire = () => acquireNodeContext(withoutChatter);

/** What rank 0 does last: the others end as it does, or at once where no order can reach them. */
async function ended(ranks: Ranks, code: number, end: () => Promise<boolean>): Promise<number> {
  if (!(await end())) ranks.abort(code);
  await ranks.finish();
  return code;
}

async function serving(ranks: Ranks, serves: () => Promise<void>): Promise<number> {
  // Rank 0 gets it, too, and decides when all stop.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const) process.on(signal, () => {});
  try {
    await serves();
    await ranks.finish();
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`error: rank ${ranks.rank} of ${ranks.size}: ${plainMessage(messageOf(error))}\n`);
    return ranks.abort(exitCodeOf(error));
  }
}
