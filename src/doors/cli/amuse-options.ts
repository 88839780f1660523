/** The command `gravmesh amuse-worker` and its options. */
import { BACKENDS, type Cli, portNumber } from "./options.ts";

export function addAmuseWorker(gravmesh: Cli): void {
  gravmesh
    .command("amuse-worker")
    .summary("answer the calls of AMUSE, which starts this as a worker")
    .description(
      "Connects to AMUSE on HOST at PORT and answers its calls until AMUSE stops it: particles, evolution, gravity at points, by " +
        "the mesh or by direct sums (docs/amuse.md). AMUSE starts it.",
    )
    .argument("<PORT>", "port of AMUSE", portNumber)
    .argument("<HOST>", "machine of AMUSE")
    .argument("[MPI]", "true or false, passed by AMUSE; ignored")
    .choice("--backend", "where to compute, unless AMUSE says", BACKENDS)
    .ending(["gravmesh amuse-worker 40123 localhost false"], "It listens on no port.")
    .does(async () => (await import("./amuse-worker.ts")).amuseWorker);
}
