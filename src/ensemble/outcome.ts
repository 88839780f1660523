/** What the members of an ensemble have come to: how many in each state, why some failed, where those are that aren't done. */
import { tallyOf } from "./crew.ts";
import { type Ensemble, memberFolder } from "./ensemble.ts";
import type { Failure, Tally, UnfinishedMember } from "./events.ts";
import { memberStatus } from "./member-state.ts";

export interface Outcome {
  tally: Tally;
  /** Indices of those that failed. */
  failed: number[];
  /** Why, each reason once. */
  failures: Failure[];
  /** Neither finished nor failed. */
  unfinished: UnfinishedMember[];
}

export function outcomeOf(folder: string, { members }: Ensemble): Outcome {
  const reasons = new Map<string, number[]>();
  const unfinished: UnfinishedMember[] = [];
  const states = members.map((member) => {
    const { index } = member;
    const at = memberFolder(folder, member);
    const { state, message = "", holder } = memberStatus(at);
    if (state === "failed") reasons.set(message, [...(reasons.get(message) ?? []), index]);
    else if (state !== "finished") unfinished.push({ index, state, folder: at, message: holder?.message ?? null });
    return state;
  });
  const failures = [...reasons].map(([message, members]) => ({ message, members }));
  const failed = failures.flatMap(({ members }) => members).sort((a, b) => a - b);
  return { tally: tallyOf(states), failed, failures, unfinished };
}
