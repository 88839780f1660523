/** Checkpoints that are whole but can't be of their run: each figure is held against the deck before anything goes on. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { STATE_FORMATS } from "../../src/engine/backend/backend.ts";
import { type CheckpointProgress, deckHash, readCheckpoint, writeCheckpoint } from "../../src/run/checkpoint.ts";
import { EXIT } from "../../src/run/failure.ts";
import { run } from "../../src/run/runner.ts";
import { FRESH_RUN, readRun, saveRun } from "../../src/run/saved-run.ts";
import { deckText } from "../../src/scenario/deck.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const CPU = { backend: "cpu" } as const;
const MESH = {
  ...{ title: "small", box: { size: 16 }, mesh: { cells: 16 } },
  particles: [
    { kind: "plummer", count: 20, scale: 0.5, cutoff: 4 },
    { kind: "plummer", mass: 1, scale: 1, rigid: true },
  ],
  time: { end: 1, step: 0.05 },
  output: { snapshots: 2, diagnostics: 4 },
} as const satisfies Deck;
const DIRECT: Deck = { ...MESH, gravity: "direct", direct: { softening: 0.1 }, time: { end: 1, step: 0.25 } };

/** A run's folder with a checkpoint somewhat past its first output. */
async function folderOf(deck: Deck, until: number) {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-fit-"));
  folders.push(folder);
  const scenario = completeScenario(deck);
  const text = deckText(scenario);
  writeFileSync(join(folder, "scenario.toml"), text);
  const simulation = await Simulation.create(scenario, CPU);
  await simulation.advance({ until });
  await saveRun(folder, text, simulation, FRESH_RUN);
  return { folder, text, scenario };
}

type Figures = CheckpointProgress & {
  extra: {
    [key: string]: unknown;
    components: { count: number; first: number }[];
    masses: number[];
    externalPotentials: { parameters: Record<string, unknown> }[];
  };
};

/** Writes the newest checkpoint again, with a right checksum, as `change` leaves it. */
async function tamper(folder: string, text: string, change: (figures: Figures) => unknown) {
  const { state, progress } = await readCheckpoint(folder);
  change(progress as Figures);
  await writeCheckpoint(folder, { state, progress, deckHash: deckHash(text) });
}

