/** The numbers of a validation: statistics of known errors, the softening that fits, samples, plans, the known table. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { orbitDistance, relativeDifference } from "../../src/engine/diagnostics/differences.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { schemesOf } from "../../src/study/bench/force.ts";
import { evolutionPlan, fixedStepOf } from "../../src/study/validate/evolve.ts";
import { bestSoftening, forceErrors, quantile, shellEdges } from "../../src/study/validate/force-errors.ts";
import { FORCE_ERROR_SEPARATIONS, KNOWN_FORCE_LAW, measureForceLaw, schemeText } from "../../src/study/validate/law.ts";
import { perturbed, sampleOf, subset } from "../../src/study/validate/sample.ts";
import { randomParticles } from "../support/particles.ts";
import { fixtureScenario, sequence } from "../support/scenario-fixture.ts";

describe("quantiles", () => {
  it("are linear between neighbours", () => {
    expect([0, 0.25, 0.5, 0.9, 1].map((f) => quantile([1, 2, 3, 5, 9], f))).toEqual([1, 2, 3, 7.4, 9]);
    expect(quantile([4], 0.99)).toBe(4);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

/** Targets at x = 1 … count that are pulled with strengths `pull`, and errors of `along` and `across` times that. */
function pair(count: number, pull: (i: number) => number, along: (i: number) => number, across: number) {
  const direct = new Float64Array(3 * count);
  const mesh = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    direct[3 * i] = -pull(i);
    mesh[3 * i] = -pull(i) * (1 + along(i));
    mesh[3 * i + 1] = pull(i) * across;
  }
  const abscissa = Float64Array.from({ length: count }, (_, i) => i + 1);
  return { mesh, direct, abscissa, edges: [1, count / 2 + 0.5, count], softening: 0.5, cell: 2 };
}

describe("force errors", () => {
  it("are relative, in units of the rms, and along the force", () => {
    const { relative, scaled, along, softening, softeningCells } = forceErrors(
      pair(
        100,
        () => 2,
        () => 0.3,
        0.4,
      ),
    );
    for (const figures of [relative, scaled]) {
      for (const value of Object.values(figures)) expect(value).toBeCloseTo(0.5, 12);
    }
    for (const value of Object.values(along)) expect(value).toBeCloseTo(0.3, 12);
    expect([softening, softeningCells]).toEqual([0.5, 0.25]);
  });

  it("have the quantiles of their distribution, and the rms of all", () => {
    // Errors 0 … 1 % on forces of 1 … 3.
    const { relative, scaled, along } = forceErrors(
      pair(
        1001,
        (i) => 1 + i / 500,
        (i) => -i / 1e5,
        0,
      ),
    );
    expect(relative.median).toBeCloseTo(0.005, 12);
    expect(relative.p90).toBeCloseTo(0.009, 12);
    expect(relative.p99).toBeCloseTo(0.0099, 12);
    expect(relative.largest).toBeCloseTo(0.01, 12);
    expect(relative.rms).toBeCloseTo(0.01 / Math.sqrt(3), 5);
    expect(along.mean).toBeCloseTo(-0.005, 12);
    // ⟨x·(1+2x)²⟩/⟨(1+2x)²⟩ over 0 … 1 is (1/2 + 4/3 + 1)/(13/3).
    expect(along.weighted).toBeCloseTo((-0.01 * (17 / 6)) / (13 / 3), 5);
    expect(scaled.largest).toBeCloseTo(0.03 / Math.sqrt(13 / 3), 4);
  });

  it("are binned by distance, the last edge included", () => {
    const { bins } = forceErrors(
      pair(
        10,
        () => 1,
        (i) => (i < 5 ? 0.1 : -0.2),
        0,
      ),
    );
    expect(bins.map(({ targets }) => targets)).toEqual([5, 5]);
    expect(bins.map(({ from, to }) => [from, to])).toEqual([
      [1, 5.5],
      [5.5, 10],
    ]);
    expect(bins[0].median).toBeCloseTo(0.1, 12);
    expect(bins[1].p84).toBeCloseTo(0.2, 12);
    expect(bins.map(({ along }) => Math.round(1e6 * along!))).toEqual([1e5, -2e5]);
  });

  it("have a histogram whose shares are all of the targets, those off its ends included", () => {
    const { histogram } = forceErrors(
      pair(
        4,
        () => 1,
        (i) => [1e-9, 1.2e-3, 1.2e-3, 1e6][i],
        0,
      ),
    );
    const { from, to, share } = histogram;
    expect(share.reduce((sum, one) => sum + one)).toBeCloseTo(1, 12);
    expect([share[0], share.at(-1)]).toEqual([0.25, 0.25]);
    const bin = Math.floor((share.length * (Math.log10(1.2e-3) - from)) / (to - from));
    expect(share[bin]).toBe(0.5);
  });

  it("leave targets without a force out of what is relative", () => {
    const { relative, scaled, bins } = forceErrors(
      pair(
        4,
        (i) => (i === 0 ? 0 : 1),
        () => 0.1,
        0,
      ),
    );
    expect(relative.largest).toBeCloseTo(0.1, 12);
    expect(scaled.rms).toBeCloseTo(0.1, 12);
    expect(bins[0].targets).toBe(1);
  });

  it("are no numbers where nothing pulls", () => {
    const { relative, bins } = forceErrors(
      pair(
        2,
        () => 0,
        () => 0,
        0,
      ),
    );
    expect(relative.median).toBeNaN();
    expect(bins.map(({ median }) => median)).toEqual([null, null]);
  });
});

