/** Modules that add to gravmesh's lists: what rank 0 has loaded, the others load, too, before they are asked for what it adds. */
import type { Ranks } from "../ranks/ranks.ts";
import { Conversation } from "./conversation.ts";

/** Of rank 0: has the others load `files` before the next thing they do. A rank that can't ends the run with its message. */
export function loadOnOthers(ranks: Ranks | undefined, files: readonly string[]): void {
  if (!ranks || ranks.size === 1 || files.length === 0) return;
  Conversation.of(ranks).later({ do: "load", pipeline: 0, files });
}
