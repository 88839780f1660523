/** Galaxies as groups: orbits and frames, masses after cut-offs, particles in their galaxy's frame, what is wrong with a deck. */
import { describe, expect, it } from "vitest";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { pointOrbit } from "../../src/physics/initial/field-orbit.ts";
import { type Frame, orientation, rotation } from "../../src/physics/initial/frames.ts";
import type { GalaxySettings } from "../../src/physics/initial/galaxies.ts";
import { placedGalaxies } from "../../src/physics/initial/placing.ts";
import { type InitialConditionsOptions, initialConditions } from "../../src/physics/initial/source.ts";
import { turnedInto } from "../../src/physics/particles/harmonics.ts";
import { deckText } from "../../src/scenario/deck.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scenarioWarnings } from "../../src/scenario/remarks.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { firstDifference } from "../support/compare.ts";
import { useThreads } from "../support/drawing-thread.ts";

const { crew } = useThreads();

type Vector = readonly number[];
const dot = (a: Vector, b: Vector) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = ([a, b, c]: Vector, [x, y, z]: Vector) => [b * z - c * y, c * x - a * z, a * y - b * x];
const minus = (a: Vector, b: Vector) => a.map((x, k) => x - b[k]);
const unit = (a: Vector) => a.map((x) => x / Math.hypot(...a));

/** Elements of the orbit of a relative position and velocity. */
function elementsOf(r: Vector, v: Vector, mu: number) {
  const h = cross(r, v);
  const radius = Math.hypot(...r);
  const towards = minus(
    cross(v, h),
    r.map((x) => (x * mu) / radius),
  ).map((x) => x / mu);
  const eccentricity = Math.hypot(...towards);
  return {
    ...{ eccentricity, pericentre: dot(h, h) / mu / (1 + eccentricity), normal: unit(h), towards: unit(towards) },
    energy: dot(v, v) / 2 - mu / radius,
    incoming: dot(r, v) < 0,
  };
}

/** From `separation` to the pericentre: ∫ r dr/√(2Er² + 2μr − h²) with r = q + s², by Simpson's rule. */
function timeInwards(
  { pericentre: q, eccentricity: e }: { pericentre: number; eccentricity: number },
  r: number,
  mu: number,
) {
  const [energy, h2] = [(mu * (e - 1)) / (2 * q), mu * q * (1 + e)];
  const end = Math.sqrt(r - q);
  const [n, step] = [20_000, end / 20_000];
  let sum = 0;
  for (let k = 0; k <= n; k++) {
    const at = q + (k * step) ** 2;
    sum += ((k === 0 || k === n ? 1 : k % 2 === 1 ? 4 : 2) * 2 * at) / Math.sqrt(2 * energy * at + h2 / q);
  }
  return (sum * step) / 3;
}

describe("an orbit", () => {
  const mu = 3.7;
  it.each([0, 0.2, 0.6, 0.999999, 1, 1.000001, 1.5, 4])(
    "of eccentricity %s has it, its pericentre and its time",
    (e) => {
      const apsides = { pericentre: 0.8, eccentricity: e };
      const separations = e === 0 ? [0.8] : [0.8, 0.81, e < 0.5 ? 1.19 : 2.9];
      for (const separation of separations) {
        const { position, velocity, untilPericentre } = pointOrbit(apsides, mu).at(separation);
        const found = elementsOf([...position, 0], [...velocity, 0], mu);
        expect(Math.hypot(...position)).toBeCloseTo(separation, 14);
        expect(Math.abs(found.eccentricity - e)).toBeLessThan(1e-12);
        expect(Math.abs(found.pericentre / 0.8 - 1)).toBeLessThan(1e-12);
        expect(found.normal[2]).toBe(1);
        if (separation > 0.8) {
          expect(found.incoming).toBe(true);
          expect(found.towards[0]).toBeCloseTo(1, 12);
          expect(untilPericentre / timeInwards(apsides, separation, mu)).toBeCloseTo(1, 9);
        } else expect(untilPericentre).toBe(0);
      }
    },
  );

  it("starts at the apocentre, half a period before the pericentre", () => {
    const { position, velocity, untilPericentre } = pointOrbit({ pericentre: 1, eccentricity: 0.5 }, 2).at(3);
    expect(position[0]).toBe(-3);
    expect(Math.abs(position[1])).toBeLessThan(1e-7);
    expect(velocity[1]).toBeCloseTo(-Math.sqrt((2 * 0.5) / 3), 14);
    expect(untilPericentre).toBeCloseTo(Math.PI * Math.sqrt(8 / 2), 12);
  });
});

