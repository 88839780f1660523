/** Fourier sums, multipoles and velocity maps of particles whose answers are known. */
import { describe, expect, it } from "vitest";
import { axesAbout, POLES, poleStrength, polesOf, turnedInto } from "../../src/physics/particles/harmonics.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import { randomWords } from "../support/exact-particles.ts";

const SIZE = 20;
const MIDDLE = [10, 10, 10] as const;
const box = { size: SIZE, boundary: "isolated" as const };

/** Particles at places from the middle of the box [3N]. */
function particles(places: readonly (readonly number[])[], velocities?: readonly (readonly number[])[]) {
  const count = places.length;
  return reductionsOf(
    {
      ...{ count, components: [] },
      positions: Float64Array.from(places.flat(), (x) => x + SIZE / 2),
      velocities: Float64Array.from(velocities?.flat() ?? new Array<number>(3 * count).fill(0)),
      masses: new Float64Array(count).fill(0.5),
    },
    box,
  );
}

function directions(count: number): [number, number, number][] {
  const word = randomWords(5);
  return Array.from({ length: count }, () => {
    const z = word() / 2 ** 31 - 1;
    const [phi, s] = [(2 * Math.PI * word()) / 2 ** 32, Math.sqrt(1 - z * z)];
    return [s * Math.cos(phi), s * Math.sin(phi), z];
  });
}

describe("a frame", () => {
  it("is right-handed, orthonormal, and that of the box about z", () => {
    expect(axesAbout([0, 0, 3]).map((axis) => axis.map((one) => one + 0))).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    for (const normal of [...directions(20), [1, 0, 0] as const, [-1, 1e-4, 0] as const]) {
      const frame = axesAbout(normal);
      const [x, y, z] = frame.map((axis) => turnedInto(frame, ...(axis as [number, number, number])));
      for (const [k, axis] of [x, y, z].entries()) {
        for (const [i, value] of axis.entries()) expect(value).toBeCloseTo(i === k ? 1 : 0, 14);
      }
      const [a, b, c] = frame;
      expect((a[0] * b[1] - a[1] * b[0]) * c[2] - (a[0] * b[2] - a[2] * b[0]) * c[1]).toBeCloseTo(
        c[2] ** 2 + c[1] ** 2,
        12,
      );
      expect(c[0] * normal[0] + c[1] * normal[1] + c[2] * normal[2]).toBeGreaterThan(0);
    }
    expect(() => axesAbout([0, 0, 0])).toThrow(/direction/);
  });
});

describe("multipoles", () => {
  it("have squares that sum to 1 in every direction, and no products on average", () => {
    for (const at of directions(50)) {
      const poles = polesOf(...at);
      for (const degree of [1, 2, 3, 4]) {
        const squares = POLES.flatMap(([l], i) => (l === degree ? [poles[i] ** 2] : []));
        expect(squares).toHaveLength(2 * degree + 1);
        expect(squares.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 13);
      }
    }
    // Gauss–Legendre in z, even in φ: exact for products of degree 8.
    const gauss = [
      [0.1488743389816312, 0.2955242247147529],
      [0.4333953941292472, 0.2692667193099963],
      [0.6794095682990244, 0.219086362515982],
      [0.8650633666889845, 0.1494513491505806],
      [0.9739065285171717, 0.0666713443086881],
    ].flatMap(([z, w]) => [
      [z, w],
      [-z, w],
    ]);
    const sums = POLES.map(() => POLES.map(() => 0));
    for (const [z, w] of gauss) {
      for (let k = 0; k < 12; k++) {
        const [phi, s] = [(Math.PI * k) / 6, Math.sqrt(1 - z * z)];
        const poles = polesOf(s * Math.cos(phi), s * Math.sin(phi), z);
        for (const [i, one] of poles.entries()) {
          for (const [j, other] of poles.entries()) sums[i][j] += (w / 24) * one * other;
        }
      }
    }
    for (const [i, [l]] of POLES.entries()) {
      for (const [j] of POLES.entries()) expect(sums[i][j]).toBeCloseTo(i === j ? 1 / (2 * l + 1) : 0, 12);
    }
  });

  it("of one particle, two opposite ones and a ring", async () => {
    const edges = [0, 5];
    const of = async (places: number[][]) => {
      const found = await particles(places).multipoles({ centre: MIDDLE, edges });
      return [1, 2, 3, 4].map((l) => poleStrength(found, l)[0]);
    };
    for (const strength of await of([[1, -2, 0.5]])) expect(strength).toBeCloseTo(1, 12);
    const [dipole, quadrupole, octupole, hexadecapole] = await of([
      [1, -2, 0.5],
      [-1, 2, -0.5],
    ]);
    for (const one of [dipole, octupole]) expect(one).toBeCloseTo(0, 12);
    for (const one of [quadrupole, hexadecapole]) expect(one).toBeCloseTo(1, 12);
    // P_2(0) = −1/2, P_4(0) = 3/8
    const ring = Array.from({ length: 16 }, (_, k) => [
      3 * Math.cos((Math.PI * k) / 8),
      3 * Math.sin((Math.PI * k) / 8),
      0,
    ]);
    const strengths = await of(ring);
    for (const [i, one] of [0, 0.5, 0, 0.375].entries()) expect(strengths[i]).toBeCloseTo(one, 12);
  });
});

