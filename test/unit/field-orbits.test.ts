/** Orbits in the actual field of galaxies: apsides that a run comes to, forces between spheres, points as the limit. */
import { describe, expect, it } from "vitest";
import { fieldOrbit, pointOrbit } from "../../src/physics/initial/field-orbit.ts";
import { type OrbitField, orbitField } from "../../src/physics/initial/orbit-field.ts";
import { placedGalaxies } from "../../src/physics/initial/placing.ts";
import type { SphericalProfile } from "../../src/physics/initial/profiles.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation, type SimulationOptions } from "../../src/scenario/simulation/simulation.ts";

const plummer = (mass: number, scale: number): SphericalProfile => ({
  mass: (r) => (mass * r ** 3) / (r * r + scale * scale) ** 1.5,
  density: (r) => ((3 * mass) / (4 * Math.PI * scale ** 3)) * (1 + (r / scale) ** 2) ** -2.5,
  depth: (r) => mass / Math.hypot(r, scale),
});
const part = (mass: number, scale: number) => ({ mass, profile: plummer(mass, scale) });

describe("the force between two spheres", () => {
  /** Of unit masses: by cells of one in the field of the other. */
  function forceOf(inner: number, outer: number, r: number): number {
    const [shells, cosines] = [1500, 200];
    let sum = 0;
    for (let i = 0; i < shells; i++) {
      const t = (i + 0.5) / shells;
      const s = inner / Math.sqrt((t * t * (3 - 2 * t)) ** (-2 / 3) - 1);
      const weight = (6 * t * (1 - t)) / shells / cosines;
      for (let j = 0; j < cosines; j++) {
        const along = s * (-1 + (2 * j + 1) / cosines);
        const u2 = r * r + s * s + 2 * r * along;
        sum += (weight * (r + along)) / (u2 + outer * outer) ** 1.5;
      }
    }
    return sum;
  }
  const pair = { own: [part(1, 0.3)], host: [part(2, 1)], fixed: [], held: false, outermost: 1e4 };

  it("is that of all their cells, the same from both sides", () => {
    const [one, other] = [orbitField(pair), orbitField({ ...pair, own: pair.host, host: pair.own })];
    for (const r of [0.05, 0.3, 1, 3, 8]) {
      expect(Math.abs(one.mass(r) / (3 * r * r * forceOf(0.3, 1, r)) - 1)).toBeLessThan(1e-3);
      expect(other.mass(r)).toBe(one.mass(r));
    }
    expect(one.mass(1e3)).toBeCloseTo(3, 4);
  });

  it("is of a point in the other's field, and of the fixed mass alone where that is held", () => {
    const [point] = [{ mass: 0.5 }];
    const free = orbitField({ ...pair, own: [point] });
    expect(free.mass(0.7)).toBeCloseTo(2.5 * plummer(1, 1).mass(0.7), 7);
    expect(free.depth(0.7)).toBeCloseTo(2.5 * plummer(1, 1).depth(0.7), 7);
    const held = orbitField({ ...pair, own: [point], host: [], fixed: [plummer(2, 1)], held: true });
    expect(held.mass(0.7)).toBeCloseTo(2 * plummer(1, 1).mass(0.7), 12);
    // Tracers move nobody, and are moved by whom they are about or who is about them.
    expect(orbitField({ ...pair, own: [{ mass: 0 }] }).mass(0.7)).toBeCloseTo(plummer(2, 1).mass(0.7), 7);
    expect(orbitField({ ...pair, host: [{ mass: 0 }] }).mass(0.7)).toBeCloseTo(plummer(1, 0.3).mass(0.7), 7);
  });
});

