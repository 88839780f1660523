/** A model that is registered from outside the source tree takes part in everything that those which ship do. */
import { describe, expect, it } from "vitest";
import {
  deckKeys,
  deckText,
  fitAdvice,
  initialConditions,
  initialModel,
  parseScenario,
  registerModel,
  registerPotential,
  sphericalModel,
} from "../../src/index.ts";
import { exponential } from "../../src/physics/initial/exponential-disk.ts";
import { models } from "../../src/physics/initial/models.ts";
import type { SphericalProfile } from "../../src/physics/initial/profiles.ts";
import { equilibriumSpheres } from "../../src/physics/initial/sphere.ts";
import { totalField } from "../../src/physics/initial/total-field.ts";
import { externalField } from "../../src/physics/potentials/external.ts";
import { scenarioNotes, scenarioWarnings } from "../../src/scenario/remarks.ts";
import { jaffe, jaffePotential, jaffeShape } from "../support/jaffe.ts";
import { KS_LIMIT, kolmogorovSmirnov, radiiOf } from "./initial-samples.ts";

registerModel(jaffe);
registerPotential(jaffePotential);

const [MASS, SCALE, CUTOFF] = [3, 0.5, 5];
const deck = (keys = "", more = "") => `title = "outside"
box.size = 16
mesh.cells = 64
time = { end = 1, step = 0.1 }
[[particles]]
kind = "jaffe"
mass = ${MASS}
scale = ${SCALE}
${keys}
${more}`;

const particlesOf = async (text: string, G = 1) => (await initialConditions(parseScenario(text), { G })).particles;

/** Of a live sphere by itself: mass as sampled, and its distribution function. */
function alone() {
  const sphere = { name: "jaffe", shape: jaffeShape(MASS, SCALE), cutoff: CUTOFF };
  return equilibriumSpheres([sphere], [])[0];
}

