/** The external potentials that ship, in float64: each derivative against differences of the one below, and known values. */
import { describe, expect, it } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { deckText, initialConditions, parseScenario } from "../../src/index.ts";
import { externalDerivatives, externalField, formulaOf } from "../../src/physics/potentials/external.ts";
import { placedAt, reversed } from "../../src/physics/potentials/motion.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { potentials } from "../../src/physics/potentials/potentials.ts";
import { externalSpeeds } from "../../src/run/report/external-speeds.ts";
import { smallDeck } from "../support/decks.ts";
import { CHANGES, MILKY_WAY, PARAMETERS } from "../support/potential-cases.ts";

const CENTRE: [number, number, number] = [0.25, -0.5, 1];

const START = [
  [1, 0.5, -0.25],
  [0.5, -1, 0.75],
  [2, 0.25, -1],
  [-0.5, 1, 3],
];

/** A, J, S at a time of a path that is a cubic. */
function along(potential: ExternalPotential, t: number): Float64Array {
  const [x, v, a, j] = START;
  const path = Float64Array.from([
    ...x.map((x0, k) => x0 + t * (v[k] + (t / 2) * (a[k] + (t / 3) * j[k]))),
    ...v.map((v0, k) => v0 + t * (a[k] + (t / 2) * j[k])),
    ...a.map((a0, k) => a0 + t * j[k]),
  ]);
  const out = new Float64Array(9);
  externalDerivatives(formulaOf(potential, 2), placedAt(potential, t), path, out);
  return out;
}

/** Difference quotients of fourth order. */
const slope = (at: (h: number) => number, h: number) => (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);

describe.each(PARAMETERS)("%s %o", (kind, parameters) => {
  const potential: ExternalPotential = { kind, centre: CENTRE, parameters };
  const at = (x: readonly number[]) => {
    const field = externalField({ G: 2, externalPotentials: [potential] }, Float64Array.from(x));
    return { acceleration: field.accelerations, potential: field.potential[0] };
  };

  it.each([1e-3, 0.3, 1, 10])("has a force that is minus the gradient of its potential, %d from the centre", (r) => {
    const place = [0.6, -0.48, 0.64].map((n, k) => CENTRE[k] + r * n);
    const { acceleration } = at(place);
    const size = Math.hypot(...acceleration);
    for (let axis = 0; axis < 3; axis++) {
      const found = slope((h) => at(place.map((x, k) => (k === axis ? x + h : x))).potential, 1e-3 * r);
      expect(Math.abs(found + acceleration[axis])).toBeLessThan(1e-9 * size + 1e-11 / r);
    }
  });

  it.each(CHANGES)("has jerk and snap that are derivatives along a path, %s", (_, changes) => {
    const changed = { ...potential, ...changes };
    const now = along(changed, 0);
    for (let k = 0; k < 6; k++) {
      const size = Math.hypot(...now.subarray(3 + 3 * Math.floor(k / 3), 6 + 3 * Math.floor(k / 3)));
      const error = (h: number) => Math.abs(slope((t) => along(changed, t)[k], h) - now[3 + k]);
      expect(error(1e-3)).toBeLessThan(2e-7 * (size + 1));
      // Of fourth order: a wrong term would stay as it is.
      if (error(0.01) > 1e-9 * (size + 1)) expect(error(0.005)).toBeLessThan(error(0.01) / 8);
    }
  });

  it("has the acceleration of its derivatives", () => {
    const found = along(potential, 0);
    const { acceleration } = at(START[0]);
    const size = Math.hypot(...acceleration);
    for (let k = 0; k < 3; k++) expect(Math.abs(found[k] - acceleration[k])).toBeLessThan(1e-13 * size);
  });

  it("is finite everywhere, its derivatives too, but for infinite depth", () => {
    const { acceleration } = at(CENTRE);
    expect([...acceleration].every(Number.isFinite)).toBe(true);
    const out = new Float64Array(9);
    const path = Float64Array.from([...CENTRE, 1, 2, 3, 0, 1, 0]);
    externalDerivatives(formulaOf(potential, 2), placedAt(potential, 0), path, out);
    expect([...out].every(Number.isFinite)).toBe(true);
    expect([...at(CENTRE.map((x) => x + 1e5)).acceleration].every(Number.isFinite)).toBe(true);
  });
});

