/** The force comparison of a validation on the CPU, against sums written out; what interruptions leave of it. */
import { describe, expect, it } from "vitest";
import { ewaldField } from "../../src/engine/diagnostics/ewald.ts";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { compareForces, type ForceRequest } from "../../src/study/validate/forces.ts";
import { componentSentences, ON_PAGE } from "../../src/study/validate/table.ts";
import { randomParticles } from "../support/particles.ts";
import { fixtureScenario } from "../support/scenario-fixture.ts";

const COUNT = 300;
const BOX = 16;

function scenarioOf(boundary: Scenario["box"]["boundary"], rigid: boolean): Scenario {
  const scenario = fixtureScenario();
  scenario.units.system = "galactic";
  scenario.box = { size: BOX, boundary };
  scenario.mesh.cells = 16;
  const [halo] = scenario.particles;
  if (rigid)
    scenario.particles.push({ ...halo, kind: "plummer", name: "rigid", count: 0, mass: 2, rigid } as typeof halo);
  return scenario;
}

async function measured(scenario: Scenario, changes: Partial<ForceRequest> = {}, given = clustered()) {
  const simulation = await Simulation.create(scenario, { backend: "cpu", particles: given });
  try {
    const { accelerations, ...particles } = await simulation.readParticles({ accelerations: true });
    const request: ForceRequest = {
      ...{ simulation, particles, accelerations: accelerations!, gpu: undefined, softening: 0, seconds: 1 },
      signal: new AbortController().signal,
      onProgress: () => {},
      note: () => {},
      ...changes,
    };
    return { found: await compareForces(request), particles, accelerations: accelerations! };
  } finally {
    simulation.destroy();
  }
}

/** In the middle half of the box, so that none is near the edge of the mesh. */
function clustered() {
  const particles = randomParticles(COUNT, BOX / 2, 4);
  particles.positions = particles.positions.map((x) => x + BOX / 4);
  return particles;
}

type Particles = Awaited<ReturnType<typeof measured>>["particles"];

/** On particle `i` by all others, with softening ε, and by a rigid Plummer sphere of mass 2 and scale 1 in the middle. */
function bySum({ positions, masses }: Particles, i: number, softening: number, rigid: boolean, periodic: boolean) {
  const { G } = unitSystem("galactic");
  const a = [0, 0, 0];
  const add = (mass: number, centre: ArrayLike<number>, eps: number) => {
    const d = a.map((_, k) => positions[3 * i + k] - centre[k]);
    const r2 = d.reduce((sum, x) => sum + x * x, eps * eps);
    for (let k = 0; k < 3; k++) a[k] -= (G * mass * d[k]) / r2 ** 1.5;
  };
  for (let j = 0; j < masses.length; j++) {
    if (j === i) continue;
    const centre = positions.subarray(3 * j, 3 * j + 3);
    if (periodic) {
      const [x, y, z] = [0, 1, 2].map((k) => (positions[3 * i + k] - centre[k]) / BOX);
      const { acceleration } = ewaldField(x, y, z);
      for (let k = 0; k < 3; k++) a[k] += (G * masses[j] * acceleration[k]) / BOX ** 2;
    } else add(masses[j], centre, softening);
  }
  if (rigid) add(2, [BOX / 2, BOX / 2, BOX / 2], 1);
  return a;
}

describe.each([
  ["an isolated box with a rigid field", "isolated", true],
  ["a periodic box", "periodic", false],
] as const)("forces in %s", (_, boundary, rigid) => {
  it("are those of the sum, and their errors those of the mesh against it", async () => {
    const { found, particles, accelerations } = await measured(scenarioOf(boundary, rigid), { targets: 40 });
    const { comparison, table } = found!;
    const periodic = boundary === "periodic";
    expect(comparison).toMatchObject({
      ...{ targets: 40, sources: COUNT, precision: "double", outside: 0, triedOn: 40 },
      method: periodic ? "Ewald sum" : "direct sum",
      against: periodic ? "strength" : "radius",
    });
    expect(new Set(table.ids).size).toBe(40);
    const errors: number[] = [];
    table.ids.forEach((id, k) => {
      const exact = bySum(particles, id, 0, rigid, periodic);
      const size = Math.hypot(...exact);
      exact.forEach((a, axis) => {
        expect(Math.abs(table.plain[3 * k + axis] - a) / size).toBeLessThan(periodic ? 1e-4 : 1e-12);
        expect(table.mesh[3 * k + axis]).toBe(accelerations[3 * id + axis]);
      });
      errors.push(Math.hypot(...exact.map((a, axis) => accelerations[3 * id + axis] - a)) / size);
      if (periodic) return;
      const softened = bySum(particles, id, comparison.fitted!.softening, rigid, false);
      softened.forEach((a, axis) => {
        expect(Math.abs(table.fitted[3 * k + axis] - a) / Math.hypot(...softened)).toBeLessThan(1e-12);
      });
    });
    expect(comparison.plain?.relative.largest).toBeCloseTo(Math.max(...errors), 3);
    expect(comparison.plain?.softening).toBe(0);
    // The mesh is nearer to a sum that is softened over about a cell than to one that isn't.
    expect(comparison.fitted?.softeningCells).toBeGreaterThan(0.2);
    expect(comparison.fitted?.softeningCells).toBeLessThan(1.5);
    expect(comparison.fitted!.scaled.rms).toBeLessThan(0.5 * comparison.plain!.scaled.rms);
  });
});