describe("an orbit in a field", () => {
  it("is Kepler's in that of points", () => {
    const [mu, q] = [3.7, 0.8];
    const field: OrbitField = { mass: () => mu, depth: (r) => mu / r };
    for (const eccentricity of [0, 1e-3, 0.2, 0.6, 0.99, 0.999999, 1, 1.000001, 1.5, 4]) {
      const apsides = { pericentre: q, eccentricity };
      for (const r of [q, 1.001 * q, 1.2 * q, 3 * q, 30 * q]) {
        if (eccentricity < 1 && r > (q * (1 + eccentricity)) / (1 - eccentricity)) continue;
        const [found, expected] = [fieldOrbit(field, apsides, 1).at(r), pointOrbit(apsides, mu).at(r)];
        for (const k of [0, 1]) {
          expect(Math.abs(found.position[k] - expected.position[k])).toBeLessThan(1e-6 * r);
          expect(Math.abs(found.velocity[k] - expected.velocity[k])).toBeLessThan(
            1e-6 * Math.hypot(...expected.velocity),
          );
        }
        expect(Math.abs(found.untilPericentre - expected.untilPericentre)).toBeLessThan(
          1e-6 * expected.untilPericentre + 1e-12,
        );
      }
    }
  });

  it("has its energy: none on a parabola, and a circle's speed on a circle", () => {
    const field = plummer(2, 1);
    const energy = (eccentricity: number, r: number) => {
      const { velocity } = fieldOrbit(field, { pericentre: 0.5, eccentricity }, 1).at(r);
      return Math.hypot(...velocity) ** 2 / 2 - field.depth(r);
    };
    for (const r of [0.5, 1, 20]) expect(energy(1, r)).toBeCloseTo(0, 9);
    expect(energy(1.5, 20)).toBeCloseTo(0.25 * field.depth(0.5), 9);
    expect(energy(0, 0.5)).toBeCloseTo(field.mass(0.5) / 0.5 / 2 - field.depth(0.5), 12);
    expect(energy(0.999999, 0.5)).toBeCloseTo(0, 4);
  });
});

const HEAD = `
title = "On its orbit"
gravity = "direct"
[units]
system = "galactic"
[box]
size = 400.0
[time]
end = 1.5
step = 0.0078125
[[galaxy]]
name = "host"
`;
/** A star that begins at its apocentre. */
const onOrbit = (orbit: string) => `
[[galaxy]]
name = "dwarf"
orbit = { of = "host", ${orbit} }
`;
const satellite = (orbit: string) => `${onOrbit(orbit)}
[[particles]]
kind = "snapshot"
galaxy = "dwarf"
file = "star"
`;
const STAR: ParticleSet = {
  ...{ count: 1, positions: new Float64Array(3).fill(200), velocities: new Float32Array(3) },
  ...{ masses: Float64Array.of(1e-9), components: [] },
};
const options: SimulationOptions = {
  backend: "cpu",
  loadSnapshot: async () => ({ ...STAR, boxSize: 0, time: 0 }),
};

/** Least and largest distance of the first particle from the middle of the box. */
async function apsidesOf(deck: string): Promise<[number, number]> {
  const simulation = await Simulation.create(parseScenario(deck), options);
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  try {
    while (!simulation.done) {
      await simulation.advance({ until: Math.min(1.5, simulation.time + 0.0078125) });
      const { positions } = await simulation.readParticles();
      const r = Math.hypot(...positions.slice(0, 3).map((x) => x - 200));
      [least, most] = [Math.min(least, r), Math.max(most, r)];
    }
  } finally {
    simulation.destroy();
  }
  return [least, most];
}

