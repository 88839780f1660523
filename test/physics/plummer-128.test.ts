/**
 * The accuracy that Aubert, Amini & David (2009, section 3.1) ask of their time step: ΔE/E ≤ 1e-3 over a time unit, for
 * a Plummer sphere of 128³ particles on 128³ cells, with FFT and with multigrid.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { initialConditions } from "../../src/initial/index.ts";
import type { ParticleSet } from "../../src/particles/state.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const deck = readFileSync(new URL("../../scenarios/plummer.toml", import.meta.url), "utf8");
const COUNT = 128 ** 3;

describe("a Plummer sphere of 128³ particles on 128³ cells", () => {
  let particles: ParticleSet | undefined;
  for (const poisson of ["fft", "multigrid"]) {
    it(`keeps its energy to 1e-3 over a time unit: ${poisson}`, async () => {
      const overrides = ["mesh.cells=128", `particles.plummer.count=${COUNT}`, "time.end=1", `mesh.poisson=${poisson}`];
      const scenario = parseScenario(deck, { overrides });
      particles ??= (await initialConditions(scenario, { G: 1 })).particles;
      const simulation = await Simulation.create(scenario, { gpu: gpu(), particles });
      try {
        await simulation.advance();
        const { relativeEnergyError, virialRatio, momentumError, time, mass } = await simulation.diagnostics();
        expect(time).toBe(1);
        expect(mass).toBeCloseTo(1, 6);
        expect(Math.abs(relativeEnergyError)).toBeLessThan(1e-3);
        expect(Math.abs(virialRatio - 1)).toBeLessThan(0.02);
        expect(momentumError).toBeLessThan(1e-5);
      } finally {
        simulation.destroy();
      }
    });
  }
});
