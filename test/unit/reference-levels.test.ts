/** Levels in float64: momentum, energy and the bits of a resumed run; test/kernel/levels.test.ts has them beside one mesh. */
import { describe, expect, it } from "vitest";
import type { Level } from "../../src/mesh/level-settings.ts";
import { ReferencePipeline } from "../../src/reference/mesh/pipeline.ts";
import { plummerSphere } from "../support/particles.ts";
import { pipelineSettings } from "../support/pipeline.ts";

const SIDE = 24;
const COUNT = 400;
const follows = [{ first: 0, count: COUNT }];
const level = (parent?: number): Level => {
  return { name: "sphere", parent, refinement: 2, cells: 48, follows, place: [12, 12, 12], substeps: 1 };
};
const settings = pipelineSettings({ cells: 32, kernel: "split" }, "isolated", SIDE, { levels: [level(), level(0)] });

describe("levels in float64", () => {
  it("keep momentum and energy, and go on from a saved state to the same bits", async () => {
    const set = await plummerSphere(COUNT, SIDE);
    for (let i = 0; i < set.count; i++) set.velocities[3 * i] += 0.5;
    const whole = await ReferencePipeline.create(settings, set);
    const before = await whole.sums();
    await whole.advance(2, 0.05);
    const state = await whole.saveState();
    await whole.advance(2, 0.05);
    const after = await whole.sums();
    const momentum = before.momentum.map((p, axis) => Math.abs(after.momentum[axis] - p));
    expect(Math.max(...momentum)).toBeLessThan(2e-4);
    expect(Math.abs(after.kinetic + after.potential - before.kinetic - before.potential)).toBeLessThan(2e-3);
    const resumed = await ReferencePipeline.create(settings, set);
    await resumed.restoreState(state);
    await resumed.advance(2, 0.05);
    expect((await resumed.saveState()).arrays).toEqual((await whole.saveState()).arrays);
  });

  it("have at points what acts on the particles there", async () => {
    const set = await plummerSphere(COUNT, SIDE);
    const pipeline = await ReferencePipeline.create(settings, set);
    const { accelerations } = await pipeline.readParticles({ accelerations: true });
    const at = await pipeline.fieldAt(set.positions.slice(0, 300));
    expect([...Float32Array.from(at.accelerations)]).toEqual([...accelerations!.subarray(0, 300)]);
  });
});
