/** Pictures on the GPU: the integer grid is that of the host bit for bit; blur and colours are close to float64. */
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { projectionOf } from "../../src/studio/view/camera.ts";
import { countOnHost, type HostParticles } from "../../src/studio/view/host-counts.ts";
import { HostRenderer } from "../../src/studio/view/host-renderer.ts";
import { layerPlan, MOMENTS } from "../../src/studio/view/layers.ts";
import { Renderer } from "../../src/studio/view/renderer.ts";
import { UploadedScene } from "../../src/studio/view/uploaded-scene.ts";
import { type View, wholeBox } from "../../src/studio/view/view.ts";
import { randomWords } from "../support/exact-particles.ts";
import { useGpu, withLimits } from "../support/gpu.ts";

const gpu = useGpu();
const BOX = 32;
const N = 20_000;

/** Concentrated about the middle, some of them boxes away where the box is open; a halo and a disk of lighter particles. */
function particles({ periodic, unequal = false }: { periodic: boolean; unequal?: boolean }): HostParticles {
  const word = randomWords(periodic ? 5 : 6);
  const uniform = () => word() / 2 ** 32;
  const far = () => (word() % 16 === 0 ? (word() % 7) - 3 : 0);
  const positions = Uint32Array.from({ length: 3 * N }, () =>
    Math.floor(2 ** 32 * (0.5 + (uniform() - 0.5) * uniform() ** 2)),
  );
  const velocities = Float32Array.from({ length: 3 * N }, () => 300 * (uniform() - 0.5) * uniform() ** 3);
  const halo = N / 4;
  return {
    boxSize: BOX,
    periodic,
    components: [
      { name: "halo", species: "halo", first: 0, count: halo },
      { name: "disk", species: "disk", first: halo, count: N - halo },
    ],
    weights: new ParticleMasses([
      { first: 0, count: halo, mass: 4 },
      { first: halo, count: N - halo, mass: unequal ? Float64Array.from({ length: N - halo }, uniform) : 1 },
    ]),
    positions,
    velocities,
    ...(!periodic && { images: Uint32Array.from({ length: N }, () => packImage(far(), far(), far())) }),
  };
}

const face = wholeBox(BOX);
const seen = (change: Partial<View["camera"]>): View["camera"] => ({ ...face.camera, ...change });

const views: Record<string, Partial<View>> = {
  "face-on": {},
  "edge-on, every third": { camera: seen({ azimuth: 30, elevation: 0, centre: [14, 17, 16.5], span: 12 }), every: 3 },
  "a thousandth of the box": {
    camera: seen({ azimuth: -71, elevation: 33, centre: [16.001, 15.999, 16], span: BOX / 1000 }),
  },
  "from afar": { camera: seen({ azimuth: 200, elevation: -20, span: 8 * BOX }) },
  "the disk alone": { hidden: ["halo"], camera: seen({ azimuth: 10, elevation: 60, span: 20 }) },
  "species at the edge of the box": { quantity: "species", camera: seen({ centre: [1, 31, 0.5], span: 30 }) },
  velocity: { quantity: "velocity", camera: seen({ azimuth: 130, elevation: 20, span: 24 }) },
  dispersion: { quantity: "dispersion", camera: seen({ azimuth: 130, elevation: 20, span: 9 }) },
};

async function withRenderer(context: GpuContext, scene: HostParticles, test: (renderer: Renderer) => Promise<void>) {
  const renderer = await Renderer.create(context);
  const uploaded = await UploadedScene.create(context, scene);
  try {
    renderer.show(uploaded);
    await test(renderer);
  } finally {
    renderer.destroy();
    uploaded.destroy();
  }
}

