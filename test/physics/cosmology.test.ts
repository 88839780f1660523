/**
 * Expanding boxes against what is known exactly: a plane wave (Zel'dovich 1970), linear growth of a random field, the
 * cosmic energy equation; FFT against multigrid, few growth-corrected steps against many plain ones, paired boxes.
 */
import { afterEach, describe, expect, it } from "vitest";
import { Background } from "../../src/physics/cosmology/background.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { inFull, itInFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const open: Simulation[] = [];
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.destroy();
});

type LooseDeck = Record<string, unknown> & { time: Record<string, unknown> };

async function simulationOf(deck: LooseDeck): Promise<Simulation> {
  const shared = { title: "test", units: { system: "cosmological" }, output: { snapshots: 0, diagnostics: 1 } };
  const time = { clock: "comoving", ...deck.time };
  const simulation = await Simulation.create(completeScenario({ ...shared, ...deck, time } as unknown as Deck), {
    gpu: gpu(),
  });
  open.push(simulation);
  return simulation;
}

const box = (size: number) => ({ size, boundary: "periodic" });

const [ALONG] = inFull([64], [32]);
/** A wave of half as many particles and cells is resolved a quarter as well. */
const COARSER = (64 / ALONG) ** 2;

describe(`a plane wave in a universe of matter alone, ${ALONG} particles on ${2 * ALONG} cells along the wave, 63 steps`, () => {
  const [perSide, size] = [ALONG, 64];
  const k = (2 * Math.PI) / size;
  const wave = (factors: string) =>
    simulationOf({
      box: box(size),
      mesh: { cells: 2 * perSide, assignment: "cic", green: "discrete", gradient: "2-point" },
      cosmology: { omegaM: 1, omegaB: 0 },
      particles: [{ kind: "plane-wave", perSide }],
      time: { start: 1 / 64, end: 1, step: 1 / 64, factors },
    });

  /** Rms error of the displacements over their rms. */
  async function displacementError(simulation: Simulation): Promise<number> {
    const { positions, count } = await simulation.readParticles();
    const a = simulation.time;
    let [error, square] = [0, 0];
    for (let i = 0; i < count; i++) {
      const q = ((i % perSide) + 0.5) * (size / perSide);
      const exact = (-a * Math.sin(k * q)) / k;
      const found = positions[3 * i] - q;
      const difference = found - exact - size * Math.round((found - exact) / size);
      error += difference ** 2;
      square += exact ** 2;
    }
    return Math.sqrt(error / square);
  }

  it("keeps to the exact displacements with growth-corrected factors", async () => {
    const simulation = await wave("growth-corrected");
    await simulation.advance({ until: 0.5 });
    expect(simulation.time).toBe(0.5);
    expect(await displacementError(simulation)).toBeLessThan(1.1e-3 * COARSER);
    await simulation.advance({ until: 0.9 });
    expect(await displacementError(simulation)).toBeLessThan(1.2e-3 * COARSER);
  });

  it("is off by the clock's own error with the standard ones", async () => {
    const simulation = await wave("standard");
    await simulation.advance({ until: 0.9 });
    const error = await displacementError(simulation);
    expect(error).toBeGreaterThan(1.0e-2);
    expect(error).toBeLessThan(1.4e-2 + 1e-3 * COARSER);
  });
});

