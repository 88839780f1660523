/** The field that models are set up in on a mesh: against closed forms, averages, and the forces of a mesh. */
import { describe, expect, it } from "vitest";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { initialConditions, parseScenario } from "../../src/index.ts";
import { flatForces } from "../../src/physics/initial/flat-field.ts";
import { hernquistShape } from "../../src/physics/initial/hernquist.ts";
import {
  type MeshOfModels,
  softenedFlat,
  softenedProfile,
  softeningOf,
} from "../../src/physics/initial/mesh-softening.ts";
import type { SphericalProfile } from "../../src/physics/initial/profiles.ts";
import { exponentialLayer, sechLayer } from "../../src/physics/initial/vertical-structure.ts";
import { contextsOf } from "../../src/physics/initial/worker-pool.ts";
import { radiiOf } from "./initial-samples.ts";

/** M(r) of exp(−r²/2σ²), of mass 1; `erf` by Simpson's rule. */
const gaussianMass = (sigma: number) => (r: number) => {
  const x = r / sigma;
  const steps = 400;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const t = (x * i) / steps;
    sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * t * t * Math.exp((-t * t) / 2);
  }
  return Math.sqrt(2 / Math.PI) * sum * (x / steps / 3);
};
const RADII = [1e-3, 0.05, 0.3, 1, 2.5, 7, 30];

describe("a softened profile", () => {
  const point: SphericalProfile = { mass: () => 1, density: () => 0, depth: (r) => 1 / r };

  it("of a point is a Gaussian, and of a Gaussian a wider one", () => {
    const mass = gaussianMass(0.8);
    const gaussian: SphericalProfile = { mass, density: () => Number.NaN, depth: (r) => 1 / r };
    const [ofPoint, ofGaussian] = [softenedProfile(point, 0.5), softenedProfile(gaussian, 0.6)];
    for (const r of RADII) {
      // The kink of M at the point costs a thousandth.
      expect(ofPoint.mass(r) / gaussianMass(0.5)(r)).toBeCloseTo(1, 2.5);
      expect(ofGaussian.mass(r) / gaussianMass(1)(r)).toBeCloseTo(1, 6);
    }
  });

  it("has the density and the depth of its mass", () => {
    const { mass, density, depth } = softenedProfile(hernquistShape(2, 1), 0.3);
    for (const r of RADII) {
      const step = 1e-3 * r;
      const rate = (f: (r: number) => number) => (f(r + step) - f(r - step)) / (2 * step);
      expect(density(r) / (rate(mass) / (4 * Math.PI * r * r))).toBeCloseTo(1, 2.5);
      expect(rate(depth) / (-mass(r) / (r * r))).toBeCloseTo(1, 3);
    }
    // Far out, s² ∇²ρ/2 more.
    expect(mass(100) / hernquistShape(2, 1).mass(100)).toBeCloseTo(1, 6);
    expect(depth(0)).toBeGreaterThan(depth(1e-6) - 1e-9);
    // Ψ(0) of a point, smoothed: √(2/π)/s
    expect(softenedProfile(point, 0.5).depth(0) / (Math.sqrt(2 / Math.PI) / 0.5)).toBeCloseTo(1, 2.5);
  });
});

describe("a softened disk", () => {
  /** Places and weights of a normal variate, `step` apart: the trapezium is exact in what is smooth. */
  const normal = (step: number) => {
    const last = Math.ceil(4 / step);
    return Array.from({ length: 2 * last + 1 }, (_, j) => (j - last) * step).map((x) => [
      x,
      (Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI)) * step,
    ]);
  };
  const [ACROSS, UP] = [normal(0.8), normal(0.25)];
  const s = 0.3;

  it.each([
    ["sech²", sechLayer(0.4)],
    ["exponential", exponentialLayer(0.4)],
  ])("(%s) has the forces of the disk itself, averaged with a Gaussian", (_, layer) => {
    const disk = { spectrum: (k: number) => (1 + k * k) ** -1.5, scale: 1, layer };
    const [R, z] = [2.5, 0.2];
    const rising = (values: number[]) => Float64Array.from(new Set(values)).sort();
    const places = ACROSS.flatMap(([u, first]) =>
      ACROSS.map(([v, second]) => ({ x: R + s * u, at: Math.hypot(R + s * u, s * v), weight: first * second })),
    );
    const heights = UP.map(([w]) => z + s * w);
    const [radii, grid] = [rising(places.map(({ at }) => at)), rising([0, ...heights.map(Math.abs)])];
    const forces = flatForces(disk, radii, grid, 1);
    let [radial, vertical] = [0, 0];
    for (const { x, at, weight } of places) {
      UP.forEach(([, third], n) => {
        const j = radii.indexOf(at) * grid.length + grid.indexOf(Math.abs(heights[n]));
        radial += weight * third * forces.radial[j] * (x / at);
        vertical += weight * third * forces.vertical[j] * Math.sign(heights[n]);
      });
    }
    const found = flatForces(softenedFlat(disk, s), Float64Array.of(R), Float64Array.of(0, z), 1);
    expect(found.radial[1] / radial).toBeCloseTo(1, 2.5);
    expect(found.vertical[1] / vertical).toBeCloseTo(1, 2.5);
  });
});

