/** How files and the page describe the members of an ensemble. */

import type { MemberState } from "../member-state.ts";
import type { CollectedMember } from "./members.ts";

/** In the order in which they are counted. */
export const STATES = ["finished", "running", "interrupted", "failed", "waiting"] as const satisfies MemberState[];

/** "14 finished, 1 running, 1 failed" */
export function statesText(members: readonly Pick<CollectedMember, "state">[]): string {
  const count = (state: MemberState) => members.filter((member) => member.state === state).length;
  return STATES.flatMap((state) => (count(state) > 0 ? `${count(state)} ${state}` : [])).join(", ");
}

/** In one line: why it failed, and files that couldn't be read; "" where there is nothing to say. */
export function notCounted({ message = "", faults }: Pick<CollectedMember, "message" | "faults">): string {
  return [message, ...new Set(faults)].filter(Boolean).join(" ").replace(/\s+/g, " ");
}
