/**
 * What an energy error is put down to, tried: an unresolved Plummer sphere that its mesh's force mends and shorter steps
 * don't, and a resolved one that shorter steps mend. Units of G = M = h = 1.
 */
import { describe, expect, it } from "vitest";
import type { DiagnosticsRow } from "../../src/engine/diagnostics/columns.ts";
import { healthOf } from "../../src/run/health.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

const COUNT = 1500;

interface Case {
  scale: number;
  step: number;
  end: number;
  cells: number;
  softenedModels?: boolean;
}

/** The largest energy error, that of the second row of ten, and what the run says of it. */
async function evolved({ scale, step, end, cells, softenedModels = false }: Case) {
  const scenario = completeScenario({
    ...{ title: "t", box: { size: cells }, mesh: { cells, softenedModels } },
    particles: [
      { kind: "plummer", name: "ball", count: COUNT, mass: 1, scale, cutoff: Math.min(10 * scale, 0.3 * cells) },
    ],
    time: { end, step, maxEnergyError: Number.POSITIVE_INFINITY },
    output: { diagnostics: 10 },
  });
  const simulation = await Simulation.create(scenario, { backend: "cpu" });
  const rows: DiagnosticsRow[] = [await simulation.diagnostics()];
  for (let output = 1; output < simulation.outputs.length; output++) {
    await simulation.advance({ output });
    rows.push(await simulation.diagnostics());
  }
  simulation.destroy();
  const errors = rows.map((row) => Math.abs(row.relativeEnergyError));
  const message = healthOf(scenario, COUNT, rows).find(({ kind }) => kind === "energy")?.message;
  return { largest: Math.max(...errors), early: Math.max(...errors.slice(0, 3)), message };
}

describe("an energy error", () => {
  it("of an unresolved model is the mesh's: softened models mend it, shorter steps don't", async () => {
    const small = { scale: 0.4, step: 0.1, end: 8, cells: 16 };
    const coarse = await evolved(small);
    const shorter = await evolved({ ...small, step: 0.025 });
    const softened = await evolved({ ...small, softenedModels: true });
    expect(coarse.largest).toBeGreaterThan(0.03);
    expect(shorter.largest).toBeGreaterThan(0.7 * coarse.largest);
    expect(softened.largest).toBeLessThan(0.3 * coarse.largest);
    expect(coarse.message).toMatch(
      /: ball: r10 = 0\.21 is 0\.21 of a cell \(1\), which the mesh doesn't follow at any step; try/,
    );
    expect(coarse.message).toMatch(/try mesh\.cells = 128/);
    expect(coarse.message).not.toContain("time.step");
    // Most of it comes at once, as it does for long steps: its growth tells nothing.
    expect(coarse.early).toBeGreaterThan(0.5 * coarse.largest);
  });

  it("of a resolved model is the step's: shorter steps mend it", async () => {
    // 1/ω at the centre is √(a³/GM) = 5.2.
    const large = { scale: 3, step: 6.5, end: 130, cells: 32 };
    const long = await evolved(large);
    const shorter = await evolved({ ...large, step: 6.5 / 4 });
    expect(long.largest).toBeGreaterThan(0.03);
    expect(shorter.largest).toBeLessThan(0.25 * long.largest);
    expect(long.message).toMatch(
      /: time\.step = 6\.5 is 1\.\d of the time r\/v of circular orbits where the mass is densest/,
    );
    expect(long.message).toMatch(/; try time\.step = 1(\.\d)?(;|$)/);
    expect(shorter.message).toBeUndefined();
    expect(long.early).toBeGreaterThan(0.3 * long.largest);
  });
});
