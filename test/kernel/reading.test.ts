/** Particles brought into groups of ids before they are read: nothing of what is read may tell. */
import { describe, expect, it } from "vitest";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { groupById } from "../../src/engine/gpu-particles/id-groups.ts";
import { ParticleReading } from "../../src/engine/gpu-particles/reading.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { type ParticleBlock, wholeOf } from "../../src/physics/particles/blocks.ts";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { wholeArray } from "../../src/physics/particles/saved-arrays.ts";
import { exactState, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const COUNT = 40_003;
const NEVER = Number.POSITIVE_INFINITY;

/** Particles in slots that tell nothing of their ids, some of them boxes away; read as on a processor, whatever this adapter is. */
async function scattered(boundary: "isolated" | "periodic", windows: { particles?: number } = {}) {
  const adapter = { ...gpu().adapter, software: true };
  const context = new GpuContext(gpu().device, adapter, { owned: false, parent: gpu(), windows });
  const set = placeholders(COUNT, (id) => (windows.particles ? 1 : 1 + (id % 2)));
  const particles = await ParticleBuffers.create(context, set, { boxSize: 3, boundary });
  await particles.restore(exactState(randomPositions(COUNT, 5), boundary, (id) => (id % 7 === 0 ? 1 + (id << 10) : 0)));
  const ids = Uint32Array.from({ length: COUNT }, (_, id) => id);
  const word = randomWords(1);
  for (let i = COUNT - 1; i > 0; i--) {
    const j = word() % (i + 1);
    [ids[i], ids[j]] = [ids[j], ids[i]];
  }
  for (const { first, count, ids: buffers } of particles.windows) {
    context.device.queue.writeBuffer(buffers[0], 0, ids.subarray(first, first + count));
  }
  const masses = ParticleMasses.of(set.masses, [{ first: 0, count: COUNT }]);
  const reading = (least: number) => new ParticleReading(context, particles, masses, least);
  const all = (blocks: AsyncIterable<ParticleBlock>) => wholeOf(set, blocks);
  return { context, particles, reading, all };
}

describe("particles read by groups of ids", () => {
  it.each([
    { boundary: "isolated" as const, windows: {}, cut: 1 },
    { boundary: "periodic" as const, windows: {}, cut: 1 },
    { boundary: "isolated" as const, windows: { particles: 16_384 }, cut: 3 },
  ])("are what they are without, $boundary in $cut windows", async ({ boundary, windows, cut }) => {
    const { context, particles, reading, all } = await scattered(boundary, windows);
    expect(particles.windows.length).toBe(cut);
    const [asTheyLie, grouped] = [reading(NEVER), reading(1)];
    const expected = await all(asTheyLie.blocks({ block: 9999 }, {}));
    expect(await all(grouped.blocks({ block: 9999 }, {}))).toEqual(expected);
    for (const name of ["positions", "velocities", ...(boundary === "isolated" ? ["images" as const] : [])] as const) {
      expect(await wholeArray(grouped.column(name))).toEqual(await wholeArray(asTheyLie.column(name)));
    }
    particles.destroy();
    context.destroy();
  });

  it("lie in the other half then, each group in its own places", async () => {
    const { context, particles } = await scattered("isolated");
    const before = await particles.readIds();
    await groupById(context, particles, [particles.places], 10);
    expect(await particles.readIds()).toEqual(before);
    const grouped = new Uint32Array(await context.read(particles.ids[1], 0, 4 * COUNT));
    expect(grouped.map((id) => id >> 10)).toEqual(Uint32Array.from({ length: COUNT }, (_, place) => place >> 10));
    expect(new Set(grouped).size).toBe(COUNT);
    particles.destroy();
    context.destroy();
  });

  it("are brought there anew when it was taken for something else, and refused when that happens between blocks", async () => {
    const { context, particles, reading, all } = await scattered("periodic");
    const grouped = reading(1);
    const expected = await all(grouped.blocks({}, {}));
    for (const buffer of [particles.ids[1], particles.positions[1]]) {
      context.device.queue.writeBuffer(buffer, 0, new Uint32Array(1000));
    }
    particles.takeOtherHalf();
    expect(await all(grouped.blocks({}, {}))).toEqual(expected);
    const interrupted = async () => {
      for await (const { first } of grouped.blocks({ block: 5000 }, {})) if (first === 0) particles.takeOtherHalf();
    };
    await expect(interrupted()).rejects.toThrow("nothing else to be done with them between two blocks");
    const amidst = async () => {
      for await (const { first } of grouped.blocks({ block: 5000 }, {})) {
        if (first === 0) for await (const _ of grouped.blocks({ every: 10 }, {}));
      }
    };
    await expect(amidst()).rejects.toThrow("nothing else to be done with them between two blocks");
    expect(await all(grouped.blocks({}, {}))).toEqual(expected);
    particles.destroy();
    context.destroy();
  });

  it("leave velocities alone that are kept there", async () => {
    const { context, particles, reading } = await scattered("periodic");
    const grouped = reading(1);
    await particles.encodeKeepVelocities(context.batch("keep")).submit();
    const velocities = await wholeArray(grouped.column("velocities"));
    await wholeArray(grouped.column("positions"));
    expect(await wholeArray(grouped.keptVelocities())).toEqual(velocities);
    particles.destroy();
    context.destroy();
  });
});
