/** Ranks share the particles and add up the mass: the bits of a run don't depend on how many there are. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/simulation.ts";
import { useGpu } from "../support/gpu.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();

const SPHERE = ["mesh.cells=16", "particles.plummer.count=3001", "time.end=0.4", "time.step=0.05"];
const OUTPUTS = ["output.snapshots=2", "output.diagnostics=2"];
const DECKS: Record<string, [string, string[]]> = {
  "plummer, of which some leave the mesh": [
    "plummer",
    [...SPHERE, ...OUTPUTS, "box.size=4", "particles.plummer.cutoff=2", "particles.plummer.velocity=[3, 0, 0]"],
  ],
  "plummer by multigrid": ["plummer", [...SPHERE, ...OUTPUTS, "mesh.poisson=multigrid"]],
  "plummer with adaptive steps": ["plummer", [...SPHERE, ...OUTPUTS, 'time.step="adaptive"']],
  "a comoving box": [
    "lcdm",
    [
      "mesh.cells=16",
      "particles.0.perSide=16",
      "time.start=0.125",
      "time.step=0.125",
      "output.redshifts=[1, 0]",
      "output.diagnostics=2",
    ],
  ],
  "disk with a halo": [
    "disk",
    ["mesh.cells=16", "particles.disk.count=3000", "time.end=0.8", "time.step=0.1", ...OUTPUTS],
  ],
};

async function runOn(size: number, name: string) {
  const [deck, overrides] = DECKS[name];
  const text = readFileSync(new URL(`../../scenarios/${deck}.toml`, import.meta.url), "utf8");
  const scenario = parseScenario(text, { overrides });
  const ranks = size > 1 ? ranksTogether(size) : [undefined];
  const each = await Promise.all(
    ranks.map(async (one) => {
      const simulation = await Simulation.create(scenario, { gpu: gpu(), ranks: one });
      const rows = [];
      const states: Record<string, Uint8Array>[] = [];
      while (!simulation.done) {
        await simulation.advance({ output: simulation.output + 1 });
        rows.push(await simulation.diagnostics());
        const { arrays } = (await simulation.checkpoint()).state;
        states.push(Object.fromEntries(Object.entries(arrays).map(([of, { buffer }]) => [of, new Uint8Array(buffer)])));
      }
      simulation.destroy();
      return { rows, states };
    }),
  );
  for (const { rows } of each) expect(rows).toEqual(each[0].rows);
  const joined = each[0].states.map((_, output) =>
    Object.fromEntries(
      (["positions", "velocities", "images"] as const)
        .filter((of) => each[0].states[output][of])
        .map((of) => [of, Buffer.concat(each.map(({ states }) => states[output][of])).toString("base64")]),
    ),
  );
  return { rows: each[0].rows, joined };
}

describe.each(Object.keys(DECKS))("%s", (name) => {
  it("has the same bits on 1, 2 and 3 ranks", async () => {
    const alone = await runOn(1, name);
    if (name.includes("leave")) expect(alone.rows.at(-1)!.outside).toBeGreaterThan(100);
    for (const size of [2, 3]) {
      const { rows, joined } = await runOn(size, name);
      expect(joined).toEqual(alone.joined);
      expect(rows).toEqual(alone.rows);
    }
  });
});
