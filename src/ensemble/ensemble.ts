/**
 * An ensemble: many runs of one deck that differ in some entries. Its folder holds `ensemble.json` (this record, which
 * further members may be added to), `deck.toml`, and the result folder of every member; what each member has come to is read from those folders, so
 * that nothing can contradict them.
 */
import { join } from "node:path";
import { GravmeshError } from "../base/errors.ts";

export const ENSEMBLE_FORMAT = "gravmesh-ensemble-1";
export const ENSEMBLE_FILE = "ensemble.json";
/** The deck as it was given; files that it names are relative to `filesFrom` of the record. */
export const ENSEMBLE_DECK = "deck.toml";

/** An entry's value, as a deck has it. */
export type VariedValue = number | string | boolean;

/** An entry of the deck that differs between members. */
export interface VariedKey {
  /** As in an override: "particles.disk.count"; "seed": the seeds of all components. */
  key: string;
  /** What it was asked to take: values one by one, or the ends of a range; `whole`: whole numbers alone. */
  values?: readonly VariedValue[];
  range?: { from: number; to: number; whole: boolean };
}

/** How members are laid out: every combination, or as many as asked for, spread evenly over each range. */
export type Sampling = { kind: "grid" } | { kind: "latin"; members: number; seed: number };

export interface Member {
  /** 0 … members − 1, which a scheduler's array gives. */
  index: number;
  /** Its folder within the ensemble's. */
  folder: string;
  /** The entries that make it: overrides of the deck. */
  values: Readonly<Record<string, VariedValue>>;
}

export interface Ensemble {
  format: typeof ENSEMBLE_FORMAT;
  version: string;
  title: string;
  /** As it was asked for: a path or a bare name. */
  scenario: string;
  /** Folder that files which the deck names are relative to, from the root. */
  filesFrom: string;
  backend: "auto" | "webgpu" | "cpu";
  /** Modules that members load, from the root. */
  extensions: readonly string[];
  /** Overrides that all members have, `key=value`. */
  overrides: readonly string[];
  varied: readonly VariedKey[];
  sampling: Sampling;
  members: readonly Member[];
}

/**
 * - `waiting`: nothing of it was begun
 * - `running`: a living process holds its folder
 * - `interrupted`: it goes on from a checkpoint, or from its beginning
 * - `failed`: its last attempt ended with an error, in `MEMBER_ERROR_FILE`
 * - `finished`: its summary.json says "complete"
 */
export type MemberState = "waiting" | "running" | "interrupted" | "failed" | "finished";

/** In a member's folder: the message of the attempt that failed, removed when it is tried again. */
export const MEMBER_ERROR_FILE = "error.txt";

/** Throws "usage" where the ensemble in `folder`, or to be made there, has no such member. */
export function requireMember({ members }: Ensemble, index: number, folder: string): Member {
  const member = members[index];
  if (member) return member;
  throw new GravmeshError("usage", `${folder} has no member ${index}: expected 0 to ${members.length - 1}.`);
}

/** Where a member's results lie. */
export const memberFolder = (ensembleFolder: string, { folder }: Member): string => join(ensembleFolder, folder);
