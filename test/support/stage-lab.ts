/** The stage's worker in a browser, with a bare page around it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { pageFiles } from "../../.tooling/page-files.mjs";
import { esbuildWgsl } from "../../.tooling/wgsl-plugin.mjs";
import { launchChromium, serve } from "./browser.ts";
import { root } from "./cli.ts";

export interface StageLab {
  /** A page with `window.lab`; `without`: "gpu". */
  open(without?: string): Promise<Page>;
  close(): Promise<void>;
}

export async function stageLab(): Promise<StageLab> {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-stage-"));
  await build({
    ...{ absWorkingDir: root, outdir: folder, bundle: true, splitting: true, format: "esm", platform: "browser" },
    entryPoints: [
      { in: "test/support/stage-page.ts", out: "page" },
      { in: "test/support/stage-worker.ts", out: "worker" },
    ],
    ...{ target: "es2023", plugins: [esbuildWgsl, pageFiles], logLevel: "warning" },
  });
  const html = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>';
  writeFileSync(join(folder, "index.html"), html);
  const [browser, { url, server }] = await Promise.all([launchChromium(), serve(folder)]);
  return {
    async open(without) {
      const page = await browser.newPage();
      await page.goto(`${url}/index.html${without ? `?without=${without}` : ""}`);
      await page.waitForFunction(() => "lab" in window);
      return page;
    },
    async close() {
      await browser.close();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
