/** The folder of an ensemble as it is made, added to and replaced. */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { isTemporaryName, removeFile, writeFileAtomic } from "../../run/io/files.node.ts";
import { textOrNone } from "../../run/io/regular-file.node.ts";
import { FolderInUse, type FolderLock, requireUnlocked } from "../../run/lock.ts";
import { prepareResultFolder } from "../../run/result-folder.ts";
import { claimFolder, namesIn, someOf, writeJson } from "../../run/results.ts";
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
 * these. Throws "usage" saying what differs, or what else is in the folder; `force`: an ensemble there is replaced.
 */
export async function settle(folder: string, ensemble: Ensemble, deck: string, force: boolean): Promise<void> {
  requireOurs(folder, deck);
  // Tasks of an array that all come with the same command have nothing to wait for.
  if (!force && holdsEnsemble(folder) && examineFolder(folder, ensemble, deck) === ensemble.members.length) return;
  const lock = await claimed(folder);
  try {
    if (force && holdsEnsemble(folder)) clear(folder, readEnsemble(folder));
    const known = holdsEnsemble(folder) ? examineFolder(folder, ensemble, deck) : 0;
    if (known === 0) writeFileAtomic(join(folder, ENSEMBLE_DECK), deck);
    if (ensemble.members.length > known) writeJson(join(folder, ENSEMBLE_FILE), ensemble);
  } finally {
    lock.release();
  }
}

/** Whether a plan goes with what is in the folder; the members that are there. Changes nothing. Throws as `settle`. */
export function examineFolder(folder: string, ensemble: Ensemble, deck: string): number {
  requireOurs(folder, deck);
  if (!holdsEnsemble(folder)) return 0;
  const before = readEnsemble(folder);
  const differs = differences(before, ensemble, textOrNone(join(folder, ENSEMBLE_DECK)) !== deck);
  if (differs.length === 0) return before.members.length;
  throw new GravmeshError(
    "usage",
    `${folder} holds another ensemble. Nothing was changed.\n${differs.map((line) => `  ${line}`).join("\n")}\n` +
      `Go on with that one by --resume ${folder}, choose another folder with --out, or replace it with --force. Members ` +
      "may only be added behind those that are there (seed=1..16, then seed=1..32).",
  );
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

/** Other processes hold the folder only for a moment: one that begins at the same time is waited for. */
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

function differences(there: Ensemble, asked: Ensemble, otherDeck: boolean): string[] {
  const differs = otherDeck ? [`the deck: ${ENSEMBLE_DECK} there is not ${asked.scenario}`] : [];
  const compared = ({ overrides, backend, extensions, sampling, varied }: Ensemble) => ({
    ...{ overrides: overrides.join(" "), backend, extensions, sampling },
    "what varies": varied.map(({ key }) => key),
  });
  const now: Record<string, unknown> = compared(asked);
  for (const [name, before] of Object.entries(compared(there))) {
    const [one, other] = [before, now[name]].map((value) => JSON.stringify(value));
    if (one !== other) differs.push(`${name}: there ${one}, now ${other}`);
  }
  if (differs.length > 0) return differs;
  const other = there.members.find(
    ({ values }, i) => JSON.stringify(values) !== JSON.stringify(asked.members[i]?.values),
  );
  if (!other) return [];
  const found = asked.members[other.index];
  const none = `no such member: ${asked.members.length} instead of ${there.members.length}`;
  const instead = found ? valuesText(found) : none;
  return [`member ${other.index}: there ${valuesText(other)}, now ${instead}`];
}

/** Removes an ensemble and the runs of its members; files that are none of theirs stay. Throws "usage" where one is running. */
function clear(folder: string, { members }: Ensemble): void {
  for (const member of members) {
    const at = memberFolder(folder, member);
    if (existsSync(at)) requireUnlocked(at);
  }
  removeFile(join(folder, ENSEMBLE_FILE));
  for (const member of members) {
    const at = memberFolder(folder, member);
    if (!existsSync(at)) continue;
    prepareResultFolder(at, { force: true }).release();
    removeFile(join(at, MEMBER_ERROR_FILE));
    if (readdirSync(at).length === 0) rmdirSync(at);
  }
}
