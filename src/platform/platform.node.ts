/** What `#platform` resolves to in Node: the default device comes from Dawn, initial particles are drawn on all cores. */
export { acquireNodeContext as acquireDefaultContext } from "../gpu/device.node.ts";
export { drawingThreads as drawingCrew } from "../initial/threads.node.ts";
export { mpiRanks } from "../ranks/mpi.node.ts";
