/** WebGPU in Node: Dawn through the `webgpu` package, and a file that remembers kernel choices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create } from "webgpu";
import { FileChoiceCache } from "./choices.node.ts";
import type { GpuContext } from "./context.ts";
import { acquireContext } from "./device.ts";

// Dawn's instance must outlive every device made from it: collected earlier, the process dies.
let instance: GPU | undefined;

/** Dawn's entry point, made once per process and kept for its whole life. */
export function nodeGpu(): GPU {
  instance ??= create([]);
  return instance;
}

/** Of the `webgpu` package (Dawn). */
export function webgpuVersion(): string {
  try {
    const file = createRequire(import.meta.url).resolve("webgpu/package.json");
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return "unknown";
  }
}

/** A context on Dawn's preferred adapter. `around` is put around Dawn's search for adapters, which writes to stderr. */
export async function acquireNodeContext(around: <T>(call: () => T) => T = (call) => call()): Promise<GpuContext> {
  const gpu = nodeGpu();
  const requestAdapter: GPU["requestAdapter"] = (options) => around(() => gpu.requestAdapter(options));
  return acquireContext({ requestAdapter }, { choices: new FileChoiceCache() });
}
