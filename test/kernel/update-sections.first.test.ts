/** Ordering and update where particles lie in windows and the mesh in slabs: the same bits as in one piece. */
import { describe, expect, it } from "vitest";
import { type ExactParticles, ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { EscapedParticles } from "../../src/engine/time/escaped.ts";
import { Leapfrog } from "../../src/engine/time/leapfrog.ts";
import type { LeapfrogShape } from "../../src/engine/time/leapfrog-shapes.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { firstDifference } from "../support/compare.ts";
import { exactState, meshSettings, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { writeForce } from "../support/mesh-mass.ts";
import { forceIsGiven, randomForce } from "../support/particle-stage.ts";
import { readExact } from "../support/read-particles.ts";

const gpu = useGpu();
const CELLS = 32;
const COUNT = 20_011;

interface Case {
  boundary: Boundary;
  assignment: Assignment;
  shape: LeapfrogShape;
}

/** Three kicks and drifts across many slabs, a force of random numbers, and a closing kick. */
async function evolved({ boundary, assignment, shape }: Case, windows: WindowLimits): Promise<ExactParticles> {
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
  try {
    const word = randomWords(3);
    const imageOf = () => (word() % 9 === 0 ? packImage((word() % 3) - 1, 0, (word() % 3) - 1) : 0);
    const exact = exactState(randomPositions(COUNT, 6), boundary, imageOf);
    const set = placeholders(COUNT, (id) => (1 + (id % 5)) / (3 * COUNT));
    const particles = await ParticleBuffers.create(context, set, { boxSize: 1, boundary });
    await particles.restore(exact);
    const settings = meshSettings(CELLS, assignment);
    const mesh = createMeshBuffers(context, wholeBoxGrid(CELLS, boundary));
    const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid));
    const pipeline = { mesh: settings, boundary, boxSize: 1, G: 1, externalPotentials: [] };
    const stage = { gpu: context, particles, mesh, settings: pipeline };
    const escaped = await EscapedParticles.create(stage);
    const leapfrog = await Leapfrog.create(stage, escaped, shape);
    writeForce(context, mesh, randomForce(CELLS));
    const batch = context.batch("steps");
    order.encodeCount(batch);
    for (let step = 0; step <= 3; step++) {
      order.encodeSort(batch);
      escaped.encode(batch);
      forceIsGiven(particles);
      if (step < 3) leapfrog.encode(batch, 0.2, 0.1);
      else leapfrog.encodeKick(batch, 0.2);
    }
    await leapfrog.health.watch(batch).submit();
    return await readExact(context, particles);
  } finally {
    context.destroy();
  }
}

describe("ordering and update in sections", () => {
  const some: Case[] = [
    { boundary: "periodic", assignment: "tsc", shape: { run: 8, texels: true } },
    { boundary: "isolated", assignment: "cic", shape: { run: 8, texels: false } },
  ];
  const all: Case[] = [
    ...some,
    { boundary: "periodic", assignment: "tsc", shape: { run: 8, texels: false } },
    { boundary: "isolated", assignment: "cic", shape: { run: 1, texels: false } },
    { boundary: "isolated", assignment: "ngp", shape: { run: 8, texels: false } },
  ];
  it.each(inFull(all, some))("$boundary, $assignment, $shape", async (given) => {
    const whole = await evolved(given, {});
    for (const windows of [{ planes: 2, particles: 4096 }, { planes: 10 }, { particles: 8192 }]) {
      const found = await evolved(given, windows);
      expect(firstDifference(found.positions, whole.positions)).toBe("same");
      const bits = (velocities: Float32Array) => new Uint32Array(velocities.buffer);
      expect(firstDifference(bits(found.velocities), bits(whole.velocities))).toBe("same");
      expect(firstDifference(found.images ?? [], whole.images ?? [])).toBe("same");
    }
  });
});
