/** One attempt at one member: the rest of its run, in this process. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "../../run/events.ts";
import { EXIT, messageOf } from "../../run/failure.ts";
import { summaryIn } from "../../run/finished-part.ts";
import { removeFile, writeFileAtomic } from "../../run/io/files.node.ts";
import { FolderInUse, type FolderLock } from "../../run/lock.ts";
import { DECK_FILE } from "../../run/outputs/deck.ts";
import { claimFolder } from "../../run/results.ts";
import { run } from "../../run/runner.ts";
import { ENSEMBLE_DECK, MEMBER_ERROR_FILE, memberFolder, readEnsemble, requireMember } from "./ensemble.ts";
import type { SkippedEvent } from "./events.ts";
import { overridesOfMember } from "./plan.ts";

export interface MemberRequest {
  folder: string;
  index: number;
  since?: number;
}

type Watch = (event: RunEvent | SkippedEvent) => void;

/**
 * Begins member `index`, or goes on with it; resolves to the exit code, EXIT.failed where another process has it: nobody
 * knows yet what will become of it. Why an attempt failed is in MEMBER_ERROR_FILE until the next. Throws as `run` does.
 */
export async function runMember(request: MemberRequest, watch: Watch, signal: AbortSignal): Promise<number> {
  const { folder, index, since } = request;
  const ensemble = readEnsemble(folder);
  const member = requireMember(ensemble, index, folder);
  const at = memberFolder(folder, member);
  let lock: FolderLock;
  try {
    lock = claimFolder(at);
  } catch (error) {
    if (!(error instanceof FolderInUse && error.life === "alive")) throw error;
    watch({ event: "skipped", index, why: "running", folder: at, process: error.who });
    return EXIT.failed;
  }
  try {
    if (summaryIn(at)?.status === "complete") {
      watch({ event: "skipped", index, why: "finished", folder: at });
      return EXIT.success;
    }
    const errorFile = join(at, MEMBER_ERROR_FILE);
    removeFile(errorFile);
    const { backend, filesFrom, extensions: extension } = ensemble;
    const overrides = overridesOfMember(ensemble, member);
    const which = existsSync(join(at, DECK_FILE))
      ? { resume: at, overrides: [], backend: "auto" as const }
      : { scenario: join(folder, ENSEMBLE_DECK), filesFrom, backend, out: at, overrides, extension };
    const running = run({ ...which, lock, ...(since !== undefined && { since }) }, watch, signal);
    return await running.catch((error) => {
      writeFileAtomic(errorFile, `${messageOf(error)}\n`);
      throw error;
    });
  } finally {
    lock.release();
  }
}
