import { setTimeout as sleep } from "node:timers/promises";

/** [ms] Longer than anything takes, however busy the machine is: what has not come by then never will. */
export const PATIENCE_MS = 600_000;

/** Looks now and then. */
export async function until(done: () => boolean): Promise<void> {
  for (const began = Date.now(); !done(); await sleep(50)) {
    if (Date.now() - began > PATIENCE_MS) throw new Error(`still not: ${done}`);
  }
}
