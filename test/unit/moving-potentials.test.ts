/** Potentials that move in each other's field, and the frame of a host that they pull. */
import { describe, expect, it } from "vitest";
import { deckText, parseScenario, Simulation } from "../../src/index.ts";
import { externalPotentialsOf } from "../../src/physics/initial/placing.ts";
import { placedAt } from "../../src/physics/potentials/motion.ts";
import { movingCentres } from "../../src/run/outputs/centres.ts";
import { conservedBy } from "../../src/scenario/conserved.ts";
import { continuation } from "../../src/scenario/continuation.ts";

const HEAD = `title = "moving"
gravity = "direct"
box.size = 16
mesh.cells = 16
direct = { steps = "shared", integrator = "hermite-4" }
`;
const PARTICLE = (x: readonly number[], v: readonly number[]) => `[[particles]]
kind = "uniform"
count = 1
mass = 1e-9
side = 1e-6
offset = [${x.join(", ")}]
velocity = [${v.join(", ")}]
`;
const body = (name: string, mass: number, more: string) =>
  `[[potential]]\nkind = "point-mass"\nname = "${name}"\nmass = ${mass}\n${more}\n`;
const deck = (end: number, tables: string, { step = end / 256, x = [0, 0, 2], v = [0.6, 0, 0.1] } = {}) =>
  parseScenario(`${HEAD}time = { end = ${end}, step = ${step} }\n${PARTICLE(x, v)}${tables}`);

const placesOf = async (scenario: ReturnType<typeof deck>, index: number) => {
  const found = await externalPotentialsOf(scenario, { G: 1, loadText: undefined });
  return (time: number) => {
    const { centre } = placedAt(found[index], time);
    return { x: centre.map(([c]) => c - 8), v: centre.map(([, rate]) => rate) };
  };
};
const distance = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((x, k) => x - b[k]));

describe("two point masses", () => {
  // e = 0.5, from the pericentre at 1: a = 2
  const [M, m] = [1, 0.3];
  const period = 2 * Math.PI * Math.sqrt(8 / (M + m));
  const speed = Math.sqrt((1.5 * (M + m)) / 1);
  const tables = (at: number, eps = 0) =>
    body("host", M, `reflex = true\nsoftening = ${eps}`) +
    body("satellite", m, `softening = ${eps}\noffset = [1, 0, 0]\norbit = { velocity = [0, ${speed}, 0], at = ${at} }`);

  it.each([0, period])("are on Kepler's orbit of both masses in the frame of one, given at %d", async (at) => {
    const scenario = deck(period, tables(at));
    const satellite = await placesOf(scenario, 1);
    expect(distance(satellite(0).x, [1, 0, 0])).toBeLessThan(1e-6);
    expect(distance(satellite(period / 2).x, [-3, 0, 0])).toBeLessThan(1e-6);
    expect(distance(satellite(period / 2).v, [0, -speed / 3, 0])).toBeLessThan(1e-6);
    expect(distance(satellite(period).x, [1, 0, 0])).toBeLessThan(1e-6);
    expect(conservedBy(scenario).quantity).toBe("none");
  });

  it("keep their momentum, with what the frame has gained", async () => {
    const scenario = deck(period, tables(0));
    const externalPotentials = await externalPotentialsOf(scenario, { G: 1, loadText: undefined });
    const [satellite, frame] = movingCentres({ scenario, externalPotentials });
    expect([satellite.name, frame.name]).toEqual(["satellite", "frame"]);
    for (const time of [0, 0.3 * period, 0.5 * period, period]) {
      const [[, y, , ...v], [X, Y, Z, ...V]] = [satellite.at(time), frame.at(time)];
      const momentum = V.map((gained, k) => M * gained + m * (gained + v[k]));
      expect(distance(momentum, [0, m * speed, 0])).toBeLessThan(1e-6);
      expect((M + m) * Y + m * (y - 8)).toBeCloseTo(m * speed * time, 6);
      if (time === 0) expect([X, Y, Z]).toEqual([-0, -0, -0]);
    }
  });

  it("give a particle the orbit that it has in the inertial frame", async () => {
    const end = 8;
    const more = { step: 1 / 128 };
    const ended = async (scenario: ReturnType<typeof deck>, loadText?: (file: string) => Promise<string>) => {
      const simulation = await Simulation.create(scenario, { backend: "cpu", ...(loadText && { loadText }) });
      await simulation.advance();
      const { positions } = await simulation.readParticles();
      simulation.destroy();
      return [...positions];
    };
    const accelerated = deck(end, tables(0, 0.2), more);
    const [, satellite] = await externalPotentialsOf(accelerated, { G: 1, loadText: undefined });
    const share = { host: -m / (M + m), satellite: M / (M + m) };
    const orbit = satellite.path!;
    const from = { host: share.host, satellite: share.satellite - 1 }; // of the offset at the start
    const loadText = async (file: string) => {
      const who = file.includes("host") ? "host" : "satellite";
      const row = (point: readonly number[]) => point.map((d, k) => share[who] * d + (k === 0 ? from[who] : 0));
      return orbit.points.map((point, k) => [orbit.times[k], ...row(point)].join(" ")).join("\n");
    };
    const inertial = deck(
      end,
      body("host", M, 'softening = 0.2\npath = "host"') +
        body("satellite", m, 'softening = 0.2\noffset = [1, 0, 0]\npath = "satellite"'),
      { ...more, x: [share.host, 0, 2], v: [0.6, share.host * speed, 0.1] },
    );
    const relative = placedAt(satellite, end).centre.map(([c]) => c - 8);
    const [one, other] = [await ended(accelerated), await ended(inertial, loadText)];
    expect(
      distance(
        one,
        other.map((x, k) => x - share.host * relative[k]),
      ),
    ).toBeLessThan(1e-6);
    // and the frame is felt at all
    expect(distance(one, other)).toBeGreaterThan(0.1);
  });
});