describe("the grid of a picture", () => {
  const SIZE = { width: 75, height: 50 };

  for (const periodic of [true, false]) {
    it(`has the bits of the host's, ${periodic ? "periodic" : "isolated"}`, async () => {
      const scene = particles({ periodic });
      await withRenderer(gpu(), scene, async (renderer) => {
        for (const [name, change] of Object.entries(views)) {
          const view = { ...face, ...change };
          await renderer.picture(view, SIZE);
          const grid = await renderer.counts();
          const plan = layerPlan(scene, view);
          const host = countOnHost(scene, projectionOf(view.camera, SIZE, scene), plan, MOMENTS[view.quantity]);
          expect(
            host.counts.some((n) => n > 0),
            name,
          ).toBe(true);
          expect(grid!.counts, name).toEqual(host.counts);
          expect([grid!.first, grid!.second, grid!.speedUnit], name).toEqual([host.first, host.second, host.speedUnit]);
        }
      });
    });
  }

  it("is the same in small windows, with layers bound one by one, and of particles in any order", async () => {
    const scene = particles({ periodic: false });
    const order = Uint32Array.from({ length: N }, (_, i) => (i * 7919) % N);
    const picked = <A extends Uint32Array | Float32Array>(array: A, words: number): A =>
      array.map((_, k) => array[words * order[Math.floor(k / words)] + (k % words)]) as A;
    const shuffled: HostParticles = {
      ...scene,
      ids: order,
      positions: picked(scene.positions, 3),
      velocities: picked(scene.velocities, 3),
      images: picked(scene.images!, 1),
    };
    const size = { width: 100, height: 80 };
    const limits = { maxStorageBufferBindingSize: 12 * 4096 };
    const small = new GpuContext(withLimits(gpu().device, limits), gpu().adapter, { owned: false });
    const view: View = { ...face, quantity: "species", every: 2 };
    const plan = layerPlan(scene, view);
    const host = countOnHost(scene, projectionOf(view.camera, size, scene), plan, 0);
    await withRenderer(small, shuffled, async (renderer) => {
      await renderer.picture(view, size);
      expect((await renderer.counts())!.counts).toEqual(host.counts);
    });
    small.destroy();
  });

  it("has room for as many particles as a pixel gets, after pictures with few", async () => {
    const scene = particles({ periodic: true });
    const host = new HostRenderer();
    host.show(scene);
    const few: Partial<View> = { hidden: ["halo"], every: 97 };
    const crowded: Partial<View> = { hidden: ["halo"], camera: seen({ span: 4 * BOX }) };
    await withRenderer(gpu(), scene, async (renderer) => {
      for (const [change, least, most] of [
        [few, 1, 126],
        [crowded, 256, N],
        [few, 1, 126],
      ] as const) {
        const view = { ...face, ...change };
        const [picture, twin] = [await renderer.picture(view, SIZE), await host.picture(view, SIZE)];
        const { counts } = (await renderer.counts())!;
        const largest = counts.reduce((a, b) => Math.max(a, b), 0);
        expect(largest).toBeGreaterThanOrEqual(least);
        expect(largest).toBeLessThanOrEqual(most);
        expect(counts).toEqual((await host.counts())!.counts);
        expect(picture.rgba.every((byte, i) => Math.abs(byte - twin.rgba[i]) <= 2)).toBe(true);
      }
    });
  });

  it("counts weights where masses differ", async () => {
    const scene = particles({ periodic: true, unequal: true });
    const view: View = { ...face, quantity: "dispersion" };
    const plan = layerPlan(scene, view);
    const host = countOnHost(scene, projectionOf(view.camera, SIZE, scene), plan, 2);
    await withRenderer(gpu(), scene, async (renderer) => {
      await renderer.picture(view, SIZE);
      const grid = await renderer.counts();
      expect([grid!.counts, grid!.first, grid!.second]).toEqual([host.counts, host.first, host.second]);
    });
  });
});

