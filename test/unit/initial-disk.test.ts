/** Exponential disks against their own definition: surface density, layers, rotation, Q, drift. */
import { describe, expect, it } from "vitest";
import { diskKinematics, diskMassFraction } from "../../src/initial/exponential-disk.ts";
import { hernquistShape } from "../../src/initial/hernquist.ts";
import { sumOfProfiles } from "../../src/initial/profiles.ts";
import { besselJ1, diskRotationCurve } from "../../src/initial/rotation-curve.ts";
import type { ParticleSet } from "../../src/particles/state.ts";
import { disk, hernquist, KS_LIMIT, kolmogorovSmirnov, moments, sampleOf } from "./initial-samples.ts";

const NOTHING = sumOfProfiles([]);
const count = 200_000;

interface Cylindrical {
  R: Float64Array;
  z: Float64Array;
  vR: Float64Array;
  vphi: Float64Array;
  vz: Float64Array;
}

function cylindrical(particles: ParticleSet, size: number): Cylindrical {
  const columns = () => new Float64Array(count);
  const out = { R: columns(), z: columns(), vR: columns(), vphi: columns(), vz: columns() };
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [0, 1, 2].map((axis) => particles.positions[3 * i + axis] - size / 2);
    const [vx, vy, vz] = particles.velocities.subarray(3 * i, 3 * i + 3);
    const R = Math.hypot(x, y);
    out.R[i] = R;
    out.z[i] = z;
    out.vR[i] = (x * vx + y * vy) / R;
    out.vphi[i] = (x * vy - y * vx) / R;
    out.vz[i] = vz;
  }
  return out;
}

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

describe("rotation curve of a disk", () => {
  const freeman = (R: number) => {
    const y = R / 2;
    return 4 * Math.PI * y * y * (besselI(0, y) * besselK(0, y) - besselI(1, y) * besselK(1, y));
  };

  it("is Freeman's when the disk is thin", () => {
    const curve = diskRotationCurve({ centralSurfaceDensity: 1, scaleLength: 1, scaleHeight: 0 }, 10, 1);
    for (const R of [0.1, 0.3, 0.5, 1, 2, 2.2, 3, 5, 7, 9.9]) expect(curve(R) / freeman(R)).toBeCloseTo(1, 2.5);
    // v = 0.8798 √(GM/2Rd)·… peaks at 2.2 Rd: vc² = 0.3874 GM/Rd (Binney & Tremaine 2008, figure 2.17).
    expect(curve(2.15) / (2 * Math.PI)).toBeCloseTo(0.387, 3);
  });

  it("scales with G, Σ0 and Rd", () => {
    const unit = diskRotationCurve({ centralSurfaceDensity: 1, scaleLength: 1, scaleHeight: 0.2 }, 8, 1);
    const scaled = diskRotationCurve({ centralSurfaceDensity: 3, scaleLength: 2, scaleHeight: 0.4 }, 16, 5);
    expect(scaled(5) / unit(2.5)).toBeCloseTo(30, 6);
  });

  it("is lower for a thick disk, by the values of a fine quadrature", () => {
    // ∫ S I J1 k dk with 4·10⁶ midpoints and I(k) by adaptive quadrature, for z0 = 0.2 Rd.
    const curve = diskRotationCurve({ centralSurfaceDensity: 1, scaleLength: 1, scaleHeight: 0.2 }, 10, 1);
    const reference = { 0.1: 0.039676, 0.5: 0.594443, 1: 1.371398, 2.2: 2.147012, 5: 1.457591, 9: 0.748261 };
    for (const [R, value] of Object.entries(reference))
      expect(Math.abs(curve(Number(R)) / value - 1)).toBeLessThan(1e-3);
  });

  it("uses a J1 that is good to 1e-7", () => {
    const reference = { 0.5: 0.2422684577, 2: 0.5767248078, 5: -0.3275791376, 50: -0.0975118281 };
    for (const [x, value] of Object.entries(reference)) expect(besselJ1(Number(x))).toBeCloseTo(value, 7);
  });
});

