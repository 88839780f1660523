/** Calls on a simulation that overlap: carried out one after the other, refused within loops, ended by `destroy`. */
import { describe, expect, it } from "vitest";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import type { Deck } from "../../src/index.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

const deck: Deck = {
  title: "test",
  box: { size: 10 },
  mesh: { cells: 16 },
  particles: [{ kind: "plummer", count: 120, cutoff: 3 }],
  time: { end: 0.4, step: 0.05 },
  output: { snapshots: 1, diagnostics: 2 },
};
const kinds = (["mesh", "direct"] as const).flatMap((gravity) =>
  (["webgpu", "cpu"] as const).map((backend) => ({ gravity, backend })),
);

describe.each(kinds)("$gravity on $backend", ({ gravity, backend }) => {
  const made = () =>
    Simulation.create(completeScenario({ ...deck, gravity }), backend === "webgpu" ? { gpu: gpu() } : { backend });

  it("carries out calls one after the other", async () => {
    const [one, other] = [await made(), await made()];
    await one.advance();
    const expected = await one.diagnostics();
    const during: Promise<unknown>[] = [];
    const onProgress = () => during.push(other.diagnostics());
    const first = other.advance({ output: 1, onProgress });
    const half = other.diagnostics();
    const second = other.advance();
    const [chosen, centre] = [other.chosen(Uint32Array.of(3)), other.reductions().centre()];
    expect((await half).step).toBe(4);
    await Promise.all([first, second, chosen, centre]);
    expect(await other.diagnostics()).toEqual(expected);
    for (const seen of await Promise.all(during)) expect(seen).toEqual(expected);
    expect((await other.readParticles()).positions).toEqual((await one.readParticles()).positions);
    expect((await chosen).positions).toEqual((await one.chosen(Uint32Array.of(3))).positions);
    expect(await centre).toEqual(await one.reductions().centre());
    await Promise.all([one.destroy(), other.destroy()]);
  });

  it("refuses calls within a loop over blocks", async () => {
    const simulation = await made();
    const under = /a loop over this simulation's blocks is under way/;
    for await (const { count } of simulation.readBlocks()) {
      expect(count).toBe(120);
      await expect(simulation.diagnostics()).rejects.toThrow(under);
      await expect(simulation.readBlocks()[Symbol.asyncIterator]().next()).rejects.toThrow(under);
      break;
    }
    await simulation.advance();
    expect((await simulation.diagnostics()).step).toBe(8);
    await simulation.destroy();
  });

  it("refuses every call after destroy, which ends an advance", async () => {
    const simulation = await made();
    const blocks = simulation.readBlocks()[Symbol.asyncIterator]();
    await blocks.next();
    await blocks.return?.();
    const ended = simulation.advance({ onProgress: () => void simulation.destroy() });
    await expect(ended).rejects.toMatchObject({ kind: "aborted" });
    await simulation.destroy();
    const gone = { kind: "usage", message: "this simulation was destroyed; create another" };
    const calls = [
      () => simulation.advance(),
      () => simulation.diagnostics(),
      () => simulation.readParticles(),
      () => simulation.readBlocks()[Symbol.asyncIterator]().next(),
      () => simulation.chosen(Uint32Array.of(0)),
      () => simulation.recordOrbits({ ids: Uint32Array.of(0), every: 1, take: () => {} }),
      () => simulation.checkpoint(),
      () => simulation.checkpointInPieces(),
      () => simulation.levelCores(),
      () => simulation.phantomMatter(),
      () => simulation.powerSpectrum(),
      () => simulation.haloes(),
      () => simulation.stageTimesOfRanks(),
      async () => simulation.reductions(),
      async () => simulation.buffers,
      async () => simulation.memory(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(gone);
  });

  it("refuses times and counts that it couldn't follow", async () => {
    const simulation = await made();
    const wrong = [
      ...[{ until: Number.NaN }, { until: Number.POSITIVE_INFINITY }, { until: -1 }],
      ...[{ output: 0.5 }, { most: Number.NaN }, { submission: Number.NaN }],
    ];
    for (const options of wrong) {
      const [[key, value]] = Object.entries(options);
      const message = new RegExp(`^advance: expected ${key} to be .*, found ${value}$`);
      await expect(simulation.advance(options)).rejects.toMatchObject({
        kind: "usage",
        message: expect.stringMatching(message),
      });
    }
    expect(simulation.step).toBe(0);
    await simulation.destroy();
  });
});

it("says that the device was lost", async () => {
  const device = await (await nodeGpu().requestAdapter())!.requestDevice();
  const simulation = await Simulation.create(completeScenario(deck), { device });
  device.destroy();
  const lost = { kind: "device", message: expect.stringMatching(/the GPU device was lost: ./) };
  await expect(simulation.advance()).rejects.toMatchObject(lost);
  await expect(simulation.readParticles()).rejects.toMatchObject(lost);
  await simulation.destroy();
});