describe("a satellite", () => {
  const FIELDS = [
    ["MWPotential2014", `[[potential]]\nkind = "MWPotential2014"\ngalaxy = "host"\n`],
    ["an NFW halo", `[[potential]]\nkind = "nfw"\ngalaxy = "host"\nmass = 80.0\nscale = 16.0\n`],
    ["a logarithmic halo", `[[potential]]\nkind = "logarithmic"\ngalaxy = "host"\nspeed = 200.0\ncore = 1.0\n`],
    ["a rigid halo", `[[particles]]\nkind = "hernquist"\nrigid = true\ngalaxy = "host"\nmass = 100.0\nscale = 20.0\n`],
  ];
  it.each(FIELDS)("of %s passes at the pericentre and comes back to the apocentre", async (_, field) => {
    const orbit = "pericentre = 10.0, eccentricity = 0.6, separation = 30.0, node = 20.0";
    const [least, most] = await apsidesOf(HEAD + field + satellite(orbit));
    expect(Math.abs(least / 10 - 1)).toBeLessThan(0.01);
    expect(Math.abs(most / 40 - 1)).toBeLessThan(0.01);
  });

  it("on a circle stays on it, and one that just escapes passes at its pericentre too", async () => {
    const [, [, nfw]] = FIELDS;
    const circle = await apsidesOf(HEAD + nfw + satellite("pericentre = 15.0, eccentricity = 0.0, separation = 15.0"));
    for (const r of circle) expect(Math.abs(r / 15 - 1)).toBeLessThan(1e-3);
    const [least] = await apsidesOf(HEAD + nfw + satellite("pericentre = 10.0, separation = 60.0"));
    expect(Math.abs(least / 10 - 1)).toBeLessThan(0.01);
  });

  it("is refused an orbit that its field doesn't have, with the key and what to try", () => {
    const field = (more: string) => `[[potential]]\nkind = "plummer"\ngalaxy = "host"\nmass = 80.0\n${more}\n`;
    const orbit = (e: number) => satellite(`pericentre = 0.01, eccentricity = ${e}, separation = 30.0`);
    // Far inside the core, where the circular speed still rises.
    expect(parseScenario(HEAD + field("scale = 16.0") + orbit(1)).galaxy[1].orbit?.pericentre).toBe(0.01);
    const tracers = `[[particles]]\nkind = "plummer"\nname = "NAME"\ngalaxy = "NAME"\ncount = 10\nmass = 0.0\nscale = 1.0\n`;
    const deck = `${HEAD}${tracers.replaceAll("NAME", "host")}${onOrbit("pericentre = 10.0, separation = 30.0")}`;
    expect(() => parseScenario(deck + tracers.replaceAll("NAME", "dwarf"))).toThrow(
      /galaxy\[1\]\.orbit: expected an orbit about "host" that leads from 30 to 10, found none: .* Try another separation/,
    );
  });

  it("can't escape from a field that binds everything, nor have mass = within of the actual field", () => {
    const [, , [, logarithmic], [, rigid]] = FIELDS;
    expect(() => parseScenario(HEAD + logarithmic + satellite("pericentre = 10.0, separation = 60.0"))).toThrow(
      /galaxy\[1\]\.orbit\.eccentricity: expected at most 0\.99995 about "host", from whose potential nothing escapes, found 1\. Lower it/,
    );
    expect(() =>
      parseScenario(HEAD + rigid + satellite('pericentre = 10.0, separation = 60.0, mass = "within"')),
    ).toThrow(/galaxy\[1\]\.orbit\.mass: expected "total", unless field = "points", found "within"\. Leave it out/);
  });
});