describe("exponential-disk", () => {
  const model = disk({ count, mass: 2, scaleLength: 1.5, scaleHeight: 0.2, toomreQ: 1.3, cutoff: 6 });
  const G = 3;

  it("has Σ ∝ e^{−R/Rd}, cut off, and sech² layers", async () => {
    const { R, z } = cylindrical(await sampleOf([model]), 16);
    const inside = diskMassFraction(model.cutoff / model.scaleLength);
    expect(kolmogorovSmirnov(R, (r) => diskMassFraction(r / model.scaleLength) / inside)).toBeLessThan(KS_LIMIT);
    expect(kolmogorovSmirnov(z, (height) => (1 + Math.tanh(height / model.scaleHeight)) / 2)).toBeLessThan(KS_LIMIT);
    // Mass between 1 and 2 scale lengths over the area of the ring against Σ(R).
    const { surfaceDensity } = diskKinematics(model, NOTHING, G);
    const ring = R.filter((r) => r >= 2 && r < 2.2).length * (model.mass / count);
    expect(ring / (Math.PI * (2.2 ** 2 - 2 ** 2)) / surfaceDensity(2.1)).toBeCloseTo(1, 1.5);
  });

  it.each([0.45, 1e-9])("that is cut off at %d scale lengths is drawn as quickly, Σ ∝ e^{−R/Rd} inside", async (x) => {
    const size = 16;
    const component = disk({ count, scaleLength: 6 / x, scaleHeight: 0.1, cutoff: 6, toomreQ: 0.1 });
    const { R } = cylindrical(await sampleOf([component], size), size);
    const inside = diskMassFraction(x);
    expect(kolmogorovSmirnov(R, (r) => diskMassFraction((r / 6) * x) / inside)).toBeLessThan(KS_LIMIT);
  });

  it("has the dispersions, the rotation and the Q asked for", async () => {
    const { R, vR, vphi, vz } = cylindrical(await sampleOf([model], 16, G), 16);
    const kinematics = diskKinematics(model, NOTHING, G);
    expect(kinematics.toomreQ(2.5 * 1.5)).toBeCloseTo(1.3, 10);
    for (const target of [0.75, 1.5, 3, 3.75, 5]) {
      const here = [...R.keys()].filter((i) => Math.abs(R[i] - target) < 0.05);
      const [radial, azimuthal, vertical] = kinematics.dispersions(target);
      const error = 4 / Math.sqrt(2 * here.length) + 0.01;
      expect(Math.abs(moments(here.map((i) => vR[i])).deviation / radial - 1)).toBeLessThan(error);
      expect(Math.abs(moments(here.map((i) => vphi[i])).deviation / azimuthal - 1)).toBeLessThan(error);
      expect(Math.abs(moments(here.map((i) => vz[i])).deviation / vertical - 1)).toBeLessThan(error);
      expect(vertical).toBeCloseTo(Math.sqrt(Math.PI * G * kinematics.surfaceDensity(target) * 0.2), 12);
      const rotation = moments(here.map((i) => vphi[i])).mean;
      expect(Math.abs(rotation - kinematics.meanRotation(target))).toBeLessThan(
        (5 * azimuthal) / Math.sqrt(here.length),
      );
      if (target !== 3.75) continue;
      const density = kinematics.surfaceDensity(target);
      const measured = moments(here.map((i) => vR[i])).deviation;
      expect((measured * kinematics.epicyclicFrequency(target)) / (3.36 * G * density)).toBeCloseTo(1.3, 1);
    }
  });

  it("satisfies the radial Jeans equation", () => {
    const { circularSpeed, dispersions, meanRotation, surfaceDensity } = diskKinematics(model, NOTHING, G);
    for (const R of [0.2, 0.6, 1.2, 2, 3, 4.5]) {
      const stress = (r: number) => surfaceDensity(r) * dispersions(r)[0] ** 2;
      const gradient = (stress(R + 0.01) - stress(R - 0.01)) / 0.02 / surfaceDensity(R);
      const [radial, azimuthal] = dispersions(R);
      const balance = (meanRotation(R) ** 2 + azimuthal ** 2 - radial ** 2) / R - gradient;
      expect(balance / (circularSpeed(R) ** 2 / R)).toBeCloseTo(1, 2);
    }
  });

  it("rotates with the halo's mass added", () => {
    const alone = diskKinematics(model, NOTHING, G);
    const inHalo = diskKinematics(model, hernquistShape(10, 4), G);
    for (const R of [1, 3, 5]) {
      const added = (G * 10 * R) / (R + 4) ** 2;
      expect(inHalo.circularSpeed(R) ** 2 - alone.circularSpeed(R) ** 2).toBeCloseTo(added, 8);
      expect(inHalo.toomreQ(3.75)).toBeCloseTo(1.3, 10);
    }
  });

  it("keeps rotating near the centre, with a dispersion and a Q that stay finite", () => {
    for (const toomreQ of [0.8, 1.2, 1.8]) {
      const kinematics = diskKinematics({ ...model, toomreQ }, NOTHING, G);
      for (let R = 0.01; R < 6; R *= 1.3) {
        const ratio = kinematics.meanRotation(R) / kinematics.circularSpeed(R);
        expect(ratio).toBeGreaterThanOrEqual(0.3 - 1e-9);
        expect(ratio).toBeLessThan(1);
        expect(kinematics.toomreQ(R)).toBeGreaterThan(0.7);
        expect(kinematics.toomreQ(R)).toBeLessThan(2 * toomreQ);
      }
    }
    expect(() => diskKinematics({ ...model, toomreQ: 9 }, NOTHING, G)).toThrow(
      /component "disk": expected a Toomre Q below [\d.]+ .*found 9.*Try a lower toomreQ/,
    );
  });

  it("is in virial equilibrium in its plane by direct summation", async () => {
    const particles = await sampleOf([disk({ count: 8000, scaleHeight: 0.15 })]);
    const { positions, velocities } = particles;
    let kinetic = 0;
    let virial = 0;
    for (let i = 0; i < 8000; i++) {
      kinetic += velocities[3 * i] ** 2 + velocities[3 * i + 1] ** 2;
      for (let j = 0; j < i; j++) {
        const dx = positions[3 * i] - positions[3 * j];
        const dy = positions[3 * i + 1] - positions[3 * j + 1];
        const dz = positions[3 * i + 2] - positions[3 * j + 2];
        const square = dx * dx + dy * dy;
        const distance = Math.sqrt(square + dz * dz + 1e-5);
        virial += square / (8000 * distance * distance * distance);
      }
    }
    expect(kinetic / virial).toBeGreaterThan(0.98);
    expect(kinetic / virial).toBeLessThan(1.03);
  });

  it("feels a live halo about the same centre, and none elsewhere", async () => {
    const thin = disk({ count, scaleHeight: 0.05 });
    const halo = hernquist({ mass: 10, scale: 3, cutoff: 15, count: 10 });
    const meanRotation = async (offset: [number, number, number]) => {
      const { R, vphi } = cylindrical(await sampleOf([thin, { ...halo, offset }], 60), 60);
      return moments([...R.keys()].filter((i) => Math.abs(R[i] - 2.5) < 0.1).map((i) => vphi[i])).mean;
    };
    const alone = diskKinematics(thin, NOTHING, 1).meanRotation(2.5);
    expect(await meanRotation([10, 0, 0])).toBeCloseTo(alone, 1);
    expect(await meanRotation([0, 0, 0])).toBeGreaterThan(1.5 * alone);
  });
});
