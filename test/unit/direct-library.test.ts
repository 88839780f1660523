/** gravmesh/direct without a GPU: the float64 engine behind the same interface, and what is refused. */
import { describe, expect, it } from "vitest";
import {
  DirectSummation,
  type DirectSummationOptions,
  NO_NEIGHBOUR,
  type SourceInput,
} from "../../src/engine/direct-summation.ts";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import { findNeighbours } from "../../src/engine/reference/direct/neighbours.ts";
import { type Motion, moving, predictedTo, vectorErrors } from "../support/direct-bodies.ts";

const SOFTENING = 0.05;
const create = (options: Partial<DirectSummationOptions> = {}) =>
  DirectSummation.create({ backend: "cpu", order: "snap", ...options });
const set = (bodies: Motion) => ({ ...bodies, count: bodies.ids.length });

describe("the direct sum on the CPU", () => {
  it("says what it is", async () => {
    const direct = await create({ softening: SOFTENING, G: 2 });
    const { backend, precision, order, softening, G, adapter, notice, count } = direct;
    expect({ backend, precision, order, softening, G, adapter, notice, count }).toEqual({
      ...{ backend: "cpu", precision: "double", order: "snap", softening: SOFTENING, G: 2 },
      ...{ adapter: undefined, notice: undefined, count: 0 },
    });
  });

  it("sums accelerations unless more is asked for", async () => {
    const direct = await DirectSummation.create({ backend: "cpu" });
    expect(direct.order).toBe("acceleration");
    await direct.setSources({ positions: [1, 0, 0], masses: 1 });
    const forces = await direct.forces({ positions: [0, 0, 0] });
    expect(Object.keys(forces).sort()).toEqual(["accelerations", "potentials"]);
    expect(forces.accelerations[0]).toBe(1);
  });

  it.each(["acceleration", "jerk", "snap"] as const)("gives the forces of order %s in float64", async (order) => {
    const [there, here] = [moving(120, 1), moving(7, 2)];
    const direct = await create({ order, softening: SOFTENING, G: 3 });
    await direct.setSources(there);
    await direct.predict(1.5);
    const now = set({ ...predictedTo(there, 1.5), masses: there.masses.map((mass) => 3 * mass) });
    const expected = directForces({ order, softening: SOFTENING, targets: set(here), sources: now });
    const found = await direct.forces(here);
    const own = await direct.forces({ rows: [100, 2] });
    const ownExpected = directForces({ order, softening: SOFTENING, targets: now, sources: now });
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
      const width = name === "potentials" ? 1 : 3;
      expect(Math.max(...vectorErrors(found[name]!, expected[name]!, width)), name).toBeLessThan(1e-12);
      const rows = Float64Array.from(
        [100, 2].flatMap((row) => [...ownExpected[name]!.subarray(width * row, width * (row + 1))]),
      );
      expect(Math.max(...vectorErrors(own[name]!, rows, width)), name).toBeLessThan(1e-12);
    }
  });

  it("updates rows and reads the sources back", async () => {
    const there = moving(20, 3);
    const direct = await create({ G: 4 });
    await direct.setSources(there);
    await direct.updateSources([7, 3], { positions: [1, 2, 3, 4, 5, 6], masses: [0.5, 0.25], ids: [500, 501] });
    const { positions, velocities, accelerations, masses, ids } = await direct.readSources();
    expect([...positions.subarray(21, 24), ...positions.subarray(9, 12)]).toEqual([1, 2, 3, 4, 5, 6]);
    expect([masses[7], masses[3], ids[7], ids[3]]).toEqual([0.5, 0.25, 500, 501]);
    expect(positions.subarray(0, 9)).toEqual(there.positions.subarray(0, 9));
    expect([velocities, accelerations]).toEqual([there.velocities, there.accelerations]);
    positions.fill(Number.NaN); // a copy
    expect((await direct.readSources()).positions[21]).toBe(1);
  });

  it("keeps its own copy of what it is given", async () => {
    const positions = Float64Array.of(1, 0, 0);
    const direct = await create({ order: "acceleration" });
    await direct.setSources({ positions, masses: 1 });
    positions[0] = 2;
    expect((await direct.forces({ positions: [0, 0, 0] })).accelerations[0]).toBe(1);
  });

  it("finds neighbours", async () => {
    const [there, here] = [moving(200, 4), moving(30, 5)];
    const direct = await create();
    await direct.setSources(there);
    const { lists, nearestIds } = await direct.neighbours(here, { radius: 0.4, capacity: 3 });
    const search = { radii: new Float64Array(30).fill(0.4), capacity: 3 };
    const expected = findNeighbours({ targets: set(here), sources: set(there), ...search }).lists!;
    expect([lists!.counts, lists!.ids]).toEqual([expected.counts, expected.ids]);
    expect(lists!.overflowed).toEqual(Uint32Array.from(expected.counts.keys()).filter((t) => expected.counts[t] > 3));
    expect(lists!.overflowed.length).toBeGreaterThan(0);
    expect(nearestIds.every((id) => id !== NO_NEIGHBOUR)).toBe(true);
    expect((await direct.neighbours({ positions: [0, 0, 0] })).lists).toBeUndefined();
  });

  it("reports progress, and ends when it is aborted", async () => {
    const direct = await create({ order: "acceleration", softening: SOFTENING });
    await direct.setSources(moving(4000, 6));
    const fractions: number[] = [];
    const controller = new AbortController();
    const onProgress = (fraction: number) => {
      fractions.push(fraction);
      if (fractions.length === 2) controller.abort();
    };
    await expect(direct.forces(undefined, { onProgress, signal: controller.signal })).rejects.toMatchObject({
      kind: "aborted",
    });
    expect(fractions.length).toBe(2);
    expect(fractions[1]).toBeLessThan(1);
    await direct.forces({ rows: [1] }, { onProgress });
    expect(fractions.at(-1)).toBe(1);
  });

  it("carries calls out in the order in which they are made, also past one that fails", async () => {
    const direct = await create({ order: "acceleration" });
    const at = { positions: [0, 0, 0] };
    const results = await Promise.allSettled([
      direct.setSources({ positions: [1, 0, 0], masses: 1 }),
      direct.forces(at),
      direct.setSources({ positions: [1, 0], masses: 1 }),
      direct.updateSources([0], { masses: 5 }),
      direct.forces(at),
      direct.destroy(),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
    const [first, second] = [results[1], results[4]].map((result) =>
      result.status === "fulfilled" ? (result.value as { accelerations: Float64Array }).accelerations[0] : undefined,
    );
    expect([first, second]).toEqual([1, 5]);
    await expect(direct.forces(at)).rejects.toThrow("this direct sum was destroyed; create another");
    await direct.destroy();
  });
});

describe("what is refused", () => {
  const at = { positions: [0, 0, 0] };

  it.each([
    [{ order: "crackle" }, /expected order "acceleration", "jerk" or "snap", found crackle/],
    [{ precision: "half" }, /expected precision "single" or "double-single", found half/],
    [{ softening: -1 }, /expected a softening of 0 or more, found -1/],
    [{ softening: Number.NaN }, /expected a softening of 0 or more, found NaN/],
    [{ G: 0 }, /expected a G other than 0, found 0/],
    [{ capacity: 1.5 }, /expected a capacity of 0 or more, found 1.5/],
  ])("by create: %o", async (options, message) => {
    const wrong = options as unknown as Partial<DirectSummationOptions>;
    await expect(create(wrong)).rejects.toMatchObject({ kind: "usage", message: expect.stringMatching(message) });
  });

  it.each([
    [{ positions: undefined }, "usage", /sources: expected positions \[3N\], found none/],
    [{ positions: [1, 2] }, "usage", /expected positions \[3N\], found 2 numbers/],
    [{ masses: undefined }, "usage", /expected masses \[N\] or one mass for all, found none/],
    [{ masses: [1, 2] }, "usage", /expected masses \[1\] or one number for all, found 2 numbers/],
    [{ velocities: undefined }, "usage", /velocities \[3N\], which order "snap" needs, found none/],
    [{ accelerations: undefined }, "usage", /accelerations \[3N\], which order "snap" needs, found none/],
    [{ velocities: [1, 2] }, "usage", /expected velocities \[3·1\], found 2 numbers/],
    [{ positions: [1, Number.NaN, 3] }, "input", /source 0: expected finite positions, found NaN on axis y/],
    [{ accelerations: [1, 2, 1 / 0] }, "input", /source 0: expected finite accelerations, found Infinity on axis z/],
    [{ masses: Number.NaN }, "input", /source 0: expected finite masses, found NaN/],
    [{ times: [Number.NaN] }, "input", /source 0: expected finite times, found NaN/],
    [{ ids: [1, 2] }, "usage", /expected ids \[1\], found 2 numbers/],
    [{ ids: [-1] }, "input", /source 0: expected an id from 0 to 4294967294, found -1/],
    [{ ids: [0.5] }, "input", /expected an id from 0 to 4294967294, found 0.5/],
    [{ ids: [NO_NEIGHBOUR] }, "input", /expected an id from 0 to 4294967294, found 4294967295/],
  ])("by setSources: %o", async (wrong, kind, message) => {
    const input = { positions: [1, 2, 3], masses: 1, velocities: [1, 2, 3], accelerations: [1, 2, 3], ...wrong };
    const direct = await create();
    await expect(direct.setSources(input as SourceInput)).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [[2], { masses: 1 }, /updateSources: expected rows from 0 to 1, found 2; there are 2 sources/],
    [[-1], { masses: 1 }, /expected rows from 0 to 1, found -1/],
    [[0, 0], { masses: 1 }, /expected every row once, found a row twice/],
    [[0], { masses: [1, 2] }, /updated sources: expected masses \[1\] or one number for all, found 2 numbers/],
    [[0], { velocities: [1, 2, 3] }, /velocities of sources that were set without velocities/],
    [[0], { times: 3 }, /times of sources that were set without velocities/],
  ])("by updateSources: rows %o, %o", async (rows, update, message) => {
    const direct = await create({ order: "acceleration" });
    await direct.setSources({ positions: [1, 2, 3, 4, 5, 6], masses: 1 });
    await expect(direct.updateSources(rows, update)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(message),
    });
  });

  it("by forces, predict and neighbours", async () => {
    const direct = await create({ order: "jerk" });
    await direct.setSources({ positions: [1, 2, 3], velocities: [0, 0, 0], masses: 1 });
    await expect(direct.forces(at)).rejects.toThrow(/targets: expected velocities \[3N\], which order "jerk" needs/);
    await expect(direct.forces({ rows: [1] })).rejects.toThrow(/targets: expected rows from 0 to 0, found 1/);
    await expect(direct.forces({ ...at, velocities: [0, Number.NaN, 0] })).rejects.toThrow(
      /target 0: expected finite velocities, found NaN on axis y/,
    );
    await expect(direct.predict(Number.NaN)).rejects.toThrow(/predict: expected a finite time, found NaN/);
    await expect(direct.neighbours(at, { radius: -1 })).rejects.toThrow(
      /target 0: expected a radius of 0 or more, found -1/,
    );
    await expect(direct.neighbours(at, { radius: [1, 2] })).rejects.toThrow(
      /expected radii \[1\] or one number for all/,
    );
    await expect(direct.neighbours(at, { capacity: 0 })).rejects.toThrow(/expected a capacity of 1 or more, found 0/);
    const still = await create({ order: "acceleration" });
    await still.setSources({ positions: [1, 2, 3], masses: 1 });
    await expect(still.predict(1)).rejects.toThrow(/predict: expected sources with velocities, found none/);
    await still.predict(undefined);
  });

  it("on the CPU: the mesh's buffers and the sum's own", async () => {
    const direct = await create({ order: "acceleration" });
    const buffers = { positions: undefined, ids: undefined } as unknown as { positions: GPUBuffer; ids: GPUBuffer };
    const mesh = direct.setSourcesFromMesh({ count: 1, boxSize: 1, masses: 1, ...buffers });
    await expect(mesh).rejects.toThrow(/setSourcesFromMesh: expected a sum on a GPU, this one is on the CPU/);
    await expect(direct.sourceBuffers()).rejects.toThrow(/sourceBuffers: expected a sum on a GPU/);
  });
});