describe("the kinds that ship", () => {
  it("are all tried here", () => {
    const tried = new Set(PARAMETERS.map(([kind]) => kind));
    expect(potentials.names.filter((name) => !tried.has(name))).toEqual([]);
  });
});

const FEW = `[[particles]]
kind = "uniform"
count = 10
mass = 1e-9
side = 0.5
`;

describe("MWPotential2014", () => {
  const deck = (system: string, more = "") =>
    parseScenario(
      smallDeck(`${FEW}[[potential]]\nkind = "MWPotential2014"\n${more}`, {
        ...{ size: 60, top: `units.system = "${system}"` },
      }),
    );
  const at = async (scenario: ReturnType<typeof deck>, ...x: number[]) => {
    const { G } = unitSystem(scenario.units.system);
    const { externalPotentials } = await initialConditions(scenario, { G });
    const field = externalField(
      { G, externalPotentials },
      Float64Array.from(x, (value) => 30 + value),
    );
    return { acceleration: [...field.accelerations], G, externalPotentials };
  };

  it.each(MILKY_WAY)("has the acceleration of other codes at $x", async ({ x, acceleration }) => {
    const { acceleration: found } = await at(deck("galactic"), ...x);
    const size = Math.hypot(...acceleration);
    acceleration.forEach((a, k) => {
      expect(Math.abs(found[k] - a)).toBeLessThan(1e-9 * size);
    });
  });

  it("has their circular speeds and masses", async () => {
    for (const [R, speed] of [
      [1, 140.461022],
      [4, 222.695996],
      [8, 220],
    ]) {
      const { acceleration } = await at(deck("galactic"), R, 0, 0);
      expect(Math.abs(Math.sqrt(-R * acceleration[0]) / speed - 1)).toBeLessThan(3e-9); // of the digits given
    }
    const { externalPotentials, G } = await at(deck("galactic"), 1, 0, 0);
    const masses = externalPotentials.map(({ kind, parameters }) => [kind, G * parameters.mass]);
    for (const [i, [kind, mass]] of (
      [
        ["power-law-cutoff", 1.93600001e4],
        ["miyamoto-nagai", 2.93296334e5],
        ["nfw", 1.87878366e6],
      ] as const
    ).entries()) {
      expect(masses[i][0]).toBe(kind);
      expect(Math.abs((masses[i][1] as number) / mass - 1)).toBeLessThan(3e-9);
    }
  });

  it("is the same in other units, and without what is left out", async () => {
    const unit = await at(deck("nbody", "radius = 1\nspeed = 1"), 0.5, 0.375, 0.125);
    const [x, y, z] = MILKY_WAY[1].acceleration.map((a) => a / (220 ** 2 / 8));
    expect(unit.acceleration[0]).toBeCloseTo(x, 8);
    expect(unit.acceleration[1]).toBeCloseTo(y, 8);
    expect(unit.acceleration[2]).toBeCloseTo(z, 8);
    const { externalPotentials } = await at(deck("galactic", "disk = 0"), 1, 0, 0);
    expect(externalPotentials.map(({ kind }) => kind)).toEqual(["power-law-cutoff", "nfw"]);
    expect(() => deck("nbody")).toThrow(/potential\[0\]\.radius.*required|radius/s);
  });

  it("has its parts in the rotation curve, beside what particles are left with", async () => {
    const scenario = deck("galactic");
    const { externalPotentials } = await at(scenario, 1, 0, 0);
    const curve = { time: 0, centre: [30, 30, 30] as const, radius: [8], rotation: [0], circular: [250] };
    const parts = externalSpeeds({ scenario, externalPotentials, time: 0 }, curve);
    expect(parts.map(({ name }) => name)).toEqual([
      "particles",
      ...["power-law-cutoff", "miyamoto-nagai", "nfw"].map((kind) => `MWPotential2014: ${kind}`),
    ]);
    const expected = [Math.sqrt(250 ** 2 - 220 ** 2), ...[0.05, 0.6, 0.35].map((share) => 220 * Math.sqrt(share))];
    for (const [i, { speed }] of parts.entries()) expect(speed[0]).toBeCloseTo(expected[i], 6);
    expect(externalSpeeds({ scenario, externalPotentials: [], time: 0 }, curve)).toEqual([]);
  });
});

