import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownVirialRatio } from "../../src/engine/diagnostics/galaxies.ts";
import { GpuReductions } from "../../src/engine/diagnostics/reductions.ts";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { MASS_UNITS, packImage } from "../../src/physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import type { IdRange, MapView, Reductions } from "../../src/physics/particles/reductions.ts";
import { exactState, meshSettings, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { readInBox } from "../support/read-particles.ts";

const gpu = useGpu();
const COUNT = 20_000;
const SIZE = 12.5;
const RANGES: Record<string, IdRange[] | undefined> = {
  all: undefined,
  some: [
    { first: 1000, count: 4000 },
    { first: 12_000, count: 7999 },
  ],
  // More than a dispatch tells apart.
  many: Array.from({ length: 70 }, (_, k) => ({ first: 3 + 280 * k, count: 100 })),
  none: [{ first: 5, count: 0 }],
};

interface Crowd {
  boundary: Boundary;
  /** All masses are. */
  equal: boolean;
  windows: WindowLimits;
}

/** Particles crowded about a place off the middle, some of them boxes away where the box is isolated; ordered by cell. */
async function crowd({ boundary, equal, windows }: Crowd) {
  const word = randomWords(17);
  const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
  const massOf = (id: number) => (equal ? 2.5e-3 : (1 + ((id * 7919) % 1000)) / 1e3);
  const particles = await ParticleBuffers.create(context, placeholders(COUNT, massOf), { boxSize: SIZE, boundary });
  const positions = randomPositions(COUNT, 3).map((u, i) => {
    const near = 2 ** 31 + (i % 3) * 2 ** 29 + (u - 2 ** 31) * (((word() % 1000) / 1000) ** 2 / 4);
    return (i / 3) % 10 < 8 ? Math.floor(near) % 2 ** 32 : u;
  });
  // On the edges of the box and of pixels.
  positions.set([0, 0, 0, 2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1, 2 ** 31, 2 ** 31, 2 ** 31, 2 ** 29, 2 ** 28, 2 ** 27]);
  const image = (id: number) => (id % 97 === 0 ? packImage((id % 5) - 2, (id % 3) - 1, id % 2) : 0);
  await particles.restore(exactState(positions, boundary, image));
  const settings = meshSettings(16, "cic");
  const mesh = createMeshBuffers(context, wholeBoxGrid(settings.cells, boundary));
  const order = await ParticleOrder.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid));
  const batch = context.batch("order");
  order.encodeCount(batch);
  order.encodeSort(batch);
  await batch.submit();
  // The same masses as the device has them.
  const units = Float64Array.from({ length: COUNT }, (_, id) =>
    equal ? MASS_UNITS : Math.round((massOf(id) / particles.heaviest) * MASS_UNITS),
  );
  const masses = units.map((unit) => (particles.heaviest * unit) / MASS_UNITS);
  const accelerations = Float32Array.from({ length: 3 * COUNT }, () => word() / 2 ** 31 - 1);
  const ids = await particles.readIds();
  const bySlot = new Map(
    particles.windows.map((window) => {
      const slots = Float32Array.from({ length: 3 * window.count }, (_, k) => {
        return accelerations[3 * ids[window.first + Math.floor(k / 3)] + (k % 3)];
      });
      return [window, context.buffers.upload("accelerations", slots, "other")] as const;
    }),
  );
  const set = { ...placeholders(COUNT), ...(await readInBox(context, particles)), masses, accelerations };
  const device = new GpuReductions(context, particles, [], {
    ready: async () => {},
    accelerations: async () => (window) => bySlot.get(window)!,
  });
  const release = () => context.buffers.destroyAll();
  return { device, host: reductionsOf(set, { size: SIZE, boundary }), release, unit: particles.heaviest / MASS_UNITS };
}

const CENTRE = [0.52 * SIZE, 0.61 * SIZE, 0.7 * SIZE] as const;