const BOX = 16;
const deck = (mesh: string, tables: string) =>
  parseScenario(
    `title = "t"\nbox.size = ${BOX}\nmesh = { cells = 32, ${mesh} }\ntime = { end = 1, step = 0.1 }\n${tables}`,
  );
const sphere = (keys: string) => `[[particles]]\ncount = 40_000\nmass = 1\n${keys}\n`;

describe("the mesh", () => {
  it.each([
    'kernel = "truncated"',
    'kernel = "cell-integrated"',
    'kernel = "truncated", assignment = "tsc"',
    'kernel = "truncated", gradient = "2-point"',
    'poisson = "multigrid", gradient = "2-point"',
  ])("%s: its mean force in a smooth sphere is that of the softened one", async (keys) => {
    const scenario = deck(`${keys}, softenedModels = true`, sphere('kind = "plummer"\nscale = 1.5\ncutoff = 7'));
    const { particles } = await initialConditions(scenario, { G: 1 });
    const pipeline = await ReferencePipeline.create(
      {
        ...{ mesh: scenario.mesh, multigrid: scenario.multigrid },
        boundary: "isolated",
        boxSize: BOX,
        G: 1,
        externalPotentials: [],
      },
      particles,
    );
    const { accelerations } = await pipeline.readParticles({ accelerations: true });
    pipeline.destroy();
    const radii = radiiOf(particles, BOX);
    // The sample's own masses: its noise is in both.
    const order = Array.from(radii.keys()).sort((a, b) => radii[a] - radii[b]);
    const sampled = new Float64Array(radii.length);
    for (const [rank, id] of order.entries()) sampled[id] = (rank + 0.5) / radii.length;
    const { profile } = contextsOf(scenario, { G: 1 })[0].equilibrium();
    const softened = softenedProfile(profile, softeningOf(scenario));
    let [found, points, expected] = [0, 0, 0];
    for (const [id, r] of radii.entries()) {
      if (r > 3) continue;
      for (let k = 0; k < 3; k++)
        found -= (accelerations![3 * id + k] * (particles.positions[3 * id + k] - BOX / 2)) / r;
      points += sampled[id] / (r * r);
      expected += (sampled[id] + softened.mass(r) - profile.mass(r)) / (r * r);
    }
    const [hard, soft] = [found / points - 1, found / expected - 1];
    expect(hard).toBeLessThan(-0.09);
    expect(Math.abs(soft)).toBeLessThan(0.007);
  });

  it("gives models their virial ratio", async () => {
    const keys = 'kind = "hernquist"\nscale = 1\ncutoff = 6';
    for (const softened of [false, true]) {
      const scenario = deck(`softenedModels = ${softened}`, sphere(keys));
      const { particles } = await initialConditions(scenario, { G: 1 });
      const { profile } = contextsOf(scenario, { G: 1 })[0].equilibrium();
      const field = softenedProfile(profile, softeningOf(deck("softenedModels = true", sphere(keys))));
      let [sum, squares] = [0, 0];
      radiiOf(particles, BOX).forEach((r, id) => {
        const [vx, vy, vz] = particles.velocities.subarray(3 * id, 3 * id + 3);
        const difference = vx * vx + vy * vy + vz * vz - field.mass(r) / r;
        sum += difference;
        squares += difference ** 2;
      });
      const sigmas = sum / Math.sqrt(squares);
      if (softened) expect(Math.abs(sigmas)).toBeLessThan(3);
      else expect(sigmas).toBeGreaterThan(10);
    }
  });

  it("softens by less for a finer one, and not at all unless it is told to", () => {
    const mesh: MeshOfModels = deck("softenedModels = true", sphere('kind = "plummer"')).mesh;
    const box = { size: 16, boundary: "isolated" } as const;
    expect(softeningOf({ box, mesh })).toBeCloseTo(0.5 * Math.sqrt(5 / 12), 12);
    expect(softeningOf({ box, mesh: { ...mesh, cells: 64 } })).toBeCloseTo(0.25 * Math.sqrt(5 / 12), 12);
    expect(softeningOf({ box, mesh: { ...mesh, softenedModels: false } })).toBe(0);
    expect(softeningOf({ box })).toBe(0);
  });
});
