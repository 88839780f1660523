/** The library's direct sum on the GPU against float64: targets, updates, predictions, blocks, the mesh's particles. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ForceOrder } from "../../src/engine/direct/bodies.ts";
import { DirectSummation, type DirectSummationOptions, type ForceArrays } from "../../src/engine/direct-summation.ts";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { type Motion, moving, predictedTo, vectorErrors } from "../support/direct-bodies.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, randomParticles } from "../support/particles.ts";
import { readExact, readInBox } from "../support/read-particles.ts";

const gpu = useGpu();
const open: DirectSummation[] = [];

async function create(options: Partial<DirectSummationOptions> = {}): Promise<DirectSummation> {
  const direct = await DirectSummation.create({ gpu: gpu(), order: "snap", ...options });
  open.push(direct);
  return direct;
}

let held = 0;
beforeEach(() => {
  held = gpu().buffers.bytes().total;
});
afterEach(async () => {
  for (const direct of open.splice(0)) await direct.destroy();
  expect(gpu().buffers.bytes().total, "bytes held after destroy").toBe(held);
});

/** Largest relative error of each kind of force. */
function errors(found: ForceArrays, expected: ForceArrays): Record<string, number> {
  return Object.fromEntries(
    Object.entries(expected).map(([name, values]) => [
      name,
      Math.max(...vectorErrors(found[name as keyof ForceArrays]!, values, name === "potentials" ? 1 : 3)),
    ]),
  );
}

function expectClose(found: ForceArrays, expected: ForceArrays, tolerance: number): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, error] of Object.entries(errors(found, expected))) expect(error, name).toBeLessThan(tolerance);
}

const ORDERS: ForceOrder[] = ["acceleration", "jerk", "snap"];
/** float32 terms, which nearly cancel on a target in the middle: worst over the targets. */
const TOLERANCE = 1e-5;
const SOFTENING = 0.05;

const sources = (bodies: Motion) => ({ ...bodies, count: bodies.ids.length });

describe.each(ORDERS)("forces with order %s", (order) => {
  it.each([1, 2, 257])("of 300 sources on %i targets of another set", async (count) => {
    const there = moving(300, 1);
    const here = { ...moving(count, 2), ids: Uint32Array.from({ length: count }, (_, i) => 1000 + i) };
    const direct = await create({ order, softening: SOFTENING, G: 2.5 });
    await direct.setSources(there);
    const found = await direct.forces(here);
    const scaled = { ...sources(there), masses: there.masses.map((mass) => 2.5 * mass) };
    expectClose(
      found,
      directForces({ order, softening: SOFTENING, targets: sources(here), sources: scaled }),
      TOLERANCE,
    );
  });

  it.each([1, 2, 257])("of %i sources on themselves, without softening", async (count) => {
    const there = moving(count, 3);
    const direct = await create({ order });
    await direct.setSources(there);
    const found = await direct.forces();
    const expected = directForces({ order, softening: 0, targets: sources(there), sources: sources(there) });
    expectClose(found, expected, TOLERANCE);
  });

  it("of sources at the same place is zero, softened or not", async () => {
    const there = moving(3, 4);
    for (const array of [there.positions, there.velocities, there.accelerations]) array.copyWithin(3, 0, 3);
    for (const softening of [0, SOFTENING]) {
      const direct = await create({ order, softening });
      await direct.setSources(there);
      const expected = directForces({ order, softening, targets: sources(there), sources: sources(there) });
      expectClose(await direct.forces(), expected, TOLERANCE);
    }
  });
});

