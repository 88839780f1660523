/** Open MPI's mpirun gives its processes a terminal of its own without a size, wherever its output goes. */
import { openSync, readFileSync, readlinkSync } from "node:fs";
import { WriteStream } from "node:tty";
import { launcherOf } from "../../foundation/ranks/mpi.node.ts";
import type { TerminalScreen } from "./terminal.ts";

export const isOpenMpi = () => launcherOf(process.env) === "openmpi";

/** Programs between us and the launcher that are looked past: npx and its shell, a script. */
const MOST_BETWEEN = 16;

/** Where the output of the first ancestor goes that has another than we have: of mpirun. Undefined where the system doesn't say. */
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
export function screen(): TerminalScreen {
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
    return stdout; // another user's
  }
}