describe("shells", () => {
  it("hold every value between their edges, evenly in the logarithm", () => {
    const random = sequence(3);
    const values = Float64Array.from({ length: 2000 }, () => 10 ** (3 * random()));
    const edges = shellEdges(values, 12);
    expect(edges).toHaveLength(13);
    expect([edges[0], edges[12]]).toEqual([Math.min(...values), Math.max(...values)]);
    const ratios = edges.slice(2).map((edge, i) => edge / edges[i + 1]);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(ratios[0], 9);
  });

  it("are there for equal values, for one and for none", () => {
    expect(shellEdges([2, 2, 2], 2)).toEqual([1, expect.closeTo(Math.SQRT2, 12), 2]);
    expect(shellEdges([0], 3)).toEqual([0, 1]);
    expect(shellEdges([], 3)).toEqual([0, 1]);
  });
});

describe("the softening that fits", () => {
  it("is the vertex of the parabola through the lowest three", () => {
    const at = (cells: number) => ({ cells, rms: Math.sqrt(0.04 + (cells - 0.57) ** 2) });
    expect(bestSoftening([2, 0.1, 0.3, 0.4, 0.6, 1].map(at))).toBeCloseTo(0.57, 12);
  });

  it("is an end where the difference falls towards it, or where all are equal", () => {
    expect(bestSoftening([0.1, 0.5, 1].map((cells) => ({ cells, rms: cells })))).toBe(0.1);
    expect(bestSoftening([0.1, 0.5, 1].map((cells) => ({ cells, rms: 2 - cells })))).toBe(1);
    expect(bestSoftening([0.1, 0.5, 1].map((cells) => ({ cells, rms: 1 })))).toBe(0.1);
  });

  it("differs in units of the mesh's rms", () => {
    expect(relativeDifference([3, 0, 4], [3, 0, 4], 3).rms).toBe(0);
    expect(relativeDifference([3, 5, 4], [3, 0, 4], 3).rms).toBe(1);
    expect(relativeDifference([], [], 3).rms).toBe(0);
  });
});

describe("orbits", () => {
  it("are apart in the rms and in the median", () => {
    const { rms, median } = orbitDistance([0, 0, 0, 3, 4, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0], 0.5);
    expect([rms, median]).toEqual([2 * Math.sqrt(26 / 3), 2]);
  });
});

