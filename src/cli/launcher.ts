/**
 * What is peculiar to a run under Open MPI's mpirun.
 *
 * It ends its processes after Ctrl-C whatever they do: SIGCONT at once, SIGTERM a second later, SIGKILL after another
 * (`odls_base_sigkill_timeout`; orte/mca/odls/base/odls_base_default_fns.c). The first is taken for a wish: a checkpoint is
 * begun before the second asks for the end. SIGCONT may also mean that the terminal's job goes on; then the run has a
 * checkpoint more. And it gives them a terminal of its own without a size, wherever its output goes.
 */
import { openSync, readFileSync, readlinkSync } from "node:fs";
import { WriteStream } from "node:tty";
import { launcherOf } from "../ranks/mpi.node.ts";
import type { RunEvent } from "../run/events.ts";
import type { CheckpointWishes } from "../run/session.ts";
import { shellLine } from "../run/shell-word.ts";
import type { Watch, Words } from "./display.ts";
import type { Screen } from "./terminal.ts";

const isOpenMpi = () => launcherOf(process.env) === "openmpi";

const HURRIED =
  ": mpirun leaves a second for it. Unless a line says that a checkpoint is saved, --resume goes on from the one before. " +
  "To stop in peace: pkill -USR2 mpirun";

/** What a run says, under the launcher that has started this process. */
export const underLauncher = (words: Words<RunEvent>): Words<RunEvent> =>
  isOpenMpi() ? { ...words, hurried: HURRIED } : words;

/** Has a run save a checkpoint when the launcher is about to end it, and tell so at once: it may come to no more. */
export function savingEarly(watch: Watch<RunEvent>): { watch: Watch<RunEvent>; wishes?: CheckpointWishes } {
  if (!isOpenMpi()) return { watch };
  let wished = false;
  let folder = "";
  const wishes: CheckpointWishes = (wanted) => {
    const take = () => {
      wished = true;
      wanted();
    };
    process.on("SIGCONT", take);
    return () => process.off("SIGCONT", take);
  };
  const heard: Watch<RunEvent> = (event) => {
    watch(event);
    if (event.event === "start") folder = event.folder;
    if (event.event !== "checkpoint" || !wished) return;
    wished = false;
    const resume = shellLine("gravmesh", "run", "--resume", folder);
    watch({
      event: "warning",
      message: `A checkpoint of step ${event.step} is saved, in case mpirun ends the run now. It would go on with: ${resume}`,
    });
  };
  return { watch: heard, wishes };
}

/** Programs between us and the launcher that are looked past: npx and its shell, a script. */
const MOST_BETWEEN = 16;

/** Where the output of the first ancestor goes that has another than we have: of mpirun. Undefined where nobody says. */
function launcherOutput(): string | undefined {
  try {
    const own = readlinkSync("/proc/self/fd/1");
    let parent = process.ppid;
    for (let between = 0; between < MOST_BETWEEN; between++) {
      const path = readlinkSync(`/proc/${parent}/fd/1`);
      if (path !== own) return path;
      // "pid (name) state ppid": a name may hold anything.
      parent = Number(readFileSync(`/proc/${parent}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1]);
    }
  } catch {
    // another system, or another's process
  }
  return undefined;
}

const isTerminal = (path: string) => /^\/dev\/(pts\/|tty|console)/.test(path);

/** Whether standard output is a terminal that only the launcher made, and what comes out of it goes into a file or a pipe. */
export function endsInFile(): boolean {
  const path = hasMadeTerminal() ? launcherOutput() : undefined;
  return path !== undefined && !isTerminal(path);
}

const hasMadeTerminal = () => isOpenMpi() && process.stdout.isTTY && process.stdout.columns === 0;

/** Standard output, as that of the launcher is: a terminal of some size, or none. */
export function screen(): Screen {
  const { stdout } = process;
  const path = hasMadeTerminal() ? launcherOutput() : undefined;
  if (path === undefined) return stdout;
  const write = (text: string) => stdout.write(text);
  if (!isTerminal(path)) return { write };
  try {
    const terminal = new WriteStream(openSync(path, "r+"));
    (terminal as WriteStream & { unref(): void }).unref();
    const size = () => terminal.getWindowSize();
    return {
      ...{ write, isTTY: true },
      get columns() {
        return size()[0];
      },
      get rows() {
        return size()[1];
      },
    };
  } catch {
    return stdout; // one of somebody else's
  }
}
