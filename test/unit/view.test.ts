/** Cameras, layers and legends of pictures, and the projection against plain float64. */
import { decode } from "fast-png";
import { describe, expect, it } from "vitest";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { cameraAxes, projectionOf } from "../../src/studio/view/camera.ts";
import { coreEdges, finestAt } from "../../src/studio/view/cores.ts";
import { mapsOnHost } from "../../src/studio/view/host-blur.ts";
import { countOnHost, type HostParticles } from "../../src/studio/view/host-counts.ts";
import { HostRenderer } from "../../src/studio/view/host-renderer.ts";
import { layerPlan, layerWeights } from "../../src/studio/view/layers.ts";
import { type LegendRequest, legendLayout, rampTicks } from "../../src/studio/view/legend.ts";
import { inColoursOf, pngOf } from "../../src/studio/view/picture.ts";
import { hostParticles } from "../../src/studio/view/uploaded-scene.ts";
import { type View, wholeBox } from "../../src/studio/view/view.ts";

const BOX = 10;
const SIZE = { width: 300, height: 200 };

function at(places: readonly number[], periodic = false, change: Partial<HostParticles> = {}): HostParticles {
  const count = places.length / 3;
  const content = {
    ...{ boxSize: BOX, periodic, weights: new ParticleMasses([{ first: 0, count, mass: 2 }]) },
    components: [{ name: "all", species: "disk" as const, first: 0, count }],
    ...change,
  };
  const velocities = new Float32Array(3 * count);
  return hostParticles(content, { positions: Float64Array.from(places), velocities });
}

/** The only pixel with something in it: column and row from the top. */
function pixelOf(particles: HostParticles, view: View, size = SIZE): [number, number] | undefined {
  const { counts } = countOnHost(particles, projectionOf(view.camera, size, particles), layerPlan(particles, view), 0);
  const place = counts.findIndex((n) => n > 0);
  return place < 0 ? undefined : [place % size.width, Math.floor(place / size.width)];
}

const face = wholeBox(BOX);
const from = (azimuth: number, elevation: number, change: Partial<View["camera"]> = {}): View => ({
  ...face,
  camera: { ...face.camera, azimuth, elevation, ...change },
});

describe("a picture", () => {
  it("is a PNG file of the same bytes", async () => {
    const renderer = new HostRenderer();
    renderer.show(at([5, 5, 5, 2, 7, 3]));
    const picture = await renderer.picture(face, { width: 31, height: 20 });
    const { width, height, channels, depth, data } = decode(pngOf(picture));
    expect({ width, height, channels, depth }).toEqual({ width: 31, height: 20, channels: 4, depth: 8 });
    expect([...data]).toEqual([...picture.rgba]);
    expect(new Set(data).size).toBeGreaterThan(2);
  });
});

