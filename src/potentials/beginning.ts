/** Whether particles may begin at a time: the mesh's potentials are placed at any, those of a direct sum from time 0 on. */
import { GravmeshError } from "../base/errors.ts";
import { isSteady } from "./motion.ts";
import type { ExternalPotential } from "./potential.ts";

/** Throws "scenario" for particles of a later time in a direct sum with potentials that aren't steady. */
export function requireBeginning(
  { gravity }: { gravity: "mesh" | "direct" },
  potentials: readonly ExternalPotential[],
  time: number,
): void {
  if (gravity !== "direct" || time === 0 || potentials.every(isSteady)) return;
  throw new GravmeshError(
    "scenario",
    `gravity = "direct" with a potential that turns, grows, ends or moves begins at time 0, found particles of time ${time}: start the deck again, or take gravity = "mesh"`,
  );
}
