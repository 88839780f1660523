// What the readers of snapshots import from Node, in the page's worker: stand-ins for files that were dropped onto it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "src/site/worker/files");
const STAND_INS = {
  ...{ "node:fs": "fs", "node:os": "os", "node:path": "path", "node:crypto": "sha256", "node:zlib": "zlib" },
  "h5wasm/node": "hdf5",
};

export const pageFiles = {
  name: "page-files",
  setup(build) {
    build.onResolve({ filter: /^(node:\w+|h5wasm\/node)$/ }, ({ path }) => {
      const standIn = STAND_INS[path];
      return standIn ? { path: join(folder, `${standIn}.ts`) } : undefined;
    });
  },
};
