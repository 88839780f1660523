/**
 * A snapshot that the ranks of a run write together, each its own particles to files of its own, as GADGET does: the ids of
 * rank 0 in snapshot_003.0.hdf5, those of rank 1 in snapshot_003.1.hdf5 … All have to see the same folder. A rank fills its
 * files under temporary names; when all are complete rank 0 gives them their own, and where one failed it removes them all.
 */
import { resolve } from "node:path";
import { requestFor } from "../../physics/particles/blocks.ts";
import { type AskRanks, foundByAll, type RankTask } from "../../physics/particles/rank-tasks.ts";
import type { IdRange } from "../../physics/particles/reductions.ts";
import { flushFile, publishAll, removeLeftover, type Unpublished } from "./files.node.ts";
import { fillSnapshotFiles, requireDiskSpace, snapshotPlan, type WrittenContent } from "./snapshot.node.ts";
import type { SnapshotInfo } from "./snapshot-particles.ts";
import { idsOfFiles } from "./snapshot-rows.ts";

/** `file`: name of the whole, a path from the root; `files`: the ids in each, and which of them are whose. */
interface PartsOrder extends Pick<WrittenContent, "bits" | "count"> {
  file: string;
  info: SnapshotInfo;
  files: IdRange[];
  own: number[][];
}

export const snapshotParts: RankTask<PartsOrder, Unpublished[]> = {
  name: "parts of a snapshot",
  reads: ({ info }) => requestFor(info.fields),
  run: async ({ file, info, bits, count, files, own }, { rank, components, masses, blocks }) => {
    const plan = snapshotPlan(file, { count, components, masses, bits }, info, files);
    const filled = await fillSnapshotFiles(plan, blocks, own[rank]);
    // Rank 0, which gives them their names, may be on another machine.
    for (const { temporary } of filled) flushFile(temporary);
    return filled;
  },
};

/**
 * Writes a snapshot of which each rank has the ids that `shares` says; gives the names of all files.
 * @throws GravmeshError "io" with the rank and what went wrong on it: older files stay, and nothing half written.
 */
export async function writeSnapshotOfRanks(
  ask: AskRanks,
  shares: readonly IdRange[],
  name: string,
  { content, info }: { content: WrittenContent; info: SnapshotInfo },
): Promise<string[]> {
  const file = resolve(name);
  const { bits, count } = content;
  const files: IdRange[] = [];
  const own = shares.map((share) =>
    idsOfFiles(share.count, info.scenario.output.particlesPerFile ?? count).map(
      (range) => files.push({ ...range, first: share.first + range.first }) - 1,
    ),
  );
  const plan = snapshotPlan(file, content, info, files);
  requireDiskSpace(plan);
  const outcomes = await ask(snapshotParts, { file, info, bits, count, files, own });
  try {
    publishAll(foundByAll(outcomes).flat(), plan.bytes);
  } catch (error) {
    for (const outcome of outcomes) {
      if (outcome.fault === undefined) for (const { temporary } of outcome.found) removeLeftover(temporary);
    }
    throw error;
  }
  return plan.names;
}
