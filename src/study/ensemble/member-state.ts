/** What an ensemble's members have come to, by their folders: their states, why some failed, where those are that aren't done. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { hasCheckpoint } from "../../run/checkpoint.ts";
import { textOrNone } from "../../run/io/regular-file.node.ts";
import { type FolderInUse, holderOf } from "../../run/lock.ts";
import { DECK_FILE } from "../../run/outputs/deck.ts";
import { SUMMARY_FILE } from "../../run/outputs/summary.ts";
import { hasStartRecord } from "../../run/start-record.ts";
import { type Ensemble, MEMBER_ERROR_FILE, memberFolder } from "./ensemble.ts";

/**
 * In the order in which they are counted.
 * - `finished`: its summary.json says "complete"
 * - `running`: a living process holds its folder
 * - `interrupted`: it goes on from a checkpoint, or from its beginning
 * - `failed`: its last attempt ended with an error, in `MEMBER_ERROR_FILE`
 * - `waiting`: nothing of it was begun
 */
export const STATES = ["finished", "running", "interrupted", "failed", "waiting"] as const;
export type MemberState = (typeof STATES)[number];

/** What of a member's summary.json is used; docs/summary.md has the meanings. JSON has null for values that aren't numbers. */
const summarySchema = z.object({
  status: z.enum(["complete", "interrupted", "failed"]),
  particles: z.number(),
  time: z.number(),
  steps: z.number(),
  wallSeconds: z.number(),
  energyError: z.number().nullable(),
  largestEnergyError: z.number().nullable(),
  momentumError: z.number().nullable(),
  warnings: z.array(z.string()),
  mass: z.number().nullable().optional(),
});

export type MemberSummary = z.infer<typeof summarySchema>;

export interface MemberStatus {
  state: MemberState;
  message?: string;
  /** What the last session that ended in order has left. */
  summary?: MemberSummary;
  /** Who has it where it is running, or may be. */
  holder?: FolderInUse;
}

export function memberStatus(folder: string): MemberStatus {
  const summary = summaryIn(folder);
  const known = summary && summary !== "damaged" ? { summary } : {};
  const holder = holderOf(folder);
  if (holder) return { state: "running", ...known, holder };
  if (summary === "damaged") return { state: "failed", message: `${SUMMARY_FILE} is damaged.` };
  if (summary?.status === "complete") return { state: "finished", ...known };
  const error = textOrNone(join(folder, MEMBER_ERROR_FILE))?.trim();
  if (error !== undefined) return { state: "failed", message: error || "It failed without a message.", ...known };
  if (summary?.status === "failed") {
    const message = summary.warnings.at(-1) ?? "Its energy error is beyond what the deck allows.";
    return { state: "failed", message, ...known };
  }
  const begun = summary || existsSync(join(folder, DECK_FILE)) || hasCheckpoint(folder) || hasStartRecord(folder);
  return { state: begun ? "interrupted" : "waiting", ...known };
}

function summaryIn(folder: string): MemberSummary | "damaged" | undefined {
  const text = textOrNone(join(folder, SUMMARY_FILE));
  try {
    return text === undefined ? undefined : summarySchema.parse(JSON.parse(text));
  } catch {
    return "damaged";
  }
}

/** "14 finished, 1 running, 1 failed" */
export function statesText(members: readonly { state: MemberState }[]): string {
  const tally = tallyOf(members.map(({ state }) => state));
  return STATES.flatMap((state) => (tally[state] > 0 ? `${tally[state]} ${state}` : [])).join(", ");
}

export type Tally = Record<MemberState, number>;

export function tallyOf(states: readonly MemberState[]): Tally {
  const tally: Tally = { waiting: 0, running: 0, interrupted: 0, failed: 0, finished: 0 };
  for (const state of states) tally[state]++;
  return tally;
}

export const statesOf = (folder: string, { members }: Ensemble): MemberState[] =>
  members.map((member) => memberStatus(memberFolder(folder, member)).state);

export type Outcome = ReturnType<typeof outcomeOf>;

/** `failures`: why some have failed, each reason once, with the indices of its members. */
export function outcomeOf(folder: string, { members }: Ensemble) {
  const reasons = new Map<string, number[]>();
  /** Neither finished nor failed. `message`: which process has it, and what to do; null where none has it. */
  const unfinished: { index: number; state: MemberState; message: string | null; folder: string }[] = [];
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
