// Stand-ins in the page's worker: for what the readers of snapshots import from Node, of files that were dropped onto the page,
// and for a package that its policy refuses.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "src/doors/site/worker/files");
const STAND_INS = {
  ...{ "node:fs": "fs", "node:os": "os", "node:path": "path", "node:crypto": "sha256" },
  "h5wasm/node": "hdf5",
  ndarray: "../strided",
};

export const pageFiles = {
  name: "page-files",
  setup(build) {
    build.onResolve({ filter: /^(node:\w+|h5wasm\/node|ndarray)$/ }, ({ path }) => {
      const standIn = STAND_INS[path];
      return standIn ? { path: join(folder, `${standIn}.ts`) } : undefined;
    });
  },
};