it("a layer thinner than a cell is softened more across than in its plane, where its fit is told", async () => {
  const layer = clustered();
  for (let i = 0; i < COUNT; i++) layer.positions[3 * i + 2] = BOX / 2 + 0.02 * (layer.positions[3 * i + 2] - BOX / 2);
  const { found } = await measured(scenarioOf("isolated", false), {}, layer);
  const { softeningByAxis, fitted } = found!.comparison;
  const [x, y, z] = softeningByAxis!;
  expect(z).toBeGreaterThan(1.2 * Math.max(x, y));
  expect(fitted!.softeningCells).toBeLessThanOrEqual(z);
});

it("begins with what the mesh does to each component", async () => {
  const two = clustered();
  two.components = [
    { name: "core", species: "stars", first: 0, count: 200 },
    { name: "rest", species: "halo", first: 200, count: 100 },
  ];
  const { found } = await measured(scenarioOf("isolated", false), { targets: COUNT }, two);
  const { components, fitted } = found!.comparison;
  expect(components.map(({ name, targets }) => [name, targets])).toEqual([
    ["core", 200],
    ["rest", 100],
  ]);
  for (const { softeningCells, cell, halfMassRadius, plain, fitted: against } of components) {
    expect(cell).toBe(1);
    expect(Math.abs(softeningCells - fitted!.softeningCells)).toBeLessThan(0.2);
    expect(halfMassRadius).toBeGreaterThan(3);
    expect(against).toBeLessThan(plain);
  }
  const [first, second] = componentSentences(found!.comparison, { lengthUnit: "kpc", gravity: "mesh" }, ON_PAGE);
  expect(first).toMatch(
    /^core: forces are .* off the direct sum in the median inside its half-mass radius \(.*kpc\), and/,
  );
  expect(second).toMatch(/best described by a softening of 0\.\d+.cells = 0\.\d+.kpc\.$/);
});

describe("targets", () => {
  it("are all particles where the time allows it", async () => {
    const { found } = await measured(scenarioOf("isolated", false), { seconds: 20 });
    expect(found?.comparison.targets).toBe(COUNT);
    expect([...found!.table.ids].sort((a, b) => a - b)).toEqual(Array.from({ length: COUNT }, (_, i) => i));
    const seen = found!.comparison.plain!.bins.reduce((sum, { targets }) => sum + targets, 0);
    expect(seen).toBe(COUNT);
  });

  it("may have a softening of their own in the first comparison", async () => {
    const { found, particles } = await measured(scenarioOf("isolated", false), { targets: 3, softening: 2 });
    const exact = bySum(particles, found!.table.ids[0], 2, false, false);
    expect(found!.table.plain[0]).toBeCloseTo(exact[0], 9);
    expect(found!.comparison.plain?.softening).toBe(2);
  });
});

describe("an interruption", () => {
  const stopAt = (what: string, from: number) => {
    const control = new AbortController();
    const onProgress = (now: string, fraction: number) => {
      if (now === what && fraction >= from) control.abort();
    };
    return { signal: control.signal, onProgress, targets: COUNT };
  };

  it("keeps the targets that are done", async () => {
    const { found } = await measured(scenarioOf("isolated", false), stopAt("direct sum", 0.4));
    const { targets, plain, fitted, tried } = found!.comparison;
    expect(targets).toBe(128); // two parts of 64; the third was not begun
    expect([plain?.relative.median === undefined, fitted, tried]).toEqual([false, null, []]);
    expect(found!.table.ids).toHaveLength(128);
  });

  it("keeps the first comparison when it comes in the second", async () => {
    const { found } = await measured(scenarioOf("isolated", false), stopAt("softened sum", 0));
    expect([found!.comparison.targets, found!.comparison.fitted]).toEqual([COUNT, null]);
    expect(found!.comparison.tried.length).toBeGreaterThan(4);
    expect(found!.table.fitted).toHaveLength(0);
  });

  it("leaves nothing when it comes before", async () => {
    const control = new AbortController();
    control.abort();
    expect((await measured(scenarioOf("isolated", false), { signal: control.signal })).found).toBeUndefined();
  });
});
