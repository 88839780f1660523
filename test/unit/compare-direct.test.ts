/** What compare says of the truth: errors against a direct sum, and the sentence that names the nearest variant. */
import { median } from "d3-array";
import { describe, expect, it } from "vitest";
import { meshHalfWidth } from "../../src/engine/mesh/settings.ts";
import { unitLabels } from "../../src/run/page/units.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { DirectErrors, referenceSoftening, softeningsFor } from "../../src/study/compare/direct-errors.ts";
import { compareHtml } from "../../src/study/compare/page.ts";
import { type CompareVariant, type Comparison, unmeasured } from "../../src/study/compare/record.ts";
import { compareSpectra, modesOf } from "../../src/study/compare/spectra.ts";
import { comparisonText } from "../../src/study/compare/table.ts";
import { isFarther, verdictOf } from "../../src/study/compare/verdict.ts";
import { plummerSphere } from "../support/particles.ts";
import { fixtureScenario, sequence } from "../support/scenario-fixture.ts";

const COUNT = 200;

function scenario(changes: Partial<Scenario> = {}): Scenario {
  const fixture = fixtureScenario();
  fixture.mesh.cells = 16;
  return { ...fixture, box: { size: 8, boundary: "isolated" }, ...changes };
}

interface Changes {
  targets?: number;
  signal?: AbortSignal;
  maxPhysicalSoftening?: number;
}

/** At the start, or at another `time`. */
async function errorsOf(of: Scenario, softening: number, changes: Changes = {}, time = 0) {
  const notes: string[] = [];
  const direct = new DirectErrors({
    ...{
      targets: undefined,
      softening,
      softenings: softeningsFor([of], softening),
      signal: new AbortController().signal,
      report: () => {},
    },
    note: (text) => notes.push(text),
    ...changes,
  });
  const simulation = await Simulation.create(of, { backend: "cpu", particles: await plummerSphere(COUNT, 8) });
  try {
    const particles = await simulation.readParticles({ accelerations: true });
    const at = { scenario: of, externalPotentials: simulation.externalPotentials, time } as unknown as Simulation;
    return { found: await direct.of(at, particles, "start"), reference: direct.reference, particles, notes };
  } finally {
    simulation.destroy();
  }
}

describe("errors against a direct sum", () => {
  it("are those of sums written out", async () => {
    const { found, reference, particles } = await errorsOf(scenario(), 0.25);
    expect(reference).toMatchObject({ method: "direct sum", softening: 0.25, softeningCells: 0.5, targets: COUNT });
    const { positions: x, masses, accelerations: a } = particles;
    let [differences, sizes] = [0, 0];
    const relative: number[] = [];
    for (let i = 0; i < COUNT; i++) {
      // A mesh has lost sight of what is near its faces.
      if ([0, 1, 2].some((k) => Math.abs(x[3 * i + k] - 4) > meshHalfWidth(scenario()))) continue;
      const exact = [0, 0, 0];
      for (let j = 0; j < COUNT; j++) {
        const d = [0, 1, 2].map((k) => x[3 * j + k] - x[3 * i + k]);
        const soft = (d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + 0.25 ** 2) ** 1.5;
        for (let k = 0; k < 3; k++) exact[k] += (masses[j] * d[k]) / soft;
      }
      const difference = exact.reduce((sum, value, k) => sum + (a![3 * i + k] - value) ** 2, 0);
      const size = exact.reduce((sum, value) => sum + value * value, 0);
      [differences, sizes] = [differences + difference, sizes + size];
      relative.push(Math.sqrt(difference / size));
    }
    expect(found?.error.rms).toBeCloseTo(Math.sqrt(differences / sizes), 9);
    expect(found?.error.median).toBeCloseTo(median(relative)!, 9);
    expect(found?.error.targets).toBe(relative.length);
    expect(relative.length).toBeLessThan(COUNT);
    expect(found?.error.rms).toBeGreaterThan(0.01);
    const squares = found!.squares[softeningsFor([scenario()], 0.25).indexOf(0.25)];
    const mean = squares.filter(Number.isFinite).reduce((sum, square) => sum + square / relative.length, 0);
    expect(mean).toBeCloseTo(found!.error.rms ** 2, 9);
  });

  it("are those of the softening at the moment where that keeps a physical length", async () => {
    const held = await errorsOf(scenario(), 0.25, { maxPhysicalSoftening: 0.25 }, 2);
    const smaller = await errorsOf(scenario(), 0.125);
    expect(held.found!.error.rms).toBe(smaller.found!.error.rms);
    const comoving = await errorsOf(scenario(), 0.25, { maxPhysicalSoftening: 0.25 }, 0.5);
    expect(comoving.found!.error.rms).toBe((await errorsOf(scenario(), 0.25)).found!.error.rms);
  });

  it("vanish for a direct run with the same softening, on any sample", async () => {
    const direct = scenario({ gravity: "direct" });
    direct.direct.softening = 0.1;
    expect(referenceSoftening([scenario(), direct])).toBe(0.1);
    expect(referenceSoftening([scenario()])).toBe(0.25);
    const level = { name: "level", refinement: 4 as const, cells: 64, substeps: 1 };
    expect(referenceSoftening([scenario(), scenario({ level: [level] })])).toBe(0.0625);
    const { found, reference } = await errorsOf(direct, 0.1, { targets: 32 });
    expect(reference?.targets).toBe(32);
    expect(found?.error.rms).toBeLessThan(1e-6); // what is read back is float32
  });

  it("are of Ewald's sum in a periodic box", async () => {
    const { found, reference } = await errorsOf(scenario({ box: { size: 8, boundary: "periodic" } }), 0.25);
    expect(reference?.method).toBe("Ewald sum");
    expect(found?.error.rms).toBeGreaterThan(0.01);
    expect(found?.error.rms).toBeLessThan(0.4);
  });

  it("are left out after an interruption, without a complaint", async () => {
    const { found, notes } = await errorsOf(scenario(), 0.25, { signal: AbortSignal.abort() });
    expect([found, notes]).toEqual([undefined, []]);
  });
});

