/**
 * The loop of a run on its device: how often it submits and waits, that a stop between any two steps leaves no trace in
 * what comes after it, and with which shapes it goes on.
 */
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { adapterSummary } from "../../src/foundation/gpu/device.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation, type SimulationCheckpoint } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

const SPHERE = {
  ...{ title: "sphere", box: { size: 10 }, mesh: { cells: 16 } },
  particles: [{ kind: "plummer", count: 1000, cutoff: 3 }],
  output: { snapshots: 1, diagnostics: 2 },
} as const;
const EXPANDING = {
  title: "plane wave",
  units: { system: "cosmological" },
  cosmology: { omegaM: 1, omegaB: 0 },
  box: { size: 64, boundary: "periodic" },
  mesh: { cells: 16 },
  particles: [{ kind: "plane-wave", perSide: 8 }],
  output: { snapshots: 1, diagnostics: 2 },
} as const;

// More steps between outputs than several submissions take, so that a stop comes before the first output.
const decks: Record<string, Deck> = {
  "fixed steps": { ...SPHERE, time: { end: 1.1, step: 0.005 } },
  "adaptive steps": { ...SPHERE, time: { end: 4, step: "adaptive", accuracy: 0.03 } },
  "growth-corrected steps": {
    ...EXPANDING,
    time: { clock: "comoving", start: 1 / 64, end: 1, step: 0.02, spacing: "log-a" },
  },
  "warm multigrid": { ...SPHERE, mesh: { cells: 16, poisson: "multigrid" }, time: { end: 0.55, step: 0.0025 } },
};

/** In float64 every step is told. */
const shorter: Record<string, Pick<Deck, "time">> = {
  "fixed steps": { time: { end: 0.2, step: 0.005 } },
  "adaptive steps": { time: { end: 0.4, step: "adaptive", accuracy: 0.03 } },
  "growth-corrected steps": {
    time: { clock: "comoving", start: 1 / 64, end: 1, step: 0.1, spacing: "log-a" },
  },
  "warm multigrid": { time: { end: 0.1, step: 0.0025 } },
};

/** Runs on until the report after which `enough` is true, and is stopped there. */
async function stopped(simulation: Simulation, enough: (reports: number) => boolean): Promise<void> {
  const stop = new AbortController();
  let reports = 0;
  const onProgress = () => {
    reports += 1;
    if (enough(reports)) stop.abort();
  };
  await expect(simulation.advance({ onProgress, signal: stop.signal })).rejects.toMatchObject({ kind: "aborted" });
}

/** As a file would give it back. */
function written({ state, masses, ...rest }: SimulationCheckpoint): SimulationCheckpoint {
  return { ...(JSON.parse(JSON.stringify(rest)) as typeof rest), masses, state };
}

describe.each(["webgpu", "cpu"] as const)("a run on %s that is stopped between two outputs", (backend) => {
  const options = () => (backend === "webgpu" ? { gpu: gpu() } : { backend });
  const bits = async (simulation: Simulation) => (await simulation.checkpoint()).state.arrays;

  // Adaptive steps on an adapter are in simulation.first.test.ts.
  const names = Object.keys(decks).filter(
    (name) => /fixed/.test(name) || /adaptive/.test(name) === (backend === "cpu"),
  );
  it.each(names)("goes on to the same bits: %s", async (name) => {
    const scenario = completeScenario({ ...decks[name], ...(backend === "cpu" && shorter[name]) });
    const open: Simulation[] = [];
    const begun = async () => {
      open.push(await Simulation.create(scenario, options()));
      return open[open.length - 1];
    };
    try {
      const whole = await begun();
      await whole.advance();
      const expected = await bits(whole);

      const one = await begun();
      await stopped(one, (reports) => reports === 2);
      const { step, time } = one;
      expect(step).toBeGreaterThan(0);
      expect(one.output).toBe(0);
      const checkpoint = written(await one.checkpoint());
      expect(Object.keys(checkpoint.state.arrays)).toContain("halfwayVelocities");
      expect(checkpoint.state.arrays).not.toHaveProperty("velocities"); // which earlier versions would take as they are

      // What is seen of it is synchronous: the same as of a run that had its end there.
      const seen = await one.readParticles({ potential: true });
      const { kinetic, potential } = await one.diagnostics();
      if (scenario.time.step !== "adaptive") {
        const short = await begun();
        await short.advance({ until: time });
        expect(short.step).toBe(step);
        const same = await short.readParticles({ potential: true });
        expect(seen.positions).toEqual(same.positions);
        expect(seen.velocities).toEqual(same.velocities);
        expect(seen.potential).toEqual(same.potential);
        expect(await short.diagnostics()).toMatchObject({ kinetic, potential });
      }

      // Looking at it changes nothing; neither does another stop; nor another process.
      await stopped(one, (reports) => reports === 1);
      await one.advance();
      expect(await bits(one)).toEqual(expected);
      const resumed = await Simulation.resume(scenario, checkpoint, options());
      open.push(resumed);
      expect([resumed.step, resumed.time]).toEqual([step, time]);
      expect((await resumed.readParticles()).velocities).toEqual(seen.velocities);
      expect(written(await resumed.checkpoint())).toEqual(checkpoint);
      await resumed.advance();
      expect([resumed.step, resumed.time]).toEqual([whole.step, whole.time]);
      expect(await bits(resumed)).toEqual(expected);
    } finally {
      for (const simulation of open) simulation.destroy();
    }
  });
});

