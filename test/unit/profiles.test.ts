/** Profiles against the laws that the particles were drawn from, and maps against the mass that went in. */
import { describe, expect, it } from "vitest";
import {
  centreOfMass,
  densityProfile,
  dispersionProfile,
  linearEdges,
  logarithmicEdges,
  meanVelocity,
  projectedDensity,
  rotationCurve,
  surfaceDensityProfile,
} from "../../src/engine/diagnostics/profiles.ts";
import { sequence } from "../support/scenario-fixture.ts";

const N = 40_000;

/** Plummer sphere, M = a = 1, about (5, 6, 7): M(r) = r³/(1 + r²)^{3/2}, stratified in mass; isotropic unit Gaussian velocities. */
function plummer() {
  const random = sequence(3);
  const positions = new Float64Array(3 * N);
  const velocities = new Float32Array(3 * N);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  for (let i = 0; i < N; i++) {
    const r = 1 / Math.sqrt(((i + 0.5) / N) ** (-2 / 3) - 1);
    const z = 2 * random() - 1;
    const phi = 2 * Math.PI * random();
    const s = Math.sqrt(1 - z * z);
    positions.set([5 + r * s * Math.cos(phi), 6 + r * s * Math.sin(phi), 7 + r * z], 3 * i);
    velocities.set([3 + gauss(), gauss(), gauss()], 3 * i);
  }
  return { positions, velocities, masses: new Float64Array(N).fill(1 / N) };
}

/** Razor-thin disk with Σ = e^{−R} and v_φ = 2, v_R alternating ±0.5, in the field a_R = −4/R. */
function disk() {
  const random = sequence(5);
  const positions = new Float64Array(3 * N);
  const velocities = new Float32Array(3 * N);
  const accelerations = new Float32Array(3 * N);
  for (let i = 0; i < N; i++) {
    const R = -Math.log(1 - random()) - Math.log(1 - random());
    const phi = 2 * Math.PI * random();
    const [c, s] = [Math.cos(phi), Math.sin(phi)];
    const vR = i % 2 === 0 ? 0.5 : -0.5;
    positions.set([R * c, R * s, 0], 3 * i);
    velocities.set([vR * c - 2 * s, vR * s + 2 * c, 0], 3 * i);
    accelerations.set([(-4 / R) * c, (-4 / R) * s, 0], 3 * i);
  }
  return { positions, velocities, accelerations, masses: new Float64Array(N).fill((2 * Math.PI) / N) };
}

describe("profiles", () => {
  it("find the density of a Plummer sphere", () => {
    const profile = densityProfile(plummer(), [5, 6, 7], logarithmicEdges(0.1, 10, 20));
    expect(profile.edges).toHaveLength(21);
    for (const [b, density] of profile.density.entries()) {
      const [r1, r2] = [profile.edges[b], profile.edges[b + 1]];
      const enclosed = (r: number) => r ** 3 / (1 + r * r) ** 1.5;
      const expected = (enclosed(r2) - enclosed(r1)) / (((4 * Math.PI) / 3) * (r2 ** 3 - r1 ** 3));
      expect(Math.abs(profile.count[b] - expected * ((4 * Math.PI) / 3) * (r2 ** 3 - r1 ** 3) * N)).toBeLessThan(2);
      expect(density / expected).toBeCloseTo(1, 1);
    }
  });

  it("find the surface density of an exponential disk", () => {
    const profile = surfaceDensityProfile(disk(), [0, 0, 0], linearEdges(4, 16));
    for (const [b, density] of profile.density.entries()) {
      const noise = 4 / Math.sqrt(profile.count[b]);
      expect(Math.abs(density / Math.exp(-profile.radius[b]) - 1)).toBeLessThan(noise + 0.01);
    }
  });

  it("find rotation, circular speed and dispersions of a disk", () => {
    const curve = rotationCurve(disk(), [0, 0, 0], [0, 0, 0], linearEdges(4, 8));
    for (let b = 0; b < 8; b++) {
      expect(curve.rotation[b]).toBeCloseTo(2, 6);
      expect(curve.circular?.[b]).toBeCloseTo(2, 6);
      expect(curve.sigmaR[b]).toBeCloseTo(0.5, 2);
      expect(curve.sigmaPhi[b]).toBeCloseTo(0, 3);
      expect(curve.sigmaZ[b]).toBe(0);
    }
    expect(
      rotationCurve({ ...disk(), accelerations: undefined as never }, [0, 0, 0], [0, 0, 0], [0, 1]),
    ).not.toHaveProperty("circular");
  });

  it("find isotropic dispersions about the moving centre", () => {
    const particles = plummer();
    const velocity = meanVelocity(particles);
    expect(velocity[0]).toBeCloseTo(3, 1);
    const profile = dispersionProfile(particles, centreOfMass(particles), velocity, logarithmicEdges(0.3, 5, 6));
    for (let b = 0; b < 6; b++) {
      expect(Math.abs(profile.sigmaRadial[b] - 1)).toBeLessThan(0.05);
      expect(Math.abs(profile.sigmaTangential[b] - 1)).toBeLessThan(0.05);
      expect(Math.abs(profile.anisotropy[b])).toBeLessThan(0.1);
    }
  });

  it("leave empty bins at zero density, and a range to its particles", () => {
    const particles = { positions: Float64Array.of(1, 0, 0, 3, 0, 0), masses: Float64Array.of(2, 5) };
    expect(densityProfile(particles, [0, 0, 0], [0.5, 2, 2.5]).count).toEqual([1, 0]);
    expect(densityProfile(particles, [0, 0, 0], [0.5, 2, 2.5]).density[1]).toBe(0);
    expect(centreOfMass(particles, { first: 1, count: 1 })).toEqual([3, 0, 0]);
    expect(surfaceDensityProfile(particles, [0, 0, 0], [0, 4], { first: 1, count: 1 }).density[0]).toBeCloseTo(
      5 / (16 * Math.PI),
      14,
    );
    expect(
      rotationCurve({ ...particles, velocities: new Float32Array(6) }, [0, 0, 0], [0, 0, 0], [5, 6]).rotation,
    ).toEqual([Number.NaN]);
  });
});

describe("projected density", () => {
  it("puts a particle where it is seen, per area", () => {
    const particles = { positions: Float64Array.of(1.5, 2.5, 3.5), masses: Float64Array.of(3) };
    const seen = (axis: "x" | "y" | "z") => {
      const map = projectedDensity(particles, { axis, centre: [2, 2, 2], span: 4, width: 8, height: 8 });
      expect(map.values.reduce((sum, v) => sum + v, 0) * 0.25).toBe(3);
      const at = map.values.findIndex((v) => v > 0);
      return [at % 8, Math.floor(at / 8)];
    };
    // Columns go right, rows go down from the top: y = 2.5 is 0.5 above the middle, z = 3.5 is 1.5 above.
    expect(seen("z")).toEqual([3, 3]);
    expect(seen("y")).toEqual([3, 1]);
    expect(seen("x")).toEqual([5, 1]);
  });

  it("keeps square pixels in a strip and leaves out what lies beyond it", () => {
    const map = projectedDensity(plummer(), { axis: "y", centre: [5, 6, 7], span: 4, width: 40, height: 10 });
    expect([map.width, map.height, map.spanX, map.spanY]).toEqual([40, 10, 4, 1]);
    const mass = map.values.reduce((sum, v) => sum + v, 0) * 0.01;
    expect(mass).toBeGreaterThan(0.3);
    expect(mass).toBeLessThan(0.7);
  });
});
