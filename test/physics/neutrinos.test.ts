/**
 * Massive neutrinos in a box: growth of a faint random field against linear theory that is solved here in another way; GPU and
 * float64; the same bits after a resume and in any submissions.
 */
import { describe, expect, it } from "vitest";
import { Background } from "../../src/physics/cosmology/background.ts";
import { HUBBLE, LIGHT } from "../../src/physics/cosmology/constants.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { integral } from "../../src/physics/cosmology/quadrature.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation, type SimulationOptions } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const MASSES = [0.05, 0.05, 0.05];
const START = 0.02;

function deck(neutrinoMasses: readonly number[], { step = 0.02, sigma8 = 0.001, end = 1 } = {}) {
  return completeScenario({
    title: "neutrinos",
    units: { system: "cosmological" },
    box: { size: 300, boundary: "periodic" },
    mesh: { cells: 32, assignment: "tsc" },
    cosmology: { omegaM: 0.3, omegaB: 0.05, h: 0.7, radiation: true, sigma8, neutrinoMasses },
    particles: [{ kind: "lattice", perSide: 16, order: 1, fixedAmplitudes: true }],
    time: { clock: "comoving", start: START, end, step },
    output: { snapshots: 0, diagnostics: 1 },
  } as unknown as Deck);
}

async function using<T>(
  options: SimulationOptions,
  scenario: ReturnType<typeof deck>,
  f: (s: Simulation) => Promise<T>,
) {
  const simulation = await Simulation.create(scenario, options);
  try {
    return await f(simulation);
  } finally {
    simulation.destroy();
  }
}

/** P at the end over P at the start, of the first shells. */
const grown = (masses: readonly number[]) =>
  using({ backend: "cpu" }, deck(masses), async (simulation) => {
    const before = await simulation.powerSpectrum();
    await simulation.advance();
    const { k, power } = await simulation.powerSpectrum();
    return Array.from({ length: 4 }, (_, i) => ({ k: k[i], ratio: power[i] / before.power[i] }));
  });

/** The same by linear theory: δcb and δν in equal steps of ln a by Heun's method, Φ and the integral by sums. */
function linear(k: number, background: Background): number {
  const { matter, neutrinos } = background.today;
  const [N, first] = [500, 1e-4];
  const d = -Math.log(first) / N;
  const w = (k * LIGHT) / (background.neutrinos?.species[0].ratio ?? 1);
  const norm = integral((x) => x ** 2 / (Math.exp(x) + 1), 0, 30, 4);
  const nodes = Array.from({ length: 64 }, (_, i) => (i + 0.5) * 0.4).map((x) => ({
    x,
    weight: (0.4 * x ** 2) / (Math.exp(x) + 1) / norm,
  }));
  const phi = (kappa: number) =>
    nodes.reduce(
      (sum, { x, weight }) => sum + (kappa === 0 ? weight : (weight * Math.sin(kappa * x)) / (kappa * x)),
      0,
    );
  const a = Array.from({ length: N + 1 }, (_, i) => first * Math.exp(i * d));
  const H = a.map((at) => background.hubble(at));
  const s = [0];
  for (let i = 1; i <= N; i++)
    s.push(s[i - 1] + background.integralOver((x) => 1 / (x ** 3 * background.hubble(x)), a[i - 1], a[i]));
  const growth = new Growth(background);
  let [delta, slope] = [growth.D1(first), growth.D1(first) * growth.f1(first)];
  const S: number[] = [];
  let atStart = 0;
  /** Ωcb δcb + Ων δν at time i. */
  const source = (i: number, cold: number) => {
    let response = 0;
    for (let j = 0; neutrinos > 0 && j < i; j++) {
      const ds = s[i] - s[j];
      const dLnA = j === 0 ? d / 2 : d;
      response += (S[j] * ds * phi(w * ds) * dLnA) / (a[j] ** 2 * H[j]);
    }
    return matter * cold + neutrinos * response;
  };
  const rates = (i: number, v: number, total: number) => {
    const poisson = (1.5 * HUBBLE ** 2 * total) / (a[i] ** 3 * H[i] ** 2);
    return [v, poisson - (2 + background.hubbleSlope(a[i])) * v];
  };
  for (let i = 0; i < N; i++) {
    const total = source(i, delta);
    S.push(1.5 * HUBBLE ** 2 * a[i] * total);
    if (a[i] <= START) {
      const share = Math.log(START / a[i]) / d;
      atStart = delta + share * d * slope;
    }
    const [y1, v1] = rates(i, slope, total);
    const [y, v] = [delta + d * y1, slope + d * v1];
    const [y2, v2] = rates(i + 1, v, source(i + 1, y));
    delta += 0.5 * d * (y1 + y2);
    slope += 0.5 * d * (v1 + v2);
  }
  return (delta / atStart) ** 2;
}

describe("massive neutrinos in a box", () => {
  it("change the growth of power as linear theory does, to 1.5e-3", async () => {
    const [massive, massless] = [await grown(MASSES), await grown([])];
    const settings = { h: 0.7, omegaM: 0.3, omegaB: 0.05, radiation: true };
    const without = new Background(settings);
    const background = new Background({ ...settings, neutrinoMasses: MASSES });
    for (const [i, { k, ratio }] of massive.entries()) {
      const change = ratio / massless[i].ratio;
      const theory = linear(k, background) / linear(k, without);
      expect(theory).toBeLessThan(0.97);
      expect(Math.abs(change / theory - 1)).toBeLessThan(1.5e-3);
    }
  });

  it("have the same forces on the GPU as in float64, and the same bits in other submissions and after a resume", async () => {
    const scenario = deck(MASSES, { sigma8: 0.8, end: 0.5 });
    const exact = await using({ backend: "cpu" }, scenario, async (simulation) => {
      await simulation.advance();
      return simulation.powerSpectrum();
    });
    const whole = await using({ gpu: gpu() }, scenario, async (simulation) => {
      await simulation.advance();
      const { power } = await simulation.powerSpectrum();
      for (const [i, P] of power.slice(0, 10).entries()) expect(P / exact.power[i]).toBeCloseTo(1, 4);
      return simulation.readParticles();
    });
    const kept = await using({ gpu: gpu() }, scenario, async (simulation) => {
      await simulation.advance({ most: 7, submission: 0 });
      return simulation.checkpoint();
    });
    const rest = await Simulation.resume(scenario, kept, { gpu: gpu() });
    await rest.advance({ submission: 1 });
    const resumed = await rest.readParticles();
    rest.destroy();
    expect(resumed.positions).toEqual(whole.positions);
    expect(resumed.velocities).toEqual(whole.velocities);
    const damaged = {
      ...kept,
      state: { ...kept.state, arrays: { ...kept.state.arrays, neutrinoFactors: new Float64Array(3) } },
    };
    await expect(Simulation.resume(scenario, damaged, { gpu: gpu() })).rejects.toThrow(
      /history of neutrinos' response/,
    );
  });

  it("are refused where the force has more than one mesh", () => {
    const settings = deck(MASSES) as unknown as Record<string, unknown>;
    expect(() => completeScenario({ ...settings, gravity: "p3m" } as unknown as Deck)).toThrow(
      /gravity: expected "mesh" with cosmology.neutrinoMasses/,
    );
  });
});