describe("the projection", () => {
  it("has x right and y up face-on, z up edge-on, right side up", () => {
    // 20 pixels a length, the middle of the box in the middle of the picture.
    expect(pixelOf(at([5.01, 5.01, 5.01]), face)).toEqual([150, 99]);
    expect(pixelOf(at([8.01, 7.01, 5]), face)).toEqual([210, 59]);
    expect(pixelOf(at([8.01, 2, 6.01]), from(0, 0))).toEqual([210, 79]);
    // From the side of +x: y to the right.
    expect(pixelOf(at([2, 8.01, 6.01]), from(90, 0))).toEqual([210, 79]);
  });

  it("sees a periodic box about its centre, and open boxes beside theirs", () => {
    const corner = from(0, 90, { centre: [0.5, 0.5, 0.5] });
    expect(pixelOf(at([9.01, 4.99, 5], true), corner)).toEqual([120, 10]);
    expect(pixelOf(at([9.01, 5, 5], false), corner)).toBeUndefined();
    expect(pixelOf(at([-3.99, 5.01, 5]), from(0, 90, { span: 40 }))).toEqual([105, 99]);
  });

  it("is float64's to a tenth of a pixel, 4096 pixels on a thousandth of the box", () => {
    // 64 of those pixels.
    const [pixels, span] = [64, BOX / 64000];
    const size = { width: pixels, height: pixels };
    const centre = [4.9, 5.2, 5.05] as const;
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32 - 0.5;
    };
    for (const periodic of [true, false]) {
      for (let k = 0; k < 200; k++) {
        const view = from(360 * random(), 180 * random(), { centre, span });
        const { right, up, nearer } = cameraAxes(view.camera);
        // Anywhere along the line of sight.
        const [a, b, c] = [0.9 * span * random(), 0.9 * span * random(), 8 * random()];
        const place = centre.map((x, i) => x + a * right[i] + b * up[i] + c * nearer[i]);
        const particle = at(place, periodic);
        const [column, row] = pixelOf(particle, view, size)!;
        const d = [0, 1, 2].map(
          (i) => (particle.positions[i] * BOX) / 2 ** 32 - Math.round((centre[i] / BOX) * 2 ** 32) * (BOX / 2 ** 32),
        );
        const along = (axis: readonly number[]) =>
          (axis.reduce((sum, part, i) => sum + part * d[i], 0) * pixels) / span;
        expect(Math.abs(column + 0.5 - pixels / 2 - along(right))).toBeLessThan(0.6);
        expect(Math.abs(row + 0.5 - pixels / 2 + along(up))).toBeLessThan(0.6);
      }
    }
  });
});

describe("layers", () => {
  const components = [
    { name: "halo", species: "halo" as const, first: 0, count: 4 },
    { name: "disk", species: "disk" as const, first: 4, count: 4 },
    { name: "bulge", species: "disk" as const, first: 8, count: 2 },
  ];
  const content = (bulge: number | Float64Array) => ({
    ...{ boxSize: BOX, periodic: false, components },
    weights: new ParticleMasses([
      { first: 0, count: 4, mass: 3 },
      { first: 4, count: 4, mass: 1 },
      { first: 8, count: 2, mass: bulge },
    ]),
  });

  it("are of equal mass, and of one species where species are shown", () => {
    const density = layerPlan(content(3), face);
    expect(density.layers.map(({ name, mass }) => [name, mass])).toEqual([
      ["halo, bulge", 3],
      ["disk", 1],
    ]);
    expect(density.isPlain).toBe(false);
    const species = layerPlan(content(3), { ...face, quantity: "species", hidden: ["disk"], every: 2 });
    expect(species.layers.map(({ name, map, mass }) => [name, map, mass])).toEqual([
      ["halo", 0, 6],
      ["bulge", 1, 6],
    ]);
    expect(layerPlan({ ...content(3), components: components.slice(0, 1) }, face).isPlain).toBe(true);
  });

  it("weigh particles of unequal masses right in the mean, the lightest too", () => {
    const count = 4000;
    const masses = Float64Array.from({ length: count }, (_, i) => (i % 10 === 0 ? 1 : 1e-5));
    const weights = new ParticleMasses([{ first: 0, count, mass: masses }]);
    const plan = layerPlan(at(new Array(3 * count).fill(5), false, { weights }), face);
    const words = layerWeights(weights, plan.weightUnit, { first: 0, count });
    const light = words.reduce((sum, word, i) => sum + (i % 10 === 0 ? 0 : word), 0) * plan.weightUnit;
    expect(light).toBeGreaterThan(0);
    expect(light / 3600e-5).toBeCloseTo(1, 0);
    expect(words.reduce((sum, word) => sum + word, 0)).toBeLessThan(2 ** 32);
    expect(plan.layers[0].particles * words.reduce((sum, word) => sum + word, 0)).toBeCloseTo(count, -1);
  });
});

