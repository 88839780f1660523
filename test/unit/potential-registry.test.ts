/** External potentials that are registered from outside the source tree take part in everything that those which ship do. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyForces } from "../../src/engine/direct/bodies.ts";
import { addExternalForces } from "../../src/engine/reference/direct/external.ts";
import {
  deckText,
  type ExternalPotential,
  initialConditions,
  parseScenario,
  registerPotential,
  Simulation,
} from "../../src/index.ts";
import { plummerShape } from "../../src/physics/initial/plummer.ts";
import { addExternalField, sphericalMass } from "../../src/physics/potentials/external.ts";
import { potentials } from "../../src/physics/potentials/potentials.ts";
import { FRESH_RUN, readRun, saveRun } from "../../src/run/saved-run.ts";
import { smallDeck } from "../support/decks.ts";
import { harmonic } from "../support/harmonic.ts";
import { logarithmic } from "../support/logarithmic.ts";

registerPotential(logarithmic);
registerPotential(harmonic);

const TABLE = `[[potential]]
kind = "round-logarithmic"
speed = 1.5
core = 0.3
offset = [0.5, 0, 0]
`;
const deck = (more = TABLE, top = "") =>
  smallDeck(`[[particles]]\nkind = "plummer"\ncount = 10\nmass = 1e-9\nscale = 0.5\n${more}`, { top });

const CENTRE: [number, number, number] = [0.25, -0.5, 1];
const CASES: ExternalPotential[] = [
  { kind: "round-logarithmic", centre: CENTRE, parameters: { speed: 1.5, core: 0.3 } },
  { kind: "flat-harmonic", centre: CENTRE, parameters: { speed: 1.2, radius: 0.8, flattening: 0.6 } },
  { kind: "plummer", centre: CENTRE, parameters: { mass: 3, scale: 0.75 } },
  { kind: "hernquist", centre: CENTRE, parameters: { mass: 3, scale: 0.75 } },
];

/** Acceleration and potential at a place. */
function fieldAt(potential: ExternalPotential, x: readonly number[]) {
  const out = { accelerations: new Float64Array(3), potential: new Float64Array(1) };
  addExternalField(potential, 2, Float64Array.from(x), out);
  return { acceleration: out.accelerations, potential: out.potential[0] };
}

describe.each(CASES)("$kind in float64", (potential) => {
  it("has a force that is minus the gradient of its potential", () => {
    const place = [1, 0.5, -0.25];
    const { acceleration } = fieldAt(potential, place);
    const h = 1e-5;
    for (let axis = 0; axis < 3; axis++) {
      const [low, high] = [-h, h].map((d) => {
        const moved = place.map((x, k) => (k === axis ? x + d : x));
        return fieldAt(potential, moved).potential;
      });
      expect(acceleration[axis]).toBeCloseTo(-(high - low) / (2 * h), 8);
    }
  });

  it("has jerk and snap that are the derivatives of the acceleration along a path", () => {
    const [x, v, a, j] = [
      [1, 0.5, -0.25],
      [0.5, -1, 0.75],
      [2, 0.25, -1],
      [-0.5, 1, 3],
    ];
    const at = (t: number) => {
      const out = emptyForces("snap", 1);
      const bodies = {
        ...{ count: 1, masses: new Float64Array(1), ids: new Uint32Array(1) },
        positions: Float64Array.from(x, (x0, k) => x0 + t * (v[k] + (t / 2) * (a[k] + (t / 3) * j[k]))),
        velocities: Float64Array.from(v, (v0, k) => v0 + t * (a[k] + (t / 2) * j[k])),
        accelerations: Float64Array.from(a, (a0, k) => a0 + t * j[k]),
      };
      const rows = Uint32Array.of(0);
      addExternalForces({ order: "snap", potential, G: 2, bodies, out, rows, first: 0, last: 1 });
      return out;
    };
    const h = 1e-4;
    const [before, now, after] = [-h, 0, h].map(at);
    const { acceleration } = fieldAt(potential, x);
    for (let k = 0; k < 3; k++) {
      expect(now.accelerations[k]).toBeCloseTo(acceleration[k], 12);
      expect(now.jerks![k]).toBeCloseTo((after.accelerations[k] - before.accelerations[k]) / (2 * h), 5);
      expect(now.snaps![k]).toBeCloseTo((after.jerks![k] - before.jerks![k]) / (2 * h), 5);
    }
  });
});

