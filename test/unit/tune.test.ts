/** Which choices between kernel shapes are measured: those of problems that are worth it, once. */
import { describe, expect, it } from "vitest";
import type { GpuContext } from "../../src/gpu/context.ts";
import { Choices, fastest, MemoryChoiceCache, settled } from "../../src/gpu/tune.ts";

const NAMES = ["one", "many"];
const question = (elements: number) => ({ purpose: "sort", elements, usual: { software: "many", hardware: "one" } });

function adapter(software: boolean, cache = new MemoryChoiceCache()): GpuContext {
  return { adapter: { software }, choices: new Choices(cache, "adapter") } as unknown as GpuContext;
}

describe("a choice between kernel shapes", () => {
  it("is the usual one of the kind of adapter for a small problem, and part of the simulation's record", () => {
    const gpu = adapter(true);
    expect(settled(gpu, question(1000), NAMES)).toBe("many");
    expect(gpu.choices.made).toEqual({ sort: "many" });
    expect(settled(adapter(false), question(1000), NAMES)).toBe("one");
  });

  it("is left to a measurement where it counts, or where the usual one isn't offered", () => {
    expect(settled(adapter(true), question(2 ** 21), NAMES)).toBeUndefined();
    expect(settled(adapter(true), question(1000), ["one", "two"])).toBeUndefined();
  });

  it("doesn't put into the cache what nobody measured, and takes what is there", () => {
    const cache = new MemoryChoiceCache();
    settled(adapter(true, cache), question(1000), NAMES);
    expect(new Choices(cache, "adapter").get("sort")).toBeUndefined();
    new Choices(cache, "adapter").set("sort", "one");
    expect(settled(adapter(true, cache), question(1000), NAMES)).toBe("one");
  });

  it("of shapes that round differently goes by the run and the kind of adapter, never by the cache", () => {
    const cache = new MemoryChoiceCache();
    cache.set("adapter|fft", "workgroup");
    const shapes = ["line", "workgroup"] as const;
    expect(new Choices(cache, "adapter").fixed("fft", shapes, "line")).toBe("line");
    const began = new Choices(cache, "adapter").ofSimulation({ fft: "workgroup" });
    expect(began.fixed("fft", shapes, "line")).toBe("workgroup");
    expect(began.fixed("fft", ["line"], "line")).toBe("line");
    const only = new Choices(cache, "adapter");
    expect(only.fixed("fft", ["workgroup"] as const, "line" as "workgroup")).toBe("workgroup");
    expect(only.made).toEqual({ fft: "workgroup" });
  });

  it("is measured once, the quickest wins", async () => {
    const gpu = adapter(true);
    let runs = 0;
    const candidate = (name: string, busy: number) => ({
      name,
      async run(times: number) {
        runs += 1;
        const end = performance.now() + busy * times;
        while (performance.now() < end);
      },
    });
    const candidates = [candidate("slow", 4), candidate("quick", 0.2)];
    expect(await fastest(gpu, "sum", candidates)).toBe("quick");
    const before = runs;
    expect(before).toBeGreaterThan(2);
    expect(await fastest(gpu, "sum", candidates)).toBe("quick");
    expect(runs).toBe(before);
  });
});
