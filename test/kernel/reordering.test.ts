/** How often particles are ordered goes by a sample of their velocities, which is read back with a submission. */
import { describe, expect, it } from "vitest";
import { pinnedShapes } from "../../src/gpu/choices.ts";
import { GpuContext } from "../../src/gpu/context.ts";
import { createMeshBuffers } from "../../src/mesh/field.ts";
import { ParticleBuffers } from "../../src/particles/buffers.ts";
import { Reordering } from "../../src/particles/reordering.ts";
import { exactState, meshSettings, placeholders, randomPositions } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const COUNT = 3000;

/** For particles that all move by a velocity of 1 along x. */
async function reorderingOf(shape: string) {
  const shapes = pinnedShapes(`reorder=${shape}`);
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), shapes });
  const particles = await ParticleBuffers.create(context, placeholders(COUNT), { boxSize: 2, boundary: "periodic" });
  const velocities = Float32Array.from({ length: 3 * COUNT }, (_, i) => (i % 3 === 0 ? 1 : 0));
  await particles.restore({ ...exactState(randomPositions(COUNT, 2), "periodic"), velocities });
  const mesh = createMeshBuffers(context, 16);
  const reordering = new Reordering({ gpu: context, particles, mesh, settings: meshSettings(16, "cic") });
  /** Whether particles are ordered after each of some steps of a length, the last of which is watched. */
  const through = async (steps: number, drift: number) => {
    const due = Array.from({ length: steps }, () => reordering.isDue(drift, true));
    const batch = context.batch("watched");
    reordering.watch(batch);
    await batch.submit();
    return due;
  };
  return { reordering, through, context };
}

describe("ordering", () => {
  it("as particles move: at each step first, then as seldom as pays", async () => {
    const { reordering, through, context } = await reorderingOf("as they move");
    expect(reordering.skips(Number.POSITIVE_INFINITY)).toBe(false);
    expect(await through(3, 0.001)).toEqual([true, true, true]);
    expect(reordering.skips(1999)).toBe(false); // not worth compiling anything yet
    expect(reordering.skips(2000)).toBe(true);
    // 0.001 · 16 / 2 = 0.008 cells a step: (1 + Σ_{a<K} (1.1 √F + 0.4 F)) / K, F = 0.008 a, is 0.302 at K = 8, its least.
    const due = await through(16, 0.001);
    expect(due.lastIndexOf(true) - due.indexOf(true)).toBe(8);
    expect(due.filter((one) => one)).toHaveLength(2);
    // A cell a step.
    await through(1, 0.125);
    expect(reordering.skips(2000)).toBe(false);
    expect(await through(2, 0.125)).toEqual([true, true]);
    context.destroy();
  });

  it("every third step, where that is pinned, and whenever particles may not stay", async () => {
    const { reordering, through, context } = await reorderingOf("every 3 steps");
    expect(reordering.skips(0)).toBe(true);
    expect(await through(7, 0.125)).toEqual([false, false, true, false, false, true, false]);
    expect(reordering.isDue(0.125, false)).toBe(true);
    expect(await through(3, 0.125)).toEqual([false, false, true]);
    context.destroy();
  });

  it("at each step, where that is pinned", async () => {
    const { reordering, through, context } = await reorderingOf("each step");
    expect(await through(3, 0)).toEqual([true, true, true]);
    expect(reordering.skips(Number.POSITIVE_INFINITY)).toBe(false);
    context.destroy();
  });
});