describe("a [[potential]] table", () => {
  it("has the documentation of its record, and repeats in the deck as run", () => {
    const scenario = parseScenario(deck());
    const found = { kind: "round-logarithmic", name: "round-logarithmic", offset: [0.5, 0, 0], speed: 1.5, core: 0.3 };
    expect(scenario.potential).toEqual([found]);
    const text = deckText(scenario);
    expect(text).toContain(`# ${logarithmic.meaning}\n[[potential]]\nkind   = "round-logarithmic"\n`);
    expect(text).toMatch(/speed +=.*# \[velocity units\] circular speed v₀ far out/);
    expect(parseScenario(text)).toEqual(scenario);
    expect(deckText(parseScenario(deck("")))).not.toContain("potential]]");
  });

  it("is overridden by name, kind and position", () => {
    for (const key of ["potential.halo.core", "potential.round-logarithmic.core", "potential[0].core"]) {
      const named = deck(`${TABLE}name = "halo"\n`);
      expect(parseScenario(named, { overrides: [`${key}=2`] }).potential[0].core).toBe(2);
    }
  });

  it("acts at its place, after the rigid components", async () => {
    const rigid = '[[particles]]\nkind = "hernquist"\nrigid = true\nmass = 2\nscale = 1\noffset = [1, 0, 0]\n';
    const { externalPotentials } = await initialConditions(parseScenario(deck(TABLE + rigid)), { G: 1 });
    expect(externalPotentials).toEqual([
      { kind: "hernquist", centre: [9, 8, 8], parameters: { mass: 2, scale: 1 } },
      { kind: "round-logarithmic", centre: [8.5, 8, 8], parameters: { speed: 1.5, core: 0.3 } },
    ]);
  });

  it.each([
    [
      deck(TABLE.replace('"round-logarithmic"', '"round-logaritmic"')),
      /potential\[0\]\.kind: expected one of "point-mass", "plummer", .*, "flat-harmonic", found "round-logaritmic"\. Did you mean "round-logarithmic"\?/,
    ],
    [deck(TABLE.replace("core", "corr")), /unknown key potential\[0\]\.corr.*did you mean potential\[0\]\.core/s],
    [
      deck(TABLE.replace("0.5, 0, 0", "0, -9, 0")),
      /potential\[0\]\.offset: expected a centre inside the box, less than box\.size\/2 = 8/,
    ],
    [
      deck(TABLE, 'box.boundary = "periodic"'),
      /potential\[0\]\.kind: expected no \[\[potential\]\] table in a box with boundary = "periodic", found "round-logarithmic"\. Leave it out/,
    ],
  ])("is refused where it can't be", (text, message) => {
    expect(() => parseScenario(text)).toThrow(message);
  });

  it("has a name of its own among several", () => {
    const names = (text: string) => parseScenario(text).potential.map(({ name }) => name);
    expect(names(deck(TABLE + TABLE))).toEqual(["round-logarithmic", "round-logarithmic-2"]);
    const twice = `${TABLE}name = "halo"\n`;
    expect(() => names(deck(twice + twice))).toThrow(/potential\[1\]\.name:.*Every potential needs its own name/);
  });
});

describe("components in equilibrium", () => {
  it("take a spherical potential about their centre for mass", () => {
    const [mass, scale] = [3, 0.75];
    const found = sphericalMass({ kind: "plummer", centre: CENTRE, parameters: { mass, scale } }, 2, 1e6)!;
    const expected = plummerShape(mass, scale);
    for (const r of [1e-3, 0.1, 1, 10, 100]) {
      expect(found.mass(r) / expected.mass(r)).toBeCloseTo(1, 10);
      expect(found.density(r) / expected.density(r)).toBeCloseTo(1, 6);
      expect(found.depth(r) / expected.depth(r)).toBeCloseTo(1, 6);
    }
    expect(found.depth(0)).toBeCloseTo(mass / scale, 6);
    expect(sphericalMass(CASES[1], 1, 1e6)).toBeUndefined();
  });

  it("move as fast as it demands: 2K = −Σ m x·a, and not where it is elsewhere", async () => {
    const virial = async (offset: string) => {
      const more = TABLE.replace("offset = [0.5, 0, 0]", offset);
      const text = deck(more).replace("count = 10", "count = 20_000\ncutoff = 5");
      const { particles, externalPotentials } = await initialConditions(parseScenario(text), { G: 1 });
      const at = { ...externalPotentials[0], centre: [8, 8, 8] as [number, number, number] };
      const out = { accelerations: new Float64Array(60_000), potential: new Float64Array(20_000) };
      addExternalField(at, 1, particles.positions, out);
      const twiceKinetic = Float64Array.from(particles.velocities).reduce((sum, v) => sum + v * v, 0);
      return twiceKinetic / -particles.positions.reduce((sum, x, k) => sum + (x - 8) * out.accelerations[k], 0);
    };
    expect(await virial("")).toBeGreaterThan(0.98);
    expect(await virial("")).toBeLessThan(1.02);
    expect(await virial("offset = [0.5, 0, 0]")).toBeLessThan(1e-3);
  });
});

describe("the registry", () => {
  it("refuses a name that is taken and more keys than kernels hold, and names the kinds that there are", () => {
    expect(() => registerPotential(logarithmic)).toThrow('external potential "round-logarithmic" is there already');
    const keys = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, logarithmic.keys.core]));
    expect(() => registerPotential({ ...logarithmic, name: "many", keys })).toThrow("expected at most 8 keys, found 9");
    expect(() => fieldAt({ ...CASES[0], kind: "einasto" }, [1, 2, 3])).toThrow(
      'no external potential is called "einasto"; there are: point-mass, plummer, hernquist',
    );
    expect(potentials.has("many")).toBe(false);
  });
});

describe("a run in a potential", () => {
  it.each(["mesh", "direct"])("resumes with it (%s)", async (gravity) => {
    const folder = mkdtempSync(join(tmpdir(), "gravmesh-"));
    try {
      const table = '[[potential]]\nkind = "plummer"\nmass = 2\nscale = 1\n';
      const text = deckText(parseScenario(deck(table, `gravity = "${gravity}"`)));
      writeFileSync(join(folder, "scenario.toml"), text);
      const simulation = await Simulation.create(parseScenario(text), { backend: "cpu" });
      const expected = [{ kind: "plummer", centre: [8, 8, 8], parameters: { mass: 2, scale: 1 } }];
      await saveRun(folder, text, simulation, FRESH_RUN);
      const { scenario, checkpoint } = await readRun(folder);
      expect(checkpoint.externalPotentials).toEqual(expected);
      const resumed = await Simulation.resume(scenario, checkpoint, { backend: "cpu" });
      await Promise.all([simulation.advance(), resumed.advance()]);
      expect((await resumed.readParticles()).positions).toEqual((await simulation.readParticles()).positions);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
