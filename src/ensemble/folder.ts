/** The folder of an ensemble as it is made, added to and replaced. */
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GravmeshError } from "../base/errors.ts";
import { isTemporaryName, writeFileAtomic } from "../io/files.node.ts";
import { textOrNone } from "../io/regular-file.node.ts";
import { FolderInUse, type FolderLock, requireUnlocked } from "../run/lock.ts";
import { prepareResultFolder } from "../run/result-folder.ts";
import { claimFolder, namesIn, someOf, writeJson } from "../run/results.ts";
import {
  ENSEMBLE_DECK,
  ENSEMBLE_FILE,
  type Ensemble,
  holdsEnsemble,
  MEMBER_ERROR_FILE,
  memberFolder,
  readEnsemble,
} from "./ensemble.ts";
import { valuesText } from "./plan.ts";

const LONGEST_WAIT_MS = 10_000;
const WAIT_MS = 50;

/**
 * Makes the folder of an ensemble, or goes on with one of the same deck and values, whose members may be the first of
 * these; how many an earlier command has left there, 0 where the ensemble is new. Throws "usage" saying what differs, or
 * what else is in the folder; `force`: an ensemble there is replaced.
 */
export async function settle(folder: string, ensemble: Ensemble, deck: string, force: boolean): Promise<number> {
  requireOurs(folder, deck);
  // Tasks of an array that all come with the same command have nothing to wait for.
  if (!force && holdsEnsemble(folder)) {
    const known = examine(folder, ensemble, deck);
    if (known === ensemble.members.length) return known;
  }
  const lock = await claimed(folder);
  try {
    if (force && holdsEnsemble(folder)) clear(folder, readEnsemble(folder));
    if (!holdsEnsemble(folder)) {
      writeFileAtomic(join(folder, ENSEMBLE_DECK), deck);
      writeJson(join(folder, ENSEMBLE_FILE), ensemble);
      return 0;
    }
    const known = examine(folder, ensemble, deck);
    if (ensemble.members.length > known) writeJson(join(folder, ENSEMBLE_FILE), ensemble);
    return known;
  } finally {
    lock.release();
  }
}

/** Whether a plan goes with what is in the folder; the members that are there. Changes nothing. Throws as `settle`. */
export function examine(folder: string, ensemble: Ensemble, deck: string): number {
  requireOurs(folder, deck);
  if (!holdsEnsemble(folder)) return 0;
  const before = readEnsemble(folder);
  const differs = differences(before, ensemble, textOrNone(join(folder, ENSEMBLE_DECK)) !== deck);
  if (differs.length > 0) throw otherEnsemble(folder, differs);
  return before.members.length;
}

function requireOurs(folder: string, deck: string): void {
  const found = namesIn(folder).filter((name) => !isTemporaryName(name));
  if (found.length === 0 || found.includes(ENSEMBLE_FILE)) return;
  // A command that was killed, or is at it, has written its first file.
  if (found.length === 1 && found[0] === ENSEMBLE_DECK && textOrNone(join(folder, ENSEMBLE_DECK)) === deck) return;
  throw new GravmeshError(
    "usage",
    `${folder} is not empty (${someOf(found)}), and holds no ensemble. Nothing was changed. Choose another folder with --out.`,
  );
}

/** Others hold the folder for a moment alone: one that begins beside us is waited for. */
async function claimed(folder: string): Promise<FolderLock> {
  for (let waited = 0; ; waited += WAIT_MS) {
    try {
      return claimFolder(folder);
    } catch (error) {
      if (!(error instanceof FolderInUse) || waited >= LONGEST_WAIT_MS) throw error;
      await sleep(WAIT_MS);
    }
  }
}

/** What tells an ensemble in a folder from the one that is asked for, a line each. */
function differences(there: Ensemble, asked: Ensemble, otherDeck: boolean): string[] {
  const differs: string[] = [];
  const compare = (name: string, before: unknown, now: unknown) => {
    const [one, other] = [before, now].map((value) => JSON.stringify(value));
    if (one !== other) differs.push(`${name}: there ${one}, now ${other}`);
  };
  if (otherDeck) differs.push(`the deck: ${ENSEMBLE_DECK} there is not ${asked.scenario}`);
  compare("overrides", there.overrides.join(" "), asked.overrides.join(" "));
  for (const name of ["backend", "extensions", "sampling"] as const) compare(name, there[name], asked[name]);
  const keys = ({ varied }: Ensemble) => varied.map(({ key }) => key);
  compare("what varies", keys(there), keys(asked));
  if (differs.length > 0) return differs;
  const other = there.members.find((member, i) => {
    const now = asked.members[i];
    return now === undefined || JSON.stringify(member.values) !== JSON.stringify(now.values);
  });
  if (!other) return [];
  const now = asked.members[other.index];
  const instead = now ? valuesText(now) : `no such member: ${asked.members.length} instead of ${there.members.length}`;
  return [`member ${other.index}: there ${valuesText(other)}, now ${instead}`];
}

function otherEnsemble(folder: string, differs: readonly string[]): GravmeshError {
  return new GravmeshError(
    "usage",
    `${folder} holds another ensemble. Nothing was changed.\n${differs.map((line) => `  ${line}`).join("\n")}\n` +
      `Go on with that one by --resume ${folder}, choose another folder with --out, or replace it with --force. Members ` +
      "may only be added behind those that are there (seed=1..16, then seed=1..32).",
  );
}

/** Removes an ensemble and the runs of its members; files that are none of theirs stay. Throws "usage" where one is running. */
function clear(folder: string, { members }: Ensemble): void {
  for (const member of members) {
    const at = memberFolder(folder, member);
    if (existsSync(at)) requireUnlocked(at);
  }
  rmSync(join(folder, ENSEMBLE_FILE));
  for (const member of members) {
    const at = memberFolder(folder, member);
    if (!existsSync(at)) continue;
    prepareResultFolder(at, { force: true }).release();
    rmSync(join(at, MEMBER_ERROR_FILE), { force: true });
    if (readdirSync(at).length === 0) rmdirSync(at);
  }
}
