/**
 * docs/architecture.md lists what lies on the way of a periodic CIC step on a GPU: no kernel of such a step is composed of WGSL
 * that it doesn't name, and it is as short as a newcomer may expect. .tooling/docs.mjs counts the lines.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import type { WgslSource } from "../../src/foundation/gpu/compose.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { meshSettings, placeholders } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const section = read("docs/architecture.md")
  .split("\n## ")
  .find((text) => text.startsWith("A reading order"))!;

const gpuPart = section.slice(section.indexOf("Then the same on the GPU"));
const listed = [...gpuPart.matchAll(/^\| (.*?) \| (\d+) \|$/gm)].flatMap(([, named]) =>
  [...named.matchAll(/`([\w/.-]+\.(?:ts|wgsl))`/g)].map(([, file]) => file),
);

/** A kernel's stage, as its label begins, that a step's way leads through. */
const ON_THE_WAY = /^(order|scan|deposit|poisson|inverse poisson|gradient|update)\b/;

function pathsOf(source: WgslSource): string[] {
  return [source.path, ...(source.needs ?? []).flatMap(pathsOf)];
}

it("names every piece of WGSL that a step on a GPU is made of, and no other", async () => {
  const adapter = { ...gpu().adapter, software: false };
  const context = new GpuContext(gpu().device, adapter, { owned: false, parent: gpu() });
  const used = new Set<string>();
  const compile = GpuContext.prototype.kernel;
  GpuContext.prototype.kernel = function (spec) {
    if (ON_THE_WAY.test(spec.label)) for (const path of spec.sources.flatMap(pathsOf)) used.add(path);
    return compile.call(this, spec);
  };
  try {
    const settings = { mesh: meshSettings(16, "cic", "4-point"), boxSize: 1, G: 1, externalPotentials: [] };
    const pipeline = await MeshPipeline.create(context, { ...settings, boundary: "periodic" }, placeholders(100));
    await pipeline.advance(1, 1e-3);
    pipeline.destroy();
  } finally {
    GpuContext.prototype.kernel = compile;
  }
  const wgsl = listed.filter((file) => file.endsWith(".wgsl"));
  const written = [...used].filter((path) => path.startsWith("wgsl/"));
  expect(wgsl.sort()).toEqual(written.sort());
  const lines = listed.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
  expect(listed.length - wgsl.length).toBeLessThanOrEqual(13);
  expect(lines).toBeLessThanOrEqual(3960);
});
