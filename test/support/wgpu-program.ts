/**
 * What Deno runs for the tests, on its own WebGPU: compiles modules, and computes a little of everything. Reads what is asked
 * from the file that is its first argument, and writes what it found into the second.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { acquireContext } from "../../src/foundation/gpu/device.ts";
import { adapterResults } from "./adapter-results.ts";
import type { Asked, Found } from "./wgpu.ts";

const [input, output] = process.argv.slice(2);
const { modules = [], results }: Asked = JSON.parse(readFileSync(input, "utf8"));
const gpu = await acquireContext(navigator.gpu);

const seen = new Set<string>();

/**
 * Why the compiler refuses a module, or one of its kernels; undefined when it takes all. Of modules that differ in numbers
 * alone the first is made into pipelines, for which the driver needs most of the time.
 */
async function refusal(code: string): Promise<string | undefined> {
  const { device } = gpu;
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const kind = code.replace(/\d+/g, "0");
  const known = seen.has(kind);
  seen.add(kind);
  for (const [, entryPoint] of known ? [] : code.matchAll(/@compute[^{]*?\bfn (\w+)/g)) {
    device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
  }
  return (await device.popErrorScope())?.message;
}

const found: Found = { adapter: gpu.adapter, refusals: [] };
for (const code of modules) {
  const why = await refusal(code);
  if (why !== undefined) found.refusals.push(why);
}
if (results) found.results = await adapterResults(gpu, results);
writeFileSync(
  output,
  JSON.stringify(found, (_, value) => (ArrayBuffer.isView(value) ? [...plain(value)] : value)),
);
process.exit(0);

function plain(view: ArrayBufferView): Iterable<number> {
  return view as unknown as Iterable<number>;
}
