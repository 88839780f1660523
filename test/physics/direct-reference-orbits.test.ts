/** Orbits with known ends in float64 direct summation: reversal, external fields, close pairs, three bodies. */
import { describe, expect, it } from "vitest";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import {
  directPipelineSettings,
  exactDirect,
  exactPhaseSpace,
  keplerPair,
  standardPlummer,
  totalEnergy,
} from "../support/direct-reference.ts";

/** Largest distance of a coordinate from where it was. */
async function displacement(backend: ReferenceDirect, from: ArrayLike<number>): Promise<number> {
  const { positions } = await exactPhaseSpace(backend);
  return positions.reduce((most, x, i) => Math.max(most, Math.abs(x - from[i])), 0);
}

describe("leapfrog", () => {
  it("runs back to where it came from when all velocities turn round", async () => {
    const sphere = await standardPlummer(32, 1, 0.1);
    const backend = new ReferenceDirect(
      directPipelineSettings({ integrator: "leapfrog", steps: "shared", softening: 0.1 }, 1 / 64),
      sphere,
    );
    await backend.advance(64, 1 / 64);
    const turned = await backend.saveState();
    turned.arrays.velocities = Float64Array.from(turned.arrays.velocities, (v) => -v);
    expect(await displacement(backend, sphere.positions)).toBeGreaterThan(0.5);
    await backend.restoreState(turned);
    await backend.advance(64, 1 / 64);
    expect(await displacement(backend, sphere.positions)).toBeLessThan(1e-13);
  });
});

describe("external fields", () => {
  const GM = 3;
  const scale = 0.5;
  const PULL = {
    plummer: (r: number) => (GM * r) / (r * r + scale * scale) ** 1.5,
    hernquist: (r: number) => GM / (r + scale) ** 2,
  };

  async function inField(kind: "plummer" | "hernquist", speed: number, steps: number, period: number, orbits = 1) {
    // A box of side 2: the field is off its centre.
    const externalPotentials = [
      { kind, centre: [1, 1.5, 1] as [number, number, number], parameters: { mass: GM / 2, scale } },
    ];
    const step = period / steps;
    const settings = directPipelineSettings({ integrator: "hermite-6", steps: "shared" }, step, {
      ...{ boxSize: 2, G: 2, externalPotentials },
    });
    const start = { positions: [1 + 0.8, 1.5, 1], velocities: [0, speed, 0], masses: [1] };
    const backend = await exactDirect(settings, start);
    const energy = await totalEnergy(backend);
    await backend.advance(orbits * steps, step);
    return {
      missed: await displacement(backend, [0.8, 0.5, 0]),
      drift: Math.abs((await totalEnergy(backend)) / energy - 1),
    };
  }

  it.each(["plummer", "hernquist"] as const)(
    "a circular orbit closes after its period, to 6th order (%s)",
    async (kind) => {
      const speed = Math.sqrt(0.8 * PULL[kind](0.8));
      const period = (2 * Math.PI * 0.8) / speed;
      const [coarse, fine] = [await inField(kind, speed, 48, period), await inField(kind, speed, 96, period)];
      expect(Math.log2(coarse.missed / fine.missed)).toBeGreaterThan(5.9);
      expect(fine.missed).toBeLessThan(1e-7);
    },
  );

  it.each(["plummer", "hernquist"] as const)("an eccentric orbit keeps its energy (%s)", async (kind) => {
    const speed = 0.4 * Math.sqrt(0.8 * PULL[kind](0.8));
    const { drift } = await inField(kind, speed, 800, 4, 3);
    expect(drift).toBeLessThan(1e-9);
  });
});

describe("block steps", () => {
  it("follow an orbit of e = 0.9 with short steps where it is close, long ones where it is wide", async () => {
    const step = (2 * Math.PI) / 8;
    const orbit = keplerPair(0.9);
    const block = await exactDirect(directPipelineSettings({ integrator: "hermite-6", eta: 0.1 }, step), orbit);
    const initial = await totalEnergy(block);
    await block.advance(80, step);
    const perOrbit = block.counters().blocks / 10;
    expect(Math.abs((await totalEnergy(block)) / initial - 1)).toBeLessThan(1e-9);

    // The same number of equal steps is hopeless.
    const equal = (2 * Math.PI) / Math.round(perOrbit);
    const shared = await exactDirect(
      directPipelineSettings({ integrator: "hermite-6", steps: "shared" }, equal),
      orbit,
    );
    await shared.advance(10 * Math.round(perOrbit), equal);
    expect(Math.abs((await totalEnergy(shared)) / initial - 1)).toBeGreaterThan(1e-6);
  });

  it.each(["hermite-4", "hermite-6"] as const)(
    "carry three bodies round a figure of eight (%s)",
    async (integrator) => {
      // Chenciner & Montgomery 2000; C. Simó's initial conditions. The body in the middle starts without acceleration.
      const [x, y, vx, vy] = [0.97000436, 0.24308753, 0.46620368, 0.43236573];
      const period = 6.32591398;
      const positions = [x, -y, 0, -x, y, 0, 0, 0, 0];
      const velocities = [vx, vy, 0, vx, vy, 0, -2 * vx, -2 * vy, 0];
      const settings = directPipelineSettings({ integrator, nu: 1e-4, eta: 0.05 }, period / 16);
      const backend = await exactDirect(settings, { positions, velocities, masses: [1, 1, 1] });
      await backend.advance(16, period / 16);
      expect(await displacement(backend, positions)).toBeLessThan(1e-6);
    },
  );

  it("and adaptive ones take as many steps; shared by all they cost more", async () => {
    const sphere = await standardPlummer(64, 1, 1 / 64);
    const counters: Record<string, number>[] = [];
    for (const steps of ["adaptive", "block"] as const) {
      const backend = new ReferenceDirect(directPipelineSettings({ steps, softening: 1 / 64 }, 1 / 8), sphere);
      const initial = await totalEnergy(backend);
      await backend.advance(4, 1 / 8);
      counters.push(backend.counters());
      expect(Math.abs((await totalEnergy(backend)) / initial - 1)).toBeLessThan(1e-7);
    }
    const [adaptive, block] = counters;
    expect(block.blocks / adaptive.blocks).toBeCloseTo(1, 1);
    expect(adaptive["particle steps"]).toBe(64 * adaptive.blocks);
    expect(adaptive["particle steps"] / block["particle steps"]).toBeGreaterThan(3);
  });
});
