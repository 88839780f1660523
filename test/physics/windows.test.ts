/**
 * Particles in windows and meshes in slabs: a deck gives the same bits in every snapshot, diagnostics, spectrum and halo
 * as in one piece, and a run goes on from the one in the other.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { acquireNodeContext } from "../../src/foundation/gpu/device.node.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import type { SimulationCheckpoint } from "../../src/scenario/simulation/checkpoint.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

/** Overrides of the decks, for two snapshots after the start; 16 cells share their kernels with other tests. */
const TWO = ["output.snapshots=2", "output.diagnostics=2"];
const SPHERE = ["mesh.cells=16", "particles.plummer.count=9001", "time.end=0.2", "time.step=0.05", ...TWO];
const DISK = ["mesh.cells=16", "particles.disk.count=9001", "time.end=0.4", "time.step=0.1", ...TWO];
const LEVEL = '\n[[level]]\naround = "plummer"\nrefinement = 2\ncells = 64\n';
const DECKS: Record<string, { deck: string; overrides: string[]; levels?: string }> = {
  plummer: { deck: "plummer", overrides: SPHERE },
  "plummer by multigrid": { deck: "plummer", overrides: [...SPHERE, "mesh.poisson=multigrid"] },
  "plummer in a periodic box": { deck: "plummer", overrides: [...SPHERE, "box.boundary=periodic"] },
  "plummer, deposited by the host": { deck: "plummer", overrides: [...SPHERE, "mesh.deposit=host"] },
  "plummer, deposited by atomics": { deck: "plummer", overrides: [...SPHERE, "mesh.deposit=atomic"] },
  "plummer with the spectral gradient": { deck: "plummer", overrides: [...SPHERE, "mesh.gradient=spectral"] },
  "plummer with two levels": {
    deck: "plummer",
    overrides: [...SPHERE, "mesh.cells=48", "particles.plummer.velocity=[4, 0, 0]", "time.end=0.1"],
    levels: LEVEL + LEVEL,
  },
  disk: { deck: "disk", overrides: DISK },
  lcdm: {
    deck: "lcdm",
    overrides: [
      ...["mesh.cells=16", "particles.0.perSide=24", "time.start=0.25", "time.step=0.25"],
      ...["output.redshifts=[1, 0]", "output.diagnostics=2"],
    ],
  },
};

/** Of the size that the smallest windows are promised for; those of lcdm are read by groups of ids as well. */
const LARGER = ["mesh.cells=64", ...TWO];
const LARGER_SPHERE = [...LARGER, "particles.plummer.count=60000", "time.end=0.04", "time.step=0.02"];
const LARGER_DECKS: typeof DECKS = {
  "plummer, 64³": { deck: "plummer", overrides: LARGER_SPHERE },
  "plummer by multigrid, 64³": { deck: "plummer", overrides: [...LARGER_SPHERE, "mesh.poisson=multigrid"] },
  "plummer in a periodic box, 64³": { deck: "plummer", overrides: [...LARGER_SPHERE, "box.boundary=periodic"] },
  "plummer, deposited by the host, 64³": { deck: "plummer", overrides: [...LARGER_SPHERE, "mesh.deposit=host"] },
  "disk, 64³": {
    deck: "disk",
    overrides: [...LARGER, "particles.disk.count=60000", "time.end=0.1", "time.step=0.05"],
  },
  "lcdm, 64³": {
    deck: "lcdm",
    overrides: [
      ...["mesh.cells=64", "particles.0.perSide=64", "time.start=0.25", "time.step=0.25"],
      ...["output.redshifts=[1, 0]", "output.diagnostics=2"],
    ],
  },
};

function scenarioOf(name: string): Scenario {
  const { deck, overrides, levels = "" } = { ...DECKS, ...LARGER_DECKS }[name];
  const text = readFileSync(new URL(`../../scenarios/${deck}.toml`, import.meta.url), "utf8");
  return parseScenario(text + levels, { overrides });
}

const gpu = useGpu();

/**
 * Larger decks on a device of its own: the next on the same would find what the last has given back still mapped, and what
 * is cut this small takes 50 000 of the 65 530 ranges that Linux lets a process map (lcdm, 64³).
 */
async function onDevice<T>(own: boolean, windows: WindowLimits, work: (gpu: GpuContext) => Promise<T>): Promise<T> {
  const whole = own ? await acquireNodeContext() : gpu();
  try {
    return await work(new GpuContext(whole.device, whole.adapter, { owned: false, parent: whole, windows }));
  } finally {
    if (own) whole.destroy();
  }
}

const digestOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  createHash("sha256")
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest("hex");

/** Digests of the state at each snapshot, with what is measured there, and the checkpoint at the first of them. */
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
  const states = checkpoints.map(({ time, state: { arrays } }) => ({
    time,
    ...Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, digestOf(array)])),
  }));
  return { states, measured, checkpoint: checkpoints[0] };
}

const WINDOWS: readonly WindowLimits[] = inFull(
  [{ planes: 2, particles: 4096 }, { planes: 6 }, { particles: 8192 }],
  [{ planes: 2, particles: 4096 }],
);

describe.each(
  inFull(
    [...Object.keys(DECKS), ...Object.keys(LARGER_DECKS)],
    // The doctor's checks have levels and multigrid in pieces.
    ["plummer, deposited by the host", "lcdm"],
  ),
)("%s", (name) => {
  it("has the same bits in windows, and goes on from one in the other", async () => {
    const scenario = scenarioOf(name);
    const larger = name in LARGER_DECKS;
    const whole = await onDevice(larger, {}, async (gpu) => statesOf(await Simulation.create(scenario, { gpu })));
    expect(whole.states.length).toBeGreaterThan(1);
    const cuts = larger ? [{ planes: 2, particles: 10_000 }] : WINDOWS;
    for (const windows of cuts) {
      const cut = await onDevice(larger, windows, async (gpu) => statesOf(await Simulation.create(scenario, { gpu })));
      expect(cut.states).toEqual(whole.states);
      expect(cut.measured).toEqual(whole.measured);
    }
    const [windows] = cuts;
    const resumed = await onDevice(larger, windows, async (gpu) =>
      statesOf(await Simulation.resume(scenario, whole.checkpoint, { gpu })),
    );
    expect(resumed.states).toEqual(whole.states.slice(1));
  });
});
