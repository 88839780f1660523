/** Velocities of particles that are summed directly keep all their digits, from the start to a snapshot and back. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { DeckComponent } from "../../src/physics/initial/models.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { readSnapshot, writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { describeHdf5 } from "../support/hdf5-description.ts";

const dir = mkdtempSync(join(tmpdir(), "gravmesh-velocities-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// Chenciner & Montgomery 2000, with the digits of C. Simó: after a period each body is where it was.
const PERIOD = 6.32591398292621;
const [X, Y] = [0.97000435669734, 0.24308753153583];
const [U, V] = [0.93240737144104, 0.86473146092102];
const half = 2;
const eight = {
  positions: [X, -Y, 0, -X, Y, 0, 0, 0, 0].map((x) => half + x),
  velocities: [U / 2, V / 2, 0, U / 2, V / 2, 0, -U, -V, 0],
  masses: 1,
};

const deck = (particles: DeckComponent[], gravity: "mesh" | "direct" = "direct") =>
  completeScenario({
    ...{ title: "figure eight", gravity, box: { size: 2 * half }, mesh: { cells: 16 }, particles },
    direct: { integrator: "hermite-6", steps: "shared", softening: 0 },
    time: { end: PERIOD, step: PERIOD / 4096 },
    output: { snapshots: 1, diagnostics: 1 },
  });
const anything: DeckComponent[] = [{ kind: "plummer", count: 3, scale: 0.1, cutoff: 1 }];

/** Largest distance of a coordinate from where it began. */
async function missed(simulation: Simulation): Promise<number> {
  await simulation.advance();
  const { positions } = await simulation.readParticles();
  return positions.reduce((most, x, k) => Math.max(most, Math.abs(x - eight.positions[k])), 0);
}

describe("velocities of a direct run", () => {
  it("let three bodies close a figure of eight as exactly as their integrator can", async () => {
    const simulation = await Simulation.create(deck(anything), { backend: "cpu", particles: eight });
    expect(await missed(simulation)).toBeLessThan(1e-11);
    // Rounded to float32 they are those of another orbit.
    const rounded = { ...eight, velocities: Float32Array.from(eight.velocities) };
    const other = await Simulation.create(deck(anything), { backend: "cpu", particles: rounded });
    expect(await missed(other)).toBeGreaterThan(1e-7);
  });

  it("are float64 in snapshots, and come back from them", async () => {
    const simulation = await Simulation.create(deck(anything), { backend: "cpu", particles: eight });
    const file = join(dir, "eight.hdf5");
    await writeSnapshot(file, await simulation.readParticles(), { scenario: simulation.scenario, time: 0 });
    expect(describeHdf5(file)["PartType4/Velocities"].dtype).toBe("<f8");
    const read = await Simulation.create(deck([{ kind: "snapshot", file }]), {
      ...{ backend: "cpu", loadSnapshot: (name: string) => readSnapshot(name, { units: "nbody" }) },
    });
    const { velocities } = await read.readParticles();
    expect(velocities).toEqual(Float64Array.from(eight.velocities));
    const { masses } = await read.readParticles();
    expect(Array.from(masses)).toEqual([1, 1, 1]);
  });

  it("are drawn in float64, and in float32 for the mesh: the same rounded", async () => {
    const [direct, mesh] = await Promise.all(
      (["direct", "mesh"] as const).map(async (gravity) => {
        // As drawn: where their mean is taken off, those for the mesh are rounded once more.
        const drawn = anything.map((one) => ({ ...one, centre: false }) as DeckComponent);
        const { particles } = await initialConditions(deck(drawn, gravity), { G: 1 });
        return particles.velocities;
      }),
    );
    expect(direct).toBeInstanceOf(Float64Array);
    expect(mesh).toEqual(Float32Array.from(direct));
    expect(Array.from(direct)).not.toEqual(Array.from(mesh));
  });
});

describe("particles that a program brings", () => {
  it("need neither a count nor components, and may be plain numbers", async () => {
    const simulation = await Simulation.create(deck(anything), { backend: "cpu", particles: eight });
    expect(simulation.components).toEqual([{ name: "particles", species: "stars", first: 0, count: 3 }]);
    const resting = { positions: [1, 1, 1, 3, 3, 3], masses: [1, 2] };
    const other = await Simulation.create(deck(anything, "mesh"), { backend: "cpu", particles: resting });
    const { count, velocities, masses } = await other.readParticles();
    expect([count, Array.from(velocities), Array.from(masses)]).toEqual([2, [0, 0, 0, 0, 0, 0], [1, 2]]);
  });

  const component = { name: "a", species: "disk", first: 0, count: 2 } as const;
  it.each([
    [{ positions: undefined }, /the option particles: expected positions \[3N\], found undefined/],
    [{ positions: [1, 2] }, /expected positions \[3N\] of one particle or more, found 2 numbers/],
    [{ positions: [] }, /expected positions \[3N\] of one particle or more, found 0 numbers/],
    [{ count: 2 }, /expected positions \[3·2\], found 9 numbers/],
    [{ velocities: [1, 2, 3] }, /expected velocities \[3·3\], found 3 numbers/],
    [{ velocities: new Float32Array(3) }, /expected velocities \[3·3\], found 3 numbers/],
    [{ masses: [1] }, /expected masses \[3\] or one for all, found 1 numbers/],
    [{ masses: undefined }, /expected masses \[3\] or one for all, found undefined/],
    [{ components: [component] }, /expected components of 3 particles in all, found 2/],
    [
      { components: [component, { ...component, name: "b" }] },
      /expected component "b" to begin with particle 2, found first = 0/,
    ],
  ])("are refused in words: %o", async (change, message) => {
    const particles = { ...eight, ...change } as typeof eight;
    await expect(Simulation.create(deck(anything), { backend: "cpu", particles })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(message),
    });
  });

  it("are refused where a number isn't finite", async () => {
    const particles = { ...eight, masses: [1, Number.NaN, 1] };
    await expect(Simulation.create(deck(anything), { backend: "cpu", particles })).rejects.toThrow(
      /component "particles", particle 1: expected a finite number, found mass = NaN/,
    );
  });
});
