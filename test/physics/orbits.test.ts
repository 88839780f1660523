/** Chosen particles recorded as a run goes: positions and velocities of one time, on every backend, without a trace in the run. */
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { boxCoordinates, fromFixedPoint, toFixedPoint } from "../../src/physics/particles/fixed-point.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { type AdvanceOptions, Simulation, type SimulationOptions } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const context = (windows: WindowLimits) =>
  new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });

type Row = Parameters<Parameters<Simulation["recordOrbits"]>[0]["take"]>[0];

/** Some outside the mesh, the first and the last among them. */
const IDS = Uint32Array.of(0, 7, 512, 513, 1500, 4999);

function deck(more: object = {}) {
  return completeScenario({
    title: "orbits",
    box: { size: 6 },
    mesh: { cells: 16 },
    particles: [{ kind: "plummer", count: 5000, cutoff: 2.9 }],
    potential: [{ kind: "plummer", name: "neighbour", mass: 1, scale: 0.5, offset: [1, 0, 0] }],
    time: { end: 0.5, step: 0.03125 },
    output: { snapshots: 1, diagnostics: 2 },
    ...more,
  });
}

/** A run to its end with the rows that it tells, and its last state. */
async function recorded(scenario: ReturnType<typeof deck>, options: SimulationOptions, every = 1, abortAt = Infinity) {
  const simulation = await Simulation.create(scenario, options);
  const rows: Row[] = [];
  try {
    const start = await simulation.chosen(IDS);
    await simulation.recordOrbits({ ids: IDS, every, take: (row) => rows.push(row) });
    const abort = new AbortController();
    const onProgress = ({ step }: { step: number }) => step >= abortAt && abort.abort();
    await simulation.advance({ onProgress, signal: abort.signal }).catch((error) => {
      if (!abort.signal.aborted) throw error;
    });
    const stopped = simulation.step;
    if (!simulation.done) await simulation.advance();
    const { arrays } = (await simulation.checkpoint()).state;
    return { rows, start, arrays, stopped, last: await simulation.readParticles() };
  } finally {
    simulation.destroy();
  }
}

async function unwatched(scenario: ReturnType<typeof deck>, options: SimulationOptions) {
  const simulation = await Simulation.create(scenario, options);
  try {
    await simulation.advance();
    return (await simulation.checkpoint()).state.arrays;
  } finally {
    simulation.destroy();
  }
}

function of(ids: Uint32Array, all: ArrayLike<number>): number[] {
  return [...ids].flatMap((id) => [all[3 * id], all[3 * id + 1], all[3 * id + 2]]);
}

/** The nearest fixed-point coordinate [length]. */
function onGrid(x: number): number {
  const { u, image } = toFixedPoint(x, 6);
  return fromFixedPoint(u, image, 6);
}

/** Largest difference of what one would have after each row: x + v dt against the next, in the order of dt². */
function worstStep(rows: readonly Pick<Row, "positions" | "velocities">[], dt: number): number {
  let worst = 0;
  for (let i = 1; i + 1 < rows.length; i++) {
    rows[i].velocities.forEach((v, k) => {
      const centred = (rows[i + 1].positions[k] - rows[i - 1].positions[k]) / (2 * dt);
      worst = Math.max(worst, Math.abs(centred - v));
    });
  }
  return worst;
}