describe("a model from outside", () => {
  it("has the defaults and the documentation of its record", () => {
    const scenario = parseScenario(deck("count = 10"));
    expect(scenario.particles).toEqual([
      {
        ...{ kind: "jaffe", name: "jaffe", species: "bulge", offset: [0, 0, 0], velocity: [0, 0, 0], seed: 1 },
        ...{
          count: 10,
          mass: MASS,
          scale: SCALE,
          cutoff: 10 * SCALE,
          anisotropyRadius: Infinity,
          centre: true,
          rigid: false,
        },
      },
    ]);
    const text = deckText(scenario);
    expect(text).toContain("# Jaffe sphere in equilibrium, ρ = M a/(4π r² (r + a)²) (Jaffe 1983)\n[[particles]]\n");
    expect(text).toMatch(/cutoff +=.*# \[length units\] no particle lies beyond this radius/);
    expect(parseScenario(text)).toEqual(scenario);
    expect(fitAdvice(scenario, {}).estimate.particles).toBe(10 * 68 + 24);
    const small = parseScenario(deck("count = 10\ncutoff = 7.9", "").replace("scale = 0.5", "scale = 0.1"));
    expect(scenarioNotes(small)).toEqual([
      // M r/(r + a) is 2.925 at half the cut-off: v = √(2.925/3.95).
      expect.stringMatching(
        /^jaffe fades out towards cutoff = 7\.9: its particles hold 2\.9\d of mass = 3; inside 3\.95 they hold 2\.9\d where a rigid one holds 2\.93 \(circular speed by itself 0\.8\d+ and 0\.861\)$/,
      ),
    ]);
    expect(scenarioWarnings(small)).toEqual([
      expect.stringMatching(
        /^jaffe: cells are too large for it: .* r10 \(0\.0\d+, 0\.0\d+ cells of 0\.25\) grows by more/,
      ),
      expect.stringMatching(/^jaffe: time\.step = 0\.1 is 1\.2 of the time r\/v of circular orbits in its inner part/),
    ]);
  });

  it("follows its density, faded out towards the cut-off", async () => {
    const particles = await particlesOf(deck("count = 50_000\ncentre = false"));
    const { profile } = alone();
    const radii = radiiOf(particles, 16);
    const held = profile.mass(CUTOFF);
    expect(kolmogorovSmirnov(radii, (r) => profile.mass(r) / held)).toBeLessThan(KS_LIMIT);
    expect(particles.masses[0] * particles.count).toBeCloseTo(held, 12);
    // What the cut-off takes is far out: inside the scale radius the profile is Jaffe's own.
    const within = (r: number) => radii.filter((radius) => radius < r).length;
    const shape = jaffeShape(MASS, SCALE);
    for (const r of [1e-3, 0.01, 0.1, 0.3]) {
      const expected = shape.mass(r) / particles.masses[0];
      expect(Math.abs(within(r) - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
    expect(Math.max(...radii)).toBeLessThan(CUTOFF);
  });

  it("is in virial equilibrium", async () => {
    const G = 2;
    const { velocities, count } = await particlesOf(deck("count = 50_000"), G);
    const { profile } = alone();
    const twiceKinetic =
      (profile.mass(CUTOFF) / count) * Float64Array.from(velocities).reduce((sum, v) => sum + v * v, 0);
    // |W| = G ∫ M/r dM, over equal steps of ln r.
    let potential = 0;
    const steps = 20_000;
    const [first, last] = [Math.log(1e-6), Math.log(CUTOFF)];
    for (let i = 0; i < steps; i++) {
      const [inner, outer] = [i, i + 1].map((at) => Math.exp(first + ((last - first) * at) / steps));
      const middle = Math.sqrt(inner * outer);
      potential += (G * profile.mass(middle) * (profile.mass(outer) - profile.mass(inner))) / middle;
    }
    expect(twiceKinetic / potential).toBeGreaterThan(0.98);
    expect(twiceKinetic / potential).toBeLessThan(1.02);
  });

  it("is felt by a disk about the same centre", async () => {
    const disk = { mass: 1, scaleLength: 1, scaleHeight: 0.1, toomreQ: 1.2, cutoff: 6 };
    const table = Object.entries(disk).map(([key, value]) => `${key} = ${value}`);
    const text = (offset: string) =>
      deck("count = 10", `[[particles]]\nkind = "exponential-disk"\ncount = 20_000\n${table.join("\n")}\n${offset}`);
    const rotation = async (offset: string, shift: number) => {
      const { positions, velocities, count } = await particlesOf(text(offset));
      let [sum, found] = [0, 0];
      for (let i = 10; i < count; i++) {
        const [x, y] = [positions[3 * i] - 8 - shift, positions[3 * i + 1] - 8];
        const R = Math.hypot(x, y);
        if (R < 2.4 || R > 2.6) continue;
        sum += (x * velocities[3 * i + 1] - y * velocities[3 * i]) / R;
        found++;
      }
      return sum / found;
    };
    const { profile } = alone();
    const model = { name: "disk", ...disk, sigma: 0, sigmaLength: 2, layer: "sech2" } as const;
    const expected = (spheres: SphericalProfile[]) => {
      const field = totalField({ flat: [exponential.flat(model)], spheres, external: [] }, 1);
      return exponential.kinematics(model, field, 1).stars.meanRotation(2.5);
    };
    const [inSphere, byItself] = [expected([profile]), expected([])];
    expect((await rotation("", 0)) / inSphere).toBeCloseTo(1, 1);
    expect((await rotation("offset = [1, 0, 0]", 1)) / byItself).toBeCloseTo(1, 1);
    expect(inSphere / byItself).toBeGreaterThan(1.5);
  });

  it("may draw particles of its own, in the field of what shares its centre", async () => {
    const { integer, positive, required } = deckKeys;
    registerModel(
      initialModel({
        name: "ring",
        meaning: "Cold ring, rotating as the mass at its centre demands",
        species: "disk",
        keys: {
          count: required(integer(1, 1e6), { meaning: "number of particles" }),
          mass: required(positive, { unit: "mass", meaning: "total mass" }),
          radius: required(positive, { unit: "length", meaning: "of the ring" }),
        },
        extent: { reach: ({ radius }) => radius, keys: ["radius"] },
        particles({ radius }, { G, others }) {
          const speed = Math.sqrt((G * others().mass(radius)) / radius);
          return (random, point) => {
            const angle = 2 * Math.PI * random.uniform();
            point.set([radius * Math.cos(angle), radius * Math.sin(angle), 0]);
            point.set([-speed * Math.sin(angle), speed * Math.cos(angle), 0], 3);
          };
        },
      }),
    );
    const ring = (radius: number) => `[[particles]]\nkind = "ring"\ncount = 5\nmass = 1e-6\nradius = ${radius}`;
    const { positions, velocities, masses } = await particlesOf(deck("count = 10", ring(2)));
    const { profile } = alone();
    for (let i = 10; i < 15; i++) {
      expect(Math.hypot(positions[3 * i] - 8, positions[3 * i + 1] - 8)).toBeCloseTo(2, 12);
      const speed = Math.hypot(velocities[3 * i], velocities[3 * i + 1]);
      expect(speed).toBeCloseTo(Math.sqrt(profile.mass(2) / 2), 5);
      expect(masses[i]).toBe(2e-7);
    }
    expect(() => parseScenario(deck("count = 10", ring(9)))).toThrow(
      "particles[1].radius: expected at most box.size/2 = 8, so that the particles are inside the box, found 9",
    );
  });

  it("is told of with its own keys when one is unknown, and its name among the kinds", () => {
    expect(() => parseScenario(deck("count = 10\nbreadth = 2"))).toThrow(
      "unknown key particles[0].breadth. Known in particles[0]: kind, name, galaxy, species, offset, velocity, seed, count, mass, scale, cutoff, anisotropyRadius, centre, rigid",
    );
    expect(() => parseScenario(deck("count = 10\ncutof = 2"))).toThrow("did you mean particles[0].cutoff?");
    expect(() => parseScenario(deck("count = 10").replace('"jaffe"', '"jafe"'))).toThrow('Did you mean "jaffe"?');
  });

  it("has to fit the box, as its record says", () => {
    expect(() => parseScenario(deck("count = 10\ncutoff = 7\noffset = [0, 2, 0]"))).toThrow(
      "particles[0].cutoff: expected at most box.size/2 − |offset| = 6, so that the particles are inside the box, found 7. " +
        "Lower cutoff or raise box.size",
    );
  });

  const uniform = '[[particles]]\nkind = "uniform"\ncount = 9\nmass = 1\nside = 4';

  it("can be rigid: an external potential with the force of its mass", async () => {
    const scenario = parseScenario(deck("rigid = true\noffset = [1, 0, 0]", uniform));
    const { externalPotentials, particles } = await initialConditions(scenario, { G: 2 });
    expect(externalPotentials).toEqual([
      { kind: "jaffe", centre: [9, 8, 8], parameters: { mass: MASS, scale: SCALE } },
    ]);
    expect(particles.components.map(({ name }) => name)).toEqual(["uniform"]);
    const { accelerations, potential } = externalField({ G: 2, externalPotentials }, particles.positions);
    const shape = jaffeShape(MASS, SCALE);
    for (let i = 0; i < 9; i++) {
      const d = [9, 8, 8].map((centre, axis) => particles.positions[3 * i + axis] - centre);
      const r = Math.hypot(...d);
      d.forEach((x, axis) => {
        expect(accelerations[3 * i + axis]).toBeCloseTo((-2 * shape.mass(r) * x) / r ** 3, 12);
      });
      expect(potential[i]).toBeCloseTo(-2 * shape.depth(r), 12);
    }
  });

  it("can't be rigid without an external potential", () => {
    registerModel(sphericalModel({ name: "bare", meaning: "without a potential", species: "halo", shape: jaffeShape }));
    expect(() => parseScenario(deck("rigid = true", uniform).replace('"jaffe"', '"bare"'))).toThrow(
      'particles[0].rigid: expected false: no external potential stands for the kind "bare", found true',
    );
  });

  it("needs a name of its own", () => {
    expect(() => registerModel(jaffe)).toThrow('initial model "jaffe" is there already: choose another name');
    expect(models.names.filter((name) => name === "jaffe")).toEqual(["jaffe"]);
  });
});
