/**
 * `gravmesh run` under mpirun: rank 0 is the command as it is without, the other ranks serve it. What goes wrong on one ends
 * all, with one message.
 */
import { acquireNodeContext } from "../gpu/device.node.ts";
import { endService } from "../ranked/pipeline.ts";
import { serve } from "../ranked/service.ts";
import { mpiRanks, rankIn } from "../ranks/mpi.node.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { withoutChatter } from "../run/driver-chatter.ts";
import { EXIT, exitCodeOf, messageOf } from "../run/failure.ts";
import { plainMessage } from "./plain.ts";

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
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  try {
    await serve(() => acquireNodeContext(withoutChatter), ranks);
    await ranks.finish();
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`error: rank ${ranks.rank} of ${ranks.size}: ${plainMessage(messageOf(error))}\n`);
    return ranks.abort(exitCodeOf(error));
  }
}
