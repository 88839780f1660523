// `npm run test:hostile`: bundles test/hostile/ and runs it against dist/. Options: --kind server, --only TEXT, --list.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { esbuildWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Two folders below the root, as dist/bin/ is: the page and scenarios/ are found from where the program lies.
mkdirSync(join(root, ".cache"), { recursive: true });
const folder = mkdtempSync(join(root, ".cache/hostile-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  absWorkingDir: root,
  entryPoints: ["test/hostile/main.ts"],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  target: "es2023",
  platform: "node",
  packages: "external",
  plugins: [esbuildWgsl],
  logLevel: "warning",
});
await import(pathToFileURL(join(folder, "main.mjs")).href);