describe("a random field", () => {
  const field = (changes: Partial<LooseDeck> = {}, lattice: object = {}) =>
    simulationOf({
      box: box(200),
      mesh: { cells: 64, assignment: "cic" },
      cosmology: { sigma8: 0.01 },
      particles: [{ kind: "lattice", perSide: 32, ...lattice }],
      ...changes,
      time: { start: 0.02, end: 1, step: 0.02, ...changes.time },
    });

  itInFull("grows as D(a) where it is small", async () => {
    const perSide = 64;
    // Two cells a particle: the mesh smooths the force by some (kh)²/6.
    const simulation = await field(
      { cosmology: { sigma8: 0.03 }, mesh: { cells: 128, assignment: "cic" } },
      { perSide },
    );
    const growth = new Growth(new Background({ omegaM: 0.3, h: 0.7 }));
    const before = await simulation.powerSpectrum();
    await simulation.advance();
    const after = await simulation.powerSpectrum();
    const grown = growth.D1(1) / growth.D1(0.02);
    const error = (bin: number) => Math.sqrt(after.power[bin] / before.power[bin]) / grown - 1;
    expect(Math.abs(error(0)), `amplitude at k = ${after.k[0]}`).toBeLessThan(1e-3);
    const nyquist = (Math.PI * perSide) / 200;
    for (let bin = 0; after.k[bin] < 0.08 * nyquist; bin++) {
      expect(Math.abs((1 + error(bin)) ** 2 - 1), `power at k = ${after.k[bin]}`).toBeLessThan(5e-3);
    }
    expect(after.k[1]).toBeLessThan(0.08 * nyquist);
  });

  it("obeys the cosmic energy equation, the better the shorter the step", async () => {
    const largest: number[] = [];
    for (const step of [0.08, 0.04]) {
      const steps = Math.round(0.96 / step);
      const simulation = await field({
        cosmology: { sigma8: 0.8 },
        box: box(100),
        // The spectral gradient is that of the mesh's own energy.
        mesh: { cells: 32, assignment: "tsc", gradient: "spectral" },
        time: { start: 0.04, step, factors: "standard" },
        output: { snapshots: 0, diagnostics: steps },
      });
      let residual = 0;
      while (!simulation.done) {
        await simulation.advance({ output: simulation.output + 1 });
        const { relativeEnergyError } = await simulation.diagnostics();
        if (simulation.time > 0.2) residual = Math.max(residual, Math.abs(relativeEnergyError));
      }
      largest.push(residual);
    }
    expect(largest[1]).toBeLessThan(1e-2);
    expect(largest[1]).toBeLessThan(largest[0]);
  });

  it("has the same power with FFT and multigrid on the same Laplacian", async () => {
    const spectra = [];
    for (const mesh of [{ poisson: "fft", green: "discrete" }, { poisson: "multigrid" }]) {
      const simulation = await field({
        cosmology: { sigma8: 0.8 },
        mesh: { cells: inFull([64], [32])[0], gradient: "2-point", ...mesh },
        multigrid: { maxCycles: 4 },
        time: { start: 0.04, step: 0.04 },
      });
      await simulation.advance();
      spectra.push(await simulation.powerSpectrum());
    }
    const [fft, multigrid] = spectra;
    for (let bin = 0; fft.k[bin] < fft.nyquist / 2; bin++) {
      expect(Math.abs(multigrid.power[bin] / fft.power[bin] - 1), `k = ${fft.k[bin]}`).toBeLessThan(1e-3);
    }
  });

  it("needs 40 growth-corrected steps for what 400 plain ones give", async () => {
    const spectra = [];
    for (const [steps, factors] of [
      [40, "growth-corrected"],
      [400, "standard"],
    ] as const) {
      const simulation = await field(
        {
          ...{ box: box(200), cosmology: { sigma8: 0.8 }, mesh: { cells: 32 } },
          time: { start: 0.1, step: 0.9 / steps, factors },
        },
        { perSide: 16 },
      );
      await simulation.advance();
      expect(simulation.step).toBe(steps);
      spectra.push(await simulation.powerSpectrum({ cells: 64 }));
    }
    const [few, many] = spectra;
    const nyquist = (Math.PI * 16) / 200;
    for (let bin = 0; few.k[bin] < nyquist / 3; bin++) {
      expect(Math.abs(few.power[bin] / many.power[bin] - 1), `k = ${few.k[bin]}`).toBeLessThan(1e-2);
    }
  });

  it("of opposite phases cancels the scatter of nonlinear growth to first order", async () => {
    const singles: Float64Array[] = [];
    const pairs: number[][] = [];
    let bins: number[] = [];
    for (const seed of [1, 2, 3]) {
      for (const opposite of [false, true]) {
        const lattice = { perSide: 32, seed, opposite, fixedAmplitudes: true };
        const time = { start: 0.04, step: 0.04 };
        const simulation = await field({ cosmology: { sigma8: 0.8 }, mesh: { cells: 32 }, time }, lattice);
        await simulation.advance();
        const { k, power } = await simulation.powerSpectrum({ cells: 64 });
        bins = Array.from(k.keys()).filter((bin) => k[bin] < 0.25);
        singles.push(power);
      }
      const [plus, minus] = singles.slice(-2);
      pairs.push(bins.map((bin) => (plus[bin] + minus[bin]) / 2));
    }
    const mean = bins.map((bin) => singles.reduce((sum, power) => sum + power[bin], 0) / singles.length);
    const scatter = (runs: ArrayLike<number>[]) =>
      Math.sqrt(runs.flatMap((run) => mean.map((m, i) => (run[i] / m - 1) ** 2)).reduce((a, b) => a + b) / runs.length);
    // Independent runs in pairs would leave 0.7 of it.
    expect(scatter(pairs)).toBeLessThan(0.4 * scatter(singles.map((power) => bins.map((bin) => power[bin]))));
  });

  it("goes on from a checkpoint to the same bits, and lands on the redshifts asked for", async () => {
    const output = { snapshots: 0, diagnostics: 4, redshifts: [3, 0.7] };
    const whole = await field({ cosmology: { sigma8: 0.8 }, mesh: { cells: 32 }, output });
    const snapshots = whole.outputs.filter(({ snapshot }) => snapshot).map(({ time }) => time);
    expect(snapshots).toEqual([0.02, 0.25, 1 / 1.7, 1]);
    await whole.advance({ until: 0.25 });
    expect(whole.time).toBe(0.25);
    await whole.diagnostics();
    const checkpoint = await whole.checkpoint();
    await whole.advance();
    const resumed = await Simulation.resume(whole.scenario, checkpoint, { gpu: gpu() });
    open.push(resumed);
    await resumed.advance();
    const [a, b] = [await whole.readParticles(), await resumed.readParticles()];
    expect(b.positions).toEqual(a.positions);
    expect(b.velocities).toEqual(a.velocities);
    expect((await resumed.diagnostics()).relativeEnergyError).toBe((await whole.diagnostics()).relativeEnergyError);
  });
});
