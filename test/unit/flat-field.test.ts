/** Forces of disks by Hankel transform against closed forms and fine quadratures; the total field about a centre. */
import { describe, expect, it } from "vitest";
import { besselJ0, besselJ1, type FlatDensity, flatForces } from "../../src/physics/initial/flat-field.ts";
import { hernquistShape } from "../../src/physics/initial/hernquist.ts";
import { totalField } from "../../src/physics/initial/total-field.ts";
import { exponentialLayer, sechLayer } from "../../src/physics/initial/vertical-structure.ts";

/** Modified Bessel functions by their integrals, I_n(x) = 1/π ∫ e^{x cos θ} cos nθ dθ, K_n(x) = ∫ e^{−x cosh t} cosh nt dt. */
function besselI(n: number, x: number): number {
  const steps = 200;
  let sum = 0;
  for (let k = 0; k < steps; k++) {
    const theta = (Math.PI * (k + 0.5)) / steps;
    sum += Math.exp(x * Math.cos(theta)) * Math.cos(n * theta);
  }
  return sum / steps;
}
function besselK(n: number, x: number): number {
  const step = 0.002;
  let sum = 0;
  for (let t = step / 2; x * Math.cosh(t) < 700; t += step)
    sum += Math.exp(-x * Math.cosh(t)) * Math.cosh(n * t) * step;
  return sum;
}

const PLANE = { scale: 0, density: () => 0 };
const exponential = (central: number, scale: number, layer: FlatDensity["layer"]): FlatDensity => ({
  spectrum: (k) => central * scale ** 2 * (1 + (k * scale) ** 2) ** -1.5,
  scale,
  layer,
});

/** vc² of the mean radial force over the layer. */
function curve(density: FlatDensity, R: number, G = 1): number {
  const { scale } = density.layer;
  const z = scale > 0 ? Float64Array.from({ length: 61 }, (_, j) => (j * scale) / 6) : Float64Array.of(0);
  const { radial } = flatForces(density, Float64Array.of(R), z, G);
  if (scale === 0) return -R * radial[0];
  let sum = 0;
  for (let j = 0; j < 61; j++) {
    const simpson = j === 0 || j === 60 ? 1 : j % 2 === 1 ? 4 : 2;
    sum += 2 * simpson * (scale / 18) * density.layer.density(z[j]) * radial[j];
  }
  return -R * sum;
}

