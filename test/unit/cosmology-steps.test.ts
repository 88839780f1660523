/** Comoving steps against closed forms and against exact Zel'dovich motion; the cosmic energy equation. */
import { describe, expect, it } from "vitest";
import { Background } from "../../src/physics/cosmology/background.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { type CosmicEnergies, CosmicEnergyAccount, cosmicEnergies } from "../../src/physics/cosmology/layzer-irvine.ts";
import { ComovingClock, type FactorKind, type StepSpacing, stepEdges } from "../../src/physics/cosmology/steps.ts";

const eds = new Background({ h: 0.7, omegaM: 1 });
const flat = new Background({ h: 0.7, omegaM: 0.3 });
const evolving = new Background({ h: 0.7, omegaM: 0.3, darkEnergy: 0.75, w0: -0.9, wa: 0.2, radiation: true });

function near(value: number, expected: number, tolerance = 1e-13) {
  expect(Math.abs(value / expected - 1)).toBeLessThan(tolerance);
}

/**
 * Amplitude and momentum of a plane wave before its sheets cross, where the force (3/2) Ωm H0² (x − q) is exact: both
 * relative to Zel'dovich motion, after every step.
 */
function planeWave(background: Background, edges: ArrayLike<number>, spacing: StepSpacing, factors: FactorKind) {
  const clock = new ComovingClock(background, { factors, spacing });
  const { growth } = clock;
  const pull = 1.5 * background.today.matter * 1e4;
  let displacement = growth.D1(edges[0]);
  let momentum = growth.momentum1(edges[0]);
  const { openings, drifts, closings } = clock.steps(edges);
  return drifts.map((drift, i) => {
    momentum += openings[i] * pull * displacement;
    displacement += drift * momentum;
    momentum += closings[i] * pull * displacement;
    const end = edges[i + 1];
    return { displacement: displacement / growth.D1(end) - 1, momentum: momentum / growth.momentum1(end) - 1 };
  });
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe("comoving steps", () => {
  it("have the integrals of Einstein and de Sitter's universe in closed form", () => {
    const standard = new ComovingClock(eds, { factors: "standard" });
    const corrected = new ComovingClock(eds);
    for (const [from, to] of [
      [1 / 64, 1],
      [0.5, 0.51],
      [0.9, 0.3],
    ]) {
      near(standard.drift(from, to, from), (2 / 100) * (from ** -0.5 - to ** -0.5));
      near(standard.kick(from, to, from), (2 / 100) * (to ** 0.5 - from ** 0.5));
      // D = a, P = 100 a^{3/2}
      near(corrected.drift(from, to, 0.4), (to - from) / (100 * 0.4 ** 1.5), 1e-12);
      near(corrected.kick(from, to, 0.4), (to ** 1.5 - from ** 1.5) / (150 * 0.4), 1e-12);
    }
  });

  it("have those of flat ΛCDM as integrated elsewhere", () => {
    const clock = new ComovingClock(flat, { factors: "standard" });
    near(clock.drift(1 / 64, 1, 1), 0.25030748887940996);
    near(clock.kick(1 / 64, 1, 1), 0.02848640654059771);
  });

  it.each(["a", "log-a"] as const)("add up: many short ones make a long one, equal in %s", (spacing) => {
    const edges = stepEdges(0.02, 1, 17, spacing);
    const standard = new ComovingClock(evolving, { factors: "standard", spacing });
    const { openings, drifts, closings } = standard.steps(edges);
    near(total(drifts), standard.drift(0.02, 1, 1), 1e-12);
    near(total(openings) + total(closings), standard.kick(0.02, 1, 1), 1e-12);
    const corrected = new ComovingClock(evolving, { spacing });
    for (const clock of [standard, corrected]) {
      const factors = clock.steps(edges);
      // A closing kick and the next opening one, which share their force, are one kick from middle to middle.
      for (let i = 0; i + 2 < edges.length; i++) {
        const [middle, next] = [i, i + 1].map((at) => clock.middle(edges[at], edges[at + 1]));
        near(factors.closings[i] + factors.openings[i + 1], clock.kick(middle, next, edges[i + 1]), 1e-11);
      }
    }
    near(standard.middle(0.1, 0.4), spacing === "a" ? 0.25 : 0.2);
    near(corrected.middle(0.1, 0.4), 0.2); // FastPM's, whatever steps are equal in
  });

  it("tend to the same for short steps, at second order", () => {
    const difference = (count: number) => {
      const edges = stepEdges(0.3, 0.8, count, "a");
      const [standard, corrected] = (["standard", "growth-corrected"] as const).map((factors) => {
        const { openings, drifts, closings } = new ComovingClock(evolving, { factors }).steps(edges);
        return [drifts[0], openings[0] + closings[0]];
      });
      return [0, 1].map((k) => Math.abs(corrected[k] / standard[k] - 1));
    };
    const [coarse, fine] = [difference(80), difference(320)];
    for (const i of [0, 1]) {
      expect(fine[i]).toBeLessThan(1e-6);
      expect(Math.log(coarse[i] / fine[i]) / Math.log(4)).toBeGreaterThan(1.9);
    }
  });

  it("reproduce Zel'dovich motion with growth-corrected factors, whatever the steps", () => {
    for (const background of [eds, flat, evolving]) {
      for (const [count, spacing] of [
        [1, "a"],
        [5, "a"],
        [63, "a"],
        [7, "log-a"],
        [40, "log-a"],
      ] as const) {
        for (const row of planeWave(background, stepEdges(1 / 64, 1, count, spacing), spacing, "growth-corrected")) {
          expect(Math.abs(row.displacement)).toBeLessThan(2e-13);
          expect(Math.abs(row.momentum)).toBeLessThan(2e-13);
        }
      }
      const uneven = Float64Array.of(0.01, 0.013, 0.2, 0.21, 0.77, 1);
      const last = planeWave(background, uneven, "a", "growth-corrected").at(-1)!;
      expect(Math.abs(last.displacement)).toBeLessThan(2e-13);
    }
  });

  it("err by about a percent with the standard factors in 63 steps, at second order", () => {
    const error = (count: number) =>
      planeWave(eds, stepEdges(1 / 64, 1, count, "a"), "a", "standard").at(-1)!.displacement;
    expect(error(63)).toBeCloseTo(-0.01347, 5);
    expect(Math.log2(error(504) / error(1008))).toBeGreaterThan(1.95);
    const inLog = (count: number) =>
      planeWave(flat, stepEdges(1 / 64, 1, count, "log-a"), "log-a", "standard").at(-1)!.displacement;
    expect(Math.log2(inLog(100) / inLog(200))).toBeGreaterThan(1.95);
  });

  it("begin and end exactly where asked", () => {
    for (const spacing of ["a", "log-a"] as const) {
      const edges = stepEdges(1 / 64, 0.9, 7, spacing);
      expect([edges.length, edges[0], edges[7]]).toEqual([8, 1 / 64, 0.9]);
      const ratio = spacing === "a" ? (i: number) => edges[i + 1] - edges[i] : (i: number) => edges[i + 1] / edges[i];
      for (let i = 1; i < 7; i++) near(ratio(i), ratio(0), 1e-12);
    }
  });

  it("refuse what goes backwards", () => {
    const clock = new ComovingClock(flat);
    expect(() => stepEdges(1, 0.5, 4, "a")).toThrow(/0 < start < end, found 1 and 0\.5/);
    expect(() => stepEdges(0, 0.5, 4, "log-a")).toThrow(/0 < start < end, found 0 and 0\.5/);
    expect(() => clock.steps([0.1, 0.2, 0.2])).toThrow(/found 0\.2 and 0\.2/);
    for (const count of [0, -1, 1.5, Number.NaN]) {
      expect(() => stepEdges(0.1, 1, count, "a")).toThrow(/whole number of steps above 0/);
    }
  });
});

describe("Layzer–Irvine", () => {
  /** Linear theory: K ∝ (dx/dt a)², W ∝ −D²/a with the ratio that the force law sets. */
  function linearRows(background: Background, edges: ArrayLike<number>) {
    const growth = new Growth(background);
    return Array.from(edges, (a) => {
      const kineticSum = 0.5 * growth.momentum1(a) ** 2;
      // φ is quadratic in D: W per mass = −½ (3/2) Ωm H0² D² for a unit plane wave.
      const potentialSum = -0.5 * 1.5 * background.today.matter * 1e4 * growth.D1(a) ** 2;
      return cosmicEnergies(a, kineticSum, potentialSum);
    });
  }

  const layzerIrvine = (rows: readonly CosmicEnergies[]) => {
    const account = new CosmicEnergyAccount();
    return rows.map((row) => account.add(row));
  };

  it("vanishes exactly for linear growth with Ωm = 1", () => {
    const rows = linearRows(eds, stepEdges(0.02, 1, 9, "log-a"));
    for (const { relative } of layzerIrvine(rows)) expect(Math.abs(relative)).toBeLessThan(1e-13);
    // K = −(2/3) W there.
    near(rows[4].kinetic, (-2 / 3) * rows[4].potential, 1e-12);
  });

  it("vanishes at second order in the spacing of rows otherwise", () => {
    for (const background of [flat, evolving]) {
      const last = (count: number) =>
        Math.abs(layzerIrvine(linearRows(background, stepEdges(0.02, 1, count, "a"))).at(-1)!.relative);
      expect(last(100)).toBeLessThan(1e-4);
      expect(Math.log2(last(100) / last(200))).toBeGreaterThan(1.95);
    }
  });

  it("sees energy that comes from nowhere", () => {
    const rows = linearRows(flat, stepEdges(0.02, 1, 100, "a"));
    const wrong = rows.map((row, i) => (i < 60 ? row : { ...row, kinetic: 1.1 * row.kinetic }));
    expect(Math.abs(layzerIrvine(wrong).at(-1)!.relative)).toBeGreaterThan(0.02);
  });

  it("goes on from a saved state", () => {
    const rows = linearRows(flat, stepEdges(0.02, 1, 20, "a"));
    const whole = layzerIrvine(rows);
    const first = new CosmicEnergyAccount();
    for (const row of rows.slice(0, 11)) first.add(row);
    const second = new CosmicEnergyAccount(JSON.parse(JSON.stringify(first.state)));
    expect(second.residual).toEqual(whole[10]); // a run resumed after its last row tells that one's
    expect(rows.slice(11).map((row) => second.add(row))).toEqual(whole.slice(11));
    expect(whole[0]).toEqual({ residual: 0, relative: 0 });
  });

  it("refuses rows out of order", () => {
    const account = new CosmicEnergyAccount();
    account.add({ a: 0.5, kinetic: 1, potential: -1 });
    expect(() => account.add({ a: 0.5, kinetic: 1, potential: -1 })).toThrow(/found a = 0\.5 after 0\.5/);
  });
});
