/** Plummer and Hernquist samples against their analytic profiles, energies and dispersions. */
import { describe, expect, it } from "vitest";
import { exponential } from "../../src/physics/initial/exponential-disk.ts";
import { hernquistShape } from "../../src/physics/initial/hernquist.ts";
import { plummerShape } from "../../src/physics/initial/plummer.ts";
import { sumOfProfiles } from "../../src/physics/initial/profiles.ts";
import { equilibriumSpheres } from "../../src/physics/initial/sphere.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import {
  disk,
  HENON_RADIUS,
  hernquist,
  KS_LIMIT,
  kolmogorovSmirnov,
  plummer,
  radiiOf,
  sampleOf,
} from "./initial-samples.ts";

function kineticEnergy({ velocities, masses, count }: ParticleSet): number {
  let sum = 0;
  for (let i = 0; i < 3 * count; i++) sum += 0.5 * masses[Math.floor(i / 3)] * velocities[i] ** 2;
  return sum;
}

/** Mean square of the velocity along the radius, per axis of the other two, in a shell; box of side `size`. */
function shellDispersions(particles: ParticleSet, size: number, inner: number, outer: number, count: number) {
  let radial = 0;
  let square = 0;
  let found = 0;
  for (let i = 0; i < count; i++) {
    const d = [0, 1, 2].map((axis) => particles.positions[3 * i + axis] - size / 2);
    const v = [0, 1, 2].map((axis) => particles.velocities[3 * i + axis]);
    const r = Math.hypot(...d);
    if (r < inner || r >= outer) continue;
    found++;
    radial += ((d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / r) ** 2;
    square += v[0] ** 2 + v[1] ** 2 + v[2] ** 2;
  }
  return { radial: radial / found, tangential: (square - radial) / (2 * found), found };
}

describe("plummer", () => {
  const count = 100_000;

  it("follows the cumulative mass profile, cut off", async () => {
    const cutoff = 3;
    const particles = await sampleOf([plummer({ count, cutoff })]);
    const shape = plummerShape(1, HENON_RADIUS);
    const statistic = kolmogorovSmirnov(radiiOf(particles, 16), (r) => shape.mass(r) / shape.mass(cutoff));
    expect(statistic).toBeLessThan(KS_LIMIT);
  });

  it("is isotropic in position and velocity", async () => {
    const particles = await sampleOf([plummer({ count })]);
    const { positions, velocities } = particles;
    for (const [vectors, centre] of [
      [positions, 8],
      [velocities, 0],
    ] as const) {
      const cosines: number[][] = [[], [], []];
      const azimuths = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        const [x, y, z] = [0, 1, 2].map((axis) => vectors[3 * i + axis] - centre);
        const length = Math.hypot(x, y, z);
        [x, y, z].forEach((value, axis) => {
          cosines[axis].push(value / length);
        });
        azimuths[i] = Math.atan2(y, x);
      }
      for (const axis of cosines) {
        expect(kolmogorovSmirnov(Float64Array.from(axis), (c) => (1 + c) / 2)).toBeLessThan(KS_LIMIT);
      }
      expect(kolmogorovSmirnov(azimuths, (a) => (a + Math.PI) / (2 * Math.PI))).toBeLessThan(KS_LIMIT);
    }
    const shell = shellDispersions(particles, 16, 0.2, 1.5, count);
    expect(Math.abs(shell.radial / shell.tangential - 1)).toBeLessThan(4 * Math.sqrt(3 / shell.found));
  });

  it("has Hénon's energies: E = −1/4, 2K/|W| = 1", async () => {
    const size = 2000;
    const particles = await sampleOf([plummer({ count, cutoff: 900 })], size);
    const kinetic = kineticEnergy(particles);
    const shape = plummerShape(1, HENON_RADIUS);
    const potential = -0.5 * radiiOf(particles, size).reduce((sum, r) => sum + shape.depth(r) / count, 0);
    // K and W of a particle scatter by less than their means: 1/√N each.
    const error = 4 / Math.sqrt(count);
    expect(Math.abs(kinetic - 0.25)).toBeLessThan(0.25 * error);
    expect(Math.abs(potential + 0.5)).toBeLessThan(0.5 * error);
    expect(Math.abs(kinetic + potential + 0.25)).toBeLessThan(0.25 * error);
    expect(Math.abs((2 * kinetic) / -potential - 1)).toBeLessThan(error);
  });

  it("is in virial equilibrium inside any cutoff", async () => {
    for (const cutoff of [0.5, 1, 4]) {
      const particles = await sampleOf([plummer({ count, cutoff })]);
      const shape = plummerShape(1, HENON_RADIUS);
      const inside = shape.mass(cutoff);
      const virial = radiiOf(particles, 16).reduce((sum, r) => sum + shape.mass(r) / (inside * r * count), 0);
      expect(Math.abs((2 * kineticEnergy(particles)) / virial - 1)).toBeLessThan(4 / Math.sqrt(count));
    }
  });

  it("has σ² = GM/6√(r² + a²) at every radius, for any mass, scale and G", async () => {
    const model = { mass: 50, scale: 2, cutoff: 500 };
    const G = 4.3;
    const size = 1200;
    const particles = await sampleOf([plummer({ ...model, count })], size, G);
    for (const [inner, outer] of [
      [0, 1],
      [1, 2],
      [2, 4],
      [4, 10],
    ]) {
      const { radial, tangential, found } = shellDispersions(particles, size, inner, outer, count);
      const radii = radiiOf(particles, size).filter((r) => r >= inner && r < outer);
      const expected = radii.reduce((sum, r) => sum + (G * model.mass) / (6 * Math.hypot(r, model.scale)) / found, 0);
      expect(Math.abs((radial + 2 * tangential) / 3 / expected - 1)).toBeLessThan(4 * Math.sqrt(1 / found));
    }
  });

  it("never exceeds the cutoff", async () => {
    const radii = radiiOf(await sampleOf([plummer({ count: 20_000, cutoff: 0.4 })]), 16);
    expect(Math.max(...radii)).toBeLessThanOrEqual(0.4 + 1e-12);
  });
});

