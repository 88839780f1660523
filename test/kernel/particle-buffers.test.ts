import { describe, expect, it } from "vitest";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { MASS_UNITS, packImage } from "../../src/physics/particles/fixed-point.ts";
import { firstDifference } from "../support/compare.ts";
import { exactState, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { readExact, readInBox } from "../support/read-particles.ts";

const gpu = useGpu();
const BOX = 12.5;

function randomSet(count: number, spread: number) {
  const word = randomWords(11);
  const set = placeholders(count);
  set.positions.forEach((_, i) => {
    set.positions[i] = BOX * (0.5 + spread * (word() / 2 ** 32 - 0.5));
  });
  set.velocities.forEach((_, i) => {
    set.velocities[i] = word() / 2 ** 31 - 1;
  });
  return set;
}

describe("particle buffers", () => {
  it("give back box coordinates to half a unit of fixed point, velocities to the bit", async () => {
    const set = randomSet(1001, 1);
    const particles = await ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary: "periodic" });
    const { positions, velocities } = await readInBox(gpu(), particles);
    positions.forEach((x, i) => {
      expect(Math.abs(x - set.positions[i])).toBeLessThanOrEqual((BOX / 2 ** 32) * 0.5000001);
    });
    expect(velocities).toEqual(set.velocities);
    particles.destroy();
  });

  it("wrap periodic positions, also just below an edge", async () => {
    const set = placeholders(2);
    set.positions.set([-0.25 * BOX, 1.25 * BOX, 3.5 * BOX, -1e-300, BOX * (1 - 2 ** -40), BOX]);
    const particles = await ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary: "periodic" });
    expect([...(await readExact(gpu(), particles)).positions]).toEqual([3 * 2 ** 30, 2 ** 30, 2 ** 31, 0, 0, 0]);
    particles.destroy();
  });

  it("hold isolated positions far outside as exactly as inside", async () => {
    const set = randomSet(1000, 900);
    const particles = await ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary: "isolated" });
    const { positions } = await readInBox(gpu(), particles);
    positions.forEach((x, i) => {
      expect(Math.abs(x - set.positions[i])).toBeLessThanOrEqual((BOX / 2 ** 32) * 0.501);
    });
    particles.destroy();
  });

  it("restore exact state to the bit, whichever half was current", async () => {
    const exact = exactState(randomPositions(777, 5), "isolated", (id) => packImage(id % 9, -id % 5, -511));
    const options = { boxSize: BOX, boundary: "isolated" } as const;
    const particles = await ParticleBuffers.create(gpu(), placeholders(777), options);
    particles.flip();
    await particles.restore(exact);
    expect(particles.current).toBe(0);
    const after = await readExact(gpu(), particles);
    for (const name of ["positions", "velocities", "images"] as const)
      expect(firstDifference(after[name]!, exact[name]!)).toBe("same");
    await expect(particles.restore({ positions: exact.positions, velocities: exact.velocities })).rejects.toThrow(
      /no images.*777 particles/,
    );
    particles.destroy();
  });

  it("turn masses into units of the heaviest, with a fast path for equal ones", async () => {
    const options = { boxSize: BOX, boundary: "periodic" } as const;
    const equal = await ParticleBuffers.create(
      gpu(),
      placeholders(5, () => 0.125),
      options,
    );
    expect(equal.massUnits).toBeUndefined();
    expect(equal.heaviest).toBe(0.125);
    expect(equal.totalMassUnits).toBe(5n * BigInt(MASS_UNITS));
    const unequal = await ParticleBuffers.create(
      gpu(),
      placeholders(4, (id) => [0, 3, 1, 0.75][id]),
      options,
    );
    const units = [0, MASS_UNITS, Math.round(MASS_UNITS / 3), MASS_UNITS / 4];
    expect([...new Uint32Array(await gpu().read(unequal.massUnits!))]).toEqual(units);
    expect(unequal.totalMassUnits).toBe(BigInt(units.reduce((a, b) => a + b)));
    equal.destroy();
    unequal.destroy();
  });

  it("refuse what can't be held", async () => {
    const create = (change: (set: ReturnType<typeof placeholders>) => void, boundary: "isolated" | "periodic") => {
      const set = placeholders(3);
      change(set);
      return ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary });
    };
    const held = gpu().buffers.bytes().total;
    await expect(create((set) => (set.positions[4] = Number.NaN), "periodic")).rejects.toThrow(/particle 1: .*NaN.*y/);
    await expect(create((set) => (set.velocities[6] = Infinity), "periodic")).rejects.toThrow(/particle 2: .*Infinity/);
    await expect(create((set) => (set.positions[0] = 600 * BOX), "isolated")).rejects.toThrow(/600 boxes.*box\.size/);
    await expect(create((set) => (set.masses[1] = -1), "periodic")).rejects.toThrow(/particle 1: .*found -1/);
    await expect(create((set) => (set.masses[1] = 1e-9), "periodic")).rejects.toThrow(/particle 1: .*1e-9/);
    await expect(create((set) => (set.count = 0), "periodic")).rejects.toThrow(/no particles/);
    expect(gpu().buffers.bytes().total).toBe(held);
  });
});
