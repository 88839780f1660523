/** The command `gravmesh amuse-worker` and its options. */
import type { Command } from "commander";
import { choiceOption, does, ending, portNumber } from "./options.ts";

export function addAmuseWorker(gravmesh: Command): void {
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
    .addOption(choiceOption("--backend", "where to compute, unless AMUSE says", ["auto", "webgpu", "cpu"]))
    .addHelpText("after", ending(["gravmesh amuse-worker 40123 localhost false"], "It listens on nothing itself."))
    .action(does(async () => (await import("./amuse-worker.ts")).amuseWorker));
}