describe.each(["webgpu", "cpu"] as const)("orbits on %s", (backend) => {
  const options = (): SimulationOptions => (backend === "webgpu" ? { gpu: gpu() } : { backend });

  it("are the particles after every step, with velocities of the same time, and leave no trace", async () => {
    const { rows, start, arrays, last } = await recorded(deck(), options());
    expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
    expect(rows.map(({ time }) => time)).toEqual(Array.from({ length: 16 }, (_, i) => (i + 1) / 32));
    expect([...rows[15].positions]).toEqual(of(IDS, last.positions));
    expect(rows[15].velocities.map(Math.fround)).toEqual(
      rows[15].velocities.map((_, k) => of(IDS, last.velocities)[k]),
    );
    // A leapfrog's synchronous velocity is the centred difference of its positions, to the bit of rounding.
    expect(worstStep([start, ...rows], 1 / 32)).toBeLessThan(1e-6);
    expect(arrays).toEqual(await unwatched(deck(), options()));
  });

  it.each([
    { end: 0.5, step: 0.03125 },
    { end: 0.25, step: "adaptive" },
  ])("are those that somebody sees who looks in passing, which leaves no trace (%o)", async (time) => {
    const simulation = await Simulation.create(deck({ time }), options());
    const rows = new Map<number, Row>();
    const seen: Parameters<NonNullable<AdvanceOptions["look"]>["take"]>[0][] = [];
    const missed: string[] = [];
    try {
      expect(simulation.looksInPassing).toBe(true);
      const ids = Uint32Array.from({ length: 10 }, (_, k) => 500 * k);
      await simulation.recordOrbits({ ids, every: 1, take: (row) => rows.set(row.step, row) });
      // Another part of the particles from time to time.
      const wanted = () => (seen.length % 3 === 1 ? 1000 : 500);
      const look = {
        watched: true,
        wanted,
        take: (one: (typeof seen)[0]) => seen.push(one),
        missed: (why: string) => missed.push(why),
      };
      await simulation.advance({ look });
      expect(seen.length).toBeGreaterThan(1);
      expect(seen.some(({ every }) => every === 1000)).toBe(true);
      for (const { step, time: at, every, positions, images, velocities } of seen) {
        const row = rows.get(step)!;
        const among = ids.map((_, k) => k).filter((k) => ids[k] % every === 0);
        expect(at).toBe(row.time);
        expect([...boxCoordinates(positions, images, 6)]).toEqual(of(among, row.positions).map(onGrid));
        expect([...velocities]).toEqual(of(among, row.velocities).map(Math.fround));
      }
      const { arrays } = (await simulation.checkpoint()).state;
      expect(arrays).toEqual(await unwatched(deck({ time }), options()));
    } finally {
      simulation.destroy();
    }
  });

  it("come with the places of levels to who looks in passing", async () => {
    const level = [{ around: "plummer", refinement: 2, cells: 48 }];
    const scenario = deck({ mesh: { cells: 32 }, level, time: { end: 0.09375, step: 0.03125 } });
    const [looked, plain] = [
      await Simulation.create(scenario, options()),
      await Simulation.create(scenario, options()),
    ];
    const seen: Parameters<NonNullable<AdvanceOptions["look"]>["take"]>[0][] = [];
    try {
      const take = (one: (typeof seen)[0]) => seen.push(one);
      await looked.advance({ look: { watched: true, wanted: () => 500, take, missed: () => {} } });
      expect(seen.length).toBeGreaterThan(0);
      for (const { time, levelCentres } of seen) {
        await plain.advance({ until: time });
        const [{ centre }] = await plain.levelCores();
        // To the rounding of a kick that is taken in two parts.
        for (const [axis, x] of levelCentres![0].entries()) expect(x).toBeCloseTo(centre[axis], 7);
      }
    } finally {
      looked.destroy();
      plain.destroy();
    }
  });

  it("come every few steps, at the times of adaptive ones, and once each where a run is stopped", async () => {
    const few = await recorded(deck(), options(), 3, 5);
    expect(few.rows.map(({ step }) => step)).toEqual([3, 6, 9, 12, 15]);
    expect(few.stopped).toBeLessThan(16);
    const all = await recorded(deck(), options());
    expect(few.rows.map(({ positions }) => positions)).toEqual(
      all.rows.filter(({ step }) => step % 3 === 0).map(({ positions }) => positions),
    );
    const adaptive = await recorded(deck({ time: { end: 0.25, step: "adaptive" } }), options());
    const times = adaptive.rows.map(({ time }) => time);
    expect(times.at(-1)).toBe(0.25);
    expect(times.every((time, i) => time > (times[i - 1] ?? 0))).toBe(true);
    expect([...adaptive.rows.at(-1)!.positions]).toEqual(of(IDS, adaptive.last.positions));
    // Each moved by about its velocity.
    adaptive.rows.slice(1).forEach(({ time, positions }, i) => {
      const before = adaptive.rows[i];
      const dt = time - before.time;
      positions.forEach((x, k) => {
        expect(Math.abs(x - before.positions[k] - before.velocities[k] * dt)).toBeLessThan(20 * dt * dt);
      });
    });
  });

  it("of a direct sum are those after each of its largest steps", async () => {
    const direct = { softening: 0.05, integrator: "hermite-4" as const, steps: "block" as const };
    const scenario = deck({
      ...{ gravity: "direct", direct },
      particles: [{ kind: "plummer", count: 64, cutoff: 2.9 }],
    });
    const ids = Uint32Array.of(3, 40);
    const simulation = await Simulation.create(scenario, { ...options(), backend });
    const rows: Row[] = [];
    try {
      await simulation.recordOrbits({ ids, every: 4, take: (row) => rows.push(row) });
      await simulation.advance();
      expect(rows.map(({ step, time }) => [step, time])).toEqual([4, 8, 12, 16].map((step) => [step, step / 32]));
      const { positions, velocities } = await simulation.readParticles();
      expect([...rows[3].positions]).toEqual(of(ids, positions));
      expect([...rows[3].velocities]).toEqual(of(ids, velocities));
      const { arrays } = (await simulation.checkpoint()).state;
      expect(arrays).toEqual(await unwatched(scenario, { ...options(), backend }));
    } finally {
      simulation.destroy();
    }
  });
});

describe("orbits on the GPU", () => {
  it("are the same for particles and meshes in windows", async () => {
    const whole = await recorded(deck(), { gpu: gpu() });
    const cut = await recorded(deck(), { gpu: context({ planes: 2, particles: 4096 }) });
    expect(cut.rows).toEqual(whole.rows);
    expect(cut.start).toEqual(whole.start);
    expect(cut.arrays).toEqual(whole.arrays);
  });

  it("agree with those in float64, in a periodic box too", async () => {
    for (const more of [{}, { box: { size: 6, boundary: "periodic" }, potential: [] }]) {
      const [found, exact] = [
        await recorded(deck(more), { gpu: gpu() }),
        await recorded(deck(more), { backend: "cpu" }),
      ];
      for (const [i, row] of exact.rows.entries()) {
        row.positions.forEach((x, k) => {
          expect(Math.abs(found.rows[i].positions[k] - x)).toBeLessThan(2e-5);
        });
        row.velocities.forEach((v, k) => {
          expect(Math.abs(found.rows[i].velocities[k] - v)).toBeLessThan(1e-4);
        });
      }
    }
  });
});