describe("a rotation", () => {
  it("tilts the spin by the inclination about the node", () => {
    const [node, inclination] = [0.7, 1.1];
    const degrees = 180 / Math.PI;
    const spin = turnedInto(rotation(node * degrees, inclination * degrees, 33), 0, 0, 1);
    const expected = [
      Math.sin(node) * Math.sin(inclination),
      -Math.cos(node) * Math.sin(inclination),
      Math.cos(inclination),
    ];
    for (const k of [0, 1, 2]) expect(spin[k]).toBeCloseTo(expected[k], 14);
  });

  it("keeps lengths and handedness, and is exact at right angles", () => {
    const R = rotation(12, -71, 200);
    const columns = [0, 1, 2].map((k) => R.map((row) => row[k]));
    for (const a of [0, 1, 2])
      for (const b of [0, 1, 2]) expect(dot(columns[a], columns[b])).toBeCloseTo(a === b ? 1 : 0, 14);
    const third = cross(columns[0], columns[1]);
    for (const k of [0, 1, 2]) expect(third[k]).toBeCloseTo(columns[2][k], 14);
    expect(turnedInto(rotation(90, 90, 0), 1, 2, 3)).toEqual([3, 1, 2]);
    expect(rotation(360, 0, -360)).toEqual(rotation(0, 0, 0));
  });

  it("has Toomre and Toomre's angles to the orbit of the other galaxy, for both", () => {
    const orbit = {
      of: "host",
      ...{ field: "points" as const, mass: "total" as const },
      pericentre: 1,
      eccentricity: 0.7,
      separation: 3,
      inclination: 40,
      node: 75,
      argument: -20,
    };
    const galaxy = (name: string, inclination: number, argument: number): GalaxySettings => ({
      ...{ name, inclination, argument, centre: [0, 0, 0], velocity: [0, 0, 0], node: 0, spin: 0 },
    });
    const galaxies = [galaxy("host", 15, 0), galaxy("companion", 60, -30)];
    for (const [i, w] of [
      [15, 0],
      [60, -30],
      [120, 200],
    ]) {
      Object.assign(galaxies[0], { inclination: i, argument: w });
      galaxies[1] = { ...galaxy("companion", i, w), orbit };
      const axes = rotation(orbit.node, orbit.inclination, orbit.argument);
      const [towards, normal] = [turnedInto(axes, 1, 0, 0), turnedInto(axes, 0, 0, 1)];
      for (const [index, side] of [
        [0, 1],
        [1, -1],
      ]) {
        const spin = turnedInto(orientation(galaxies[index], galaxies), 0, 0, 1);
        expect(dot(spin, normal)).toBeCloseTo(Math.cos((i * Math.PI) / 180), 12);
        // Where the other one, at `side` times `towards` at its pericentre, rises through this one's plane.
        const line = unit(cross(normal, spin));
        const rising = dot(cross(normal, line), spin) > 0 ? line : line.map((x) => -x);
        const pericentre = towards.map((x) => side * x);
        const angle = Math.atan2(dot(cross(rising, pericentre), normal), dot(rising, pericentre));
        expect(Math.cos(angle - (w * Math.PI) / 180)).toBeCloseTo(1, 12);
      }
    }
  });
});

const DECK = `
title = "Two galaxies"
[units]
system = "nbody"
[box]
size = 24.0
boundary = "isolated"
[mesh]
cells = 32
[[galaxy]]
name = "big"
inclination = 60.0
argument = -30.0
[[galaxy]]
name = "small"
inclination = -60.0
node = 30.0
orbit = { of = "big", pericentre = 0.7, eccentricity = 0.9, separation = 5.0, field = "points", inclination = 20.0 }
[[particles]]
kind = "hernquist"
galaxy = "big"
name = "halo"
count = 3000
mass = 2.0
scale = 0.5
cutoff = 3.0
[[particles]]
kind = "exponential-disk"
galaxy = "big"
name = "disk"
count = 2000
mass = 0.2
scaleLength = 0.3
scaleHeight = 0.03
cutoff = 1.5
[[particles]]
kind = "plummer"
galaxy = "small"
name = "dwarf"
count = 1000
mass = 0.3
scale = 0.2
cutoff = 1.0
offset = [0.1, 0.0, 0.0]
velocity = [0.0, 0.2, 0.0]
[time]
end = 1.0
step = 0.1
[output]
snapshots = 1
`;
const G = 1;
const made = (scenario: Scenario, options: Partial<InitialConditionsOptions> = {}) =>
  initialConditions({ ...scenario, gravity: "direct" }, { G, ...options });

