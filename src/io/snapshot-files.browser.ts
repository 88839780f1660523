/** What `#snapshot-files` resolves to in a browser, which has no files. */
import { GravmeshError } from "../base/errors.ts";
import type { SnapshotFiles } from "./snapshot-particles.ts";

const refused = (what: string) =>
  Promise.reject(
    new GravmeshError(
      "usage",
      `${what}: a page has no files; give a simulation its particles with the option particles, and take them with readParticles`,
    ),
  );

export const snapshotFiles: SnapshotFiles = {
  readSnapshot: () => refused("readSnapshot"),
  writeSnapshot: () => refused("writeSnapshot"),
};
