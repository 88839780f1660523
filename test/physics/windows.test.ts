/**
 * Particles in windows and meshes in slabs: a deck gives the same bits in every snapshot, diagnostics, spectrum and halo
 * as in one piece, and a run goes on from the one in the other.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/gpu/context.ts";
import type { WindowLimits } from "../../src/gpu/windows.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/simulation.ts";
import type { SimulationCheckpoint } from "../../src/simulation-checkpoint.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

/** Overrides of the decks, for two snapshots after the start; 16 cells share their kernels with other tests. */
const TWO = ["output.snapshots=2", "output.diagnostics=2"];
const SPHERE = ["mesh.cells=16", "particles.plummer.count=9001", "time.end=0.2", "time.step=0.05", ...TWO];
const DISK = ["mesh.cells=16", "particles.disk.count=9001", "time.end=0.4", "time.step=0.1", ...TWO];
const DECKS: Record<string, { deck: string; overrides: string[] }> = {
  plummer: { deck: "plummer", overrides: SPHERE },
  "plummer by multigrid": { deck: "plummer", overrides: [...SPHERE, "mesh.poisson=multigrid"] },
  "plummer in a periodic box": { deck: "plummer", overrides: [...SPHERE, "box.boundary=periodic"] },
  "plummer, deposited by the host": { deck: "plummer", overrides: [...SPHERE, "mesh.deposit=host"] },
  "plummer, deposited by atomics": { deck: "plummer", overrides: [...SPHERE, "mesh.deposit=atomic"] },
  "plummer with the spectral gradient": { deck: "plummer", overrides: [...SPHERE, "mesh.gradient=spectral"] },
  disk: { deck: "disk", overrides: DISK },
  lcdm: {
    deck: "lcdm",
    overrides: [
      ...["mesh.cells=16", "particles.0.perSide=24", "time.start=0.125", "time.step=0.125"],
      ...["output.redshifts=[1, 0]", "output.diagnostics=2"],
    ],
  },
};

function scenarioOf(name: string): Scenario {
  const { deck, overrides } = DECKS[name];
  const text = readFileSync(new URL(`../../scenarios/${deck}.toml`, import.meta.url), "utf8");
  return parseScenario(text, { overrides });
}

const context = (windows: WindowLimits) =>
  new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });

/** Every word of the state at each snapshot, with what is measured there, and the checkpoint at the first of them. */
async function statesOf(simulation: Simulation) {
  const checkpoints: SimulationCheckpoint[] = [];
  const measured: unknown[] = [];
  const comoving = simulation.scenario.time.clock === "comoving";
  try {
    while (!simulation.done) {
      await simulation.advance({ output: simulation.output + 1 });
      checkpoints.push(await simulation.checkpoint());
      measured.push(await simulation.diagnostics());
      if (comoving) measured.push(await simulation.powerSpectrum({ cells: 32 }));
      if (comoving) measured.push(await simulation.haloes({ minimumMembers: 10 }));
    }
  } finally {
    simulation.destroy();
  }
  const states = checkpoints.map(({ time, state: { arrays } }) => ({ time, arrays }));
  return { states, measured, checkpoint: checkpoints[0] };
}

const WINDOWS: readonly WindowLimits[] = inFull(
  [{ planes: 2, particles: 4096 }, { planes: 6 }, { particles: 8192 }],
  [{ planes: 2, particles: 4096 }],
);

describe.each(
  inFull(Object.keys(DECKS), ["plummer", "plummer by multigrid", "plummer, deposited by the host", "lcdm"]),
)("%s", (name) => {
  it("has the same bits in windows, and goes on from one in the other", async () => {
    const scenario = scenarioOf(name);
    const whole = await statesOf(await Simulation.create(scenario, { gpu: context({}) }));
    expect(whole.states.length).toBeGreaterThan(1);
    for (const windows of WINDOWS) {
      const cut = await statesOf(await Simulation.create(scenario, { gpu: context(windows) }));
      expect(cut.states).toEqual(whole.states);
      expect(cut.measured).toEqual(whole.measured);
    }
    const [windows] = WINDOWS;
    const resumed = await Simulation.resume(scenario, whole.checkpoint, { gpu: context(windows) });
    expect((await statesOf(resumed)).states).toEqual(whole.states.slice(1));
  }, 240_000);
});
