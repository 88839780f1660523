import { describe, expect, it } from "vitest";
import { gathered, type SlotWindow } from "../../src/engine/gpu-particles/gather.ts";
import { MeshPipeline } from "../../src/engine/pipeline/pipeline.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { blocksOf, wholeOf } from "../../src/physics/particles/blocks.ts";
import { placeholders, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { pipelineSettings } from "../support/pipeline.ts";

const gpu = useGpu();
const COUNT = 5003;

/** Slots in a random order, cut into windows of these lengths, and what each particle has, by id. */
function slots(lengths: readonly number[]) {
  const word = randomWords(7);
  const ids = Uint32Array.from({ length: COUNT }, (_, id) => id);
  for (let i = COUNT - 1; i > 0; i--) {
    const j = word() % (i + 1);
    [ids[i], ids[j]] = [ids[j], ids[i]];
  }
  const byId = {
    positions: values(3),
    velocities: values(3),
    images: values(1),
    accelerations: values(3),
    potential: values(1),
  };
  function values(width: number) {
    return Uint32Array.from({ length: width * COUNT }, word);
  }
  let at = 0;
  const windows = lengths.map((length): SlotWindow => {
    const members = ids.slice(at, at + length);
    at += length;
    const bySlot = (name: keyof typeof byId) => {
      const width = byId[name].length / COUNT;
      const data = Uint32Array.from(
        { length: width * length },
        (_, k) => byId[name][width * members[Math.floor(k / width)] + (k % width)],
      );
      return gpu().buffers.upload(name, data, "other");
    };
    return {
      ids: gpu().buffers.upload("ids", members, "other"),
      ...{ positions: bySlot("positions"), velocities: bySlot("velocities"), images: bySlot("images") },
      ...{ accelerations: bySlot("accelerations"), potential: bySlot("potential") },
    };
  });
  return { windows, byId, release: () => gpu().buffers.release(...windows.flatMap((window) => Object.values(window))) };
}

describe("particles gathered in blocks of ids", () => {
  const everything = ["positions", "velocities", "images", "accelerations", "potential"] as const;
  it.each([
    { windows: [COUNT], block: 2 ** 20, every: 1 },
    { windows: [1, 2000, 3002], block: 999, every: 1 },
    { windows: [2502, 2501], block: 64, every: 7 },
    { windows: [COUNT], block: 10, every: COUNT },
  ])("come from $windows slots, $block at a time, every $every", async ({ windows: lengths, block, every }) => {
    const { windows, byId, release } = slots(lengths);
    const held = gpu().buffers.bytes().total;
    let next = 0;
    for await (const found of gathered(gpu(), { count: COUNT, windows, quantities: everything, block, every })) {
      expect(found.first).toBe(next);
      next += found.count;
      for (const name of everything) {
        const width = byId[name].length / COUNT;
        const of = (k: number) => byId[name][width * every * (found.first + Math.floor(k / width)) + (k % width)];
        expect(found.words[name]).toEqual(Uint32Array.from({ length: width * found.count }, (_, k) => of(k)));
      }
    }
    expect(next).toBe(Math.ceil(COUNT / every));
    expect(gpu().buffers.bytes().total).toBe(held);
    release();
  });

  it("give their staging back when nobody wants the rest, and hold no more than was asked for", async () => {
    const { windows, byId, release } = slots([COUNT]);
    const held = gpu().buffers.bytes().total;
    const scratch = [windows[0].potential!];
    const wanted = { count: COUNT, windows, quantities: ["velocities"], block: 100, scratch } as const;
    for await (const { words } of gathered(gpu(), wanted)) {
      expect(Object.keys(words)).toEqual(["velocities"]);
      expect(words.velocities).toEqual(byId.velocities.subarray(0, 300));
      expect(gpu().buffers.bytes().total).toBe(held + 4 * 300 + 32 + 16);
      break;
    }
    expect(gpu().buffers.bytes().total).toBe(held);
    release();
  });
});

describe("blocks of a backend", () => {
  const particles = placeholders(700, (id) => 1 + (id % 3));
  const word = randomWords(3);
  // Some begin outside the box.
  for (let i = 0; i < 2100; i++) {
    particles.positions[i] = (i % 50 === 0 ? 3 : 1) * (word() / 2 ** 32);
    particles.velocities[i] = word() / 2 ** 32 - 0.5;
  }

  const settings = pipelineSettings({ cells: 16 }, "isolated", 1);

  it.each(["GPU", "CPU"])("are what all particles are on the %s", async (where) => {
    const backend =
      where === "GPU"
        ? await MeshPipeline.create(gpu(), settings, particles)
        : await ReferencePipeline.create(settings, particles);
    await backend.advance(2, 1e-3);
    const want = { potential: true, accelerations: true };
    const whole = await backend.readParticles(want);
    expect(await wholeOf(particles, backend.readBlocks({ ...want, block: 64 }))).toEqual(whole);
    const some = { ...want, block: 33, every: 10 };
    const expected = [...blocksOf(whole, some)];
    expect(expected.map(({ count }) => count)).toEqual([33, 33, 4]);
    let i = 0;
    for await (const block of backend.readBlocks(some)) expect(block).toEqual(expected[i++]);
    expect(i).toBe(3);
    for await (const block of backend.readBlocks()) expect(Object.keys(block)).not.toContain("potential");
    backend.destroy();
  });
});
