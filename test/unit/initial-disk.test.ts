/** Exponential disks against their own definition: surface density, layers, rotation, Q, drift. */
import { describe, expect, it } from "vitest";
import { diskMassFraction, exponential } from "../../src/physics/initial/exponential-disk.ts";
import { flatForces } from "../../src/physics/initial/flat-field.ts";
import { hernquistShape } from "../../src/physics/initial/hernquist.ts";
import type { ComponentOf } from "../../src/physics/initial/models.ts";
import type { SphericalProfile } from "../../src/physics/initial/profiles.ts";
import { totalField } from "../../src/physics/initial/total-field.ts";
import {
  cylindrical,
  disk,
  hernquist,
  KS_LIMIT,
  kolmogorovSmirnov,
  moments,
  motionsOf,
  sampleOf,
} from "./initial-samples.ts";

const count = 200_000;

/** The disk's motions in its own field and that of `spheres`. */
const kinematicsOf = (model: ComponentOf<"exponential-disk">, G: number, spheres: SphericalProfile[] = []) =>
  motionsOf(
    exponential.kinematics(model, totalField({ flat: [exponential.flat(model)], spheres, external: [] }, G), G),
    G,
  );

describe("exponential-disk", () => {
  const inHalo = [hernquistShape(10, 4)];
  const model = disk({ count, mass: 2, scaleLength: 1.5, scaleHeight: 0.2, toomreQ: 1.3, cutoff: 6 });
  const G = 3;

  it.each([0.45, 1e-9])("that is cut off at %d scale lengths is drawn as quickly, Σ ∝ e^{−R/Rd} inside", async (x) => {
    const size = 16;
    const component = disk({ count: 20_000, scaleLength: 6 / x, scaleHeight: 0.1, cutoff: 6, toomreQ: 0.1 });
    const { R } = cylindrical(await sampleOf([component], size), size);
    const inside = diskMassFraction(x);
    expect(kolmogorovSmirnov(R, (r) => diskMassFraction((r / 6) * x) / inside)).toBeLessThan(KS_LIMIT);
  });

  it.each(["sech2", "isothermal", "exponential"] as const)(
    "draws Σ ∝ e^{−R/Rd}, cut off, and what its moments are, layer %s",
    async (layer) => {
      const halo = hernquist({ mass: 10, scale: 4, cutoff: 7.9, rigid: true, count: 0 });
      const component = { ...model, layer };
      const { R, z, vR, vphi, vz } = cylindrical(await sampleOf([component, halo], 16, G), 16);
      const kinematics = kinematicsOf(component, G, inHalo);
      const inside = diskMassFraction(model.cutoff / model.scaleLength);
      expect(kolmogorovSmirnov(R, (r) => diskMassFraction(r / model.scaleLength) / inside)).toBeLessThan(KS_LIMIT);
      const sech2 = (height: number) => (1 + Math.tanh(height / model.scaleHeight)) / 2;
      if (layer === "sech2") expect(kolmogorovSmirnov(z, sech2)).toBeLessThan(KS_LIMIT);
      // Mass between 1 and 2 scale lengths over the area of the ring against Σ(R).
      const ring = R.filter((r) => r >= 2 && r < 2.2).length * (model.mass / count);
      expect(ring / (Math.PI * (2.2 ** 2 - 2 ** 2)) / kinematics.surfaceDensity(2.1)).toBeCloseTo(1, 1.5);
      for (const target of [0.3, 0.75, 1.5, 3, 3.75, 5]) {
        const here = [...R.keys()].filter((i) => Math.abs(R[i] / target - 1) < 0.03);
        const [radial, azimuthal] = kinematics.dispersions(target);
        // About the mean at their own radius, within 3σ of the noise and what a bin of 6 % in radius adds.
        const aboutMean = here.map((i) => vphi[i] - kinematics.meanRotation(R[i]));
        for (const [values, sigma] of [
          [here.map((i) => vR[i]), radial],
          [aboutMean, azimuthal],
        ] as const) {
          const { deviation } = moments(values);
          const fourth = values.reduce((sum, v) => sum + (v / deviation) ** 4, 0) / values.length;
          const noise = Math.sqrt((fourth - 1) / (4 * values.length));
          expect(Math.abs(deviation / sigma - 1)).toBeLessThan(3 * noise + 0.006);
        }
        const rotation = moments(here.map((i) => vphi[i])).mean;
        const noise = (3 * azimuthal) / Math.sqrt(here.length);
        expect(Math.abs(rotation - kinematics.meanRotation(target))).toBeLessThan(noise + 0.003 * rotation);
        // Vertical velocities in units of what the Jeans equation says at their place.
        const scaled = here.map((i) => vz[i] / kinematics.verticalDispersion(R[i], z[i]));
        expect(Math.abs(moments(scaled).deviation - 1)).toBeLessThan(3 / Math.sqrt(2 * here.length));
        expect(moments(here.map((i) => Math.abs(z[i]))).mean / 0.2).toBeCloseTo(
          layer === "exponential" ? 1 : Math.LN2,
          1,
        );
      }
    },
  );

  it.each([0.5, 1.3, 1.7, 2])(
    "has the dispersion and the Q asked for, and satisfies the radial Jeans equation, Q = %d",
    (toomreQ) => {
      const {
        circularSpeed,
        dispersions,
        meanRotation,
        surfaceDensity,
        toomreQ: at,
      } = kinematicsOf({ ...model, toomreQ }, G, inHalo);
      expect(at(2.5 * 1.5) / toomreQ).toBeCloseTo(1, 2);
      for (const R of [1, 2, 3, 4.5]) {
        const asked = (dispersions(3.75)[0] * Math.exp(-(R - 3.75) / 3)) / dispersions(R)[0];
        // Twice as warm, the dispersion can't be had everywhere.
        if (toomreQ < 2) expect(Math.abs(asked - 1)).toBeLessThan(0.01);
      }
      for (const R of [0.2, 0.6, 1.2, 2, 3, 4.5]) {
        const stress = (r: number) => surfaceDensity(r) * dispersions(r)[0] ** 2;
        const step = 0.05 * Math.min(1, R);
        const gradient = (stress(R + step) - stress(R - step)) / (2 * step) / surfaceDensity(R);
        const [radial, azimuthal] = dispersions(R);
        const balance = (meanRotation(R) ** 2 + azimuthal ** 2 - radial ** 2) / R - gradient;
        expect(Math.abs(balance / (circularSpeed(R) ** 2 / R) - 1)).toBeLessThan(0.02);
      }
    },
  );

  it.each(["sech2", "exponential"] as const)(
    "satisfies the vertical Jeans equation in the total field, layer %s",
    (layer) => {
      const component = { ...model, layer };
      const spheres = [hernquistShape(10, 4), hernquistShape(0.5, 0.3)];
      const field = totalField({ flat: [exponential.flat(component)], spheres, external: [] }, G);
      const { verticalDispersion } = exponential.kinematics(component, field, G);
      const density = exponential.flat(component).layer.density;
      const heights = Float64Array.from({ length: 801 }, (_, j) => j / 400);
      for (const R of [0.3, 1, 3]) {
        const { vertical } = field.forces(Float64Array.of(R), heights);
        for (const from of [0, 40, 100, 200]) {
          let sum = 0;
          for (let j = from; j < 800; j++)
            sum -= (density(heights[j]) * vertical[j] + density(heights[j + 1]) * vertical[j + 1]) / 800;
          const expected = Math.sqrt(sum / density(heights[from]));
          expect(Math.abs(verticalDispersion(R, heights[from]) / expected - 1)).toBeLessThan(0.005);
        }
      }
    },
  );

  it.each([1, 1.7])(
    "keeps its mean height in the total field where its layer is isothermal, Q = %d",
    async (toomreQ) => {
      const component = { ...model, toomreQ, layer: "isothermal" as const };
      const halo = hernquist({ mass: 10, scale: 4, cutoff: 7.9, rigid: true, count: 0 });
      const bulge = { ...halo, name: "bulge", mass: 0.5, scale: 0.3 };
      const spheres = [hernquistShape(10, 4), hernquistShape(0.5, 0.3)];
      const { R, z, vz } = cylindrical(await sampleOf([component, halo, bulge], 16, G), 16);
      const field = totalField({ flat: [exponential.flat(component)], spheres, external: [] }, G);
      for (const target of [0.4, 1, 2, 3, 4.5]) {
        const here = [...R.keys()].filter((i) => Math.abs(R[i] / target - 1) < 0.03);
        const noise = 3 / Math.sqrt(here.length);
        expect(Math.abs(moments(here.map((i) => Math.abs(z[i]))).mean / (0.2 * Math.LN2) - 1)).toBeLessThan(
          noise + 0.01,
        );
        // ⟨v_z²⟩ = ⟨z ∂φ/∂z⟩, which the local Jeans equation demands.
        const heights = Float64Array.from({ length: 161 }, (_, j) => j / 80);
        const { vertical } = field.forces(Float64Array.of(target), heights);
        const virial = here.map((i) => -Math.abs(z[i]) * vertical[Math.min(160, Math.round(Math.abs(z[i]) * 80))]);
        const square = moments(here.map((i) => vz[i])).deviation ** 2;
        expect(Math.abs(square / moments(virial).mean - 1)).toBeLessThan(2 * noise + 0.02);
      }
    },
  );

  it("rotates with the halo's mass added, and the layer's thickness taken into account", () => {
    const alone = kinematicsOf(model, G);
    const withHalo = kinematicsOf(model, G, inHalo);
    for (const R of [1, 3, 5]) {
      const added = (G * 10 * R) / (R + 4) ** 2;
      const ratio = (withHalo.circularSpeed(R) ** 2 - alone.circularSpeed(R) ** 2) / added;
      // Hernquist's force along R is weaker at a height by 1 − R²/r² · …: the mean over sech² falls short by about (z0/R)².
      expect(ratio).toBeLessThan(1);
      expect(ratio).toBeGreaterThan(1 - (0.2 / R) ** 2);
    }
  });

  it("takes a radial dispersion instead of Q", () => {
    const { dispersions } = kinematicsOf({ ...model, toomreQ: 0, sigma: 0.4, sigmaLength: 5 }, G, inHalo);
    expect(dispersions(3.75)[0]).toBeCloseTo(0.4, 2);
    expect(dispersions(2.25)[0] / dispersions(3.75)[0]).toBeCloseTo(Math.exp(1.5 / 5), 2);
  });

  it("keeps rotating near the centre, with a dispersion and a Q that stay finite", () => {
    for (const toomreQ of [0.8, 1.2, 1.8]) {
      const kinematics = kinematicsOf({ ...model, toomreQ }, G);
      for (let R = 0.01; R < 6; R *= 1.3) {
        const ratio =
          kinematics.meanRotation(R) / Math.hypot(kinematics.circularSpeed(R), kinematics.dispersions(R)[0]);
        expect(ratio).toBeGreaterThan(0);
        expect(ratio).toBeLessThan(1);
        expect(kinematics.toomreQ(R)).toBeGreaterThan(0.7);
        expect(kinematics.toomreQ(R)).toBeLessThan(3 * toomreQ);
      }
    }
    expect(() => kinematicsOf({ ...model, toomreQ: 9 }, G)).toThrow(
      /component "disk": expected a Toomre Q below [\d.]+ .*found 9.*Try a lower toomreQ/,
    );
    expect(() => kinematicsOf({ ...model, toomreQ: 0, sigma: 99 }, G)).toThrow(
      /component "disk": expected a sigma below [\d.]+ .*found 99.*Try a lower sigma/,
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
    const thin = disk({ count: 20_000, scaleHeight: 0.05 });
    const halo = hernquist({ mass: 10, scale: 3, cutoff: 15, count: 10 });
    const meanRotation = async (offset: [number, number, number]) => {
      const { R, vphi } = cylindrical(await sampleOf([thin, { ...halo, offset }], 60), 60);
      return moments([...R.keys()].filter((i) => Math.abs(R[i] - 2.5) < 0.1).map((i) => vphi[i])).mean;
    };
    const alone = kinematicsOf(thin, 1).meanRotation(2.5);
    expect(await meanRotation([10, 0, 0])).toBeCloseTo(alone, 1);
    expect(await meanRotation([0, 0, 0])).toBeGreaterThan(1.5 * alone);
  });
});

describe("spherical mean of a disk", () => {
  const sech2 = disk({ count, mass: 2, scaleLength: 1, scaleHeight: 0.3, cutoff: 12 });
  const thin = disk({ count, mass: 2, scaleLength: 1, scaleHeight: 0.02, cutoff: 12, layer: "exponential" });
  it.each([sech2, thin])("$scaleHeight high, $layer: M(<r) is the flux of its field, by Gauss's theorem", (one) => {
    const { mass, density, depth } = exponential.profile(one);
    for (const r of [0.1, 1]) {
      // Midpoints of √(z/r), more of them near the plane; radii rise where heights fall.
      const steps = 32;
      const roots = Float64Array.from({ length: steps }, (_, k) => (k + 0.5) / steps);
      const z = roots.map((root) => r * root ** 2);
      const R = roots.map((root) => r * Math.sqrt(1 - root ** 4)).reverse();
      const { radial, vertical } = flatForces(exponential.flat(one), R, z, 1);
      let flux = 0;
      for (const [k, root] of roots.entries()) {
        const at = (steps - 1 - k) * steps + k;
        flux -= ((R[steps - 1 - k] * radial[at] + z[k] * vertical[at]) * r * 2 * root) / steps;
      }
      expect(mass(r) / flux, `at ${r}`).toBeCloseTo(1, 2);
      expect((mass(1.01 * r) - mass(0.99 * r)) / (0.08 * Math.PI * r ** 3 * density(r))).toBeCloseTo(1, 2);
      expect(((depth(0.99 * r) - depth(1.01 * r)) * r) / (0.02 * mass(r))).toBeCloseTo(1, 2);
    }
    expect(mass(100)).toBeCloseTo(2, 3);
  });
});
