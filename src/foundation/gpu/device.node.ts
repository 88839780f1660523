/** WebGPU in Node: Dawn through the `webgpu` package. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { create } from "webgpu";
import { GravmeshError } from "../base/errors.ts";
import type { GpuContext } from "./context.ts";
import { type AdapterRequest, acquireContext, WANTED_FEATURES } from "./device.ts";
import { pinnedShapes } from "./shapes.ts";
import { windowLimits } from "./windows.ts";

/** Dawn rounds timestamps to 65 µs, against pages that spy on others: too coarse for most kernels. */
const FINE_TIMESTAMPS = ["disable-dawn-features=timestamp_quantization"];

// Dawn's instance must outlive every device made from it: collected earlier, the process dies.
const instances = new Map<string, GPU>();

/** Dawn's entry point, made once per process and adapter. `adapter`: a part of the name of the only one that it shall see. */
export function nodeGpu(adapter = process.env.GRAVMESH_ADAPTER ?? ""): GPU {
  const instance =
    instances.get(adapter) ?? create([...FINE_TIMESTAMPS, ...(adapter === "" ? [] : [`adapter=${adapter}`])]);
  instances.set(adapter, instance);
  return instance;
}

const RAISED_LIMITS = "raised-limits";
const SOFTWARE_KERNELS = "software-kernels";

/** What `words`, with commas between, do without. Throws "usage" for what is none of the two above nor an optional feature. */
export function withoutAbilities(words: string): Pick<AdapterRequest, "limits" | "features" | "kernels"> {
  const unwanted = words.split(",").map((word) => word.trim());
  const known: readonly string[] = ["", RAISED_LIMITS, ...WANTED_FEATURES, SOFTWARE_KERNELS];
  const unknown = unwanted.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    const choice = known.slice(1).join(", ");
    throw new GravmeshError("usage", `GRAVMESH_WITHOUT: "${unknown}" is none of ${choice}`);
  }
  return {
    limits: unwanted.includes(RAISED_LIMITS) ? "default" : "adapter",
    features: WANTED_FEATURES.filter((feature) => !unwanted.includes(feature)),
    kernels: unwanted.includes(SOFTWARE_KERNELS) ? "gpu" : "adapter",
  };
}

export function webgpuVersion(): string {
  try {
    const file = createRequire(import.meta.url).resolve("webgpu/package.json");
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return "unknown";
  }
}

/** Dawn's refusal of a name that no adapter has, or whatever else it was. */
function noAdapterNamed(name: string | undefined, cause: unknown): unknown {
  if (!name || !(cause instanceof Error)) return cause;
  const others = [...cause.message.matchAll(/name: '(.*)'/g)].map(([, other]) => other).join(", ");
  const message = `GRAVMESH_ADAPTER: no adapter has "${name}" in its name; found: ${others || "none"}`;
  return new GravmeshError("usage", message, { cause });
}

/**
 * A context on Dawn's preferred adapter, as the environment wishes: GRAVMESH_ADAPTER, _WITHOUT, _SHAPES, _WINDOWS. `around`
 * is put around Dawn's search for adapters, which writes to stderr.
 */
export async function acquireNodeContext(around: <T>(call: () => T) => T = (call) => call()): Promise<GpuContext> {
  const gpu = nodeGpu();
  const requestAdapter: GPU["requestAdapter"] = async (options) => {
    try {
      return await around(() => gpu.requestAdapter(options));
    } catch (cause) {
      throw noAdapterNamed(process.env.GRAVMESH_ADAPTER, cause);
    }
  };
  const abilities = withoutAbilities(process.env.GRAVMESH_WITHOUT ?? "");
  const shapes = pinnedShapes(process.env.GRAVMESH_SHAPES ?? "");
  const windows = windowLimits(process.env.GRAVMESH_WINDOWS ?? "");
  const settings = { shapes, windows, threads: availableParallelism() };
  return acquireContext({ requestAdapter }, { ...settings, ...abilities });
}
