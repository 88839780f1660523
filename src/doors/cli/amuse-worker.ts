/** `gravmesh amuse-worker`: what goes wrong is on stderr, where AMUSE's `redirection = "none"` shows it. */

import { exitCodeOf, messageOf } from "../../run/failure.ts";
import type { BackendChoice } from "../../scenario/simulation/simulation.ts";
import { work } from "../amuse/worker.ts";
import { plainMessage } from "./plain.ts";

export async function amuseWorker(
  port: number,
  host: string,
  _mpi: string | undefined,
  { backend }: { backend: BackendChoice },
): Promise<number> {
  const say = (line: string) => void process.stderr.write(`gravmesh: ${plainMessage(line)}\n`);
  try {
    await work({ port, host, backend }, say);
    return 0;
  } catch (error) {
    say(messageOf(error));
    // Whatever is still computed is for nobody.
    return process.exit(exitCodeOf(error));
  }
}
