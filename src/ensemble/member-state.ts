/** What a member has come to, as its folder tells. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { textOrNone } from "../io/regular-file.node.ts";
import { hasCheckpoint } from "../run/checkpoint.ts";
import { type FolderInUse, holderOf } from "../run/lock.ts";
import { DECK_FILE } from "../run/outputs/deck.ts";
import { SUMMARY_FILE } from "../run/outputs/summary.ts";
import { hasStartRecord } from "../run/start-record.ts";
import { MEMBER_ERROR_FILE, type MemberState } from "./ensemble.ts";

/** What of a member's summary.json is used; docs/summary.md has the meanings. JSON has null for what is no number. */
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
  /** Why it failed. */
  message?: string;
  /** Of the last session that ended in order. */
  summary?: MemberSummary;
  /** Who has it where it is running, or may be. */
  holder?: FolderInUse;
}

/** `folder`: the member's, which need not exist. */
export function memberStatus(folder: string): MemberStatus {
  const text = textOrNone(join(folder, SUMMARY_FILE));
  const summary = text === undefined ? undefined : summaryFrom(text);
  const known = summary && summary !== "damaged" ? { summary } : {};
  const holder = holderOf(folder);
  if (holder) return { state: "running", ...known, holder };
  if (summary === "damaged") return { state: "failed", message: `${SUMMARY_FILE} is damaged.` };
  if (summary?.status === "complete") return { state: "finished", ...known };
  const error = textOrNone(join(folder, MEMBER_ERROR_FILE))?.trim();
  if (error !== undefined) return { state: "failed", message: error || "It failed without a message.", ...known };
  if (summary?.status === "failed") {
    return {
      state: "failed",
      message: summary.warnings.at(-1) ?? "Its energy error is beyond what the deck allows.",
      ...known,
    };
  }
  const begun = summary || existsSync(join(folder, DECK_FILE)) || hasCheckpoint(folder) || hasStartRecord(folder);
  return { state: begun ? "interrupted" : "waiting", ...known };
}

function summaryFrom(text: string): MemberSummary | "damaged" {
  try {
    return summarySchema.parse(JSON.parse(text));
  } catch {
    return "damaged";
  }
}