/** A sample's squared errors about `rms`², with a scatter. */
function squares(rms: number, seed: number, count = 400): Float64Array {
  const random = sequence(seed);
  return Float64Array.from({ length: count }, () => rms * rms * (0.5 + random()));
}

const DIRECT: NonNullable<Comparison["direct"]> = {
  ...{ method: "direct sum", softening: 0.1, softeningCells: 0.5, softenings: [0.1], targets: 400, seconds: 1 },
};

/** Each variant's errors: at the start and at the end of one softening, or those with each of `softenings`. */
function judged(errors: Record<string, number[]>, softenings = [0.1], best: Record<string, number> = {}) {
  const direct = { ...DIRECT, softenings };
  const variants = Object.entries(errors).map(([label, [start, end]]): CompareVariant => {
    const at = best[label];
    const fitted = at === undefined ? null : { softening: at, cells: 5 * at, rms: 0.01, median: 0.01, targets: 400 };
    const of = (rms: number | undefined) =>
      rms === undefined ? null : { rms, median: rms / 2, targets: 400, best: fitted };
    const one = softenings.length === 1;
    const waiting = unmeasured(label, {}, 32);
    const result = { ...waiting.result, direct: { start: of(start), end: of(one ? end : undefined) } };
    return { ...waiting, status: "complete", result };
  });
  const evidence = Object.values(errors).map((all, i) => {
    if (softenings.length > 1) return { start: all.map((rms) => squares(rms, 10 + i)) };
    const [start, end] = all;
    return { start: [squares(start, 10 + i)], ...(end !== undefined && { end: [squares(end, 50 + i)] }) };
  });
  return { variants, verdict: verdictOf(variants, evidence, direct) };
}

describe("densities in a box", () => {
  it("are compared by power and correlation, in every mode", async () => {
    const random = sequence(3);
    const positions = Float64Array.from({ length: 3 * 4096 }, () => 8 * random());
    const masses = new Float64Array(4096).fill(1);
    const modes = modesOf({ ...(await plummerSphere(8, 8)), positions, masses, count: 4096 }, 8, 16);
    const half = { ...modes, values: modes.values.map((value) => value / 2) };
    const other = { ...modes, values: modes.values.map(() => random() - 0.5) };
    const same = compareSpectra(half, modes);
    expect(same.k).toHaveLength(6);
    expect(same.k[0]).toBeCloseTo(Math.PI / 4, 9);
    for (const [bin, r] of same.correlation.entries()) {
      expect(r).toBeCloseTo(1, 9);
      expect(same.ratio[bin]).toBeCloseTo(0.25, 9);
    }
    expect([same.alikeTo, same.correlatedTo]).toEqual([null, same.k[5]]);
    expect(Math.abs(compareSpectra(other, modes).correlation[5])).toBeLessThan(0.2);
    expect(compareSpectra(modes, modes).alikeTo).toBe(same.k[5]);
  });
});