describe("sources", () => {
  it("on which forces act can be listed by row", async () => {
    const there = moving(500, 5);
    const direct = await create({ order: "jerk", softening: SOFTENING, largestBinding: 128 * 128 });
    await direct.setSources(there);
    const all = await direct.forces();
    const rows = [499, 0, 127, 128, 256, 3];
    const found = await direct.forces({ rows });
    rows.forEach((row, slot) => {
      expect(found.accelerations.subarray(3 * slot, 3 * slot + 3)).toEqual(
        all.accelerations.subarray(3 * row, 3 * row + 3),
      );
      expect(found.jerks!.subarray(3 * slot, 3 * slot + 3)).toEqual(all.jerks!.subarray(3 * row, 3 * row + 3));
      expect(found.potentials[slot]).toBe(all.potentials[row]);
    });
  });

  it("act on targets without ids wherever they stand, and on none of their own id", async () => {
    const direct = await create({ order: "acceleration" });
    await direct.setSources({ positions: [1, 0, 0, -2, 0, 0], masses: [1, 8], ids: [7, 9] });
    const at = { positions: [0, 0, 0] };
    expect(Array.from((await direct.forces(at)).accelerations)).toEqual([-1, 0, 0]);
    expect(Array.from((await direct.forces({ ...at, ids: [7] })).accelerations)).toEqual([-2, 0, 0]);
    expect(Array.from((await direct.forces({ ...at, ids: [9] })).accelerations)).toEqual([1, 0, 0]);
  });

  it("are summed in single precision where that is asked for", async () => {
    const there = moving(300, 6);
    const direct = await create({ order: "jerk", precision: "single", softening: SOFTENING });
    await direct.setSources(there);
    const expected = directForces({
      order: "jerk",
      softening: SOFTENING,
      targets: sources(there),
      sources: sources(there),
    });
    expect(direct.precision).toBe("single");
    expectClose(await direct.forces(), expected, TOLERANCE);
  });

  it("far from the origin lose nothing, nor do targets", async () => {
    const there = moving(200, 6);
    const far = { ...there, positions: there.positions.map((x, i) => x + [1e5, -3e4, 77][i % 3]) };
    const direct = await create({ order: "acceleration", precision: "double-single", softening: SOFTENING });
    await direct.setSources(far);
    const expected = directForces({
      order: "acceleration",
      softening: SOFTENING,
      targets: sources(far),
      sources: sources(far),
    });
    expectClose(await direct.forces(), expected, TOLERANCE);
    expectClose(await direct.forces({ positions: far.positions, ids: far.ids }), expected, TOLERANCE);
  });

  it("in several blocks exert what they do in one, to the bit", async () => {
    const there = moving(1000, 7);
    const whole = await create({ order: "acceleration", softening: SOFTENING });
    const parts = await create({ order: "acceleration", softening: SOFTENING, largestBinding: 128 * 128 });
    for (const direct of [whole, parts]) await direct.setSources(there);
    const { blocks } = await parts.sourceBuffers();
    expect(blocks.map(({ first, count }) => [first, count])).toEqual(
      [...new Array(8).keys()].map((k) => [128 * k, Math.min(128, 1000 - 128 * k)]),
    );
    expect(await parts.forces()).toEqual(await whole.forces());
    expect(await parts.forces()).toEqual(await parts.forces());
  });

  it("can be replaced by more and by fewer", async () => {
    const direct = await create({
      order: "acceleration",
      softening: SOFTENING,
      capacity: 100,
      largestBinding: 128 * 128,
    });
    for (const count of [90, 400, 3, 0, 130]) {
      const there = moving(count, 8);
      const still = { positions: there.positions, masses: there.masses };
      await direct.setSources(count % 2 === 0 ? still : there);
      expect(direct.count).toBe(count);
      const targets = sources({ ...moving(5, 9), ids: new Uint32Array(5).fill(4000) });
      const expected = directForces({ order: "acceleration", softening: SOFTENING, targets, sources: sources(there) });
      expectClose(await direct.forces({ positions: targets.positions }), expected, TOLERANCE);
    }
  });

  it("are read back as they were set", async () => {
    const there = moving(300, 10);
    const direct = await create({ G: 4, largestBinding: 128 * 128 });
    await direct.setSources(there);
    const { positions, velocities, accelerations, masses, ids } = await direct.readSources();
    expect(Math.max(...vectorErrors(positions, there.positions, 3))).toBeLessThan(2 ** -45);
    expect(velocities).toEqual(there.velocities.map(Math.fround));
    expect(accelerations).toEqual(there.accelerations.map(Math.fround));
    expect(masses).toEqual(there.masses.map((mass) => Math.fround(4 * mass) / 4));
    expect(ids).toEqual(there.ids);
  });
});

