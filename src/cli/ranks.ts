/**
 * `gravmesh run` under mpirun: rank 0 is the command as it is without, the other ranks serve it. What goes wrong on one ends
 * all, with one message.
 */
import { GravmeshError } from "../errors.ts";
import { acquireNodeContext } from "../gpu/device.node.ts";
import { endService } from "../ranked/pipeline.ts";
import { serve } from "../ranked/service.ts";
import { mpiRanks, rankIn, sizeIn } from "../ranks/mpi.node.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { withoutChatter } from "../run/driver-chatter.ts";
import { EXIT, exitCodeOf, messageOf } from "../run/failure.ts";
import { rankTasks } from "../run/rank-tasks.ts";
import { plainMessage } from "./plain.ts";

/**
 * Of commands that one process does: under mpirun rank 0 throws "usage", and the others have nothing to do. True where this
 * process is to go on.
 */
export function requireOneProcess(command: string): boolean {
  const size = sizeIn(process.env);
  if (size === 1) return true;
  if (rankIn(process.env) > 0) return false;
  throw new GravmeshError(
    "usage",
    `gravmesh ${command} works in one process, found ${size} ranks: only gravmesh run shares its particles among several`,
  );
}

/** `work` on rank 0, or alone; resolves to the exit code. On the other ranks it isn't called. */
export async function onRanks(work: (ranks: Ranks) => Promise<number>): Promise<number> {
  let ranks: Ranks;
  try {
    ranks = await mpiRanks();
  } catch (error) {
    if (rankIn(process.env) === 0) process.stderr.write(`error: ${plainMessage(messageOf(error))}\n`);
    return exitCodeOf(error);
  }
  if (ranks.rank > 0) return serving(ranks);
  const code = await work(ranks);
  if (!(await endService(ranks))) ranks.abort(code);
  await ranks.finish();
  return code;
}

async function serving(ranks: Ranks): Promise<number> {
  // Rank 0 hears of it, too, and decides when all stop.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const) process.on(signal, () => {});
  try {
    await serve(() => acquireNodeContext(withoutChatter), ranks, rankTasks);
    await ranks.finish();
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`error: rank ${ranks.rank} of ${ranks.size}: ${plainMessage(messageOf(error))}\n`);
    return ranks.abort(exitCodeOf(error));
  }
}
