/**
 * What is peculiar to a run under Open MPI's mpirun, which ends its processes after Ctrl-C whatever they do: SIGCONT at once,
 * SIGTERM a second later, SIGKILL after another (`odls_base_sigkill_timeout`; orte/mca/odls/base/odls_base_default_fns.c).
 * The first is taken for a wish: a checkpoint is begun before the second asks for the end. SIGCONT may also mean that the
 * terminal's job goes on; then the run has a checkpoint more.
 */
import { dirname } from "node:path";
import type { RunEvent } from "../../run/events.ts";
import type { CheckpointWishes } from "../../run/session.ts";
import { shellLine } from "../../run/shell-word.ts";
import type { Watch, Words } from "./display.ts";
import { isOpenMpi } from "./launcher-terminal.ts";

const HURRIED =
  ": mpirun leaves a second for it. Unless a line says that a checkpoint is saved, --resume goes on from the one before. " +
  "To stop in peace: pkill -USR2 mpirun";

export const underLauncher = (words: Words<RunEvent>): Words<RunEvent> =>
  isOpenMpi() ? { ...words, hurried: HURRIED } : words;

/** Saves a checkpoint when the launcher is about to end the run, and says so at once: there may be no time for more. */
export function savingEarly(watch: Watch<RunEvent>): { watch: Watch<RunEvent>; wishes?: CheckpointWishes } {
  if (!isOpenMpi()) return { watch };
  let wished = false;
  const wishes: CheckpointWishes = (wanted) => {
    const take = () => {
      wished = true;
      wanted();
    };
    process.on("SIGCONT", take);
    return () => process.off("SIGCONT", take);
  };
  const saying: Watch<RunEvent> = (event) => {
    watch(event);
    if (event.event !== "checkpoint" || !wished) return;
    wished = false;
    const resume = shellLine("gravmesh", "run", "--resume", dirname(event.folder));
    const saved = `A checkpoint of step ${event.step} is saved, in case mpirun ends the run now.`;
    watch({ event: "warning", message: `${saved} It would go on with: ${resume}` });
  };
  return { watch: saying, wishes };
}