describe("an update of rows", () => {
  const rows = [299, 5, 128, 64];

  it("changes the fields given, and those alone", async () => {
    const there = moving(300, 11);
    const other = moving(4, 12);
    const direct = await create({ largestBinding: 128 * 128 });
    await direct.setSources(there);
    await direct.updateSources(rows, { positions: other.positions, times: other.times });
    await direct.updateSources(rows.slice(0, 2), { masses: [0.25, 0.5], ids: [9000, 9001] });
    await direct.updateSources([rows[3]], { velocities: [1, 2, 3], accelerations: [4, 5, 6], jerks: [7, 8, 9] });
    const changed = structuredClone(there);
    rows.forEach((row, k) => {
      changed.positions.set(other.positions.subarray(3 * k, 3 * k + 3), 3 * row);
      changed.times[row] = other.times[k];
    });
    changed.masses.set([0.25], rows[0]);
    changed.masses.set([0.5], rows[1]);
    changed.ids.set([9000], rows[0]);
    changed.ids.set([9001], rows[1]);
    changed.velocities.set([1, 2, 3], 3 * rows[3]);
    changed.accelerations.set([4, 5, 6], 3 * rows[3]);
    changed.jerks.set([7, 8, 9], 3 * rows[3]);
    const fresh = await create({ largestBinding: 128 * 128 });
    await fresh.setSources(changed);
    for (const time of [undefined, 2]) {
      for (const sum of [direct, fresh]) await sum.predict(time);
      const [found, expected] = [await direct.readSources(), await fresh.readSources()];
      // Both are about the mean of the sources that were set first, which differs a little.
      expect(Math.max(...vectorErrors(found.positions, expected.positions, 3))).toBeLessThan(2 ** -43);
      expect({ ...found, positions: undefined }).toEqual({ ...expected, positions: undefined });
    }
  });

  it("is seen by the next forces, of sources that don't move too", async () => {
    const direct = await create({ order: "acceleration" });
    await direct.setSources({ positions: [1, 0, 0, 0, 5, 0], masses: 1 });
    await direct.updateSources([1], { positions: [0, 2, 0], masses: [8] });
    expect(Array.from((await direct.forces({ positions: [0, 0, 0] })).accelerations)).toEqual([1, 2, 0]);
    await direct.updateSources([], {});
    await direct.updateSources([0], { masses: 3 });
    expect(Array.from((await direct.forces({ positions: [0, 0, 0] })).accelerations)).toEqual([3, 2, 0]);
  });
});

describe("a prediction", () => {
  it.each([0, 0.3, 1.75])("to time %d takes every source from its own time", async (time) => {
    const there = moving(300, 13);
    const direct = await create({ largestBinding: 128 * 128 });
    await direct.setSources(there);
    await direct.predict(time);
    const expected = predictedTo(there, time);
    const { positions, velocities, accelerations } = await direct.readSources();
    expect(Math.max(...vectorErrors(positions, expected.positions, 3))).toBeLessThan(2 ** -42);
    expect(Math.max(...vectorErrors(velocities!, expected.velocities, 3))).toBeLessThan(2 ** -23);
    expect(Math.max(...vectorErrors(accelerations!, expected.accelerations, 3))).toBeLessThan(2 ** -23);
  });

  it("holds until the next, for updated sources too", async () => {
    const there = moving(200, 14);
    const direct = await create({ order: "jerk", softening: SOFTENING });
    await direct.setSources(there);
    await direct.predict(1.5);
    await direct.updateSources([3], {
      positions: [0.5, 0.25, 0],
      velocities: [1, 0, 0],
      accelerations: [0, 0, 0],
      jerks: [0, 0, 0],
      times: [1],
    });
    const changed = structuredClone(there);
    changed.positions.set([0.5, 0.25, 0], 9);
    changed.velocities.set([1, 0, 0], 9);
    for (const array of [changed.accelerations, changed.jerks]) array.fill(0, 9, 12);
    changed.times[3] = 1;
    const now = sources(predictedTo(changed, 1.5));
    expect(now.positions[9]).toBe(1);
    expectClose(
      await direct.forces(),
      directForces({ order: "jerk", softening: SOFTENING, targets: now, sources: now }),
      TOLERANCE,
    );
    await direct.predict(undefined);
    const own = sources(changed);
    expectClose(
      await direct.forces(),
      directForces({ order: "jerk", softening: SOFTENING, targets: own, sources: own }),
      TOLERANCE,
    );
  });

  it("is exact where float32 is not: a small step far away from a large time", async () => {
    const direct = await create({ order: "jerk" });
    const time = 1000 + 2 ** -12;
    await direct.setSources({
      positions: [3, 0, 0, -3, 0, 0],
      velocities: [1 / 3, 0, 0, 0, 0, 0],
      masses: 1,
      times: 1000,
    });
    await direct.predict(time);
    const { positions } = await direct.readSources();
    expect(Math.abs(positions[0] - (3 + 2 ** -12 / 3))).toBeLessThan(2 ** -46);
  });
});

