/**
 * Whichever kernel shapes are chosen, a deck gives the same bits in every snapshot: shapes forced one at a time, all at
 * once, by a cache that has answers to everything, and in a run that is resumed under others.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { type ChoiceCache, pinnedShapes, type ShapedStage, type ShapePins } from "../../src/gpu/choices.ts";
import { GpuContext } from "../../src/gpu/context.ts";
import { Order } from "../../src/particles/order.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/simulation.ts";
import type { SimulationCheckpoint } from "../../src/simulation-checkpoint.ts";
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
    pinned(stage, shapes, usual) {
      offered?.set(stage, [usual!, ...shapes.filter((shape) => shape !== usual)]);
      return wanted.get(stage);
    },
  };
}

/** Stages whose shape goes by the kind of adapter, unless it is pinned. */
const BY_KIND: readonly ShapedStage[] = ["scan", "order", "reorder"];

const context = (shapes?: ShapePins, choices?: ChoiceCache) =>
  new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), shapes, choices });

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

const FORCED = inFull(["plummer", "disk", "lcdm", "plummer by multigrid"], ["plummer", "lcdm", "disk"]);
/** Decks of which every shape is forced by itself. */
const ONE_BY_ONE = inFull(FORCED, ["plummer"]);

describe.each(FORCED)("%s", (name) => {
  it("has the same bits with every shape, from any cache, and resumed under other shapes", async () => {
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
        for (const shape of shapes.slice(1)) sets.push(new Map([[stage, shape]]));
      }
    }
    for (const wanted of sets) {
      const simulation = await Simulation.create(scenario, { gpu: context(pins(wanted)) });
      const forced = await statesOf(simulation);
      const what = [...wanted].join("; ");
      expect(forced.states, what).toEqual(states);
      const known = Object.values(forced.checkpoint.state.choices!);
      for (const [stage, shape] of wanted) if (!BY_KIND.includes(stage)) expect(known, what).toContain(shape);
    }

    // A cache that has the last shape for every question, also where none is asked any more.
    const asked: string[] = [];
    const get = (key: string) => {
      const [, stage] = /\|(\w+)[^|]*$/.exec(key)!;
      asked.push(stage);
      return stage === "fft" ? "workgroup" : last.get(stage as ShapedStage);
    };
    const filled = await statesOf(
      await Simulation.create(scenario, { gpu: context(undefined, { get, set: () => {} }) }),
    );
    expect(asked).toContain("update");
    expect(Object.values(filled.checkpoint.state.choices!)).toContain(last.get("update"));
    expect(filled.states).toEqual(states);

    const resumed = await Simulation.resume(scenario, checkpoint, { gpu: context(pins(last)) });
    expect((await statesOf(resumed)).states).toEqual(states.slice(1));
  }, 240_000);
});

describe("particles that stay in the order of an earlier step", () => {
  const BOX = ["mesh.cells=24", "particles.uniform.count=5000", "output.snapshots=3", "output.diagnostics=3"];
  it.each([
    ["fixed steps", "uniform", [...BOX, "time.end=0.3", "time.step=0.01"]],
    ["adaptive steps", "uniform", [...BOX, "time.end=0.3", "time.step=adaptive", "time.accuracy=0.05"]],
    ["an expanding box", "lcdm", [...DECKS.lcdm.overrides, "mesh.assignment=cic"]],
  ])(
    "have the same bits: %s",
    async (_, deck, overrides) => {
      const text = readFileSync(new URL(`../../scenarios/${deck}.toml`, import.meta.url), "utf8");
      const scenario = parseScenario(text, { overrides });
      const sorts = vi.spyOn(Order.prototype, "encodeSort");
      const under = (shapes: string) => context(pinnedShapes(`deposit=rows; ${shapes}`));
      /** States at the outputs, and how often particles were ordered on the way. */
      const through = async (simulation: Simulation) => {
        sorts.mockClear();
        const { step } = simulation;
        const found = await statesOf(simulation);
        return { ...found, sorts: sorts.mock.calls.length, steps: simulation.step - step };
      };
      try {
        const each = await through(await Simulation.create(scenario, { gpu: under("reorder=each step") }));
        expect(each.steps).toBeGreaterThan(5);
        expect(each.sorts).toBeGreaterThanOrEqual(each.steps);
        // "run 1" leaves velocities behind at every order.
        for (const more of ["", "; order=run 1; update=1 in a run", "; update=32 in a run, kept"]) {
          const seldom = await through(
            await Simulation.create(scenario, { gpu: under(`reorder=every 3 steps${more}`) }),
          );
          expect(seldom.states, more).toEqual(each.states);
          expect(seldom.sorts).toBeLessThanOrEqual(1 + each.steps / 3);
        }
        const gpu = under("reorder=every 3 steps");
        const resumed = await through(await Simulation.resume(scenario, each.checkpoint, { gpu }));
        expect(resumed.states).toEqual(each.states.slice(1));
        expect(resumed.sorts).toBeLessThan(each.sorts);
      } finally {
        sorts.mockRestore();
      }
    },
    120_000,
  );

  it("leave no trace of a stop in between", async () => {
    const overrides = [...BOX, "time.end=0.4", "time.step=0.01"];
    const text = readFileSync(new URL("../../scenarios/uniform.toml", import.meta.url), "utf8");
    const scenario = parseScenario(text, { overrides });
    const create = (reorder: string) =>
      Simulation.create(scenario, { gpu: context(pinnedShapes(`deposit=rows; reorder=${reorder}`)) });
    const { states } = await statesOf(await create("each step"));
    const stopped = await create("every 3 steps");
    // One step a submission, and stopped where particles lie in the order of two steps before.
    for (const stops of [3, 2, 4]) {
      const stop = new AbortController();
      let reports = 0;
      const onProgress = () => {
        reports += 1;
        if (reports === stops) stop.abort();
      };
      const advanced = stopped.advance({ submission: 1e-3, onProgress, signal: stop.signal });
      await expect(advanced).rejects.toMatchObject({ kind: "aborted" });
      await stopped.readParticles({ potential: true });
    }
    expect((await statesOf(stopped)).states).toEqual(states);
  });
});
