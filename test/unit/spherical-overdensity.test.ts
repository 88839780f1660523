/** Spherical haloes: the tree against all pairs, an NFW sphere across the box's corner, neighbours that share particles. */
import { expect, it } from "vitest";
import { type OverdensitySearch, sphericalHaloes } from "../../src/engine/diagnostics/spherical-overdensity.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { meanOverdensity } from "../../src/physics/cosmology/overdensity.ts";
import { ParticleTree } from "../../src/physics/particles/particle-tree.ts";

/** Lehmer's generator. */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const SIDE = 10;
const wrapped = (x: number) => x - SIDE * Math.floor(x / SIDE);

it("finds the neighbours that all pairs have, across the edges", () => {
  const draw = uniforms(3);
  const positions = Float64Array.from({ length: 3 * 700 }, (_, i) => (i < 900 ? SIDE : 0.7) * draw());
  const tree = new ParticleTree(positions, SIDE);
  const [slots, squares] = [new Uint32Array(9), new Float64Array(9)];
  for (let trial = 0; trial < 40; trial++) {
    const place = [0, 1, 2].map(() => (trial % 2 === 0 ? SIDE : 0.5) * draw());
    const all = Array.from({ length: 700 }, (_, i) =>
      [0, 1, 2].reduce((sum, axis) => {
        const d = Math.abs(positions[3 * i + axis] - place[axis]);
        return sum + Math.min(d, SIDE - d) ** 2;
      }, 0),
    );
    const sorted = all.toSorted((a, b) => a - b);
    const within = trial % 3 === 0 ? 0.3 : SIDE ** 2;
    const expected = sorted.slice(0, 9).filter((square) => square < within);
    expect(tree.nearest(place, within, 9, slots, squares)).toBe(expected.length);
    expect([...squares.subarray(0, expected.length)]).toEqual(expected.map((square) => expect.closeTo(square, 12)));
    const inside: number[] = [];
    tree.inside(place, 1.5, (_, slot) => inside.push(tree.order[slot]));
    expect(inside.sort((a, b) => a - b)).toEqual([...all.keys()].filter((i) => all[i] < 1.5));
  }
});

const C = 8;
const enclosed = (y: number) => Math.log1p(y) - y / (1 + y);

/** `count` particles of an NFW sphere of radius 1, flattened along z, that turn about z. */
function sphere(count: number, about: readonly number[], { seed = 1, flat = 1, turning = 0 } = {}) {
  const draw = uniforms(seed);
  const [positions, velocities]: number[][] = [[], []];
  for (let i = 0; i < count; i++) {
    const share = (i + 0.5) / count;
    let [low, high] = [0, 1];
    for (let step = 0; step < 50; step++) {
      const middle = (low + high) / 2;
      if (enclosed(C * middle) < share * enclosed(C)) low = middle;
      else high = middle;
    }
    const [cos, angle] = [2 * draw() - 1, 2 * Math.PI * draw()];
    const sin = Math.sqrt(1 - cos * cos);
    const d = [low * sin * Math.cos(angle), low * sin * Math.sin(angle), flat * low * cos];
    positions.push(...d.map((x, axis) => wrapped(about[axis] + x)));
    velocities.push(100 - turning * d[1], turning * d[0], -50);
  }
  return { positions, velocities };
}

function search(density: number, resolution = 1e-3): OverdensitySearch {
  const densities = [density, 2 * density, density / 2];
  return { boxSize: SIDE, densities, minimumMembers: 20, resolution, scaleFactor: 0.5, hubble: 0, G: 2 };
}

function haloesOf(parts: ReturnType<typeof sphere>[], given: OverdensitySearch) {
  const positions = Float64Array.from(parts.flatMap((part) => part.positions));
  const velocities = Float64Array.from(parts.flatMap((part) => part.velocities));
  const count = positions.length / 3;
  const ids = Uint32Array.from({ length: count }, (_, i) => 7 * i);
  return sphericalHaloes({ ids, positions, velocities, masses: new Float64Array(count).fill(1 / 4000) }, given);
}

const VIRIAL = 1 / ((4 / 3) * Math.PI);