describe("the mesh's particles", () => {
  const boxSize = 12.5;

  it("become sources where they lie, by id, whatever their order", async () => {
    const particles = randomParticles(300, boxSize, 3);
    particles.positions.set([-7, 3, 30], 0); // outside the box
    particles.positions.set([12.4999, 0, 6.25], 3);
    const mesh = await ParticleBuffers.create(gpu(), particles, { boxSize, boundary: "isolated" });
    const order = Uint32Array.from({ length: 300 }, (_, slot) => (7 * slot + 11) % 300);
    const exact = await readExact(gpu(), mesh);
    const shuffled = (values: Uint32Array, width: number) =>
      Uint32Array.from({ length: values.length }, (_, i) => values[width * order[Math.floor(i / width)] + (i % width)]);
    const { queue } = gpu().device;
    queue.writeBuffer(mesh.positions[0], 0, shuffled(exact.positions, 3));
    queue.writeBuffer(mesh.images![0], 0, shuffled(exact.images!, 1));
    queue.writeBuffer(mesh.ids[0], 0, order);
    const direct = await create({ order: "acceleration", softening: SOFTENING, G: 3, largestBinding: 128 * 32 });
    const [positions, ids, images] = [mesh.positions[0], mesh.ids[0], mesh.images![0]];
    await direct.setSourcesFromMesh({ count: 300, boxSize, positions, ids, images, masses: particles.masses });
    const { positions: places } = await readInBox(gpu(), mesh);
    const found = await direct.readSources();
    expect(found.ids).toEqual(Uint32Array.from({ length: 300 }, (_, id) => id));
    expect(Math.max(...found.positions.map((x, i) => Math.abs(x - places[i])))).toBeLessThan(2 ** -43);
    const bodies = {
      count: 300,
      positions: places,
      masses: particles.masses.map((m) => 3 * m),
      ids: found.ids,
    };
    const expected = directForces({ order: "acceleration", softening: SOFTENING, targets: bodies, sources: bodies });
    expectClose(await direct.forces(), expected, TOLERANCE);
    mesh.destroy();
  });

  it("become the same sources from several windows", async () => {
    const particles = randomParticles(9001, boxSize, 3);
    const massOf = (id: number) => 1 + (id % 5);
    const given = { count: 9001, boxSize, masses: Float64Array.from({ length: 9001 }, (_, id) => massOf(id)) };
    const sources = async (windows: WindowLimits) => {
      const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
      const mesh = await ParticleBuffers.create(context, particles, { boxSize, boundary: "isolated" });
      const direct = await create({ order: "jerk", softening: SOFTENING, largestBinding: 128 * 128 });
      const held = mesh.windows.map(({ count, positions, ids, images, velocities }) => ({
        ...{ count, positions: positions[0], ids: ids[0], images: images![0], velocities: velocities[0] },
      }));
      await direct.setSourcesFromMesh({ ...given, windows: held });
      const found = await direct.readSources();
      if (held.length > 1) {
        const some = direct.setSourcesFromMesh({ ...given, windows: held.slice(1) });
        await expect(some).rejects.toThrow(/expected windows of 9001 particles, found 4905/);
      }
      mesh.destroy();
      context.destroy();
      return { windows: held.length, found };
    };
    const { found } = await sources({});
    expect(found.masses).toEqual(given.masses);
    expect(await sources({ particles: 4096 })).toEqual({ windows: 3, found });
  });

  it("of a simulation under way are summed over without a read-back", async () => {
    const scenario = completeScenario({
      ...{ title: "Sphere", box: { size: 8, boundary: "isolated" }, mesh: { cells: 16 }, time: { end: 1, step: 0.05 } },
      particles: [{ kind: "plummer", count: 400, cutoff: 3 }],
    });
    const simulation = await Simulation.create(scenario, { gpu: gpu() });
    await simulation.advance({ until: 0.1 });
    const { positions, masses } = await simulation.readParticles();
    const direct = await create({ order: "acceleration", softening: SOFTENING });
    const buffers = simulation.buffers!;
    await direct.setSourcesFromMesh({ count: 400, boxSize: 8, ...buffers, masses });
    const bodies = { count: 400, positions, masses, ids: Uint32Array.from({ length: 400 }, (_, id) => id) };
    const expected = directForces({ order: "acceleration", softening: SOFTENING, targets: bodies, sources: bodies });
    expectClose(await direct.forces(), expected, TOLERANCE);
    const found = await direct.readSources();
    expect(Math.max(...found.positions.map((x, i) => Math.abs(x - positions[i])))).toBeLessThan(2 ** -43);
    simulation.destroy();
  });

  it("bring their velocities, and can't be moved", async () => {
    const velocities = [1, 2, 3, -4, 5, 6];
    const mesh = await ParticleBuffers.create(gpu(), particleSet([1, 2, 3, 4, 5, 6], velocities), {
      boxSize,
      boundary: "periodic",
    });
    const direct = await create({ order: "jerk" });
    const buffers = { positions: mesh.positions[0], ids: mesh.ids[0], velocities: mesh.velocities[0] };
    await direct.setSourcesFromMesh({ count: 2, boxSize, ...buffers, masses: 0.5 });
    expect(Array.from((await direct.readSources()).velocities!)).toEqual(velocities);
    await expect(direct.predict(1)).rejects.toThrow(/predict: expected sources with velocities/);
    await expect(direct.updateSources([0], { masses: 1 })).rejects.toThrow(/these sources are the mesh's/);
    await expect(direct.setSourcesFromMesh({ count: 3, boxSize, ...buffers, masses: 1 })).rejects.toThrow(
      /expected 36 bytes of positions for 3 particles, found 24/,
    );
    mesh.destroy();
  });
});

describe("an evaluation", () => {
  it("reports progress that rises to 1, and ends when it is aborted", async () => {
    const direct = await create({ order: "acceleration", softening: SOFTENING, largestBinding: 128 * 128 });
    await direct.setSources(moving(1000, 15));
    const fractions: number[] = [];
    const whole = await direct.forces(undefined, { onProgress: (fraction) => fractions.push(fraction) });
    expect(fractions.length).toBeGreaterThan(0);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    const signal = AbortSignal.abort();
    await expect(direct.forces(undefined, { signal })).rejects.toMatchObject({ kind: "aborted" });
    expect(await direct.forces()).toEqual(whole);
  });

  it("is cut into sets of targets and into blocks, without a change to its bits", async () => {
    const direct = await create({ order: "acceleration", softening: SOFTENING, largestBinding: 128 * 32 });
    const there = moving(400, 16);
    await direct.setSources({ positions: there.positions, masses: there.masses });
    const here = moving(70_000, 17);
    const controller = new AbortController();
    const onProgress = (fraction: number) => {
      expect(fraction).toBeLessThan(1);
      controller.abort();
    };
    const stopped = direct.forces({ positions: here.positions }, { onProgress, signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ kind: "aborted" });
    const many = await direct.forces({ positions: here.positions });
    for (const target of [0, 65_535, 65_536, 69_999]) {
      const alone = await direct.forces({ positions: here.positions.subarray(3 * target, 3 * target + 3) });
      expect(many.accelerations.subarray(3 * target, 3 * target + 3)).toEqual(alone.accelerations);
    }
  });

  it("that can't be told in float32 is an error, not a number", async () => {
    const direct = await create({ order: "acceleration" });
    await direct.setSources({ positions: [0, 0, 0, 1e-17, 0, 0], masses: 1 });
    await expect(direct.forces()).rejects.toMatchObject({ kind: "numerical" });
  });
});
