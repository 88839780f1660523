/** The file that a drawing thread runs, bundled as .tooling/build.mjs does, for tests that run from the sources. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { esbuildWgsl } from "../../.tooling/wgsl-plugin.mjs";
import { drawingThreads } from "../../src/physics/initial/threads.node.ts";
import type { WorkerPoolMaker } from "../../src/physics/initial/worker-pool.ts";

/** Makes crews of `threads` threads. */
export function useThreads(threads = 2): { crew: WorkerPoolMaker } {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-threads-"));
  const file = join(folder, "drawing-thread.mjs");
  beforeAll(async () => {
    const entry = fileURLToPath(new URL("../../src/physics/initial/thread.node.ts", import.meta.url));
    await build({
      ...{ entryPoints: [entry], outfile: file, bundle: true, format: "esm", platform: "node", logLevel: "error" },
      plugins: [esbuildWgsl],
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { crew: (job) => drawingThreads(job, { threads, least: 0, file: pathToFileURL(file) }) };
}
