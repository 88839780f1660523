/** WebGPU in Node: Dawn through the `webgpu` package, and a file that remembers kernel choices. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { create } from "webgpu";
import type { GpuContext } from "./context.ts";
import { acquireContext } from "./device.ts";
import type { ChoiceCache } from "./tune.ts";

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

/** Choices in a JSON file under the user's cache folder; an unreadable or unwritable file is no error. */
class FileChoiceCache implements ChoiceCache {
  readonly #file = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gravmesh", "choices-1.json");
  #choices: Record<string, string>;

  constructor() {
    try {
      this.#choices = JSON.parse(readFileSync(this.#file, "utf8")) as Record<string, string>;
    } catch {
      this.#choices = {};
    }
  }

  get(key: string): string | undefined {
    return this.#choices[key];
  }

  set(key: string, value: string): void {
    this.#choices[key] = value;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      const temporary = `${this.#file}.${process.pid}`;
      writeFileSync(temporary, JSON.stringify(this.#choices, null, 2));
      renameSync(temporary, this.#file);
    } catch {
      // A read-only home costs a measurement at the next start, nothing more.
    }
  }
}
