/** Shapes of the direct sum on an adapter of made-up speed: what is in doubt is asked again at the next start, and that alone. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ForceKind, type ForceMaker, measuredChoice } from "../../src/direct/force-choice.ts";
import { FORCE_SHAPES, type ForceShape, SLICE } from "../../src/direct/force-shapes.ts";
import type { Batch } from "../../src/gpu/batch.ts";
import { Choices, MemoryChoiceCache } from "../../src/gpu/choices.ts";
import type { GpuContext } from "../../src/gpu/context.ts";
import { Preparing } from "../../src/gpu/preparing.ts";

const FIRST: ForceKind = { order: "acceleration", precision: "single" };
const CHOSEN = "adapter|direct force shapes, acceleration, single";

let now = 0;
let seed = 1;
beforeEach(() => {
  now = 0;
  seed = 1;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

/** In [0, 1). */
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

/** Interactions a second of a shape that keeps the whole adapter busy, by how it reads sources and unrolls targets. */
const RATES = { global: 1.1e12, tiles: 1.3e12, subgroups: 0.8e12, slices: 0.6e12 };
/** Workgroups that do. */
const BUSY_GROUPS = 256;
/** Of a dispatch [ms]. */
const DISPATCH = 0.004;

/** What a job takes on a GPU that was never built [ms]. */
function costOf({ family, split, targets: unrolled, perGroup }: ForceShape, targets: number, sources: number): number {
  const groups = Math.ceil(targets / perGroup) * (split ? Math.ceil(sources / SLICE) : 1);
  const rate = RATES[family] * (unrolled === 4 ? 1.25 : 1) * Math.min(1, groups / BUSY_GROUPS);
  const idle = perGroup > targets ? perGroup / targets : 1; // lanes past the last target
  const sum = (1000 * targets * sources * idle) / rate;
  return sum + DISPATCH + (split ? DISPATCH + (1000 * targets * sources) / SLICE / 5e10 : 0);
}

/** By what a time is wrong: a little, or by as much as other programs make it. */
const quiet = () => 1 + 0.004 * random();
const busy = () => 0.7 + 0.9 * random();

/** A start on the adapter: which sizes are measured, and with what it comes back. */
function start(cache: MemoryChoiceCache, disturbed: () => number) {
  const runs: string[] = [];
  let work = 0;
  const timer = { span: 0, timestamps: true };
  const batch = {
    stage: () => batch,
    async submit() {
      const ms = work * disturbed();
      timer.span = ms;
      now += ms + 0.2;
      work = 0;
    },
  };
  const gpu = {
    adapter: { software: false },
    device: { features: new Set(["subgroups"]), adapterInfo: { subgroupMinSize: 32 } },
    choices: new Choices(cache, "adapter"),
    preparing: new Preparing(),
    buffers: { storage: (label: string, size: number) => ({ label, size }), release() {} },
    account: () => ({ timer, batch: () => batch, destroy() {} }),
  } as unknown as GpuContext;
  const make: ForceMaker = async ({ order, precision, shape: name }) => {
    const shape = FORCE_SHAPES.find((one) => one.name === name)!;
    return {
      encode(_: Batch, { targetCount, sourceCount }) {
        work += costOf(shape, targetCount, sourceCount);
        runs.push(`${order}, ${precision}, ${targetCount} on ${sourceCount}`);
      },
      destroy() {},
    };
  };
  return {
    runs,
    gpu,
    choice: (kind = FIRST) => measuredChoice(gpu, kind, make),
    /** Sizes measured for a kind. */
    sizes: () => [...new Set(runs)],
  };
}

/** What a cache keeps of questions, by purpose; of those in doubt the number of answers. */
function keptIn(cache: MemoryChoiceCache, choices: Choices) {
  const purposes = Object.keys(choices.made).filter((purpose) => purpose.startsWith("direct force, "));
  const inDoubt = purposes.filter((purpose) => cache.get(`adapter|${purpose}`)?.endsWith("?"));
  return { purposes, inDoubt };
}

describe("the choice of a direct sum's shapes", () => {
  it("that is clear is made once", async () => {
    const cache = new MemoryChoiceCache();
    const first = start(cache, quiet);
    const choice = await first.choice();
    expect(choice.few.split).toBe(true);
    expect([choice.fewest.name, choice.middle.name, choice.many.name]).toEqual([
      "split-slices",
      "tiles",
      "tiles-targets-4",
    ]);
    expect(keptIn(cache, first.gpu.choices).inDoubt).toEqual([]);
    expect(cache.get(CHOSEN)).toContain("tiles-targets-4");
    const second = start(cache, busy);
    expect(await second.choice()).toEqual(choice);
    expect(second.runs).toEqual([]);
  });

  it("that is in doubt isn't kept: the next start asks what was in doubt, and nothing else", async () => {
    const cache = new MemoryChoiceCache();
    const first = start(cache, busy);
    const doubtful = await first.choice();
    const { purposes, inDoubt } = keptIn(cache, first.gpu.choices);
    expect(inDoubt.length).toBeGreaterThan(0);
    expect(inDoubt.length).toBeLessThan(purposes.length);
    expect(cache.get(CHOSEN)).toBeUndefined();
    // It is this start's all the same.
    first.runs.length = 0;
    expect(await first.choice()).toEqual(doubtful);
    expect(first.runs).toEqual([]);

    const second = start(cache, quiet);
    const choice = await second.choice();
    for (const purpose of purposes) {
      if (inDoubt.includes(purpose)) continue;
      expect(second.gpu.choices.get(purpose), purpose).toBe(first.gpu.choices.get(purpose));
    }
    const after = keptIn(cache, second.gpu.choices);
    expect(after.inDoubt).toEqual([]);
    expect(choice).toEqual(await start(new MemoryChoiceCache(), quiet).choice());
    const third = start(cache, busy);
    expect(await third.choice()).toEqual(choice);
    expect(third.runs).toEqual([]);
  });

  it("stays after five starts that weren't sure", async () => {
    const cache = new MemoryChoiceCache();
    let starts = 0;
    while (cache.get(CHOSEN) === undefined && starts < 40) {
      await start(cache, busy).choice();
      starts++;
    }
    expect(starts).toBeGreaterThanOrEqual(5);
    expect(starts).toBeLessThan(40);
    const next = start(cache, busy);
    await next.choice();
    expect(next.runs).toEqual([]);
  });

  it("of another kind isn't kept while that of the first, which it goes by, is in doubt", async () => {
    const cache = new MemoryChoiceCache();
    const jerk: ForceKind = { order: "jerk", precision: "double-single" };
    const key = "adapter|direct force shapes, jerk, double-single";
    const first = start(cache, busy);
    await first.choice();
    expect(cache.get(CHOSEN)).toBeUndefined();
    // In one process, where the first stays as it is.
    const calm = { ...first, gpu: first.gpu };
    await calm.choice(jerk);
    expect(cache.get(key)).toBeUndefined();
    const second = start(cache, quiet);
    await second.choice(jerk);
    expect([cache.get(CHOSEN), cache.get(key)]).toEqual([expect.any(String), expect.any(String)]);
    const third = start(cache, busy);
    await third.choice(jerk);
    expect(third.runs).toEqual([]);
  });
});