describe("what a deck says of changes", () => {
  const deck = (more: string) =>
    smallDeck(
      `${FEW}[[potential]]
kind = "long-murali-bar"
mass = 1
halfLength = 2
width = 0.2
height = 0.3
${more}`,
      { end: 2 },
    );
  const potentialOf = async (more: string, table = "") => {
    const loadText = async () => table;
    return (await initialConditions(parseScenario(deck(more)), { G: 1, loadText })).externalPotentials[0];
  };

  it("is what the potential does", async () => {
    const more =
      'patternSpeed = 0.5\nphase = 90\ngrow = { to = 2 }\ndecay = { from = 1, time = 3 }\nuntil = 5\npath = "a.txt"';
    const found = await potentialOf(more, "t x y z\n0 0 0 0\n1, 1, 2, 3 # a comment\n\n2 2 2 2\n");
    expect(found).toMatchObject({
      ...{ turn: { speed: 0.5, phase: Math.PI / 2 }, grow: [0, 2], decay: [1, 3], until: 5 },
      path: {
        times: [0, 1, 2],
        points: [
          [0, 0, 0],
          [1, 2, 3],
          [2, 2, 2],
        ],
      },
    });
    const text = deckText(parseScenario(deck(more)));
    expect(parseScenario(text)).toEqual(parseScenario(deck(more)));
    expect(Object.keys(await potentialOf(""))).toEqual(["kind", "centre", "parameters"]);
  });

  it("goes backwards with the clock", async () => {
    const more = 'patternSpeed = 0.5\nphase = 90\npath = "a.txt"';
    const found = await potentialOf(more, "t x y z\n0 0 0 0\n1 1 2 3\n2 2 2 2\n");
    for (const time of [-0.5, 0.25, 1, 1.5, 3]) {
      const [forwards, back] = [placedAt(found, time), placedAt(reversed(found), -time)];
      expect([back.angle, back.speed]).toEqual([forwards.angle, -forwards.speed]);
      for (const [axis, [x, v, a]] of forwards.centre.entries()) {
        for (const [k, expected] of [x, -v, a].entries()) expect(back.centre[axis][k]).toBeCloseTo(expected, 12);
      }
    }
  });

  it.each([
    ["grow = { from = 3, to = 2 }", /potential\[0\]\.grow\.to: expected a time after grow\.from = 3, found 2/],
    ["decay = { from = 3 }", /potential\[0\]\.decay\.time/],
    ["until = 0", /potential\[0\]\.until: expected a number above 0, found 0/],
    ["patternspeed = 1", /unknown key potential\[0\]\.patternspeed.*patternSpeed/s],
  ])("is refused where it can't be: %s", (more, message) => {
    expect(() => parseScenario(deck(more))).toThrow(message);
  });

  it.each([
    ["0 0 0 0\n1 1 1\n", /a\.txt: line 2: expected four numbers t x y z, found "1 1 1"/],
    ["0 0 0 0\n0 1 1 1\n", /line 2: expected a time after 0, found 0/],
    ["0 0 0 0\n", /expected at least two rows t x y z, found 1/],
    ["0 0 0 0\n1 1 1 1\n", /expected times from 0 to time\.end = 2, found 0 to 1/],
  ])("a path is refused with what was found", async (table, message) => {
    await expect(potentialOf('path = "a.txt"', table)).rejects.toThrow(message);
  });
});
