/** Rows of diagnostics ride along: the values and the bits of a run that stops for each, and what the device is asked for. */
import { expect, it } from "vitest";
import { type Diagnostics, registerColumn } from "../../src/engine/diagnostics/columns.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

const SPHERE = {
  ...{ title: "sphere", box: { size: 10 }, mesh: { cells: 16 } },
  particles: [{ kind: "plummer", name: "sphere", count: 1000, cutoff: 3 }],
  output: { snapshots: 2, diagnostics: 10 },
  time: { end: 0.2, step: 0.005 },
} satisfies Deck;

const decks: Record<string, Deck> = {
  "fixed steps": SPHERE,
  "adaptive steps": { ...SPHERE, time: { end: 0.4, step: "adaptive", accuracy: 0.03 } },
  "a potential that grows": {
    ...SPHERE,
    potential: [{ kind: "plummer", name: "passing", mass: 1, scale: 0.5, grow: { from: 0, to: 0.1 } }],
  } as unknown as Deck,
  "levels with substeps": {
    ...{ ...SPHERE, box: { size: 24 }, mesh: { cells: 32, kernel: "split" }, time: { end: 0.05, step: 0.005 } },
    level: [{ around: "sphere", refinement: 2, cells: 48, substeps: 2 }],
  },
  "an expanding box": {
    ...{ title: "wave", units: { system: "cosmological" }, cosmology: { omegaM: 1, omegaB: 0 } },
    ...{ box: { size: 64, boundary: "periodic" }, mesh: { cells: 16 } },
    particles: [{ kind: "plane-wave", perSide: 8 }],
    output: { snapshots: 1, diagnostics: 5 },
    time: { clock: "comoving", start: 1 / 64, end: 1, step: 0.1, spacing: "log-a" },
  },
};

/** Rows and the last state of a run to its end, as `advance` takes it there. */
async function rowsOf(
  deck: Deck,
  backend: "webgpu" | "cpu",
  advance: (run: Simulation, rows: Diagnostics[]) => unknown,
) {
  const run = await Simulation.create(completeScenario(deck), backend === "webgpu" ? { gpu: gpu() } : { backend });
  const rows: Diagnostics[] = [];
  try {
    await advance(run, rows);
    return { rows, last: await run.diagnostics(), arrays: (await run.checkpoint()).state.arrays };
  } finally {
    await run.destroy();
  }
}

const cases = Object.keys(decks).flatMap((name) => [[name, "webgpu"] as const, [name, "cpu"] as const]);

// Levels in float64 take long; the loop is the same for both.
const few = cases.filter(([name, backend]) => backend === "webgpu" || /adaptive|expanding/.test(name));
it.each(few)("has the rows and the bits of a run that stops for each: %s, %s", async (name, backend) => {
  const stopping = await rowsOf(decks[name], backend, async (run, rows) => {
    while (!run.done) {
      await run.advance({ output: run.output + 1 });
      if (run.outputs[run.output].diagnostics) rows.push(await run.diagnostics());
    }
  });
  const passing = await rowsOf(decks[name], backend, (run, rows) => run.advance({ onRow: (row) => rows.push(row) }));
  expect(passing).toEqual(stopping);
  expect(passing.rows.length).toBeGreaterThanOrEqual(5);

  // Another stops between two rows, at a row and behind it.
  let stops = 0;
  const stopped = await rowsOf(decks[name], backend, async (run, rows) => {
    for (let most = 1; !run.done; most = 3 - most) {
      await run.advance({ most, onRow: (row) => rows.push(row) }).catch(({ kind }) => expect(kind).toBe("aborted"));
      stops++;
    }
  });
  expect(stopped).toEqual(passing);
  expect(stops).toBeGreaterThan(1);
});

it("submits and waits at most 24 times in 200 steps with 100 rows, whatever they take", async () => {
  const deck = {
    ...SPHERE,
    mesh: { cells: 32 },
    output: { snapshots: 1, diagnostics: 100 },
    time: { end: 1, step: 0.005 },
  };
  const run = await Simulation.create(completeScenario(deck), { gpu: gpu() });
  const { queue } = gpu().device;
  const { submit } = queue;
  let submissions = 0;
  queue.submit = (buffers) => {
    submissions += buffers[Symbol.iterator]().next().done ? 0 : 1; // an empty one asks whether others are done
    submit.call(queue, buffers);
  };
  try {
    let rows = 0;
    const before = run.traffic()!.all;
    await run.advance({ submission: 1e6, onRow: () => (rows += 1) });
    await run.diagnostics();
    const waits = run.traffic()!.all.waits - before.waits;
    expect([run.step, rows]).toEqual([200, 100]);
    expect(submissions).toBeGreaterThan(5);
    expect(submissions + waits).toBeLessThanOrEqual(24);
  } finally {
    queue.submit = submit;
    await run.destroy();
  }
});

it("is ended by a row that is no number", async () => {
  let broken = false;
  registerColumn({ name: "breaking", heads: null, of: () => (broken ? Number.NaN : 0) } as never);
  for (const backend of ["webgpu", "cpu"] as const) {
    broken = false;
    const run = await Simulation.create(completeScenario(SPHERE), backend === "webgpu" ? { gpu: gpu() } : { backend });
    const rows: number[] = [];
    const onRow = ({ step }: Diagnostics) => {
      rows.push(step);
      broken = rows.length === 3;
    };
    await expect(run.advance({ onRow })).rejects.toMatchObject({
      kind: "numerical",
      message: expect.stringMatching(
        /^diagnostics at time 0\.08, step 16: expected a number for breaking, found NaN: /,
      ),
    });
    expect(rows).toEqual([4, 8, 12]);
    await run.destroy();
  }
});