it("a stand-in for particles pulls the host alone", async () => {
  const tables =
    body("host", 1, "reflex = true") +
    body("satellite", 0.1, 'pulls = "host"\noffset = [2, 0, 0]\norbit = { velocity = [0, 0.7, 0] }');
  const found = await externalPotentialsOf(deck(1, tables), { G: 1, loadText: undefined });
  expect(placedAt(found[1], 0).factor[0]).toBe(0);
  expect(placedAt(found[2], 0).acceleration!.map(([a]) => a)).toEqual([
    expect.closeTo(-0.025, 8),
    expect.closeTo(0, 8),
    0,
  ]);
});

describe("dynamical friction", () => {
  it.each(["", ", dispersion = 0.7071067811865476"])(
    "sinks a circular orbit in a singular isothermal sphere%s",
    async (more) => {
      const [mass, lnLambda, last] = [2e-3, 10, 0.5];
      // r dr/dt = −[erf 1 − 2/(e√π)] GM ln Λ/v (Binney & Tremaine 2008, eqs 8.11 and 8.12)
      const time = (1 - last * last) / (2 * 0.4275932955 * mass * lnLambda);
      const halo = '[[potential]]\nkind = "logarithmic"\nspeed = 1\ncore = 0\n';
      const orbit = `offset = [1, 0, 0]\norbit = { velocity = [0, 1, 0], coulombLogarithm = ${lnLambda}${more} }`;
      const scenario = deck(1.05 * time, halo + body("satellite", mass, orbit));
      const satellite = await placesOf(scenario, 1);
      const radius = (t: number) => Math.hypot(...satellite(t).x);
      let [low, high] = [0.9 * time, 1.05 * time];
      for (let i = 0; i < 40; i++) {
        const middle = (low + high) / 2;
        if (radius(middle) > last) low = middle;
        else high = middle;
      }
      expect(Math.abs(low / time - 1)).toBeLessThan(0.01);
    },
  );
});

describe("wrong decks", () => {
  const orbit = "orbit = { velocity = [0, 1, 0] }";
  it.each([
    [
      body("a", 1, "reflex = true"),
      "potential[0].reflex: expected another [[potential]] table with an orbit or a path",
    ],
    [body("a", 1, `reflex = true\n${orbit}`), "potential[0].reflex: expected no host that moves itself"],
    [body("a", 1, `${orbit}\npath = "a"`), "potential[0].path: expected either a path or an orbit"],
    [body("a", 1, 'pulls = "host"'), "potential[0].pulls: expected a table that moves, and another with reflex = true"],
    [
      body("a", 1, "") + body("b", 1, orbit) + body("c", 1, "orbit = { velocity = [0, 1, 0], at = 2 }"),
      "potential[2].orbit.at: expected 0, as before",
    ],
    [
      `[[potential]]\nkind = "logarithmic"\nspeed = 1\ncore = 1\norbit = { velocity = [0, 1, 0], coulombLogarithm = 3 }`,
      "potential[0].orbit.mass: expected the mass",
    ],
  ])("are told: %s", (tables, message) => {
    expect(() => deck(1, tables)).toThrow(message);
  });

  it("are told of centres without one velocity dispersion", async () => {
    const friction = "orbit = { velocity = [0, 1, 0], coulombLogarithm = 3 }\noffset = [2, 0, 0]";
    const plummer = (x: number) => `[[potential]]\nkind = "plummer"\nmass = 1\nscale = 1\noffset = [${x}, 0, 0]\n`;
    const found = externalPotentialsOf(deck(1, plummer(0) + plummer(1) + body("a", 0.1, friction)), {
      G: 1,
      loadText: undefined,
    });
    await expect(found).rejects.toThrow("found several; give orbit.dispersion");
  });

  it("can't go on beyond the end of a path", () => {
    const scenario = deck(1, body("a", 1, 'path = "a.txt"'));
    const path = {
      times: [0, 1.5],
      points: [
        [0, 0, 0],
        [1, 0, 0],
      ],
    };
    const reached = { step: 256, output: 0, tick: 0, externalPotentials: [{ path }] };
    const of = (end: number) => {
      const { problems } = continuation(deckText(scenario), { file: "a", overrides: [`time.end=${end}`], reached });
      return problems.map(({ message }) => message).join();
    };
    expect(of(2)).toContain("time.end: expected at most 1.5, where the path of a [[potential]] ends, found 2");
    expect(of(1.5)).not.toContain("path");
  });

  it("can't go on beyond the end that their orbits were found for", () => {
    const scenario = deck(1, body("a", 1, "") + body("b", 1, `offset = [1, 0, 0]\n${orbit}`));
    const reached = { step: 256, output: 0, tick: 0 };
    const { problems } = continuation(deckText(scenario), { file: "a", overrides: ["time.end=2"], reached });
    expect(problems.map(({ message }) => message).join()).toContain("up to which the orbits of [[potential]] tables");
  });
});