describe("samples", () => {
  it("hold different numbers, the same every time, the smaller the beginning of the larger", () => {
    const all = sampleOf(1000, 1000);
    expect(new Set(all).size).toBe(1000);
    expect(Math.max(...all)).toBe(999);
    const some = sampleOf(1000, 50);
    expect([...some]).toEqual([...all.subarray(0, 50)]);
    expect([...sampleOf(1000, 50, 1)]).not.toEqual([...some]);
    expect(sampleOf(7, 100)).toHaveLength(7);
    // Uniform: the mean of 0 … 999 is 499.5, its spread 289.
    const mean = sampleOf(1000, 400).reduce((sum, i) => sum + i) / 400;
    expect(Math.abs(mean - 499.5)).toBeLessThan((4 * 289) / 20);
  });

  it("of components keep their proportions and masses, and ids in order", () => {
    const particles = randomParticles(1000, 1);
    particles.masses = Float64Array.from(particles.masses, (_, i) => 1 + (i % 3));
    particles.components = [
      { name: "a", species: "halo", first: 0, count: 900 },
      { name: "none", species: "gas", first: 900, count: 0 },
      { name: "b", species: "disk", first: 900, count: 99 },
      { name: "c", species: "stars", first: 999, count: 1 },
    ];
    const some = subset(particles, 100);
    expect(some.components).toEqual([
      { name: "a", species: "halo", first: 0, count: 90 },
      { name: "b", species: "disk", first: 90, count: 10 },
      { name: "c", species: "stars", first: 100, count: 1 },
    ]);
    expect(some.count).toBe(101);
    const mass = ({ masses }: { masses: Float64Array }, first: number, count: number) =>
      masses.subarray(first, first + count).reduce((sum, m) => sum + m, 0);
    expect(mass(some, 0, 90)).toBeCloseTo(mass(particles, 0, 900), 9);
    expect(mass(some, 90, 10)).toBeCloseTo(mass(particles, 900, 99), 9);
    expect([...some.positions.subarray(300)]).toEqual([...particles.positions.subarray(2997)]);
    // Every sampled particle is one of the run's, in its order, with its velocity.
    const rows = Array.from({ length: 101 }, (_, i) => particles.positions.indexOf(some.positions[3 * i]) / 3);
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
    rows.forEach((row, i) => {
      expect(some.velocities[3 * i + 2]).toBe(particles.velocities[3 * row + 2]);
    });
    expect(subset(particles, 1000)).toBe(particles);
  });

  it("are perturbed by normal deviates of the size asked for", () => {
    const particles = randomParticles(2000, 1);
    const { positions, masses } = perturbed(particles, 1e-3);
    expect(masses).toBe(particles.masses);
    const { rms } = orbitDistance(positions, particles.positions, 1e-3);
    expect(Math.abs(rms - Math.sqrt(3))).toBeLessThan(0.1);
  });
});

describe("the plan of an evolution", () => {
  const speed = { pairsPerSecond: 1e9, secondsPerStep: 0.01 };
  it("takes all particles and a second run where that is affordable", () => {
    expect(evolutionPlan(5000, 250, speed, 60)).toEqual({ particles: 5000, second: true });
    expect(evolutionPlan(12_000, 250, speed, 60)).toEqual({ particles: 12_000, second: false });
  });

  it("else a sample whose two runs fit into the time", () => {
    const { particles, second } = evolutionPlan(1e7, 250, speed, 60);
    expect(second).toBe(true);
    expect(particles).toBe(8192);
    expect(2 * particles ** 2 * 250).toBeLessThan(60e9);
  });

  it("never one that is no model any more, nor more than there are", () => {
    expect(evolutionPlan(1e6, 100_000, { ...speed, pairsPerSecond: 1e7 }, 1)).toEqual({
      particles: 1024,
      second: true,
    });
    expect(evolutionPlan(3, 1e9, speed, 1)).toEqual({ particles: 3, second: true });
  });

  it("plans for fewer steps where the mesh alone takes too long", () => {
    const slow = { pairsPerSecond: 1e9, secondsPerStep: 1 };
    expect(evolutionPlan(1e6, 10_000, slow, 60)).toEqual(evolutionPlan(1e6, 40, slow, 60));
  });
});

