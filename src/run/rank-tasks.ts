/** What rank 0 of a run asks of the others beside steps. */
import { snapshotParts } from "../io/snapshot-of-ranks.node.ts";
import { lookForFolder } from "./shared-folder.ts";

export const rankTasks = [snapshotParts, lookForFolder] as const;
