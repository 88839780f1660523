/** What `#snapshot-files` resolves to in a browser, which has no files; in Node it is snapshot.node.ts. */
import { GravmeshError } from "../../foundation/base/errors.ts";

async function refused(what: string): Promise<never> {
  throw new GravmeshError(
    "usage",
    `${what}: a page has no files; give a simulation its particles with the option particles, and take them with readParticles`,
  );
}

export const readSnapshot = () => refused("readSnapshot");
export const writeSnapshot = () => refused("writeSnapshot");
