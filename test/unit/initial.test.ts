/** The assembly of initial conditions: ids, offsets, rigid components, snapshots, reproducibility, bad input. */
import { describe, expect, it } from "vitest";
import type { LoadedSnapshot } from "../../src/physics/initial/model.ts";
import type { ParticleComponent } from "../../src/physics/initial/models.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import {
  disk,
  failure,
  fromFile,
  hernquist,
  moments,
  plummer,
  sampleOf,
  scenarioOf,
  uniform,
} from "./initial-samples.ts";

const snapshotComponent = fromFile({ name: "restart", offset: [1, 0, 0], velocity: [0, 0, 2] });

const loaded = (changes: Partial<LoadedSnapshot> = {}): LoadedSnapshot => ({
  count: 3,
  positions: Float64Array.of(1, 1, 1, 2, 2, 2, 3, 3, 3),
  velocities: Float32Array.of(0, 0, 0, 1, 1, 1, 0, 0, 0),
  masses: Float64Array.of(1, 2, 3),
  components: [
    { name: "a", species: "gas", first: 0, count: 1 },
    { name: "b", species: "disk", first: 1, count: 2 },
  ],
  boxSize: 10,
  time: 7,
  ...changes,
});

describe("initialConditions", () => {
  const models: ParticleComponent[] = [
    plummer({ scale: 0.5 }),
    hernquist(),
    disk(),
    uniform({ side: 5, velocityDispersion: 0.1 }),
  ];

  it.each(models)("gives the particles of $kind that don't depend on the count, the same every time", async (model) => {
    const few = await sampleOf([{ ...model, count: 50 } as ParticleComponent]);
    const many = await sampleOf([{ ...model, count: 500 } as ParticleComponent]);
    const again = await sampleOf([{ ...model, count: 500 } as ParticleComponent]);
    expect(many.positions.subarray(0, 150)).toEqual(few.positions);
    expect(many.velocities.subarray(0, 150)).toEqual(few.velocities);
    expect(again).toEqual(many);
    const other = await sampleOf([{ ...model, count: 50, seed: 2 } as ParticleComponent]);
    expect(other.positions).not.toEqual(few.positions);
  });

  it("numbers components in deck order and gives each its mass, offset and velocity", async () => {
    const particles = await sampleOf([
      plummer({ count: 4000, mass: 8, scale: 0.1, cutoff: 0.5, offset: [3, -2, 1], velocity: [0.5, 0, -4] }),
      plummer({ name: "twin", species: "halo", count: 1000, scale: 0.1, cutoff: 0.5 }),
    ]);
    expect(particles.count).toBe(5000);
    expect(particles.components).toEqual([
      { name: "sphere", species: "stars", first: 0, count: 4000 },
      { name: "twin", species: "halo", first: 4000, count: 1000 },
    ]);
    expect(particles.masses[3999]).toBe(8 / 4000);
    expect(particles.masses[4000]).toBe(1 / 1000);
    const column = (values: ArrayLike<number>, axis: number) =>
      Array.from({ length: 4000 }, (_, i) => values[3 * i + axis]);
    [11, 6, 9].forEach((expected, axis) => {
      expect(moments(column(particles.positions, axis)).mean).toBeCloseTo(expected, 1);
    });
    const speeds = [0, 1, 2].map((axis) => moments(column(particles.velocities, axis)));
    [0.5, 0, -4].forEach((expected, axis) => {
      expect(Math.abs(speeds[axis].mean - expected)).toBeLessThan((4 * speeds[axis].deviation) / Math.sqrt(4000));
    });
    // The same seed in another component gives other particles.
    expect(particles.positions[3 * 4000] - 8).not.toBeCloseTo(particles.positions[0] - 11, 6);
  });

  it("fills a cube uniformly with Gaussian velocities", async () => {
    const count = 50_000;
    const { positions, velocities } = await sampleOf([uniform({ count, side: 8, velocityDispersion: 3 })]);
    for (let axis = 0; axis < 3; axis++) {
      const x = moments(Array.from({ length: count }, (_, i) => positions[3 * i + axis]));
      expect(x.mean).toBeCloseTo(8, 1);
      expect(x.deviation).toBeCloseTo(8 / Math.sqrt(12), 1);
      const v = moments(Array.from({ length: count }, (_, i) => velocities[3 * i + axis]));
      expect(Math.abs(v.mean)).toBeLessThan((4 * 3) / Math.sqrt(count));
      expect(Math.abs(v.deviation / 3 - 1)).toBeLessThan(4 / Math.sqrt(2 * count));
    }
    expect(positions.every((x) => x >= 4 && x < 12)).toBe(true);
  });

  it("turns rigid components into external potentials without particles", async () => {
    const rigid = hernquist({ rigid: true, count: 0, mass: 5, scale: 2, cutoff: 1000, offset: [1, 2, 3] });
    const { particles, externalPotentials } = await initialConditions(scenarioOf([rigid, disk()]), { G: 1 });
    expect(externalPotentials).toEqual([{ kind: "hernquist", centre: [9, 10, 11], parameters: { mass: 5, scale: 2 } }]);
    expect(particles.components).toEqual([{ name: "disk", species: "disk", first: 0, count: 1000 }]);
  });

  it("takes particles that are given instead, and makes the external potentials", async () => {
    const { particles } = await initialConditions(scenarioOf([plummer({ count: 10 })]), { G: 1 });
    const scenario = scenarioOf([plummer({ count: 99 }), hernquist({ rigid: true, count: 0 })]);
    const given = await initialConditions(scenario, { G: 1, particles });
    expect(given.particles).toEqual(particles);
    for (const name of ["positions", "velocities", "masses"] as const)
      expect(given.particles[name], name).toBe(particles[name]);
    expect(given.externalPotentials).toHaveLength(1);
  });

  it("places a snapshot about the centre of the box, with its own masses and species", async () => {
    const { particles } = await initialConditions(scenarioOf([plummer({ count: 5 }), snapshotComponent]), {
      G: 1,
      loadSnapshot: async (file) => {
        expect(file).toBe("old.hdf5");
        return loaded();
      },
    });
    expect(particles.count).toBe(8);
    expect([...particles.positions.subarray(15, 18)]).toEqual([5, 4, 4]);
    expect([...particles.velocities.subarray(18, 21)]).toEqual([1, 1, 3]);
    expect([...particles.masses.subarray(5)]).toEqual([1, 2, 3]);
    expect(particles.components.slice(1)).toEqual([
      { name: "restart a", species: "gas", first: 5, count: 1 },
      { name: "restart b", species: "disk", first: 6, count: 2 },
    ]);
  });

  it("adds the offset to every position of any kind, and a periodic box wraps", async () => {
    const size = 16;
    const move: [number, number, number] = [5, -7.5, 16];
    const still: [number, number, number] = [0, 0, 0];
    const file = { ...snapshotComponent, velocity: still };
    const lattice = { ...uniform(), kind: "plane-wave", name: "wave", perSide: 4, count: 64, waves: 1, crossing: 1 };
    const kinds = [
      ...models.map((model) => ({ ...model, count: 64 })),
      {
        ...file,
        species: "stars",
        kind: "kepler",
        name: "pair",
        count: 2,
        mass: 1,
        massRatio: 1,
        semiMajorAxis: 2,
        eccentricity: 0,
      },
      ...[lattice, file],
    ] as ParticleComponent[];
    const positionsOf = async (component: ParticleComponent, offset: typeof move, boundary: Boundary) => {
      const scenario = scenarioOf([{ ...component, offset }], size, boundary);
      scenario.time.start = 0.1;
      const loadSnapshot = async () => loaded({ boxSize: 0 });
      return (await initialConditions(scenario, { G: 1, loadSnapshot })).particles.positions;
    };
    for (const component of kinds) {
      const before = await positionsOf(component, still, "periodic");
      const after = await positionsOf(component, move, "periodic");
      expect(after.length, component.kind).toBe(before.length);
      for (let k = 0; k < before.length; k++) {
        expect(after[k] >= 0 && after[k] < size).toBe(true);
        const turns = (after[k] - before[k] - move[k % 3]) / size;
        expect(Math.abs(turns - Math.round(turns)), `${component.kind} ${k}`).toBeLessThan(1e-12);
      }
      if (component.kind === "plane-wave") continue;
      const small: typeof move = [0.25, -0.5, 1];
      const open = await positionsOf(component, still, "isolated");
      (await positionsOf(component, small, "isolated")).forEach((x, k) => {
        expect(x, component.kind).toBeCloseTo(open[k] + small[k % 3], 12);
      });
    }
  });

  it("keeps escaped particles of an isolated box, and refuses those outside a periodic one", async () => {
    const far = loaded({ positions: Float64Array.of(9.5, 1, 1, 10, 2, 2, 3, 3, -40), boxSize: 10 });
    const run = (set: LoadedSnapshot, boundary: Boundary, changes = {}) =>
      initialConditions(scenarioOf([{ ...snapshotComponent, ...changes }], 10, boundary), {
        G: 1,
        loadSnapshot: async () => set,
      });
    expect([...(await run(far, "isolated")).particles.positions]).toEqual([10.5, 1, 1, 11, 2, 2, 4, 3, -40]);
    const error = await failure(run(far, "periodic"));
    expect(error.message).toMatch(
      /found 1 outside, the first being particle 2 at \(4, 3, -40\).*Try box\.size = 90\.\d or more/,
    );
    expect(error.message).not.toMatch(/centres them/);
    // x = L, and what float32 makes of it.
    const face = loaded({ positions: Float64Array.of(10, 10.0000005, 0, 1, 1, 1, 2, 2, -1e-7) });
    const wrapped = (await run(face, "periodic", { offset: [0, 0, 0] })).particles.positions;
    [0, 5e-7, 0, 1, 1, 1, 2, 2, 10 - 1e-7].forEach((x, k) => {
      expect(wrapped[k]).toBeCloseTo(x, 12);
    });
  });

  it("offers the offset that centres a file which is about its own origin", async () => {
    const own = loaded({ positions: Float64Array.of(-4, -1, 0, 4, 1, 0, 0, 0, 2), boxSize: 0 });
    const run = (offset: [number, number, number]) =>
      initialConditions(scenarioOf([{ ...snapshotComponent, offset }], 10, "periodic"), {
        G: 1,
        loadSnapshot: async () => own,
      });
    const error = await failure(run([0, 0, 0]));
    expect(error.message).toMatch(/found 1 outside.*Try offset = \[5, 5, 5\], which centres them\.$/);
    expect([...(await run([5, 5, 5])).particles.positions]).toEqual([1, 4, 5, 9, 6, 5, 5, 5, 7]);
  });

  it("reports progress and lets the event loop run", async () => {
    const seen: number[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await initialConditions(scenarioOf([plummer({ count: 600_000 })]), {
      G: 1,
      onProgress: (done, total) => {
        expect(total).toBe(600_000);
        seen.push(done);
      },
    });
    clearInterval(timer);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(seen.slice().sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(600_000);
    expect(turns).toBeGreaterThan(1);
  });
});

describe("bad initial conditions", () => {
  it("names component, particle and quantity where a number is not finite", async () => {
    const positions = Float64Array.of(1, 1, 1, 2, Number.NaN, 2, 3, 3, 3);
    const velocities = Float32Array.of(0, 0, 0, 0, 0, 0, 0, 0, Number.POSITIVE_INFINITY);
    const masses = Float64Array.of(1, 2, Number.NaN);
    const fails = (changes: Partial<LoadedSnapshot>) =>
      failure(
        initialConditions(scenarioOf([plummer({ count: 10 }), snapshotComponent]), {
          G: 1,
          loadSnapshot: async () => loaded({ ...changes, components: [] }),
        }),
      );
    expect((await fails({ positions })).message).toMatch(/component "restart", particle 11.*position y = NaN/);
    expect((await fails({ velocities })).message).toMatch(/component "restart", particle 12.*velocity z = Infinity/);
    expect((await fails({ masses })).message).toMatch(/component "restart", particle 12.*mass = NaN/);
    expect((await fails({ masses: Float64Array.of(1, -2, 3) })).message).toMatch(/particle 11.*not negative.*-2/);
    expect((await fails({ positions })).kind).toBe("input");
    const error = await failure(sampleOf([disk(), uniform({ side: 4, velocityDispersion: Number.NaN })]));
    expect(error.message).toMatch(/component "gas cloud", particle 1000.*velocity x = NaN/);
  });

  it.each(["isolated", "periodic"] as const)(
    "counts particles outside an %s box and says what to try",
    async (boundary) => {
      const run = (component: ParticleComponent, size: number) =>
        failure(initialConditions(scenarioOf([component], size, boundary), { G: 1 }));
      const error = await run(plummer({ count: 1000, cutoff: 5 }), 2);
      expect(error.kind).toBe("scenario");
      expect(error.message).toMatch(
        /component "sphere".*all 1000 particles inside the box \[0, 2\).*found \d+ outside.*first being particle \d+ at \(.*\).*Try box\.size = [\d.]+ or more, a lower cutoff \(now 5\)/,
      );
      const suggested = Number(/box\.size = ([\d.]+)/.exec(error.message)![1]);
      await initialConditions(scenarioOf([plummer({ count: 1000, cutoff: 5 })], suggested, boundary), { G: 1 });
      expect((await run(disk(), 8)).message).toMatch(/component "disk".*lower cutoff \(now 7\)/);
      expect((await run(uniform({ side: 16 }), 8)).message).toMatch(/lower side \(now 16\)/);
    },
  );

  it("needs a loader for snapshots, and consistent ones", async () => {
    const missing = await failure(initialConditions(scenarioOf([snapshotComponent]), { G: 1 }));
    expect(missing.kind).toBe("usage");
    expect(missing.message).toMatch(/"restart" is read from old\.hdf5: expected a loadSnapshot option/);
    const short = loaded({ velocities: new Float32Array(6) });
    const error = await failure(
      initialConditions(scenarioOf([snapshotComponent]), { G: 1, loadSnapshot: async () => short }),
    );
    expect(error.message).toMatch(/old\.hdf5.*3N velocity.*found 3 particles, 9 coordinates, 6 velocity components/);
    const empty = loaded({
      count: 0,
      positions: new Float64Array(0),
      velocities: new Float32Array(0),
      masses: new Float64Array(0),
    });
    const nothing = await failure(
      initialConditions(scenarioOf([snapshotComponent]), { G: 1, loadSnapshot: async () => empty }),
    );
    expect(nothing.message).toMatch(/expected N > 0 particles.*found 0 particles/);
  });

  it("stops when aborted", async () => {
    const controller = new AbortController();
    const promise = initialConditions(scenarioOf([plummer({ count: 2_000_000 })]), {
      G: 1,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect((await failure(promise)).kind).toBe("aborted");
  });
});