describe("a picture on the host", () => {
  it("keeps the mass through the blur, whatever its width and the borders that cut its cells", () => {
    const places = Array.from({ length: 900 }, (_, i) => 5 + 4.9 * Math.sin(i * i));
    const particles = at(places);
    const plan = layerPlan(particles, face);
    for (const size of [
      { width: 192, height: 128 },
      { width: 101, height: 67 },
    ]) {
      const projection = projectionOf({ ...face.camera, span: 11 }, size, particles);
      const grid = countOnHost(particles, projection, plan, 0);
      for (const smoothing of [0, 1, 8, 1000]) {
        const [map] = mapsOnHost(grid, { size, plan, smoothing, area: projection.pixel ** 2 }).maps;
        const mass = map.reduce((sum, density) => sum + density, 0) * projection.pixel ** 2;
        expect(mass / 600).toBeCloseTo(1, 12);
      }
    }
  });

  it("keeps its brightness steady when asked to", async () => {
    const renderer = new HostRenderer();
    renderer.show(at(Array.from({ length: 3000 }, (_, i) => 5 + Math.sin(i * i))));
    const size = { width: 40, height: 40 };
    const first = await renderer.picture(face, size, { steady: true });
    const near = from(0, 90, { span: 1 });
    const steady = await renderer.picture(near, size, { steady: true });
    const alone = await renderer.picture(near, size);
    const [a, b, c] = [first, steady, alone].map(({ range }) => range.brightest[0]);
    expect(c).not.toBeCloseTo(a, 3);
    expect(Math.log(b / a) / Math.log(c / a)).toBeCloseTo(0.12, 6);
  });
});

describe("the legend", () => {
  const drawn = (view: Partial<View>, brightest: number[], width = 800): LegendRequest["drawn"] => {
    const { quantity, stretch } = { ...face, ...view };
    const range = { quantity, stretch, contrast: 1e4, brightest, maps: ["disk", "halo"] as const };
    return { width, height: 600, view: { ...face, ...view }, pixel: 0.05, range };
  };
  const units = { length: "kpc", mass: "10¹⁰ M☉", velocity: "km/s" };

  it("has a bar of a round length, as long as it says", () => {
    const { bar, texts } = legendLayout({ drawn: drawn({}, [1]), ratio: 1, moment: "1.2 Gyr", units });
    expect(bar!.length * 0.05).toBeCloseTo(10, 12);
    expect(texts.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["1.2 Gyr", "10\u00a0kpc", "density [10¹⁰ M☉/kpc²]"]),
    );
  });

  it("says where values are on the colours", () => {
    const log = rampTicks(drawn({}, [20]), 10);
    expect(log.map(({ label }) => label)).toEqual(["10⁻²", "10⁻¹", "10⁰", "10¹"]);
    expect(log[3].t).toBeCloseTo(1 - Math.log10(2) / 4, 12);
    const velocity = rampTicks(drawn({ quantity: "velocity" }, [220]), 5);
    expect(velocity.find(({ value }) => value === 0)!.t).toBe(0.5);
    expect(velocity[0]).toMatchObject({ value: -200, label: "−200" });
  });

  it("stays within pictures of 400 pixels, at two pixels to one, without a word over another", () => {
    for (const [width, ratio] of [
      [400, 1],
      [800, 2],
    ]) {
      for (const view of [{}, { quantity: "velocity" }, { quantity: "species" }] as const) {
        const { texts, ramp, bar, fontSize } = legendLayout({
          drawn: drawn(view, [20, 1], width),
          ratio,
          moment: "1.2 Gyr",
          units,
        });
        expect(fontSize).toBe(12 * ratio);
        const boxes = texts.map(({ text, x, y, align }) => {
          const length = 0.65 * fontSize * text.length;
          return { text, left: align === "left" ? x : x - length, right: align === "left" ? x + length : x, y };
        });
        for (const { left, right, y } of boxes) {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(width);
          expect(y).toBeLessThanOrEqual(600);
        }
        for (const [i, a] of boxes.entries()) {
          for (const b of boxes.slice(i + 1)) {
            const apart = Math.abs(a.y - b.y) >= fontSize || a.right < b.left || b.right < a.left;
            expect(apart, `${a.text} and ${b.text}`).toBe(true);
          }
        }
        expect(bar!.x + bar!.length).toBeLessThan((ramp?.x ?? width) - 4 * fontSize);
      }
    }
  });
});

