// Builds the live page: static files in dist/site, which any web server serves from any path. `npm run site`, and part of
// the build.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { pageFiles } from "./page-files.mjs";
import { loadSource } from "./setup.mjs";
import { writeDecks } from "./site-decks.mjs";
import { writeDocs } from "./site-docs.mjs";
import { esbuildWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export async function buildSite(folder = join(root, "dist/site")) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [{ COLOUR_CSS }, { CHART_CSS }] = await Promise.all(
    ["colours", "charts"].map((n) => loadSource(`src/run/page/${n}.ts`)),
  );
  writeFileSync(join(folder, "colours.css"), `${COLOUR_CSS}${CHART_CSS}`.trimStart());
  for (const file of ["index.html", "favicon.svg"])
    copyFileSync(join(root, "src/doors/site", file), join(folder, file));
  await writeDecks(folder);
  writeDocs(root, join(folder, "docs"));
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/doors/site/main.tsx", out: "page" },
      { in: "src/doors/site/worker/worker.ts", out: "worker" },
      { in: "src/doors/site/doctor/worker.ts", out: "doctor" },
      { in: "src/doors/site/style.css", out: "page" },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2023",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    chunkNames: "parts/[name]-[hash]",
    legalComments: "linked",
    plugins: [esbuildWgsl, pageFiles],
    logLevel: "warning",
  });
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  await buildSite();
  console.log("dist/site is built: serve it with any web server, for instance `gravmesh view`");
}
