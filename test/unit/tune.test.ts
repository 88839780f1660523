/** Which choices between kernel shapes are measured: those of problems that are worth it, once. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Choices, MemoryChoiceCache, pinnedShapes } from "../../src/gpu/choices.ts";
import type { GpuContext } from "../../src/gpu/context.ts";
import { Preparing } from "../../src/gpu/preparing.ts";
import type { Stopwatch } from "../../src/gpu/stopwatch.ts";
import { type Candidate, contenders, fastest, type Question, race, settled, shapeByKind } from "../../src/gpu/tune.ts";

const NAMES = ["one", "many"];
const question = (elements: number) => ({ purpose: "sort", elements, usual: { software: "many", hardware: "one" } });

function adapter(software: boolean, cache = new MemoryChoiceCache()): GpuContext {
  const choices = new Choices(cache, "adapter");
  return { adapter: { software }, choices, preparing: new Preparing() } as unknown as GpuContext;
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

  it("compares those that the clock resolves at a look with those that it doesn't, round by round", async () => {
    const clock = { resolution: { longEnough: 20, jitter: 0.2 } } as unknown as Stopwatch;
    const slow = [candidate("slowest", 23), candidate("many", 16)];
    expect(await race([...slow, candidate("one", 10)], clock, "many")).toEqual({ winner: "one", clear: true });
    expect(await race([candidate("one", 10), ...slow], clock, "slowest")).toEqual({ winner: "one", clear: true });
  });

  it("is told shape by shape, as long as somebody wants to know", async () => {
    const gpu = adapter(true);
    const told: string[] = [];
    const untold = gpu.preparing.tellTo((what) => told.push(what));
    const candidates = [candidate("slow", 4), candidate("quick", 0.2)];
    const order: Question = { ...question(2 ** 21), stage: "order" };
    await fastest(gpu, order, candidates);
    const of = "measuring shapes of the order";
    expect(told).toEqual([`${of}, 1 of 2, slow`, `${of}, 2 of 2, quick`, `${of}, in turns`]);
    await fastest(gpu, order, candidates);
    untold();
    await fastest(gpu, { ...order, purpose: "another" }, candidates);
    expect(told).toHaveLength(3);
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

  it("that is in doubt is made again at later starts, which put together what they found", async () => {
    const cache = new MemoryChoiceCache();
    const key = "adapter|sort";
    const known = () => settled(adapter(true, cache), question(2 ** 21), ["one", "many", "few"]);
    const start = (found: string) =>
      new Choices(cache, "adapter").vote("sort", found, { names: ["one", "many", "few"], usual: "many" });
    expect(await winnerOf(candidate("one", 700), candidate("many", 710))).toBe("many");
    const near = [candidate("one", 700), candidate("many", 710)];
    expect(await fastest(adapter(true, cache), question(2 ** 21), near)).toBe("many");
    expect(cache.get(key)).toBe("many?");
    expect(known()).toBeUndefined();
    expect(start("few")).toBe("many"); // a draw of votes: the usual one
    expect(start("few")).toBe("few");
    expect(start("one")).toBe("few");
    expect(cache.get(key)).toBe("many?; few?; few?; one?");
    expect(known()).toBeUndefined();
    expect(start("one")).toBe("one"); // a draw without the usual one: the latest
    expect(cache.get(key)).toBe("one"); // the fifth has the last word
    expect(known()).toBe("one");
    // Shapes that aren't offered any more have no vote.
    cache.set(key, "gone?; gone?");
    expect(start("one")).toBe("one");
    expect(cache.get(key)).toBe("one?");
  });

  it("beyond doubt takes the place of doubtful ones; what a result depends on stays whatever the doubt", async () => {
    const cache = new MemoryChoiceCache();
    cache.set("adapter|sort", "many?; gone?");
    const candidates = [candidate("one", 30), candidate("many", 45)];
    expect(await fastest(adapter(true, cache), question(2 ** 21), candidates)).toBe("one");
    expect(cache.get("adapter|sort")).toBe("one");
    cache.set("adapter|sort", "");
    const slow = [candidate("one", 900), candidate("many", 950)];
    expect(await fastest(adapter(true, cache), { ...question(2 ** 21), lasting: true }, slow)).toBe("many");
    expect(cache.get("adapter|sort")).toBe("many");
  });

  /** Speeds of a machine by time: bursts of other programs, and slow changes. Mean durations [ms], slowdowns. */
  const MACHINES = {
    quiet: { free: 1e9, taken: 0, slower: [1, 1], drift: 0, wrong: 0 },
    drifting: { free: 1e9, taken: 0, slower: [1, 1], drift: 0.3, wrong: 0.02 },
    "with bursts": { free: 150, taken: 60, slower: [1.5, 2], drift: 0, wrong: 0.02 },
    "slow for long": { free: 400, taken: 400, slower: [1.5, 2], drift: 0.15, wrong: 0.05 },
    "taken half of the time": { free: 60, taken: 60, slower: [1.3, 2.2], drift: 0.15, wrong: 0.05 },
  } as const;

  function machine({ free, taken, slower: [from, to], drift }: (typeof MACHINES)[keyof typeof MACHINES]) {
    const lasting = (mean: number) => -mean * Math.log(1 - random());
    let [slowdown, until] = [1, now + lasting(free)];
    return (ms: number): number => {
      const began = now;
      for (let left = ms * (1 + 0.03 * (random() - 0.5)); left > 0; ) {
        if (now >= until) {
          const free_ = slowdown > 1 || taken === 0;
          slowdown = free_ ? 1 : from + (to - from) * random();
          until = now + lasting(free_ ? free : taken);
        }
        const slow = slowdown * (1 + drift * Math.sin(now / 500));
        const passed = Math.min(left * slow, until - now) + 1e-9;
        now += passed;
        left -= passed / slow;
      }
      return now - began;
    };
  }

  /** Times of shapes as they were on a software adapter [ms]; the usual one isn't always right. */
  const STAGES = {
    "uniform update": { run: 10.2, kept: 12.9, texels: 9.7, "kept texels": 10.6 },
    "crowded update": { run: 9.7, kept: 7.5, texels: 8.7, "kept texels": 8.4 },
    "uniform deposit": { rows: 15, "runs-8": 24.8, "runs-128": 26, direct: 31 },
  };

  it.each(Object.entries(MACHINES))("on a machine that is %s is seldom wrong, and then in doubt", async (_, kind) => {
    const clock = { resolution: { longEnough: 4, jitter: 0.02 } } as unknown as Stopwatch;
    const races = 60;
    for (const [stage, times] of Object.entries(STAGES)) {
      const best = Math.min(...Object.values(times));
      const usual = Object.keys(times).find((name) => times[name as keyof typeof times] === best)!;
      let [wrong, wrongAndClear] = [0, 0];
      for (let k = 0; k < races; k++) {
        now = 0;
        const work = machine(kind);
        const shapes = Object.entries(times).map(([name, ms]) => ({ name, run: async (n: number) => work(n * ms) }));
        const { winner, clear } = await race(shapes, clock, usual);
        if (times[winner as keyof typeof times] < 1.06 * best) continue;
        wrong += 1 / races;
        if (clear) wrongAndClear += 1 / races;
        expect(now).toBeLessThan(4000);
      }
      expect(wrong, stage).toBeLessThanOrEqual(kind.wrong);
      expect(wrongAndClear, stage).toBeLessThanOrEqual(kind.wrong / 2);
    }
  });

  it("finds that another shape is quicker than the usual one, unless the machine is busy throughout", async () => {
    const clock = { resolution: { longEnough: 4, jitter: 0.02 } } as unknown as Stopwatch;
    for (const name of ["quiet", "drifting", "with bursts", "slow for long"] as const) {
      let found = 0;
      for (let k = 0; k < 60; k++) {
        now = 0;
        const work = machine(MACHINES[name]);
        const shapes = Object.entries(STAGES["uniform update"]).map(([shape, ms]) => ({
          name: shape,
          run: async (n: number) => work(n * ms),
        }));
        if ((await race(shapes, clock, "kept")).winner !== "kept") found += 1 / 60;
      }
      expect(found, name).toBeGreaterThan(0.9);
    }
  });

  it("hangs on the times alone", async () => {
    const once = async () => {
      seed = 7;
      now = 0;
      const work = machine(MACHINES["taken half of the time"]);
      const shapes = Object.entries(STAGES["uniform deposit"]).map(([name, ms]) => ({
        name,
        run: async (n: number) => work(n * ms),
      }));
      return race(shapes, { resolution: { longEnough: 4, jitter: 0.02 } } as unknown as Stopwatch, "rows");
    };
    expect(await once()).toEqual(await once());
  });
});