/** [ms] that a submission may take: as many steps go into one as there are, however busy the machine is. */
const AT_LEISURE = 1e6;

it("has the same bits in short submissions, of which one at a time is under way where a step is longer", async () => {
  const scenario = completeScenario(decks["fixed steps"]);
  const [whole, short] = [
    await Simulation.create(scenario, { gpu: gpu() }),
    await Simulation.create(scenario, { gpu: gpu() }),
  ];
  try {
    await whole.advance({ until: 0.25, submission: AT_LEISURE });
    let reports = 0;
    await short.advance({ until: 0.25, submission: 1e-3, onProgress: () => (reports += 1) });
    expect(reports).toBe(whole.step);
    expect((await short.checkpoint()).state.arrays).toEqual((await whole.checkpoint()).state.arrays);
    const { submissions } = whole.traffic()!.steps;
    expect(submissions).toBeLessThan(short.traffic()!.steps.submissions);
  } finally {
    for (const simulation of [whole, short]) simulation.destroy();
  }
});

describe("a run that begins with the particles of another, at their time", () => {
  it.each(["fixed steps", "adaptive steps", "growth-corrected steps"])(
    "goes on to the deck's end: %s",
    async (name) => {
      const deck = decks[name];
      const scenario = completeScenario(deck);
      const one = await Simulation.create(scenario, { backend: "cpu" });
      const at = scenario.time.clock === "comoving" ? 0.3 : 1.03;
      await one.advance({ until: at });
      const { time } = one;
      const particles = await one.readParticles();
      const other = await Simulation.create(scenario, { backend: "cpu", particles, time });
      const { step } = other.schedule;
      expect(Math.abs(other.time - time)).toBeLessThan(step ?? scenario.time.end / 512);
      expect((await other.readParticles()).positions).toEqual(particles.positions);
      expect((await other.diagnostics()).relativeEnergyError).toBe(0);
      if (scenario.time.step !== "adaptive") expect(other.step).toBe(one.step);
      await other.advance();
      expect([other.time, other.done]).toEqual([scenario.time.end, true]);
    },
  );

  it("can't begin outside of the run", async () => {
    const scenario = completeScenario(decks["fixed steps"]);
    const particles = { positions: [5, 5, 5, 6, 6, 6], masses: 1 };
    await expect(Simulation.create(scenario, { backend: "cpu", particles, time: 1.1 })).rejects.toMatchObject({
      kind: "usage",
      message: "the option time: expected one from 0 to before 1.1, found 1.1",
    });
  });
});

/** What a run of `deck` asks of its device a step, in steps alone, and the bits that it ends with. */
async function asked(deck: Deck, context: GpuContext) {
  const simulation = await Simulation.create(completeScenario(deck), { gpu: context });
  try {
    await simulation.advance({ submission: AT_LEISURE });
    const { submissions, waits, bytesRead } = simulation.traffic()!.steps;
    const { step, stageTimes } = { step: simulation.step, stageTimes: simulation.stageTimes() };
    const { arrays } = (await simulation.checkpoint()).state;
    return { steps: step, stageTimes, arrays, submissions, waits, bytesRead };
  } finally {
    simulation.destroy();
  }
}

it("submits once in 16 fixed steps or more, once in 8 adaptive ones, and waits once for each, with timestamps and without", async () => {
  const adapter = await nodeGpu().requestAdapter();
  const device = await adapter!.requestDevice({ label: "without timestamps" });
  const bare = new GpuContext(device, adapterSummary(adapter!.info), { owned: true });
  try {
    expect(bare.timer.timestamps).toBe(false);
    const output = { snapshots: 1, diagnostics: 1 };
    for (const [deck, most] of [
      [{ ...SPHERE, output, time: { end: 2, step: 0.01 } }, 1 / 16],
      [{ ...SPHERE, output, time: { end: 4, step: "adaptive", accuracy: 0.02 } }, 1 / 8],
    ] as const) {
      const [timed, plain] = [await asked(deck, gpu()), await asked(deck, bare)];
      expect(timed.steps).toBeGreaterThan(150);
      for (const { steps, submissions, waits, bytesRead } of [timed, plain]) {
        expect(submissions / steps).toBeLessThan(most);
        expect(waits).toBe(submissions);
        expect(bytesRead / steps).toBeLessThan(200);
      }
      expect(plain.stageTimes).toEqual([]);
      const stages = timed.stageTimes.map(({ stage }) => stage);
      expect(stages.includes("poisson")).toBe(gpu().device.features.has("timestamp-query"));
      expect(plain.arrays).toEqual(timed.arrays);
    }
  } finally {
    bare.destroy();
  }
});
