// `npm run test:malformed -- --cases 500 --seed 1`: bundles test/malformed/ and runs it. Without a GPU; nothing is left
// behind but the files of inputs that were not taken as they should be.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { esbuildWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Two folders below the root, as dist/bin/ is: the program finds scenarios/ from where it lies.
mkdirSync(join(root, ".cache"), { recursive: true });
const folder = mkdtempSync(join(root, ".cache/malformed-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  absWorkingDir: root,
  entryPoints: ["test/malformed/main.ts", "test/malformed/worker.ts"],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2023",
  platform: "node",
  packages: "external",
  plugins: [esbuildWgsl],
  logLevel: "warning",
});
await import(pathToFileURL(join(folder, "main.mjs")).href);