describe("Fourier sums", () => {
  it("of k arms have the phase and strength of these, on an inclined plane too", async () => {
    for (const normal of [[0, 0, 1] as const, [1, 2, -0.5] as const]) {
      const [a, b, c] = axesAbout(normal);
      for (const arms of [1, 2, 3, 6]) {
        const places = Array.from({ length: arms }, (_, k) => {
          const phi = 0.2 + (2 * Math.PI * k) / arms;
          return [0, 1, 2].map((i) => 2 * Math.cos(phi) * a[i] + 2 * Math.sin(phi) * b[i] + 0.25 * c[i]);
        });
        const { count, cosine, sine, height, squaredHeight, bending } = await particles(places).waves({
          ...{ centre: MIDDLE, normal, edges: [0, 1, 3], height: 0.5 },
        });
        expect(count).toEqual([0, arms]);
        for (let k = 1; k <= 6; k++) {
          const strength = k % arms === 0 ? 1 : 0;
          expect(cosine[k - 1][1]).toBeCloseTo(strength * Math.cos(0.2 * k), 12);
          expect(sine[k - 1][1]).toBeCloseTo(strength * Math.sin(0.2 * k), 12);
        }
        expect(height[1]).toBeCloseTo(0.25, 12);
        expect(squaredHeight[1]).toBeCloseTo(0.0625, 12);
        expect(bending.cosine[1]).toBeCloseTo(2 % arms === 0 ? 0.25 * Math.cos(0.4) : 0, 12);
        expect(bending.sine[1]).toBeCloseTo(2 % arms === 0 ? 0.25 * Math.sin(0.4) : 0, 12);
      }
    }
  });

  it("leave out what is above the plane, at the centre or beyond the rings", async () => {
    const places = [
      [1, 0, 0.6],
      [0, 0, 0],
      [4, 0, 0],
      [0, 1, 0.4],
    ];
    const { count, mass } = await particles(places).waves({ centre: MIDDLE, edges: [0, 3], height: 0.5 });
    expect([count, mass]).toEqual([[1], [0.5]]);
  });
});

describe("maps of velocities", () => {
  it("have mean and dispersion along the line of sight in each pixel", async () => {
    const places = [
      [1, 1, 3],
      [1, 1, -3],
      [-1, -1, 0],
    ];
    const velocities = [
      [9, 5, 2],
      [9, 7, 4],
      [9, 9, -1],
    ];
    const seen = particles(places, velocities);
    const view = { centre: MIDDLE, span: 8, width: 2, height: 2 };
    const [map] = await seen.velocityMaps([{ axis: "z", ...view }], [0, 0, 1]);
    // Rows from the top: upper left, upper right, lower left, lower right.
    expect(Array.from(map.mass)).toEqual([0, 1, 0.5, 0]);
    expect(Array.from(map.mean)).toEqual([Number.NaN, 2, -2, Number.NaN]);
    expect(Array.from(map.dispersion)).toEqual([Number.NaN, 1, 0, Number.NaN]);
    const [edgeOn] = await seen.velocityMaps([{ axis: "y", ...view }], [0, 0, 0]);
    expect(edgeOn.mean[1]).toBe(5);
    expect(edgeOn.mean[3]).toBe(7);
  });
});