/** [height · width · 4] */
async function texelsOf(texture: GPUTexture): Promise<Uint8Array> {
  const { width, height } = texture;
  const bytesPerRow = 256 * Math.ceil((4 * width) / 256);
  const buffer = gpu().buffers.storage("texels", bytesPerRow * height, "other");
  const encoder = gpu().device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
  gpu().device.queue.submit([encoder.finish()]);
  const rows = new Uint8Array(await gpu().read(buffer));
  gpu().buffers.release(buffer);
  return Uint8Array.from({ length: 4 * width * height }, (_, i) => {
    const row = Math.floor(i / (4 * width));
    return rows[row * bytesPerRow + (i - row * 4 * width)];
  });
}

describe("the colours of a picture", () => {
  // Neighbours are read in pairs where the width is even.
  it.each([75, 76])(
    "are those of float64 to a level of 255 or two, of every quantity and stretch: %i wide",
    async (width) => {
      const scene = particles({ periodic: true });
      const host = new HostRenderer();
      host.show(scene);
      const size = { width, height: 50 };
      const camera = seen({ azimuth: 20, elevation: 50, span: 20 });
      await withRenderer(gpu(), scene, async (renderer) => {
        for (const change of [
          {},
          { stretch: "asinh", smoothing: 0, brightest: 3 },
          { stretch: "linear", hidden: ["halo"] },
          { quantity: "species", smoothing: 20 },
          { quantity: "velocity", smoothing: 2 },
          { quantity: "dispersion", smoothing: 2 },
          { hidden: ["halo", "disk"] },
        ] as const satisfies Partial<View>[]) {
          const view: View = { ...face, camera, ...change };
          const [picture, twin] = [await renderer.picture(view, size), await host.picture(view, size)];
          const name = JSON.stringify(change);
          for (const [i, value] of twin.range.brightest.entries()) {
            expect(Math.abs(picture.range.brightest[i] - value), name).toBeLessThanOrEqual(1e-3 * value);
          }
          const off = picture.rgba.map((byte, i) => Math.abs(byte - twin.rgba[i]));
          expect(
            off.reduce((most, one) => Math.max(most, one), 0),
            name,
          ).toBeLessThanOrEqual(2);
          const isBlack = picture.rgba.every((byte, i) => i % 4 === 3 || byte <= 4);
          expect(isBlack, name).toBe(view.hidden.length === 2);
        }
      });
    },
  );

  it("are the same in a texture, blue first where it has them so", async () => {
    const size = { width: 75, height: 50 };
    await withRenderer(gpu(), particles({ periodic: true }), async (renderer) => {
      for (const quantity of ["density", "species", "velocity"] as const) {
        const view: View = { ...face, quantity };
        const { rgba } = await renderer.picture(view, size);
        for (const format of ["rgba8unorm", "bgra8unorm"] as const) {
          const usage = 0x01 | 0x02; // GPUTextureUsage: COPY_SRC, COPY_DST
          const texture = gpu().device.createTexture({ size: [size.width, size.height], format, usage });
          await renderer.draw(view, texture);
          const order = format === "rgba8unorm" ? [0, 1, 2, 3] : [2, 1, 0, 3];
          const texels = await texelsOf(texture);
          expect(
            texels.every((byte, i) => byte === rgba[i - (i % 4) + order[i % 4]]),
            `${quantity} ${format}`,
          ).toBe(true);
          texture.destroy();
        }
      }
      const halves = gpu().device.createTexture({ size: [8, 8], format: "rgba16float", usage: 0x02 });
      await expect((async () => renderer.draw(face, halves))()).rejects.toThrow("expected rgba8unorm or bgra8unorm");
      halves.destroy();
    });
  });

  it("say so when there is nothing to draw, or a picture is too large", async () => {
    const renderer = await Renderer.create(gpu());
    expect(await renderer.counts()).toBeUndefined();
    await expect(renderer.picture(face, { width: 8, height: 8 })).rejects.toThrow("call show()");
    renderer.show(undefined);
    await expect(renderer.picture(face, { width: 0, height: 8 })).rejects.toThrow("call show()");
    renderer.destroy();
  });
});
