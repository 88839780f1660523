/** What a run conserves in external potentials, and what is said of it. */
import { describe, expect, it } from "vitest";
import { parseScenario, Simulation } from "../../src/index.ts";
import { failureOf, healthOf } from "../../src/run/health.ts";
import { conservedBy } from "../../src/scenario/conserved.ts";

/** A particle in a bar in a logarithmic halo, on its own; `more` says what else there is. */
const deck = (more: string, { bar = "patternSpeed = 0.6", step = 0.02, gravity = "direct" } = {}) =>
  parseScenario(`title = "a bar"
gravity = "${gravity}"
box.size = 16
mesh.cells = 16
direct = { steps = "shared", integrator = "hermite-4" }
time = { end = 4, step = ${step} }
output.diagnostics = 4
[[particles]]
kind = "uniform"
count = 1
mass = 1e-9
side = 0.2
offset = [1.3, 0.4, 0.2]
velocity = [0.2, 0.9, 0.3]
[[potential]]
kind = "long-murali-bar"
mass = 1
halfLength = 1.5
width = 0.4
height = 0.3
phase = 30
${bar}
[[potential]]
kind = "logarithmic"
speed = 1
core = 0.5
flattening = 0.8
${more}`);

const END = { bar: "patternSpeed = 0.6\n" };

describe("what is conserved", () => {
  it.each([
    ["", "jacobi"],
    ['[[potential]]\nkind = "uniform-field"\ngz = 1', "jacobi"],
    ['[[potential]]\nkind = "uniform-field"\ngx = 1', "none"],
    ['[[potential]]\nkind = "plummer"\nmass = 1\nscale = 1\noffset = [1, 0, 0]', "none"],
    ["elongation = 0.9", "none"],
    ["elongation = 0.9\npatternSpeed = 0.6", "jacobi"],
    ["elongation = 0.9\npatternSpeed = 0.5", "none"],
    ["grow = { to = 1 }", "none"],
    ["until = 1", "none"],
    ['path = "a.txt"', "none"],
  ])("with %s: %s", (more, quantity) => {
    expect(conservedBy(deck(more)).quantity).toBe(quantity);
  });

  it("is the energy where all stands still", () => {
    expect(conservedBy(deck("", { bar: "" })).quantity).toBe("energy");
    expect(conservedBy(deck("patternSpeed = 3", { bar: "" })).quantity).toBe("energy"); // of a round one
  });
});

describe("the energy error of a run", () => {
  const errorsOf = async (scenario: ReturnType<typeof deck>) => {
    const simulation = await Simulation.create(scenario, { backend: "cpu" });
    await simulation.advance();
    const row = await simulation.diagnostics();
    const { total, relativeEnergyError } = row;
    simulation.destroy();
    return { total, error: Math.abs(relativeEnergyError), row };
  };

  it.each([
    ["mesh", 2],
    ["direct", 4],
  ] as const)(
    "is that of Jacobi's integral in a bar that turns, and falls with the integrator's order (%s)",
    async (gravity, order) => {
      const [once, halved] = [
        await errorsOf(deck("", { ...END, gravity, step: 0.04 })),
        await errorsOf(deck("", { ...END, gravity, step: 0.02 })),
      ];
      expect(once.error).toBeLessThan(order === 2 ? 1e-2 : 1e-4);
      const found = Math.log2(once.error / halved.error);
      expect(found).toBeGreaterThan(order - 0.7);
      expect(found).toBeLessThan(order + 1.5);
    },
  );

  it("is no error where a potential grows, and fails no run", async () => {
    const scenario = deck("grow = { from = 0, to = 1 }");
    const { row } = await errorsOf(scenario);
    expect(Math.abs(row.relativeEnergyError)).toBeGreaterThan(0.1);
    const large = { ...row, relativeEnergyError: 7 };
    expect(failureOf(scenario, large)).toBeUndefined();
    expect(healthOf(scenario, 1, [row, large])).toEqual([]);
    expect(failureOf(deck("", END), large)).toMatch(/relative error of Jacobi's integral is 7/);
    expect(healthOf(deck("", END), 1, [row, large])[0].message).toMatch(/Jacobi's integral is off by 700 %/);
  });
});
