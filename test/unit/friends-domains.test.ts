/** Domains of the search for haloes: that they are the box, hold what they may, and what becomes of groups that cross them. */
import { describe, expect, it } from "vitest";
import { OpenGroups } from "../../src/engine/diagnostics/friends-open.ts";
import { binsFor, type Domain, planDomains } from "../../src/engine/diagnostics/friends-plan.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { randomWords } from "../support/exact-particles.ts";

const M = 24;

/** Bins of random particles, most of them in a plate, in a rod and in a corner. */
function bins(count: number): number[][] {
  const word = randomWords(3);
  return Array.from({ length: count }, (_, i) => {
    const free = [word() % M, word() % M, word() % M];
    return [free, [free[0], free[1], 7], [free[0], 23, 11], [0, 0, 0]][i % 16 === 0 ? 3 : i % 3];
  });
}

/** Of bins from the domain's first on, those with `margin` about it; they wrap. */
function isWithin(bin: readonly number[], { low, size }: Domain, margin: number): boolean {
  return bin.every((b, axis) => (b + 2 * M + margin - low[axis]) % M < size[axis] + 2 * margin);
}

/** Counts of two windows, of which the second has every fifth particle. */
function surveyOf(particles: readonly number[][]) {
  return async (domain: Domain, axis: 0 | 1 | 2) => {
    const histograms = [new Uint32Array(M), new Uint32Array(M)];
    for (const [i, bin] of particles.entries()) {
      if (isWithin(bin, domain, 1)) histograms[i % 5 === 0 ? 1 : 0][bin[axis]]++;
    }
    return histograms;
  };
}

describe("domains", () => {
  const particles = bins(3000);

  it.each([1, 900, 1500, 5000])("are the box, without gaps or overlaps, capacity %i", async (capacity) => {
    const domains = await planDomains(M, [capacity, 900], surveyOf(particles));
    for (const bin of particles) expect(domains.filter((domain) => isWithin(bin, domain, 0)).length).toBe(1);
    for (const domain of domains) {
      const about = particles.filter((bin) => isWithin(bin, domain, 1));
      expect(domain.count).toBe(about.length);
      expect(domain.count).toBeLessThanOrEqual(Math.max(capacity, 900));
      const windows = [0, 1].filter((window) =>
        particles.some((bin, i) => isWithin(bin, domain, 1) && (i % 5 === 0 ? 1 : 0) === window),
      );
      expect(windows.filter((window) => !domain.windows.includes(window))).toEqual([]);
    }
    if (capacity === 5000) expect(domains.length).toBe(1);
    if (capacity === 900) expect(domains.some(({ size }) => size[0] < M)).toBe(true);
  });

  it("are refused where too many particles lie together, with what would help", async () => {
    const error = await planDomains(M, [20, 100], surveyOf(particles)).catch((e) => e);
    expect(error).toBeInstanceOf(GravmeshError);
    expect(error.kind).toBe("memory");
    expect(error.message).toMatch(/links 100 particles at a time.*shorter linking length/);
  });

  it("have bins no narrower than the linking length", () => {
    for (const reach of [2 ** 12, 12_345_678, 2 ** 29 - 1, 2 ** 29]) {
      expect(Math.floor(2 ** 32 / binsFor(reach))).toBeGreaterThanOrEqual(reach);
    }
  });
});

describe("groups in parts", () => {
  it("are one where they have a particle in common", () => {
    const open = new OpenGroups();
    // Members and label: three parts of one group, one that nobody knows, two of a small one.
    open.add(Uint32Array.of(5, 40, 0, 17));
    open.add(Uint32Array.of(7, 30, 30, 2, 1, 9, 2, 8));
    open.join(Uint32Array.of(1, 2, 4, 5));
    open.join(Uint32Array.of(2, 0, 0, 1));
    expect(open.count).toBe(6);
    const outcome = open.outcome({ minimumMembers: 4, firstNumber: 100 });
    expect([...outcome.groups]).toEqual([12, 17, 30, 2]);
    expect([...outcome.numbers]).toEqual([100, 100, 100, 101, 0xffffffff, 0xffffffff]);
    expect([...outcome.labels]).toEqual([17, 17, 17, 2, 8, 8]);
    expect(outcome).toMatchObject({ groupsInAll: 3, membersInAll: 42 });
  });

  it("of many domains and none", () => {
    const none = new OpenGroups().outcome({ minimumMembers: 1, firstNumber: 0 });
    expect(none).toMatchObject({ groupsInAll: 0, membersInAll: 0 });
    const chain = new OpenGroups();
    for (let k = 0; k < 5000; k++) chain.add(Uint32Array.of(1, 5000 - k));
    chain.join(Uint32Array.from({ length: 9998 }, (_, i) => (i >> 1) + (i % 2)));
    expect([...chain.outcome({ minimumMembers: 20, firstNumber: 0 }).groups]).toEqual([5000, 1]);
  });
});