describe("hernquist", () => {
  const count = 100_000;
  /** Hernquist 1990, eq 10, with G = M = a = 1. */
  const radialDispersionSquared = (r: number) =>
    r * (1 + r) ** 3 * Math.log(1 + 1 / r) - ((r / (1 + r)) * (25 + 52 * r + 42 * r * r + 12 * r ** 3)) / 12;

  it("follows the mass profile as tabulated, which is Hernquist's well inside the cutoff", async () => {
    const cutoff = 7.5;
    const shape = hernquistShape(1, 1);
    const [{ profile }] = equilibriumSpheres([{ name: "halo", shape, cutoff }], []);
    const particles = await sampleOf([hernquist({ count })]);
    const held = profile.mass(cutoff);
    expect(kolmogorovSmirnov(radiiOf(particles, 16), (r) => profile.mass(r) / held)).toBeLessThan(KS_LIMIT);
    for (const r of [1e-3, 0.01, 0.1, 0.5, 1]) {
      expect(profile.mass(r) / shape.mass(r)).toBeCloseTo(1, r < 0.5 ? 2 : 1);
    }
  });

  it("has inside the density and the enclosed mass of the rigid sphere with the same keys", async () => {
    // docs/models.md has these figures: cut-off in scale radii, mass of the particles, M(<r) at a tenth and at half of it.
    for (const [cutoff, held, tenth, half] of [
      [5, 0.564, 0.997, 0.945],
      [10, 0.739, 0.999, 0.972],
      [20, 0.856, 1.0, 0.986],
    ]) {
      const halo = hernquist({ count: 10_000, cutoff: 0.5 * cutoff, mass: 4, scale: 0.5 });
      const particles = await sampleOf([halo], 40);
      const mass = particles.masses.reduce((sum, one) => sum + one, 0);
      expect(mass / 4).toBeCloseTo(held, 3);
      const rigid = hernquistShape(4, 0.5);
      const [{ profile }] = equilibriumSpheres([{ name: "", shape: rigid, cutoff: halo.cutoff }], []);
      const radii = radiiOf(particles, 40);
      for (const [share, expected] of [
        [0.1, tenth],
        [0.5, half],
      ]) {
        const r = share * halo.cutoff;
        expect(profile.mass(r) / rigid.mass(r)).toBeCloseTo(expected, 3);
        const found = radii.filter((radius) => radius < r).length;
        const ratio = (particles.masses[0] * found) / rigid.mass(r);
        expect(Math.abs(ratio - expected)).toBeLessThan(4 / Math.sqrt(found));
      }
    }
  });

  it("reproduces the analytic distribution function and dispersions when the cutoff is far out", async () => {
    const cutoff = 400;
    const [{ df }] = equilibriumSpheres([{ name: "", shape: hernquistShape(1, 1), cutoff }], []);
    for (let i = 0; i < df.radii.length; i++) {
      // The mass ends at the cutoff, so the potential is shallower than that of the infinite model by centralDepth.
      const energy = df.depths[i] / df.centralDepth;
      if (energy < 0.05 || energy > 0.999) continue;
      const q = Math.sqrt(energy);
      // Hernquist 1990, eq 17.
      const bracket = 3 * Math.asin(q) + q * Math.sqrt(1 - q * q) * (1 - 2 * q * q) * (8 * q ** 4 - 8 * q * q - 3);
      const expected = bracket / (8 * Math.SQRT2 * Math.PI ** 3 * (1 - q * q) ** 2.5 * df.centralDepth ** 1.5);
      expect(Math.abs(df.values[i] / expected - 1)).toBeLessThan(0.01);
    }
    const particles = await sampleOf([hernquist({ count, cutoff })], 1000);
    const radii = radiiOf(particles, 1000);
    for (const [inner, outer] of [
      [0.03, 0.1],
      [0.1, 0.3],
      [0.3, 1],
      [1, 3],
      [3, 8],
    ]) {
      const { radial, tangential, found } = shellDispersions(particles, 1000, inner, outer, count);
      const expected = radii
        .filter((r) => r >= inner && r < outer)
        .reduce((sum, r) => sum + radialDispersionSquared(r) / found, 0);
      const error = 4 * Math.sqrt(2 / found) + 0.01; // the cutoff leaves 0.8 % of the mass out
      expect(Math.abs(radial / expected - 1)).toBeLessThan(error);
      expect(Math.abs(tangential / expected - 1)).toBeLessThan(error);
    }
  });

  it("satisfies the Jeans equation together with a disk and a rigid bulge", async () => {
    const halo = hernquist({ count, mass: 5, scale: 3, cutoff: 20 });
    const thin = disk({ count: 10, mass: 1 });
    const bulge = plummer({ name: "bulge", rigid: true, count: 0, mass: 0.1, scale: 0.5 });
    const particles = await sampleOf([halo, thin, bulge], 45);
    const others = [exponential.profile(disk({ mass: 1, scaleLength: 1, cutoff: 7 })), plummerShape(0.1, 0.5)];
    const sphere = { name: "", shape: hernquistShape(5, 3), cutoff: 20 };
    const [{ profile }] = equilibriumSpheres([sphere], others);
    const held = profile.mass(20);
    expect(kolmogorovSmirnov(radiiOf(particles, 45, 0, count), (r) => profile.mass(r) / held)).toBeLessThan(KS_LIMIT);

    const total = sumOfProfiles([profile, ...others]);
    const pressure = (r: number) => {
      let sum = 0;
      const steps = 2000;
      const width = Math.log(20 / r) / steps;
      for (let k = 0; k < steps; k++) {
        const s = r * Math.exp((k + 0.5) * width);
        sum += ((profile.density(s) * total.mass(s)) / s) * width;
      }
      return sum;
    };
    for (const r of [0.3, 1, 2, 5, 10]) {
      const { radial, tangential, found } = shellDispersions(particles, 45, r / 1.05, r * 1.05, count);
      const expected = pressure(r) / profile.density(r);
      expect(Math.abs((radial + 2 * tangential) / 3 / expected - 1)).toBeLessThan(4 / Math.sqrt(found) + 0.01);
    }
  });

  it("keeps every orbit inside the cutoff, in virial equilibrium", async () => {
    const cutoff = 5;
    const sphere = { name: "", shape: hernquistShape(1, 1), cutoff };
    const [{ profile, df }] = equilibriumSpheres([sphere], []);
    const particles = await sampleOf([hernquist({ count, cutoff })]);
    const radii = radiiOf(particles, 16);
    let virial = 0;
    for (let i = 0; i < count; i++) {
      const [vx, vy, vz] = particles.velocities.subarray(3 * i, 3 * i + 3);
      const energy = profile.depth(radii[i]) - 0.5 * (vx * vx + vy * vy + vz * vz);
      expect(energy).toBeGreaterThan(df.edgeDepth * (1 - 1e-3));
      virial += (particles.masses[i] * profile.mass(radii[i])) / radii[i];
    }
    expect(Math.abs((2 * kineticEnergy(particles)) / virial - 1)).toBeLessThan(4 / Math.sqrt(count));
  });

  it("says so where no isotropic equilibrium exists", async () => {
    const bulge = plummer({ name: "bulge", mass: 0.01, scale: 1, cutoff: 7 });
    await expect(sampleOf([hernquist({ mass: 10, scale: 1, rigid: true }), bulge])).rejects.toThrow(
      /component "bulge".*isotropic equilibrium.*negative distribution function.*Try a larger scale/,
    );
  });
});