/** The frames with the masses of these particles. */
async function framesOf(scenario: Scenario) {
  const { particles } = await made(scenario);
  const massOf = (index: number) => {
    const { first, count } = particles.components[index];
    return particles.masses.subarray(first, first + count).reduce((sum, mass) => sum + mass, 0);
  };
  const placed = placedGalaxies(scenario, massOf, G);
  const mass = (name: string) =>
    scenario.particles.reduce((sum, one, i) => sum + (one.galaxy === name ? massOf(i) : 0), 0);
  return { ...placed, particles, mass };
}

describe("a deck with galaxies", () => {
  const scenario = parseScenario(DECK);

  it("puts them on the orbit of the masses that their cut-offs leave, centre of mass at rest", async () => {
    const { frames, mass, encounters } = await framesOf(scenario);
    const [big, small] = ["big", "small"].map((name) => frames.get(name)!);
    const [M, m] = [mass("big"), mass("small")];
    expect(M).toBeLessThan(2.1);
    const { eccentricity, pericentre, normal } = elementsOf(
      minus(small.centre, big.centre),
      minus(small.velocity, big.velocity),
      G * (M + m),
    );
    expect(Math.abs(pericentre / 0.7 - 1)).toBeLessThan(1e-12);
    expect(Math.abs(eccentricity - 0.9)).toBeLessThan(1e-12);
    expect(normal[2]).toBeCloseTo(Math.cos(Math.PI / 9), 12);
    expect(Math.hypot(...minus(small.centre, big.centre))).toBeCloseTo(5, 12);
    for (const of of ["centre", "velocity"] as const) {
      for (const k of [0, 1, 2]) expect(M * big[of][k] + m * small[of][k]).toBeCloseTo(0, 13);
    }
    expect(encounters).toEqual([
      expect.objectContaining({ name: "small", of: "big", pericentre: 0.7, eccentricity: 0.9, separation: 5 }),
    ]);
    expect(encounters[0].masses[0] / m).toBeCloseTo(1, 12);
    expect(encounters[0].untilPericentre).toBeCloseTo(timeInwards({ pericentre: 0.7, eccentricity: 0.9 }, 5, M + m), 6);
  });

  it("draws the particles that each galaxy would have alone, in its frame", async () => {
    const { frames, particles } = await framesOf(scenario);
    const text = DECK.replace(/\[\[galaxy\]\][^[]*/g, "").replaceAll(/galaxy = .*\n/g, "");
    for (const [index, name] of [
      [0, "big"],
      [1, "big"],
      [2, "small"],
    ] as const) {
      const moved = text.replace("offset = [0.1, 0.0, 0.0]", index === 2 ? "$&" : "offset = [9.0, 9.0, 9.0]");
      const alone = (await made(parseScenario(moved))).particles;
      const frame = frames.get(name) as Frame;
      const { first, count, galaxy } = particles.components[index];
      expect(galaxy).toBe(name);
      for (const id of [first, first + 1, first + count - 1]) {
        const of = ({ positions, velocities }: typeof particles) => [
          minus([...positions.subarray(3 * id, 3 * id + 3)], [12, 12, 12]),
          [...velocities.subarray(3 * id, 3 * id + 3)],
        ];
        const [[x, v], [X, V]] = [of(alone), of(particles)];
        const expected = [frame.centre, frame.velocity].map((base, j) => {
          const [a, b, c] = [x, v][j];
          return turnedInto(frame.turn, a, b, c).map((y, k) => base[k] + y);
        });
        for (const k of [0, 1, 2]) {
          expect(X[k]).toBeCloseTo(expected[0][k], 12);
          expect(V[k]).toBeCloseTo(expected[1][k], 12);
        }
      }
    }
  });

  it("turns and moves the particles of a file that is one of its components", async () => {
    const text = `${DECK.replace(/\[\[particles\]\][\s\S]*?(?=\[\[particles\]\]\nkind = "exp)/, "").replace(
      /kind = "exponential-disk"[\s\S]*?(?=\[\[)/,
      'kind = "snapshot"\ngalaxy = "big"\nfile = "disk.hdf5"\noffset = [0.1, -0.2, 0.3]\nvelocity = [0.0, 0.5, 0.0]\n',
    )}`;
    const tilted = parseScenario(text.replace("argument = -30.0", "node = 25.0\nspin = 130.0"));
    // In a box of its own, of side 10.
    const [x, v] = [
      [6, 5, 5, 5, 4.5, 5.25, 5, 5, 7],
      [0, 1, 0, 0.5, 0, -0.25, 0, 0, 1],
    ];
    const file = {
      ...{ count: 3, positions: Float64Array.from(x), velocities: Float32Array.from(v) },
      ...{ masses: Float64Array.of(1, 0.5, 0.5), components: [], boxSize: 10, time: 0 },
    };
    const { particles } = await made(tilted, { loadSnapshot: async () => file });
    expect(particles.components[0]).toMatchObject({ first: 0, count: 3, galaxy: "big" });
    const masses = [2, particles.masses.subarray(3).reduce((sum, mass) => sum + mass, 0)];
    const frame = placedGalaxies(tilted, (index) => masses[index], G).frames.get("big") as Frame;
    // Written out: about its axis by the spin, about x by the inclination, about z by the node.
    const about = (axis: number, degrees: number, u: Vector) => {
      const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
      return u.map((_, k) => (k === i ? c * u[i] - s * u[j] : k === j ? s * u[i] + c * u[j] : u[k]));
    };
    const turn = (u: Vector) => about(2, 25, about(0, 60, about(2, 130, u)));
    for (const id of [0, 1, 2]) {
      const place = turn([0, 1, 2].map((k) => x[3 * id + k] - 5 + [0.1, -0.2, 0.3][k]));
      const speed = turn([0, 1, 2].map((k) => v[3 * id + k] + [0, 0.5, 0][k]));
      for (const k of [0, 1, 2]) {
        expect(particles.positions[3 * id + k]).toBeCloseTo(12 + frame.centre[k] + place[k], 12);
        expect(particles.velocities[3 * id + k]).toBeCloseTo(frame.velocity[k] + speed[k], 6);
      }
    }
  });

  it("gives the same bits on threads and in blocks of any size", async () => {
    const { particles } = await made(scenario);
    for (const options of [{ crew }, { block: 777 }]) {
      const other = (await made(scenario, options)).particles;
      expect(firstDifference(other.positions, particles.positions)).toBe("same");
      expect(firstDifference(other.velocities, particles.velocities)).toBe("same");
    }
  });

  it("is written out whole, and takes overrides by name, index and inner key", () => {
    expect(parseScenario(deckText(scenario))).toEqual(scenario);
    expect(deckText(scenario)).toContain(
      'orbit       = { of = "big", pericentre = 0.7, eccentricity = 0.9, separation = 5.0, field = "points", mass = "total", inclination = 20.0',
    );
    const { galaxy } = parseScenario(DECK, {
      overrides: ["galaxy.small.orbit.eccentricity=1.2", "galaxy.0.inclination=30", "galaxy[1].node=-10"],
    });
    expect(galaxy[1].orbit).toMatchObject({ of: "big", eccentricity: 1.2, separation: 5 });
    expect([galaxy[0].inclination, galaxy[1].node]).toEqual([30, -10]);
  });

  it("holds a galaxy with a rigid part, and lets the other go round it alone", async () => {
    const rigid = DECK.replace("argument = -30.0", "centre = [1.0, 0.0, 0.0]").replace("count = 3000", "rigid = true");
    const { frames, mass } = await framesOf0(parseScenario(rigid));
    const [big, small] = ["big", "small"].map((name) => frames.get(name)!);
    expect(big.centre).toEqual([1, 0, 0]);
    expect(big.velocity).toEqual([0, 0, 0]);
    // The Hernquist sphere within the separation, and the disk.
    const within = 2 * (5 / 5.5) ** 2 + 0.2;
    expect(mass).toBeCloseTo(within, 9);
    const found = elementsOf(minus(small.centre, big.centre), small.velocity, G * within);
    expect(found.pericentre).toBeCloseTo(0.7, 9);
    expect(found.eccentricity).toBeCloseTo(0.9, 9);
  });

  it("takes what is within the separation for the mass of the other one, if asked to", async () => {
    const inside = DECK.replace(
      "pericentre = 0.7, eccentricity = 0.9, separation = 5.0",
      'pericentre = 1.0, eccentricity = 0, separation = 1.0, mass = "within"',
    );
    const { frames, mass, encounters, particles } = await framesOf(parseScenario(inside));
    const [big, small] = ["big", "small"].map((name) => frames.get(name)!);
    // Counted from the particles; and all of them balance.
    const [halo, disk] = particles.components;
    let found = 0;
    for (const { first, count } of [halo, disk]) {
      for (let id = first; id < first + count; id++) {
        const d = [0, 1, 2].map((k) => particles.positions[3 * id + k] - 12 - big.centre[k]);
        if (Math.hypot(...d) < 1) found += particles.masses[id];
      }
    }
    expect(Math.abs(encounters[0].masses[1] / found - 1)).toBeLessThan(0.03);
    expect(found).toBeLessThan(0.8 * mass("big"));
    const { eccentricity } = elementsOf(
      minus(small.centre, big.centre),
      minus(small.velocity, big.velocity),
      G * (encounters[0].masses[1] + mass("small")),
    );
    expect(eccentricity).toBeLessThan(1e-12);
    for (const k of [0, 1, 2])
      expect(mass("big") * big.velocity[k] + mass("small") * small.velocity[k]).toBeCloseTo(0, 13);
  });

  it("has no equilibrium across galaxies", async () => {
    // At the same offset of their own galaxies, the disk of one doesn't feel the halo of the other.
    const swapped = DECK.replace('galaxy = "big"\nname = "halo"', 'galaxy = "small"\nname = "halo"');
    const speed = async (text: string) => {
      const { particles } = await made(parseScenario(text.replaceAll(/^(inclination|argument|node) = .*\n/gm, "")));
      const disk = particles.components.find(({ name }) => name === "disk")!;
      const v = Array.from(particles.velocities.subarray(3 * disk.first, 3 * (disk.first + disk.count)));
      const mean = [0, 1, 2].map((k) => v.reduce((sum, x, i) => (i % 3 === k ? sum + x / disk.count : sum), 0));
      return Math.sqrt(v.reduce((sum, x, i) => sum + (x - mean[i % 3]) ** 2 / disk.count, 0));
    };
    expect(await speed(DECK)).toBeGreaterThan(1.5 * (await speed(swapped)));
  });
});

/** Of a deck whose first component is rigid. */
async function framesOf0(scenario: Scenario) {
  const { particles, externalPotentials } = await made(scenario);
  expect(externalPotentials[0].centre).toEqual([13, 12, 12]);
  const massOf = (index: number) => {
    const { first, count } = particles.components[index - 1];
    return particles.masses.subarray(first, first + count).reduce((sum, mass) => sum + mass, 0);
  };
  const { frames, encounters } = placedGalaxies(scenario, massOf, G);
  return { frames, mass: encounters[0].masses[1] };
}

describe("galaxies that begin within each other", () => {
  const overlaps = (deck: string) => scenarioWarnings(parseScenario(deck)).filter((remark) => /overlap/.test(remark));
  const nearer = DECK.replace("separation = 5.0", "separation = 4.0");

  it("are remarked on with what they reach", () => {
    // The halo's cut-off; the dwarf's and its offset in its galaxy.
    expect(overlaps(nearer)).toEqual([
      "big and small overlap at the start: they reach 3 and 1.1 and are 4 apart; " +
        "each is in equilibrium by itself alone (a larger orbit.separation avoids that)",
    ]);
  });

  it("may be meant to, and those apart don't", () => {
    expect(overlaps(DECK)).toEqual([]);
    expect(overlaps(nearer.replace("separation = 4.0", 'separation = 4.0, mass = "within"'))).toEqual([]);
  });
});

describe("what is wrong with galaxies is told with key and remedy", () => {
  const cases: [string, [string, string], string[]][] = [
    [
      "a galaxy that there isn't",
      ['galaxy = "small"\nname', 'galaxy = "smal"\nname'],
      ["particles[2].galaxy", "big, small", 'found "smal"', 'Did you mean "small"?', "galaxy[1].name"],
    ],
    ["a galaxy without components", ['galaxy = "small"\n', ""], ["galaxy[1].name", 'Add galaxy = "small"']],
    ["an orbit about nobody", ['of = "big"', 'of = "bigg"'], ["galaxy[1].orbit.of", 'Did you mean "big"?']],
    [
      "an orbit about itself",
      ['of = "big"', 'of = "small"'],
      ["galaxy[1].orbit.of", "the name of another galaxy (big)"],
    ],
    [
      "orbits in a circle",
      ["argument = -30.0", 'orbit = { of = "small", pericentre = 1.0, separation = 3.0 }'],
      ["galaxy[0].orbit.of", "back to this one"],
    ],
    [
      "a separation below the pericentre",
      ["separation = 5.0", "separation = 0.5"],
      ["galaxy[1].orbit.separation", "from the pericentre 0.7 to the apocentre 13.3", "found 0.5"],
    ],
    [
      "a separation beyond the apocentre",
      ["separation = 5.0", "separation = 13.4"],
      ["galaxy[1].orbit.separation", "13.3"],
    ],
    [
      "a circle elsewhere",
      ["eccentricity = 0.9", "eccentricity = 0.0"],
      ["galaxy[1].orbit.separation", "On a circle it is the pericentre"],
    ],
    [
      "a centre beside an orbit",
      ["node = 30.0", "centre = [1.0, 0.0, 0.0]"],
      ["galaxy[1].centre", 'The centre of "big"'],
    ],
    ["an argument without an orbit", ["orbit = {", "# {"], ["galaxy[0].argument", "one without"]],
    [
      "an argument beside a node",
      ["argument = -30.0", "argument = -30.0\nnode = 5.0"],
      ["galaxy[0].argument", "either node or argument"],
    ],
    [
      "a rigid part of one that moves",
      ["count = 1000", "rigid = true"],
      ["particles[2].rigid", "can't follow it", 'in orbit about "small"'],
    ],
    ["a galaxy out of the box", ["size = 24.0", "size = 6.5"], ["galaxy[1]", "dwarf", "Raise box.size to"]],
    ["a periodic box", ['boundary = "isolated"', 'boundary = "periodic"'], ["galaxy[0].name", 'boundary = "periodic"']],
    [
      "an inner key that is missing",
      ["pericentre = 0.7, ", ""],
      ["galaxy[1].orbit.pericentre is missing", "the table orbit of this [[galaxy]] table"],
    ],
    [
      "an inner key that nobody knows",
      ["eccentricity = 0.9", "excentricity = 0.9"],
      ["unknown key galaxy[1].orbit.excentricity", "did you mean galaxy[1].orbit.eccentricity?"],
    ],
    [
      "an inner value of another kind",
      ["pericentre = 0.7", 'pericentre = "0.7"'],
      ["galaxy[1].orbit.pericentre", "a number above 0", "Write it without quotes"],
    ],
    [
      "an orbit that is no table",
      [/orbit = .*/.exec(DECK)![0], "orbit = 3"],
      ["galaxy[1].orbit", "a table in braces, { of = …"],
    ],
    [
      "the same name twice",
      ['name = "small"\ninc', 'name = "big"\ninc'],
      ["galaxy[1].name", "Every galaxy needs its own name"],
    ],
    [
      "a key of no galaxy",
      ["inclination = 60.0", "inclinaton = 60.0"],
      ["galaxy[0].inclinaton", "did you mean galaxy[0].inclination?"],
    ],
    ["no name", ['name = "small"\ninc', "inc"], ["galaxy[1].name is missing"]],
  ];
  it.each(cases)("%s", (_, [part, other], expected) => {
    expect(DECK).toContain(part);
    const message = messageOf(() => parseScenario(DECK.replace(part, other)));
    for (const text of expected) expect(message).toContain(text);
  });

  it("a galaxy in a deck without any, a potential in one that moves, overrides of neither", () => {
    const none = DECK.replace(/\[\[galaxy\]\][^[]*/g, "");
    expect(messageOf(() => parseScenario(none))).toContain('Add a table [[galaxy]] with name = "big"');
    const field = `${DECK}[[potential]]\nkind = "plummer"\ngalaxy = "small"\nmass = 1.0\nscale = 1.0\n`;
    expect(messageOf(() => parseScenario(field))).toContain("potential[0].galaxy: expected a galaxy at rest");
    const faults = ["galaxy.tiny.node=1", "galaxy.big.orbit.of=small", "galaxy.small.orbit.excentricity=1"];
    const message = messageOf(() => parseScenario(DECK, { overrides: faults }));
    expect(message).toContain('no galaxy "tiny": the deck\'s galaxies are big, small');
    expect(message).toContain("galaxy[0].orbit holds no keys: it is not set; give it whole");
    expect(message).toContain("did you mean galaxy[1].orbit.eccentricity?");
  });
});

function messageOf(use: () => unknown): string {
  try {
    use();
  } catch (error) {
    if (error instanceof GravmeshError && error.kind === "scenario") return error.message;
    throw error;
  }
  throw new Error("expected an error");
}
