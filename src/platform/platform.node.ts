/** What `#platform` resolves to in Node: the default device comes from Dawn, threads are worker threads. */
import type { GpuContext } from "../gpu/context.ts";
import { acquireNodeContext } from "../gpu/device.node.ts";
import type { CrewMaker } from "../initial/crew.ts";
import { drawingThreads } from "../initial/threads.node.ts";
import { mpiRanks as launchedRanks } from "../ranks/mpi.node.ts";
import type { Ranks } from "../ranks/ranks.ts";

/** A context on Dawn's preferred adapter. Throws "device" when there is none. */
export function acquireDefaultContext(): Promise<GpuContext> {
  return acquireNodeContext();
}

/** Processes that mpirun, mpiexec or srun started together with this one; alone without a launcher. Throws "usage". */
export function mpiRanks(): Promise<Ranks> {
  return launchedRanks();
}

/** Draws initial particles on all cores. */
export const drawingCrew: CrewMaker | undefined = (job) => drawingThreads(job);
