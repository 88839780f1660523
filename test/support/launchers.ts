/** Command lines that start several ranks, by the MPI that they are of; `"$@"` is what is started. */

/** Root and more ranks than cores are what containers and tests have; ranks bound to a core starve the driver. */
export const LAUNCHERS: Record<"Open MPI" | "MPICH", (size: number) => string> = {
  "Open MPI": (size) => `mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n ${size} "$@"`,
  MPICH: (size) => `mpirun.mpich -n ${size} "$@"`,
};
export type Launcher = keyof typeof LAUNCHERS;
export const launchers = Object.keys(LAUNCHERS) as Launcher[];
