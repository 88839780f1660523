/** The command `gravmesh amuse-worker` and its options. */
import { BACKENDS, type Cli, portNumber } from "./options.ts";

export function addAmuseWorker(gravmesh: Cli): void {
  gravmesh
    .command("amuse-worker")
    .summary("answer the calls of AMUSE, which starts this as a worker")
    .description(
      "Connects to AMUSE on HOST at PORT and answers its calls until it says stop: particles, evolution, gravity at points, by " +
        "the mesh or by direct sums (docs/amuse.md). AMUSE starts it by itself.",
    )
    .argument("<PORT>", "where AMUSE listens", portNumber)
    .argument("<HOST>", "and on which machine")
    .argument("[MPI]", "true or false, as AMUSE gives it; of no matter here")
    .choice("--backend", "where to compute, unless AMUSE says", BACKENDS)
    .ending(["gravmesh amuse-worker 40123 localhost false"], "It listens on nothing itself.")
    .does(async () => (await import("./amuse-worker.ts")).amuseWorker);
}