describe("the verdict", () => {
  it("names the nearer of two, with both errors", () => {
    expect(judged({ fft: [0.021, 0.03], multigrid: [0.035, 0.04] }).verdict).toBe(
      "fft is nearer to the direct sum: accelerations are off the direct sum by 2.1 % (fft) and 3.5 % (multigrid) at the first step, " +
        "3 % (fft) and 4 % (multigrid) at the end (rms).",
    );
  });

  it("claims nothing within the noise of the sample, nor of equal variants", () => {
    const { verdict } = judged({ a: [0.05], b: [0.0502] });
    expect(verdict).toMatch(/^No variant is measurably nearer to the direct sum than the others: /);
    expect(judged({ a: [0], b: [0] }).verdict).toMatch(/^No variant is measurably nearer/);
    // A few outliers decide the mean: no evidence, however far apart the rms are.
    const calm = squares(0.05, 1);
    const outlier = calm.slice();
    outlier[7] = 10;
    expect(isFarther({ rms: 0.05, squares: calm }, { rms: 0.165, squares: outlier })).toBe(false);
    expect(isFarther({ rms: 0.05, squares: calm }, { rms: 0.06, squares: squares(0.06, 2) })).toBe(true);
  });

  it("says so when the nearest changes, and which can't be told apart", () => {
    expect(judged({ fft: [0.02, 0.05], multigrid: [0.03, 0.04] }).verdict).toMatch(
      /^At the first step fft is nearer to the direct sum; at the end multigrid is nearer to the direct sum: /,
    );
    expect(judged({ cic: [0.02], ngp: [0.2], tsc: [0.0201] }).verdict).toMatch(
      /^cic and tsc are nearest to the direct sum and can't be told apart: .* 2 % \(cic\), 2 % \(tsc\) and 20 % \(ngp\)/,
    );
  });

  it("is given only where it is the same with every softening that the variants are like", () => {
    const tried = [0.04, 0.06, 0.08, 0.1, 0.14];
    const like = { fft: 0.1, multigrid: 0.078 };
    // The figures of a Plummer sphere of 30,000 on 64³ cells.
    const hangs = judged(
      { fft: [0.074, 0.05, 0.033, 0.02, 0.058], multigrid: [0.05, 0.03, 0.024, 0.038, 0.091] },
      tried,
      like,
    );
    expect(hangs.verdict).toMatch(
      /^Which variant is nearest depends on the softening of the direct sum \(multigrid from 0\.3 cells on, fft from 0\.5 cells on\): /,
    );
    expect(hangs.verdict).toMatch(
      /by 1 % at 0\.5 \(fft\) and 1 % at 0\.39 \(multigrid\) at the first step \(rms, each with/,
    );
    const holds = judged(
      { fft: [0.02, 0.02, 0.02, 0.02, 0.09], multigrid: [0.01, 0.03, 0.03, 0.03, 0.03] },
      tried,
      like,
    );
    expect(holds.verdict).toMatch(/^fft is nearer to the direct sum: /);
  });

  it("tells best and worst of many, and nothing of one", () => {
    const many = judged({ a: [0.05], b: [0.02], c: [0.03], d: [0.04], e: [0.06] });
    expect(many.verdict).toMatch(
      /^b is nearest to the direct sum: .* 2 % \(b\) and 6 % \(e\) at the first step \(rms\)\.$/,
    );
    expect(judged({ a: [0.05] }).verdict).toBeNull();
  });

  it("stands in the terminal and on the page, with the figures of each variant", () => {
    const { variants, verdict } = judged({ fft: [0.021, 0.03], multigrid: [0.035, 0.04] });
    Object.assign(variants[0].result, { largestEnergyError: 0.2 });
    Object.assign(variants[1].result, { conserved: "none", largestEnergyError: 0.3 });
    const comparison: Comparison = {
      ...{ title: "Disk", reference: "", expect: "", scenario: "disk", status: "complete", version: "0", node: "v20" },
      ...{
        date: "2025-01-02T03:04:05Z",
        backend: "cpu",
        adapter: "CPU, float64",
        particles: 1000,
        timeUnit: "time units",
        ...{ conserved: "energy", field: "none" },
        end: 2,
        varied: {},
      },
      ...{ cases: variants, direct: DIRECT, verdict, notes: ["Something to know."] },
    };
    const text = comparisonText(comparison);
    expect(text).toMatch(/Against the direct sum with a softening of 0\.5 cells \(0\.1\), on 400 particles:/);
    expect(text).toMatch(/multigrid +3\.5e-2 +1\.8e-2 +– +– +4\.0e-2 +2\.0e-2 +– +–\n/);
    expect(text.replaceAll("\n", " ").endsWith(verdict!)).toBe(true);
    const html = compareHtml({
      ...{ comparison, units: unitLabels("nbody"), boundary: "isolated", boxSize: 8, shown: "all particles" },
      ...{ maps: [], differences: [], deck: "" },
    });
    expect(html).toContain(
      "<b>fft is nearer to the direct sum: accelerations are off the direct sum by 2.1\u00a0% (fft)",
    );
    expect(html).toContain("accelerations are off the direct sum by 3.5\u00a0% rms, 4\u00a0% at the end");
    expect(html).toMatch(/First step, rms<\/th><td>2\.1\u00a0%<\/td><td>3\.5\u00a0%<\/td>/);
    expect(html).toContain("Something to know.");
    // In modified gravity ½ Σ m φ isn't conserved: no cause for alarm, as in the run itself.
    expect(html).toContain("energy is kept to ⚠\u00a020\u00a0%");
    expect(html).toContain("½ Σ m φ and kinetic energy change by 0.3.");
  });
});
