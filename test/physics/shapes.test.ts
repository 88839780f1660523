/**
 * Whichever kernel shapes are chosen, a deck gives the same bits in every snapshot: shapes forced one at a time, all at
 * once, by a cache that has answers to everything, and in a run that is resumed under others.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { ShapedStage, ShapePins } from "../../src/foundation/gpu/shapes.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import type { SimulationCheckpoint } from "../../src/scenario/simulation/checkpoint.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

/** Overrides of the decks, for two snapshots after the start; 16 cells share their kernels with other tests. */
const SPHERE = ["mesh.cells=16", "particles.plummer.count=3000", "time.end=0.4", "time.step=0.05"];
const DECKS: Record<string, { deck: string; overrides: string[] }> = {
  plummer: { deck: "plummer", overrides: [...SPHERE, "output.snapshots=2", "output.diagnostics=2"] },
  disk: {
    deck: "disk",
    overrides: [
      ...["mesh.cells=16", "particles.disk.count=3000", "time.end=0.8", "time.step=0.1"],
      ...["output.snapshots=2", "output.diagnostics=2"],
    ],
  },
  lcdm: {
    deck: "lcdm",
    overrides: [
      ...["mesh.cells=16", "particles.0.perSide=16", "time.start=0.125", "time.step=0.125"],
      ...["output.redshifts=[1, 0]", "output.diagnostics=2"],
    ],
  },
  "plummer by multigrid": {
    deck: "plummer",
    overrides: [...SPHERE, "output.snapshots=2", "output.diagnostics=2", "mesh.poisson=multigrid"],
  },
};

function scenarioOf(name: string): Scenario {
  const { deck, overrides } = DECKS[name];
  const text = readFileSync(new URL(`../../scenarios/${deck}.toml`, import.meta.url), "utf8");
  return parseScenario(text, { overrides });
}

type Shapes = Map<ShapedStage, readonly string[]>;

/** Pins by stage; notes in `offered` what each stage could have had. */
function pins(wanted: ReadonlyMap<ShapedStage, string>, offered?: Shapes): ShapePins {
  return {
    pinned(stage, shapes) {
      offered?.set(stage, shapes);
      return wanted.get(stage);
    },
  };
}

const context = (shapes: ShapePins) =>
  new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), shapes });

/** Every word of the state at each snapshot, and the checkpoint at the first of them. */
async function statesOf(simulation: Simulation) {
  const checkpoints: SimulationCheckpoint[] = [];
  try {
    while (!simulation.done) {
      await simulation.advance({ output: simulation.output + 1 });
      checkpoints.push(await simulation.checkpoint());
    }
  } finally {
    simulation.destroy();
  }
  return { states: checkpoints.map(({ time, state: { arrays } }) => ({ time, arrays })), checkpoint: checkpoints[0] };
}

const FORCED = inFull(["plummer", "disk", "lcdm", "plummer by multigrid"], ["lcdm"]);
/** Decks of which every shape is forced by itself; the doctor's checks force them on a sphere. */
const ONE_BY_ONE = inFull(FORCED, []);

describe.each(FORCED)("%s", (name) => {
  it("has the same bits with every shape, and resumed under other shapes", async () => {
    const scenario = scenarioOf(name);
    const offered: Shapes = new Map();
    const begun = await Simulation.create(scenario, { gpu: context(pins(new Map(), offered)) });
    const { states, checkpoint } = await statesOf(begun);
    expect(states.length).toBeGreaterThan(1);
    // With the default limits particles are moved in parts, in one shape.
    const movedAtOnce = gpu().device.limits.maxStorageBuffersPerShaderStage >= 10;
    expect(offered.has("order")).toBe(movedAtOnce);
    for (const stage of ["scan", ...(movedAtOnce ? ["order"] : []), "deposit", "gradient", "update"] as ShapedStage[]) {
      expect(offered.get(stage)?.length, stage).toBeGreaterThan(1);
    }
    expect(offered.has("multigrid")).toBe(scenario.mesh.poisson === "multigrid");

    const last = new Map([...offered].map(([stage, shapes]) => [stage, shapes.at(-1)!]));
    const sets = [last];
    if (ONE_BY_ONE.includes(name)) {
      for (const [stage, shapes] of offered) {
        for (const shape of shapes) sets.push(new Map([[stage, shape]]));
      }
    }
    for (const wanted of sets) {
      const simulation = await Simulation.create(scenario, { gpu: context(pins(wanted)) });
      const forced = await statesOf(simulation);
      const what = [...wanted].join("; ");
      expect(forced.states, what).toEqual(states);
    }

    const resumed = await Simulation.resume(scenario, checkpoint, { gpu: context(pins(last)) });
    expect((await statesOf(resumed)).states).toEqual(states.slice(1));
  });
});
