/** The table [p3m]: defaults, notes, and one message for what P³M doesn't go with. */
import { describe, expect, it } from "vitest";
import { cutByPairs } from "../../src/engine/p3m/of-ranks.ts";
import { fitAdvice, memoryEstimate } from "../../src/scenario/estimate.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes, scenarioWarnings } from "../../src/scenario/remarks.ts";

const GALAXY = `title = "One"
gravity = "p3m"
[box]
size = 64.0
[mesh]
cells = 64
[p3m]
softening = 0.1
[[particles]]
kind = "plummer"
name = "stars"
count = 1000
[time]
step = 0.1
end = 1.0
[output]
snapshots = 1
`;
const UNIVERSE = `title = "Box"
gravity = "p3m"
[units]
system = "cosmological"
[box]
size = 30.0
boundary = "periodic"
[mesh]
cells = 32
[[particles]]
kind = "lattice"
name = "dm"
perSide = 32
[time]
clock = "comoving"
start = 0.02
end = 1.0
step = 0.0025
[output]
snapshots = 1
`;

describe("a deck with P³M", () => {
  it("has TSC, the split kernel, and in an expanding box a softening of a thirtieth of the mean separation", () => {
    const { mesh, p3m } = parseScenario(UNIVERSE);
    expect([mesh.assignment, mesh.gradient, p3m.softening]).toEqual(["tsc", "4-point", 0.0313]);
    expect(parseScenario(GALAXY.replace("64\n", "32\n")).mesh.kernel).toBe("split");
    expect(parseScenario(GALAXY.replace("p3m", "mesh").replace(/\[p3m\]\n.*\n/, "")).mesh.assignment).toBe("cic");
  });

  it("tells ε in cells and units, and warns where it is small for the number of particles", () => {
    expect(scenarioNotes(parseScenario(UNIVERSE)).join()).toMatch(/0\.0313 Mpc\/h = 0\.033 cells.*within 6\.25 cells/);
    const turned = parseScenario(`${UNIVERSE}[p3m]\nmaxPhysicalSoftening = 0.00626\n`);
    expect(scenarioNotes(turned).join()).toMatch(/from a = 0\.2 on 0\.00626 Mpc\/h in physical length/);
    const hard = parseScenario(`${UNIVERSE}[p3m]\nsoftening = 0.003\n`);
    expect(scenarioWarnings(hard).join()).toMatch(/p3m\.softening.*deflect each other.*0\.0\d/);
    expect(scenarioWarnings(parseScenario(UNIVERSE)).join()).not.toMatch(/p3m/);
  });

  it("warns where two particles pull harder than all, and of steps in which particles pass each other, whatever the substeps", () => {
    const warnings = (from: string, to: string) => scenarioWarnings(parseScenario(GALAXY.replace(from, to))).join();
    expect(warnings("softening = 0.1", "softening = 0.001")).toMatch(
      /p3m\.softening = 0\.001 two of its 1000 particles.*or more/,
    );
    expect(warnings("softening = 0.1", "softening = 0.1")).not.toMatch(/p3m\.softening/);
    expect(warnings("step = 0.1", "step = 1")).toMatch(/Try time\.step = .* or substeps = \d+ in \[p3m\]/);
    expect(warnings("softening = 0.1", "softening = 0.01")).toMatch(/time\.step = 0\.1 is .* p3m\.softening = 0\.01/);
    expect(warnings("softening = 0.1", "softening = 0.01\nsubsteps = 8")).not.toMatch(/time\.step/);
  });

  it("warns of steps in which the largest halo of an expanding box turns, and of none that GADGET-4's box wants", () => {
    const warnings = (deck: string) => scenarioWarnings(parseScenario(deck)).join();
    const told = warnings(UNIVERSE.replace("0.0025", "0.02"));
    expect(told).toMatch(/^the largest halo expected at a = 0\.\d+: time\.step = 0\.02 is [\d.]+ of the time r\/v/);
    const [, step, substeps] = told.match(/Try time\.step = ([\d.]+), or substeps = (\d+) in \[p3m\]$/)!;
    expect(warnings(UNIVERSE.replace("0.0025", step))).toBe("");
    expect(warnings(`${UNIVERSE.replace("0.0025", "0.02")}[p3m]\nsubsteps = ${substeps}\n`)).toBe("");
    expect(warnings(UNIVERSE.replace("0.0025", '"adaptive"'))).toBe("");
    // Its power to 2 h/Mpc is right to 0.4 % with 400 steps, and to 2 % with 200 (docs/p3m.md).
    const spline = '[p3m]\nsoftening = 0.02\nsofteningKernel = "spline"\n';
    const box = `${UNIVERSE.replace("30.0", "50.0").replace("start = 0.02", "start = 0.1").replace("cells = 32", "cells = 128")}${spline}`;
    const gadget = box.replace(/kind = "lattice"[^[]*/, 'kind = "snapshot"\nfile = "start.hdf5"\n');
    expect(warnings(gadget.replace("0.0025", "0.00225"))).toBe("");
    expect(warnings(gadget.replace("0.0025", "0.0045"))).toMatch(/Try time\.step = 0\.002/);
  });

  it("holds sources and fields beside the particles", () => {
    const count = 32 ** 3;
    const mesh = parseScenario(UNIVERSE.replace("p3m", "mesh"));
    const more = memoryEstimate(parseScenario(UNIVERSE)).particles - memoryEstimate(mesh).particles;
    expect(more).toBeGreaterThan(36 * count);
  });

  it("has to lie in a binding, with all sources on each rank", () => {
    const deck = parseScenario(UNIVERSE);
    expect(fitAdvice(deck, { windows: { particles: 16384 } })).toMatchObject({
      fits: false,
      message: expect.stringMatching(/particles and mesh in a binding each.*in 2 and 1.*at most 16384 particles/),
    });
    const count = 32 ** 3;
    const [two, four] = [2, 4].map((ranks) => memoryEstimate(deck, { ranks }));
    expect(four).toMatchObject({ largestBinding: 16 * count });
    expect(two.particles - four.particles).toBeLessThan(0.3 * two.particles);
    expect(fitAdvice(deck, { binding: 16 * count - 4, ranks: 2 }).fits).toBe(false);
  });

  it("is advised meshes alone that pairs go with", () => {
    const deck = parseScenario(UNIVERSE);
    const bytes = (cells: number) => memoryEstimate({ ...deck, mesh: { ...deck.mesh, cells } }).together;
    const ways = (total: number) => fitAdvice(deck, { total }).ways.join();
    expect(ways(bytes(32) - 1)).toContain("mesh.cells=24");
    expect(ways(bytes(24))).not.toMatch(/mesh\.cells=(16|24)/); // 16 would fit
  });

  it("is cut into parts of equal numbers of pairs, at whole groups", () => {
    const loads = Uint32Array.from([100, 10, 5000, 10, 100, 4, 20_000, 2, 0, 0]);
    const cuts = cutByPairs(loads, 2, 8192);
    expect(cuts.map(({ targets, items }) => [targets, items])).toEqual([
      [0, 0],
      [20, 2],
      [26, 6],
    ]);
    expect(cuts[2].pairs).toBe(91_400);
    const many = cutByPairs(loads, 64, 8192);
    expect(many).toHaveLength(65);
    expect(many[64]).toEqual(cuts[2]);
    expect(cutByPairs(new Uint32Array(4), 2, 64)[2].pairs).toBe(0);
  });

  const fault = (text: string) => {
    try {
      parseScenario(text);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  it.each([
    ["softening = 0.1", "softening = 0.3", /p3m\.softening: expected at most 0\.25, 0\.25 cells.*"spline"/],
    ["softening = 0.1", "", /p3m\.softening is missing/],
    ["softening = 0.1", "softening = 0", /p3m\.softening: expected a number above 0/],
    ["softening = 0.1", 'softening = 2.5\nsofteningKernel = "spline"', /at most 2, 2 cells.*Take fewer mesh\.cells/],
    ["softening = 0.1", "softening = 0.1\nreach = 9", /p3m\.reach: expected a number from 4 to 5\.5/],
    ["softening = 0.1", "softening = 0.1\nsubsteps = 0", /p3m\.substeps: expected a whole number from 1 to 32/],
    [
      "softening = 0.1",
      "softening = 0.1\nmaxPhysicalSoftening = 1",
      /maxPhysicalSoftening: expected inf with time\.clock/,
    ],
    ["cells = 64", 'cells = 64\npoisson = "multigrid"', /mesh\.poisson: expected "fft" with gravity = "p3m"/],
    ["cells = 64", 'cells = 64\ngradient = "2-point"', /mesh\.gradient: expected "4-point"/],
    ["cells = 64", 'cells = 64\nassignment = "ngp"', /mesh\.assignment: expected "tsc" or "cic"/],
    ["cells = 64", "cells = 16", /mesh\.cells: expected at least 18/],
    ["[time]", '[mond]\nformulation = "qumond"\na0 = 1.0\n[time]', /mond\.formulation: expected "none"/],
    ["[time]", "[[level]]\noffset = [0, 0, 0]\n[time]", /level: expected no \[\[level\]\]/],
  ])("is refused: %s → %s", (from, to, message) => {
    expect(fault(GALAXY.replace(from, to))).toMatch(message);
  });
});