describe("field of a disk", () => {
  it("is Freeman's in the plane of a thin exponential disk", () => {
    const freeman = (R: number) => {
      const y = R / 2;
      return 4 * Math.PI * y * y * (besselI(0, y) * besselK(0, y) - besselI(1, y) * besselK(1, y));
    };
    const disk = exponential(1, 1, PLANE);
    for (const R of [0.1, 0.3, 0.5, 1, 2, 2.2, 3, 5, 7, 9.9]) expect(curve(disk, R) / freeman(R)).toBeCloseTo(1, 2.5);
    // vc² = 0.3874 GM/Rd at its peak (Binney & Tremaine 2008, figure 2.17).
    expect(curve(disk, 2.15) / (2 * Math.PI)).toBeCloseTo(0.387, 3);
  });

  it("is lower for a thick disk, by the values of a fine quadrature", () => {
    // ∫ S I J1 k dk with 4·10⁶ midpoints and I(k) by adaptive quadrature, for z0 = 0.2 Rd.
    const disk = exponential(1, 1, sechLayer(0.2));
    const reference = { 0.1: 0.039676, 0.5: 0.594443, 1: 1.371398, 2.2: 2.147012, 5: 1.457591, 9: 0.748261 };
    for (const [R, value] of Object.entries(reference))
      expect(Math.abs(curve(disk, Number(R)) / value - 1)).toBeLessThan(1e-3);
  });

  it("scales with G, Σ0 and Rd", () => {
    const unit = curve(exponential(1, 1, sechLayer(0.2)), 2.5);
    expect(curve(exponential(3, 2, sechLayer(0.4)), 5, 5) / unit).toBeCloseTo(30, 6);
  });

  it("is Kuzmin's above and in the plane: a point mass below it", () => {
    // S = M/2π e^{−ka}, φ = −GM/√(R² + (a + |z|)²)
    const [M, a, G] = [2, 0.7, 3];
    const density = { spectrum: (k: number) => (M / (2 * Math.PI)) * Math.exp(-k * a), scale: a, layer: PLANE };
    const R = Float64Array.of(0.05, 0.4, 1, 3, 6);
    const z = Float64Array.of(0, 0.1, 0.5, 2);
    const { radial, vertical } = flatForces(density, R, z, G);
    for (let i = 0; i < R.length; i++) {
      for (let j = 0; j < z.length; j++) {
        const cube = (R[i] ** 2 + (a + z[j]) ** 2) ** 1.5;
        expect(radial[i * 4 + j] / ((-G * M * R[i]) / cube)).toBeCloseTo(1, 3.5);
        if (j > 0) expect(vertical[i * 4 + j] / ((-G * M * (a + z[j])) / cube)).toBeCloseTo(1, 2.5);
      }
    }
  });

  it.each([
    ["sech²", sechLayer(0.1)],
    ["exponential", exponentialLayer(0.1)],
  ])("satisfies Poisson's equation inside its layer, %s", (_, layer) => {
    const disk = exponential(1, 1, layer);
    const d = 0.005;
    for (const [R, z] of [
      [0.5, 0.05],
      [1, 0.1],
      [2, 0.25],
    ]) {
      const radii = Float64Array.of(R - d, R, R + d);
      const heights = Float64Array.of(z - d, z, z + d);
      const { radial, vertical } = flatForces(disk, radii, heights, 1);
      const flux = ((R + d) * radial[7] - (R - d) * radial[1]) / (2 * d * R) + (vertical[5] - vertical[3]) / (2 * d);
      const density = Math.exp(-R) * layer.density(z);
      expect(flux / (-4 * Math.PI * density)).toBeCloseTo(1, 1.5);
    }
  });

  it("uses Bessel functions that are good to 1e-7", () => {
    const first = { 0.5: 0.2422684577, 2: 0.5767248078, 5: -0.3275791376, 50: -0.0975118281 };
    for (const [x, value] of Object.entries(first)) expect(besselJ1(Number(x))).toBeCloseTo(value, 7);
    const zeroth = { 0.5: 0.9384698072, 2: 0.2238907791, 5: -0.1775967713, 50: 0.0558123277 };
    for (const [x, value] of Object.entries(zeroth)) expect(besselJ0(Number(x))).toBeCloseTo(value, 7);
  });
});

describe("total field", () => {
  it("is the sum of disks, spheres and external potentials about the centre", () => {
    const R = Float64Array.of(0.5, 2, 4);
    const z = Float64Array.of(0, 0.3, 1);
    const disk = exponential(1, 1, sechLayer(0.1));
    const G = 2;
    const alone = flatForces(disk, R, z, G);
    const external = [
      { kind: "plummer", centre: [8, 8, 8] as [number, number, number], parameters: { mass: 3, scale: 1.5 } },
    ];
    const { radial, vertical } = totalField({ flat: [disk], spheres: [hernquistShape(5, 2)], external }, G).forces(
      R,
      z,
    );
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const r = Math.hypot(R[i], z[j]);
        const strength = G * (5 / (r + 2) ** 2 / r + 3 / (r * r + 1.5 ** 2) ** 1.5);
        expect(radial[3 * i + j]).toBeCloseTo(alone.radial[3 * i + j] - strength * R[i], 10);
        expect(vertical[3 * i + j]).toBeCloseTo(alone.vertical[3 * i + j] - strength * z[j], 10);
      }
    }
  });
});