describe("two live galaxies", () => {
  const deck = (kind: string) => `
title = "Two haloes"
gravity = "direct"
[box]
size = 120.0
[time]
end = 1.0
step = 0.1
[[galaxy]]
name = "one"
[[galaxy]]
name = "other"
orbit = { of = "one", pericentre = 1.0, eccentricity = 0.8, separation = 3.0 }
${["one", "other"]
  .map((name, i) =>
    kind === "file"
      ? `[[particles]]\nkind = "snapshot"\nname = "${name}"\nfile = "${name}"\ngalaxy = "${name}"\ncentre = true\n`
      : `[[particles]]\nkind = "plummer"\nname = "${name}"\ncount = 4000\nmass = ${2 - i}.0\nscale = ${1 - 0.5 * i}\ncutoff = 30.0\nseed = ${i + 1}\ngalaxy = "${name}"\n`,
  )
  .join("")}`;

  const orbitOf = (text: string, masses: number[], files?: Map<number, SphericalProfile>) =>
    placedGalaxies(parseScenario(text), (i) => masses[i], 1, { ...(files && { files }) });

  it("begin where the mutual field brings them in, their momentum none", () => {
    const { frames, encounters } = orbitOf(deck("plummer"), [2, 1]);
    const [one, other] = ["one", "other"].map((name) => frames.get(name)!);
    for (const k of [0, 1, 2]) expect(2 * one.velocity[k] + other.velocity[k]).toBeCloseTo(0, 12);
    const field = orbitField({ own: [part(1, 0.5)], host: [part(2, 1)], fixed: [], held: false, outermost: 1e5 });
    const speed = Math.hypot(...one.velocity.map((v, k) => v - other.velocity[k]));
    const expected = Math.hypot(...fieldOrbit(field, encounters[0], 1).at(3).velocity);
    // Their cut-offs take little of a Plummer sphere.
    expect(Math.abs(speed / expected - 1)).toBeLessThan(0.01);
    expect(encounters[0].field).toBe("actual");
  });

  /** Files with the components of a deck that is drawn, less the centre and the momentum of so few. */
  async function filesOf(text: string) {
    const { particles } = await initialConditions(parseScenario(text), { G: 1 });
    return async (file: string) => {
      const { first, count } = particles.components.find(({ name }) => name === file)!;
      const of = <T extends Float64Array | Float32Array>(all: T) => {
        const own = all.slice(3 * first, 3 * (first + count)) as T;
        const mean = centreOf(
          own,
          Array.from({ length: count }, (_, i) => i),
        );
        return own.map((x, k) => x - mean[k % 3]) as T;
      };
      const set = { count, positions: of(particles.positions), velocities: of(particles.velocities as Float64Array) };
      return { ...set, masses: particles.masses.slice(first, first + count), components: [], boxSize: 0, time: 0 };
    };
  }

  it("read from files are on the same orbit as those that are drawn", async () => {
    const loadSnapshot = await filesOf(deck("plummer").replace(/orbit = .*/, "centre = [19.0, 0.0, 0.0]"));
    const made = await initialConditions(parseScenario(deck("file")), { G: 1, loadSnapshot });
    const speedOf = ({ velocities, components: [, { first, count }] }: ParticleSet) => {
      const mean = [0, 1, 2].map((k) => {
        let sum = 0;
        for (let i = first; i < first + count; i++) sum += velocities[3 * i + k];
        return sum / count;
      });
      return Math.hypot(...mean);
    };
    const drawn = await initialConditions(parseScenario(deck("plummer")), { G: 1 });
    expect(speedOf(made.particles) / speedOf(drawn.particles)).toBeCloseTo(1, 1);
  });

  it("pass each other at the pericentre of the actual field, and farther out on the orbit of points", async () => {
    const N = 300;
    const end = 6.5;
    const text = (orbit: string, member: (name: string, seed: number) => string) => `
title = "Two spheres pass each other"
gravity = "direct"
[box]
size = 64.0
[time]
end = ${end}
step = 0.046875
[direct]
steps = "shared"
softening = 0.1
[[galaxy]]
name = "one"
[[galaxy]]
name = "other"
${orbit}
${["one", "other"].map((name, i) => `[[particles]]\nname = "${name}"\ngalaxy = "${name}"\n${member(name, i + 1)}\n`).join("")}`;
    const drawn = (_: string, seed: number) =>
      `kind = "plummer"\ncount = ${N}\nmass = 1.0\nscale = ${[1, 0.4][seed - 1]}\ncutoff = ${[8, 3][seed - 1]}\nseed = ${seed}`;
    // Centred: so few that are drawn have a centre of mass and a momentum of their own.
    const loadSnapshot = await filesOf(text("centre = [16.0, 0.0, 0.0]", drawn));
    const centred = (name: string) => `kind = "snapshot"\nfile = "${name}"\ncentre = true`;
    const closest = async (field: string) => {
      const orbit = `orbit = { of = "one", pericentre = 2.0, eccentricity = 3.0, separation = 8.0, field = "${field}" }`;
      const simulation = await Simulation.create(parseScenario(text(orbit, centred)), { backend: "cpu", loadSnapshot });
      try {
        let least = Number.POSITIVE_INFINITY;
        while (!simulation.done) {
          await simulation.advance({ until: Math.min(end, simulation.time + 0.09375) });
          const { positions } = await simulation.readParticles();
          const [a, b] = [0, 1].map((g) =>
            centreOf(
              positions,
              Array.from({ length: N }, (_, i) => g * N + i),
            ),
          );
          least = Math.min(least, Math.hypot(...a.map((x, k) => x - b[k])));
        }
        return least;
      } finally {
        simulation.destroy();
      }
    };
    const found = [await closest("actual"), await closest("points")];
    expect(Math.abs(found[0] / 2 - 1)).toBeLessThan(0.02);
    expect(found[1] / 2).toBeGreaterThan(1.03);
  });
});

function centreOf(positions: ArrayLike<number>, ids: readonly number[]): number[] {
  return [0, 1, 2].map((k) => ids.reduce((sum, i) => sum + positions[3 * i + k], 0) / ids.length);
}
