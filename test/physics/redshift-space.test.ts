/** Multipoles in redshift space of paired boxes with fixed amplitudes (Angulo & Pontzen 2016), beside Kaiser's. */
import { describe, expect, it } from "vitest";
import { displacementsInFloat64 } from "../../src/engine/reference/lpt/displacements.ts";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { linearPowerOf } from "../../src/physics/cosmology/power.ts";
import { cosmologyDefaults } from "../../src/physics/cosmology/settings.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { blocksOf } from "../../src/physics/particles/blocks.ts";
import { measuredStatistics } from "../../src/run/clustering.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

const BOX = 1500;
const N = 32;
const A = 0.5;

async function multipolesAt(seed: number, opposite: boolean): Promise<number[][]> {
  const scenario = completeScenario({
    title: "box",
    units: { system: "cosmological" },
    box: { size: BOX, boundary: "periodic" },
    mesh: { cells: N },
    particles: [{ kind: "lattice", perSide: N, seed, fixedAmplitudes: true, opposite }],
    time: { clock: "comoving", start: A, end: 1, step: 0.01 },
    spectra: { multipoles: "z", cells: 48 },
  });
  const { G } = unitSystem("cosmological");
  const { particles } = await initialConditions(scenario, { G, displacements: displacementsInFloat64 });
  const { multipoles } = await measuredStatistics({
    ...{ settings: scenario.spectra, boxSize: BOX, time: A, components: particles.components },
    async *blocks() {
      yield* blocksOf(particles);
    },
    hubble: new Background(cosmologyDefaults).hubble(A),
    linear: await linearPowerOf(cosmologyDefaults),
  });
  expect(multipoles!.columns).toEqual("k,k_low,k_high,modes,P0,P2,P4,shot_noise,kaiser0,kaiser2,kaiser4".split(","));
  return multipoles!.rows;
}

describe("redshift space", () => {
  it("has Kaiser's ratios of multipoles at k < 0.05 h/Mpc, over 8 pairs, to 3 %", async () => {
    const boxes: number[][][] = [];
    for (let pair = 0; pair < 8; pair++) {
      for (const opposite of [false, true]) boxes.push(await multipolesAt(pair + 1, opposite));
    }
    const shells = boxes[0].filter(([k]) => k < 0.05).length;
    expect(shells).toBeGreaterThan(10);
    const sum = (shell: number, column: number) => boxes.reduce((all, rows) => all + rows[shell][column], 0);
    const all = Array.from({ length: 11 }, () => 0);
    for (let shell = 0; shell < shells; shell++) {
      for (const column of all.keys()) all[column] += boxes[0][shell][3] * sum(shell, column);
      expect(Math.abs(sum(shell, 4) / sum(shell, 8) - 1)).toBeLessThan(0.03);
      const [measured, kaiser] = [4, 8].map((P0) => sum(shell, P0 + 1) / sum(shell, P0));
      expect(Math.abs(measured / kaiser - 1)).toBeLessThan(0.03);
    }
    // The few directions of a shell may leave next to nothing of P₄: here of all shells together.
    for (const l of [1, 2]) expect(Math.abs(all[4 + l] / all[4] / (all[8 + l] / all[8]) - 1)).toBeLessThan(0.03);
  });
});