describe.each([
  { boundary: "isolated", equal: false, windows: {} },
  { boundary: "periodic", equal: true, windows: {} },
  { boundary: "isolated", equal: false, windows: { particles: 5000 } },
] as const)("in a box that is $boundary, masses equal: $equal, windows: $windows", (given) => {
  let device: Reductions;
  let host: Reductions;
  let unit: number;
  let release = () => {};

  beforeAll(async () => {
    ({ device, host, release, unit } = await crowd(given));
  });
  afterAll(() => release());

  describe.each(Object.keys(RANGES))("of %s", (which) => {
    const ranges = RANGES[which];

    it("maps have the mass of float64 in each pixel, to the unit", async () => {
      const middle = [SIZE / 2, SIZE / 2, SIZE / 2] as const;
      const views: MapView[] = [
        { axis: "z", centre: middle, span: SIZE, width: 64, height: 64 },
        { axis: "y", centre: CENTRE, span: 0.37 * SIZE, width: 97, height: 41 },
        { axis: "x", centre: [0, 0, 0.9 * SIZE], span: 0.6 * SIZE, width: 50, height: 70 },
        { axis: "z", centre: CENTRE, span: 1e-3 * SIZE, width: 4, height: 3 },
      ];
      const [found, expected] = [await device.maps(views, ranges), await host.maps(views, ranges)];
      const units = (map: Float64Array) => Array.from(map, (mass) => Math.round(mass / unit));
      for (const [i, map] of expected.entries()) expect(units(found[i])).toEqual(units(map));
      const whole = expected[0].reduce((sum, mass) => sum + mass, 0);
      if (which === "none") expect(whole).toBe(0);
      else expect(whole).toBeGreaterThan(0.9 * (await host.centre(ranges)).mass);
    });

    it.each([undefined, { centre: CENTRE, radius: 0.2 * SIZE }])("centres and velocities within %o", async (within) => {
      const [found, expected] = [await device.centre(ranges, within), await host.centre(ranges, within)];
      expect(found.count).toBe(expected.count);
      expect(Math.round(found.mass / unit)).toBe(Math.round(expected.mass / unit));
      const [velocity, wanted] = [await device.meanVelocity(ranges, within), await host.meanVelocity(ranges, within)];
      for (const axis of [0, 1, 2]) {
        expect(Math.abs(found.centre[axis] - expected.centre[axis])).toBeLessThan(2e-8 * SIZE);
        expect(Math.abs(velocity[axis] - wanted[axis])).toBeLessThan(1e-7);
      }
    });

    it("radii that hold a share", async () => {
      for (const flat of [false, true]) {
        for (const share of [0, 0.1, 0.5, 0.98, 1]) {
          const about = { centre: CENTRE, flat };
          const [found, expected] = [
            await device.radius(share, about, ranges),
            await host.radius(share, about, ranges),
          ];
          expect(Math.abs(found - expected)).toBeLessThan(3e-7 * (expected || 1));
        }
      }
    });

    it("shells and rings", async () => {
      const edges = Array.from({ length: 31 }, (_, k) => (k * SIZE) / 40);
      const about = { centre: CENTRE, flat: true };
      const [shells, expected] = [await device.shells(edges, about, ranges), await host.shells(edges, about, ranges)];
      expect(shells.count).toEqual(expected.count);
      const velocity = [0.1, -0.2, 0.05] as const;
      const request = { centre: CENTRE, velocity, edges, accelerations: true };
      const [rings, wanted] = [await device.rings(request, ranges), await host.rings(request, ranges)];
      expect(rings.count).toEqual(wanted.count);
      for (const [bin, mass] of expected.mass.entries()) {
        expect(Math.round(shells.mass[bin] / unit)).toBe(Math.round(mass / unit));
        expect(Math.round(rings.mass[bin] / unit)).toBe(Math.round(wanted.mass[bin] / unit));
        if (mass === 0) continue;
        for (const part of ["radial", "azimuthal", "vertical"] as const) {
          expect(Math.abs(rings.velocity[part][bin] - wanted.velocity[part][bin])).toBeLessThan(1e-6);
          expect(Math.abs(rings.square[part][bin] - wanted.square[part][bin])).toBeLessThan(1e-6);
        }
        expect(Math.abs(rings.inward![bin] - wanted.inward![bin])).toBeLessThan(1e-5);
      }
    });

    it.each([undefined, [0.3, -0.5, 0.8] as const])("Fourier sums and rings about the axis %o", async (normal) => {
      const edges = [0, 0.3, 0.7, 1.5, 3, 6];
      const of = { centre: CENTRE, edges, ...(normal && { normal }) };
      const request = { ...of, height: 1.1 };
      const [found, expected] = [await device.waves(request, ranges), await host.waves(request, ranges)];
      expect(found.count).toEqual(expected.count);
      const motion = { ...of, velocity: [0.1, -0.2, 0.05] as const, accelerations: true };
      const [rings, wanted] = [await device.rings(motion, ranges), await host.rings(motion, ranges)];
      expect(rings.count).toEqual(wanted.count);
      for (const [bin, mass] of expected.mass.entries()) {
        expect(Math.round(found.mass[bin] / unit)).toBe(Math.round(mass / unit));
        if (mass === 0) continue;
        for (let k = 0; k < 6; k++) {
          expect(Math.abs(found.cosine[k][bin] - expected.cosine[k][bin])).toBeLessThan(1e-6);
          expect(Math.abs(found.sine[k][bin] - expected.sine[k][bin])).toBeLessThan(1e-6);
        }
        for (const part of ["height", "squaredHeight"] as const) {
          expect(Math.abs(found[part][bin] - expected[part][bin])).toBeLessThan(1e-6);
        }
        expect(Math.abs(found.bending.cosine[bin] - expected.bending.cosine[bin])).toBeLessThan(1e-6);
        expect(Math.abs(found.bending.sine[bin] - expected.bending.sine[bin])).toBeLessThan(1e-6);
        expect(Math.abs(rings.velocity.vertical[bin] - wanted.velocity.vertical[bin])).toBeLessThan(1e-6);
        expect(Math.abs(rings.square.radial[bin] - wanted.square.radial[bin])).toBeLessThan(1e-6);
        expect(Math.abs(rings.inward![bin] - wanted.inward![bin])).toBeLessThan(1e-5);
      }
    });

    it("virial ratio in their own frame", async () => {
      if (ranges !== undefined && ranges[0].count === 0) return;
      const [found, expected] = [
        await ownVirialRatio(device, ranges ?? [], 30),
        await ownVirialRatio(host, ranges ?? [], 30),
      ];
      expect(Math.abs(found / expected - 1)).toBeLessThan(1e-5);
    });

    it("multipoles", async () => {
      const request = { centre: CENTRE, edges: [0, 0.5, 1, 2, 4, 9], normal: [0.2, 0.1, 1] as const };
      const [found, expected] = [await device.multipoles(request, ranges), await host.multipoles(request, ranges)];
      expect(found.count).toEqual(expected.count);
      for (const [bin, mass] of expected.mass.entries()) {
        expect(Math.round(found.mass[bin] / unit)).toBe(Math.round(mass / unit));
        if (mass === 0) continue;
        for (let k = 0; k < 24; k++) {
          expect(Math.abs(found.terms[k][bin] - expected.terms[k][bin])).toBeLessThan(1e-6);
        }
      }
    });

    it("maps of velocities", async () => {
      const velocity = [0.1, -0.2, 0.05] as const;
      const views: MapView[] = [
        { axis: "z", centre: CENTRE, span: 0.5 * SIZE, width: 16, height: 16 },
        { axis: "y", centre: CENTRE, span: 0.37 * SIZE, width: 20, height: 12 },
        { axis: "x", centre: [0, 0, 0.9 * SIZE], span: 0.6 * SIZE, width: 10, height: 14 },
      ];
      const [found, expected] = [
        await device.velocityMaps(views, velocity, ranges),
        await host.velocityMaps(views, velocity, ranges),
      ];
      for (const [i, { mass, mean, dispersion }] of expected.entries()) {
        for (let pixel = 0; pixel < mass.length; pixel++) {
          expect(Math.round(found[i].mass[pixel] / unit)).toBe(Math.round(mass[pixel] / unit));
          if (mass[pixel] === 0) continue;
          expect(Math.abs(found[i].mean[pixel] - mean[pixel])).toBeLessThan(1e-6);
          expect(Math.abs(found[i].dispersion[pixel] ** 2 - dispersion[pixel] ** 2)).toBeLessThan(1e-6);
        }
      }
    });
  });
});