describe("the fixed step", () => {
  const plummer = readFileSync(new URL("../../scenarios/plummer.toml", import.meta.url), "utf8");
  const deck = (...overrides: string[]) => parseScenario(plummer, { file: "plummer.toml", overrides });
  const extremes = { acceleration: 4, speed: 2 };

  it("is the deck's, rounded to divide its end", () => {
    expect(fixedStepOf(deck(), 0.15, extremes)).toBe(0.02);
    expect(fixedStepOf(deck("time.step=0.3"), 0.15, extremes)).toBeCloseTo(5 / 17, 12);
  });

  it("is what the adaptive criterion allows, where the deck has no fixed one", () => {
    const { time, ...rest } = deck("time.step=adaptive");
    const adaptive = fixedStepOf({ ...rest, time }, 0.15, extremes);
    const limit = Math.min(time.accuracy * Math.sqrt(0.15 / 4), (time.courant * 0.15) / 2, time.maxStep);
    expect(adaptive).toBeLessThanOrEqual(limit * (1 + 1e-9));
    expect(adaptive).toBeGreaterThan(0.99 * limit);
    const divided = deck("gravity=direct", "time.step=0.5", "direct.steps=block", "direct.integrator=hermite-4");
    expect(fixedStepOf(divided, 0.15, extremes)).toBeLessThanOrEqual(limit * (1 + 1e-9));
  });
});

describe("the known force law", () => {
  const tables = readFileSync(new URL("../../docs/accuracy.md", import.meta.url), "utf8");

  it("is that of docs/accuracy.md, for every scheme there", () => {
    for (const boundary of ["periodic", "isolated"] as const) {
      const rows = KNOWN_FORCE_LAW[boundary];
      expect(Object.keys(rows).sort()).toEqual(
        schemesOf(boundary)
          .map((of) => schemeText({ ...of, poisson: "fft" }, boundary))
          .sort(),
      );
      for (const [scheme, figures] of Object.entries(rows)) {
        expect(figures.split(" ")).toHaveLength(FORCE_ERROR_SEPARATIONS.length);
        const line = tables
          .split("\n")
          .map((one) => one.replaceAll(/[*`]| \(default\)/g, "").replaceAll("−", "-"))
          .find((one) => one.startsWith(`| ${scheme} |`));
        expect(line?.split("|").slice(2, -1).join(" ").split(/ +/).filter(Boolean).join(" ")).toBe(figures);
      }
    }
  });
});

const MODE = { signal: new AbortController().signal, onProgress: () => {} };

describe("measured on the CPU", () => {
  it("the force law of CIC, exact, 4-point is the known one", async () => {
    const scenario = fixtureScenario();
    scenario.box.boundary = "periodic";
    Object.assign(scenario.mesh, { cells: 32, assignment: "cic", green: "exact", gradient: "4-point", poisson: "fft" });
    const law = await measureForceLaw(scenario, undefined, MODE);
    expect(law?.scheme).toBe("CIC, exact, 4-point");
    const known = law?.rows.filter(({ known }) => known) ?? [];
    // 32 cells: beyond 8 the images' own mesh errors differ from those of 64.
    expect(known.map(({ separation }) => separation)).toEqual([2, 3, 4, 6, 8]);
    for (const { meanRadial, scatter, known: figures } of known) {
      expect(Math.abs(meanRadial - figures!.meanRadial)).toBeLessThan(0.05);
      expect(Math.abs(scatter - figures!.scatter)).toBeLessThan(0.1);
    }
  });
});