it("measures an NFW sphere in the corner of the box", () => {
  const [halo, ...others] = haloesOf([sphere(4000, [0, 0, SIDE - 1e-3], { turning: 0.3 })], search(VIRIAL * 1.0001));
  expect(others).toEqual([]);
  expect(halo.masses[0]).toBeCloseTo(1, 2);
  expect(halo.radii[0]).toBeCloseTo(1, 2);
  expect(halo.masses[2]).toBeCloseTo(1, 9); // nothing beyond
  expect(halo.position.map((x) => Math.abs(x - SIDE * Math.round(x / SIDE)))).toEqual(
    [0, 1, 2].map(() => expect.closeTo(0, 1)),
  );
  expect(halo.velocity).toEqual([100, 0, -50].map((v) => expect.closeTo(v, 1)));
  expect(Math.abs(halo.concentration / C - 1)).toBeLessThan(0.02);
  // NFW: r_max = 2.1626 rs, V² = GM(<r)/(a r)
  expect(Math.abs(halo.rMax / (2.1626 / C) - 1)).toBeLessThan(0.15);
  const fastest = Math.sqrt((2 * enclosed(2.1626)) / enclosed(C) / (0.5 * (2.1626 / C)));
  expect(Math.abs(halo.vMax / fastest - 1)).toBeLessThan(0.01);
  expect(halo.members.length).toBe(Math.round(4000 * halo.masses[0]));
  expect(halo.ratios[1]).toBeGreaterThan(0.9);
});

it("tells the spin and the axes of a flattened sphere that turns", () => {
  const flat = 0.5;
  const part = sphere(4000, [5, 5, 5], { flat, turning: 0.3 });
  const [halo] = haloesOf([part], search(0.3 * VIRIAL));
  const count = halo.members.length;
  expect(count).toBe(4000);
  // λ′ = Σ m a Ω (x² + y²)/√(2 G M³ a R) about the centre
  const centre = halo.position;
  let [J, mean] = [0, [0, 0, 0]];
  for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) mean[k] += part.velocities[3 * i + k] / count;
  for (let i = 0; i < count; i++) {
    const [x, y] = [0, 1].map((axis) => part.positions[3 * i + axis] - centre[axis]);
    J += (0.5 / 4000) * (x * (part.velocities[3 * i + 1] - mean[1]) - y * (part.velocities[3 * i] - mean[0]));
  }
  expect(halo.spin / (J / Math.sqrt(2 * 2 * 0.5 * halo.radii[0]))).toBeCloseTo(1, 3);
  expect(halo.ratios[0]).toBeCloseTo(1, 1);
  expect(halo.ratios[1]).toBeLessThan(0.75);
});

it("shares particles out: each belongs to one halo, the heaviest is whole", () => {
  const parts = [sphere(4000, [5, 5, 5]), sphere(400, [6.1, 5, 5], { seed: 9 })];
  const alone = haloesOf([parts[0]], search(VIRIAL / 2))[0];
  const haloes = haloesOf(parts, search(VIRIAL / 2));
  expect(haloes[0].masses[0]).toBeGreaterThanOrEqual(alone.masses[0]);
  const members = haloes.flatMap((halo) => [...halo.members]);
  expect(new Set(members).size).toBe(members.length);
  const masses = haloes.map((halo) => halo.masses[0]);
  expect(masses).toEqual(masses.toSorted((a, b) => b - a));
});

it("has the densities of Bryan & Norman 1998", () => {
  const flat = new Background({ h: 0.7, omegaM: 0.3 });
  // Δc = 18π² + 82x − 39x² = 101.14 at x = −0.7
  expect(meanOverdensity("vir", flat, 1) * 0.3).toBeCloseTo(101.14, 2);
  expect(meanOverdensity("vir", new Background({ h: 0.7, omegaM: 1 }), 1)).toBeCloseTo(18 * Math.PI ** 2, 9);
  expect(meanOverdensity("200c", flat, 1)).toBeCloseTo(200 / 0.3, 9);
  expect(meanOverdensity("200m", flat, 0.5)).toBe(200);
});
