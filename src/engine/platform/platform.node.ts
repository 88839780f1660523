/** What `#platform` resolves to in Node: the default device comes from Dawn, initial particles are drawn on all cores. */
export { acquireNodeContext as acquireDefaultContext } from "../../foundation/gpu/device.node.ts";
export { mpiRanks } from "../../foundation/ranks/mpi.node.ts";
export { drawingThreads as drawingCrew } from "../../physics/initial/threads.node.ts";
