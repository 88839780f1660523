// Builds dist/: the library's doors for Node, the bin and the files that threads run (sharing chunks, most packages
// left outside), the same doors for browsers (a self-contained file each), the live page and the type declarations. Runs at `npm ci` through "prepare".

import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildSite } from "./site.mjs";
import { esbuildWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2023",
  plugins: [esbuildWgsl],
  logLevel: "warning",
};

async function declarations() {
  // Types are checked by `npm test`; here they are only written, so that an installation takes seconds.
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "-p", ".tooling/tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`tsc ended with ${status} while it wrote the declarations`);
  pointAtDeclarations(join(root, "dist/types"));
  knowWebgpu(join(root, "dist/types/with-webgpu"));
}

/** Doors for TypeScript before 6 (package.json: "types@<6"), whose DOM has no WebGPU; with a later one the two would collide. */
function knowWebgpu(folder) {
  mkdirSync(folder);
  for (const [door, to] of [
    ["index"],
    ["direct-summation", "engine/direct-summation"],
    ["view", "studio/view/index"],
  ]) {
    const text = `/// <reference types="@webgpu/types" />\nexport * from "../${to ?? door}.js";\n`;
    writeFileSync(join(folder, `${door}.d.ts`), text);
  }
}

/** Imports of `./x.ts` become `./x.js`, which is how a reader of declarations finds `./x.d.ts`. */
function pointAtDeclarations(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) pointAtDeclarations(path);
    else
      writeFileSync(path, readFileSync(path, "utf8").replace(/((?:from|import\()\s*"\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'));
  }
}

rmSync(join(root, "dist"), { recursive: true, force: true });
mkdirSync(join(root, "dist"));
// Zod and D3 are a hundred small files, which cost a tenth of a second of every start.
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const packagesOutside = Object.keys(dependencies).filter((name) => name !== "zod" && !name.startsWith("d3-"));
const isThere = (path) => existsSync(join(root, path));
await Promise.all([
  build({
    ...common,
    entryPoints: [
      { in: "src/index.ts", out: "node/index" },
      { in: "src/engine/direct-summation.ts", out: "node/direct" },
      { in: "src/studio/view/index.ts", out: "node/view" },
      { in: "src/physics/initial/thread.node.ts", out: "node/drawing-thread" },
      { in: "src/doors/amuse/connection-thread.ts", out: "node/amuse-connection" },
      { in: "src/doors/cli/main.ts", out: "bin/gravmesh" },
    ].filter((entry) => isThere(entry.in)),
    outdir: "dist",
    platform: "node",
    external: packagesOutside,
    splitting: true,
    chunkNames: "node/[name]-[hash]",
  }),
  build({ ...common, entryPoints: ["src/index.ts"], outfile: "dist/browser/index.js", platform: "browser" }),
  build({
    ...common,
    entryPoints: ["src/engine/direct-summation.ts"],
    outfile: "dist/browser/direct.js",
    platform: "browser",
  }),
  build({ ...common, entryPoints: ["src/studio/view/index.ts"], outfile: "dist/browser/view.js", platform: "browser" }),
  buildSite(),
  declarations(),
]);
chmodSync(join(root, "dist/bin/gravmesh.js"), 0o755);
// The letters of movies.
mkdirSync(join(root, "dist/fonts"));
for (const [from, to] of [
  ["ttf/DejaVuSans.ttf", "DejaVuSans.ttf"],
  ["LICENSE", "LICENSE"],
]) {
  copyFileSync(join(root, "node_modules/dejavu-fonts-ttf", from), join(root, "dist/fonts", to));
}
