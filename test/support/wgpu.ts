/**
 * wgpu with naga, the second implementation of WebGPU: that of Firefox and Deno. A program of ours runs on it in Deno, which
 * `npm test` fetches (.tooling/setup.mjs).
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { esbuildWgsl } from "../../.tooling/wgsl-plugin.mjs";
import type { AdapterSummary } from "../../src/foundation/gpu/adapter.ts";
import type { AdapterResults, Extent } from "./adapter-results.ts";
import { root } from "./cli.ts";
import { DENO_ENVIRONMENT, denoProgram } from "./deno.ts";

/** What is asked of it: composed modules to be compiled, and results to be set beside those of another device. */
export interface Asked {
  modules?: string[];
  results?: Extent;
}

export interface Found {
  adapter: AdapterSummary;
  /** What its compiler says of the modules that it doesn't take. */
  refusals: string[];
  results?: AdapterResults;
}

/** Throws where there is no Deno. */
export async function onWgpu(asked: Asked): Promise<Found> {
  const program = denoProgram(root);
  if (!existsSync(program)) {
    throw new Error(
      `there is no Deno at ${program}: npm test fetches it (GRAVMESH_NO_SETUP=1 forbids that); name one in GRAVMESH_DENO, or leave the ` +
        "second implementation of WebGPU out with GRAVMESH_NO_DENO=1",
    );
  }
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-wgpu-"));
  try {
    const [bundle, input, output] = ["program.mjs", "asked.json", "found.json"].map((name) => join(folder, name));
    await build({
      entryPoints: [join(root, "test/support/wgpu-program.ts")],
      ...{ outfile: bundle, bundle: true, format: "esm", platform: "browser", target: "es2023" },
      ...{ external: ["node:*"], plugins: [esbuildWgsl], logLevel: "error", absWorkingDir: root },
    });
    writeFileSync(input, JSON.stringify(asked));
    await ended(program, ["run", "--no-config", "-A", bundle, input, output], folder);
    return JSON.parse(readFileSync(output, "utf8")) as Found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves when the program has ended well. */
function ended(program: string, args: string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...DENO_ENVIRONMENT } });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`Deno ended with ${code}: ${said}`))));
  });
}