describe("a checkpoint with a right checksum", () => {
  const cases: [string, (figures: Figures) => unknown, RegExp][] = [
    ["step -1", (f) => Object.assign(f, { step: -1 }), /its figures are wrong: step is -1/],
    [
      "step 1e9",
      (f) => Object.assign(f, { step: 1e9 }),
      /expected a step from 5 to 9 after output 1, found 1000000000/,
    ],
    ["step 5.5", (f) => Object.assign(f, { step: 5.5 }), /step is 5\.5/],
    ["a step of before", (f) => Object.assign(f, { step: 4 }), /expected a step from 5 to 9 after output 1, found 4/],
    ["a step that isn't the particles'", (f) => Object.assign(f, { step: 7, time: 0.35 }), /after step 7, .* after 6/],
    ["time -1", (f) => Object.assign(f, { time: -1 }), /expected time 0\.3\d* at step 6, found -1/],
    ["no time", (f) => Object.assign(f, { time: Number.NaN }), /time is null/],
    [
      "output 99",
      (f) => Object.assign(f.extra, { output: 99 }),
      /expected one of the outputs 0 to 4 of its deck, found output 99/,
    ],
    ["a tick", (f) => Object.assign(f.extra, { tick: 5 }), /expected ticks of an adaptive step .* found 5/],
    ["other particles", (f) => Object.assign(f.extra.components[0], { count: 21 }), /expected 20 particles, found 21/],
    [
      "a gap in ids",
      (f) => Object.assign(f.extra.components[0], { first: 2 }),
      /to begin with number 0, found 20 from 2/,
    ],
    ["no species", (f) => Object.assign(f.extra.components[0], { species: undefined }), /species/],
    ["too few masses", (f) => Object.assign(f.extra, { masses: [] }), /expected 1 masses, found 0/],
    ["a negative mass", (f) => Object.assign(f.extra.masses, [-1]), /masses\.0 is -1/],
    ["endless energy", (f) => Object.assign(f.initialSums, { kinetic: Number.POSITIVE_INFINITY }), /kinetic is null/],
    ["no sums", (f) => Object.assign(f, { initialSums: undefined }), /initialSums is missing/],
    [
      "no potential",
      (f) => Object.assign(f.extra, { externalPotentials: [] }),
      /expected 1 external potentials, found 0/,
    ],
    [
      "a broken one",
      (f) => Object.assign(f.extra.externalPotentials[0].parameters, { mass: "x" }),
      /parameters\.mass is "x"/,
    ],
    ["resumes -3", (f) => Object.assign(f.extra, { resumes: -3 }), /resumes is -3/],
    ["seconds in words", (f) => Object.assign(f.extra.seconds as object, { steps: "long" }), /seconds.steps is "long"/],
    ["lines -1", (f) => Object.assign(f.extra, { lines: { "diagnostics.csv": -1 } }), /lines\.diagnostics\.csv is -1/],
    ["nothing of the run", (f) => Object.assign(f, { extra: undefined }), /extra is missing/],
  ];

  it("is passed over for the one before when its figures can't be", async () => {
    const { folder, text } = await folderOf(MESH, 0.3);
    for (const [name, change, reason] of cases) {
      const found = await readRun(folder);
      expect([found.checkpoint.step, found.skipped], name).toEqual([6, []]);
      await tamper(folder, text, change);
      const { skipped, checkpoint } = await readRun(folder);
      expect(checkpoint.step, name).toBe(6);
      expect(skipped, name).toEqual([expect.stringMatching(reason)]);
      expect(skipped[0]).toMatch(/state_\d+\.bin: /);
      rmSync(skipped[0].split(": ")[0]);
    }
  });

  it("is refused where there is no other, by the library too", async () => {
    const { folder, text, scenario } = await folderOf(MESH, 0.3);
    const { checkpoint } = await readRun(folder);
    await tamper(folder, text, (figures) => Object.assign(figures, { step: 1e9 }));
    await tamper(folder, text, (figures) => Object.assign(figures, { step: 1e9 }));
    await expect(readRun(folder)).rejects.toMatchObject({
      kind: "input",
      message: expect.stringMatching(/No usable checkpoint in .*step from 5 to 9.* found 1000000000/),
    });
    const state = { ...checkpoint.state, format: STATE_FORMATS.direct.cpu };
    for (const wrong of [{ step: 1e9 }, { state }, { time: 2 }]) {
      await expect(Simulation.resume(scenario, { ...checkpoint, ...wrong }, CPU)).rejects.toMatchObject({
        kind: "input",
        message: expect.stringMatching(/the checkpoint doesn't fit its scenario: expected /),
      });
    }
  });

  it("of adaptive and of direct steps is held against them", async () => {
    const adaptive = await folderOf({ ...MESH, time: { end: 1, step: "adaptive" } }, 0.3);
    const { checkpoint } = await readRun(adaptive.folder);
    expect(checkpoint.output).toBe(2);
    for (const wrong of [{ step: 1 }, { step: 1e9 }, { tick: 2 ** 23 }, { tick: -1 }, { time: 0.25 }]) {
      await expect(Simulation.resume(adaptive.scenario, { ...checkpoint, ...wrong }, CPU)).rejects.toThrow(/fit/);
    }
    const direct = await folderOf(DIRECT, 0.3);
    const { checkpoint: block } = await readRun(direct.folder);
    expect(block.step).toBe(1);
    for (const wrong of [
      { step: 2, time: 0.5 },
      { step: 0, time: 0, output: 0 },
    ]) {
      await expect(Simulation.resume(direct.scenario, { ...block, ...wrong }, CPU)).rejects.toThrow(/fit/);
    }
  });
});

it("a direct sum on the CPU is resumed on the CPU, also where there is an adapter", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gravmesh-fit-"));
  folders.push(folder);
  const scenario = join(folder, "deck.toml");
  writeFileSync(scenario, deckText(completeScenario(DIRECT)));
  const out = join(folder, "run");
  const stop = new AbortController();
  const stopSoon = ({ event }: { event: string }) => event === "progress" && stop.abort();
  expect(await run({ scenario, out, overrides: [], backend: "cpu" }, stopSoon, stop.signal)).toBe(EXIT.interrupted);

  const events: { event: string; backend?: string }[] = [];
  const request = { overrides: [], backend: "auto", resume: out } as const;
  const { signal } = new AbortController();
  await expect(run({ ...request, backend: "webgpu" }, () => {}, signal)).rejects.toThrow(
    /computed with --backend cpu and can only go on with it, found --backend webgpu/,
  );
  expect(await run(request, (event) => void events.push(event), signal)).toBe(EXIT.success);
  expect(events.find(({ event }) => event === "start")).toMatchObject({ backend: "cpu" });
});
