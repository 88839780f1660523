/** Which choices between kernel shapes are measured: those of problems that are worth it, once. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Choices, MemoryChoiceCache, pinnedShapes } from "../../src/gpu/choices.ts";
import type { GpuContext } from "../../src/gpu/context.ts";
import { type Candidate, contenders, fastest, type Question, settled, shapeByKind } from "../../src/gpu/tune.ts";

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

  it("is the user's, where a shape is pinned, before what was measured or begun with", () => {
    const cache = new MemoryChoiceCache();
    cache.set("adapter|sort", "one");
    const pinned = (text: string, software = true) => {
      const choices = new Choices(cache, "adapter", { pins: pinnedShapes(text), earlier: { sort: "one" } });
      return { adapter: { software }, choices: choices.ofSimulation({ sort: "one" }) } as unknown as GpuContext;
    };
    const order: Question = { ...question(2 ** 21), stage: "order" };
    expect(settled(pinned(" order = many ;"), order, NAMES)).toBe("many");
    expect(settled(pinned("usual"), order, NAMES)).toBe("many");
    expect(settled(pinned("usual", false), order, NAMES)).toBe("one");
    expect(settled(pinned("usual; order=one"), order, NAMES)).toBe("one");
    expect(settled(pinned("update=many"), order, NAMES)).toBe("one");
    expect(settled(pinned("order=many"), question(2 ** 21), NAMES)).toBe("one");
    expect(contenders(pinned("order=many"), order, NAMES, (name) => name)).toEqual(["many"]);
    expect(() => settled(pinned("order=few"), order, NAMES)).toThrow(/"order": expected one of one; many, found "few"/);
    expect(settled(pinned("order=few"), order, ["one"])).toBe("one");
    expect(shapeByKind(pinned("order=many"), "order", ["one", "many"], { software: "one", hardware: "many" })).toBe(
      "many",
    );
    for (const wrong of ["orders=many", "many", "order", "order="]) {
      expect(() => pinnedShapes(wrong)).toThrow(
        /expected "usual" or stage=shape, with a stage of scan, order, .*found/,
      );
    }
  });
});

describe("a measurement", () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
  });
  afterEach(() => vi.restoreAllMocks());

  let seed = 1;
  /** In [0, 1). */
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  /** What takes `ms` a repetition, and 1 to 2.5 ms of waiting a submission. */
  const candidate = (name: string, ms: number, runs: string[] = []): Candidate => ({
    name,
    async run(times) {
      runs.push(name);
      const took = ms * times * (1 + 0.01 * random()) + 1 + 1.5 * random();
      now += took;
      return took;
    },
  });
  const winnerOf = (...candidates: Candidate[]) => fastest(adapter(true), question(2 ** 21), candidates);

  it("finds the quicker of two kernels that are much shorter than what a submission takes", async () => {
    for (let k = 0; k < 40; k++) {
      expect(await winnerOf(candidate("many", 0.03), candidate("one", 0.02))).toBe("one");
      expect(await winnerOf(candidate("many", 0.5), candidate("one", 0.02))).toBe("one");
      expect(await winnerOf(candidate("one", 1.2), candidate("many", 1.6))).toBe("one");
    }
  });

  it("gives a draw to what usually wins", async () => {
    for (let k = 0; k < 40; k++) {
      expect(await winnerOf(candidate("one", 0.02), candidate("many", 0.0203))).toBe("many");
      expect(await winnerOf(candidate("one", 40), candidate("many", 40.5))).toBe("many");
    }
  });

  it("is made once", async () => {
    const gpu = adapter(true);
    const runs: string[] = [];
    const candidates = [candidate("slow", 4, runs), candidate("quick", 0.2, runs)];
    expect(await fastest(gpu, question(2 ** 21), candidates)).toBe("quick");
    const before = runs.length;
    expect(before).toBeGreaterThan(2);
    expect(await fastest(gpu, question(2 ** 21), candidates)).toBe("quick");
    expect(runs.length).toBe(before);
  });

  it("drops what has no chance after a look, and ends in time", async () => {
    const runs: string[] = [];
    expect(await winnerOf(candidate("hopeless", 300, runs), candidate("one", 30, runs))).toBe("one");
    expect(runs.filter((name) => name === "hopeless")).toHaveLength(2);
    now = 0;
    expect(await winnerOf(candidate("one", 700), candidate("two", 900), candidate("three", 1100))).toBe("one");
    expect(now).toBeLessThan(2 * 2 * 2700);
    now = 0;
    await winnerOf(candidate("one", 0), candidate("two", 0));
    expect(now).toBeLessThan(200);
  });
});