describe("the cores of levels", () => {
  const outer = { name: "A", h: 0.5, halfWidth: 2, centre: [5, 5, 5] };
  const inner = { name: "A 2", h: 0.125, halfWidth: 0.5, centre: [5.4, 4.8, 5.2] };
  const beyond = { name: "B", h: 0.25, halfWidth: 1, centre: [9.8, 5, 5] };

  it("are squares face-on, cubes from elsewhere, the nearest image in a periodic box", () => {
    const view = { azimuth: 0, elevation: 90, centre: [5, 5, 5] };
    const ends = coreEdges([outer], view).flatMap(([x0, y0, x1, y1]) => [
      Math.abs(x0),
      Math.abs(y0),
      Math.abs(x1),
      Math.abs(y1),
    ]);
    expect(ends).toHaveLength(48);
    for (const end of ends) expect(end).toBeCloseTo(2, 12);
    const corners = new Set(
      coreEdges([outer], from(30, 20).camera).flatMap(([x, y]) => `${x.toFixed(6)} ${y.toFixed(6)}`),
    );
    expect(corners.size).toBeGreaterThan(6);
    const seen = { ...view, centre: [0.2, 5, 5], period: 10 };
    expect(Math.max(...coreEdges([beyond], seen).map(([x]) => x))).toBeCloseTo(0.6, 12);
  });

  it("are found by the line of sight, the one of the smallest cells", () => {
    const cores = [outer, inner, beyond];
    const random = (i: number, k: number) => (0.5 + i / 1.2207440846057596 ** k) % 1;
    for (let i = 1; i <= 200; i++) {
      const { camera } = from(360 * random(i, 1), 180 * random(i, 2) - 90);
      const { right, up } = cameraAxes(camera);
      const seen = (point: readonly number[]) =>
        [right, up].map((axis) => axis.reduce((sum, part, k) => sum + part * (point[k] - camera.centre[k]), 0));
      for (const core of cores) {
        const within = core.centre.map((x, k) => x + core.halfWidth * (1.98 * random(i, k + 3) - 0.99));
        expect(finestAt(cores, camera, seen(within))!.h).toBeLessThanOrEqual(core.h);
        const [x, y] = seen(core.centre);
        expect(finestAt([core], camera, [x, y + 1.74 * core.halfWidth])).toBe(undefined);
      }
    }
    const named = (x: number, y: number) => finestAt(cores, face.camera, [x, y])?.name;
    expect([0.89, 0.91, 1.99, 2.01].map((x) => named(x, -0.2))).toEqual(["A 2", "A", "A", undefined]);
    const shifted = { ...face.camera, centre: [0.2, 5, 5] };
    expect([undefined, 10].map((period) => finestAt(cores, { ...shifted, period }, [-0.5, 0])?.name)).toEqual([
      undefined,
      "B",
    ]);
  });
});

it("draws pictures beside each other in the colours of the first, which their bars show", async () => {
  const at = (scale: number): HostParticles => {
    const positions = Float64Array.from({ length: 3000 }, (_, i) => 5 + scale * Math.sin(1 + i * i));
    const components = [{ name: "a", species: "stars" as const, first: 0, count: 1000 }];
    return hostParticles(
      {
        components,
        boxSize: 10,
        periodic: false,
        weights: new ParticleMasses([{ first: 0, count: 1000, mass: 1 }]),
      },
      { positions, velocities: new Float32Array(3000) },
    );
  };
  const size = { width: 40, height: 40 };
  const drawn = async (scale: number, view: View) => {
    const renderer = new HostRenderer();
    renderer.show(at(scale));
    return renderer.picture(view, size);
  };
  const first = await drawn(1, wholeBox(10));
  expect((await drawn(3, wholeBox(10))).range.brightest).not.toEqual(first.range.brightest);
  expect((await drawn(3, inColoursOf(first.view, first))).range.brightest).toEqual(first.range.brightest);
  const bySpecies = { ...wholeBox(10), quantity: "species" as const };
  expect(inColoursOf(bySpecies, { range: { ...first.range, maps: ["stars", "disk"] } })).toBe(bySpecies);
});
