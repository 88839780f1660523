/** What `gravmesh doctor` says of runs on several ranks: which MPI there is, and the command line to use. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { foundLibrary, type MpiKind } from "../../foundation/ranks/mpi-library.node.ts";
import { messageOf } from "../../run/failure.ts";

/** Which library a launcher belongs to, by what it says of itself. */
const KINDS: readonly { kind: MpiKind; says: RegExp; name: (text: string) => string }[] = [
  { kind: "openmpi", says: /Open MPI/, name: (text) => `Open MPI ${/(\d[\w.]*)\s*$/m.exec(text)?.[1] ?? ""}`.trim() },
  { kind: "mpich", says: /HYDRA|MPICH/i, name: (text) => `MPICH ${/Version:\s*(\S+)/.exec(text)?.[1] ?? ""}`.trim() },
];

/**
 * `launcher`: what mpirun calls itself; `library`: its file, null where it can't be loaded, and `reason` why; `stop`: what
 * stops a run with a checkpoint. Loads the library, but doesn't initialise it.
 */
export async function ranksReport() {
  const none = (launcher: string | null, reason: string) => ({
    ...{ launcher, library: null, reason, command: null, stop: null },
  });
  const { stdout, status } = spawnSync("mpirun", ["--version"], { encoding: "utf8", timeout: 10_000 });
  if (status !== 0) return none(null, "no mpirun (Debian: openmpi-bin or mpich)");
  const known = KINDS.find(({ says }) => says.test(stdout));
  if (!known) return none(stdout.split("\n")[0], "mpirun is neither Open MPI's nor MPICH's");
  const launcher = known.name(stdout);
  try {
    const { file } = await foundLibrary(known.kind, process.env.GRAVMESH_MPI);
    return { launcher, library: file, reason: null, command: commandFor(known.kind), stop: STOP[known.kind] };
  } catch (error) {
    return none(launcher, messageOf(error));
  }
}

/** Open MPI binds two ranks to a core each, on which the driver's threads don't fit, and refuses root and more ranks than cores. */
function commandFor(kind: MpiKind): string {
  const needs = [
    "--bind-to none",
    ...(process.getuid?.() === 0 ? ["--allow-run-as-root"] : []),
    ...(availableParallelism() < 2 ? ["--oversubscribe"] : []),
  ];
  return ["mpirun", ...(kind === "openmpi" ? needs : []), "-n 2 gravmesh run DECK"].join(" ");
}

/** Open MPI's mpirun kills its processes two seconds after Ctrl-C, whether they are done or not, but hands this signal on; MPICH's waits. */
const STOP: Record<MpiKind, string> = { openmpi: "pkill -USR2 mpirun", mpich: "Ctrl-C" };

export function ranksText({
  launcher,
  library,
  reason,
  command,
  stop,
}: Awaited<ReturnType<typeof ranksReport>>): string {
  if (library === null) return `one process only: ${reason}`;
  return `${launcher} (${library}): ${command}; to stop it with a checkpoint: ${stop}`;
}
