/** The table [mond] of decks: its defaults, and where it is refused with one message. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { conservedBy } from "../../src/scenario/conserved.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scenarioWarnings } from "../../src/scenario/remarks.ts";
import { smallDeck } from "../support/decks.ts";

const PLUMMER = '[[particles]]\nkind = "plummer"\ncount = 100';
const parsed = (...overrides: string[]) => parseScenario(smallDeck(PLUMMER), { overrides });

describe("[mond]", () => {
  it("has the usual a0 in galactic units, and Newton's gravity unless asked for", () => {
    expect(parsed().mond.formulation).toBe("none");
    const mass = ["particles.plummer.mass=1", "particles.plummer.scale=1"];
    const { mond } = parsed("units.system=galactic", ...mass, "mond.formulation=qumond");
    // 1.2e-10 m/s² in (km/s)²/kpc.
    expect(mond.a0).toBeCloseTo(3702.81, 1);
    expect(mond).toMatchObject({ interpolation: "simple", externalField: [0, 0, 0] });
  });

  it("says so where bodies are too far apart in an isolated box for its pull", () => {
    const pair = ["a", "b"]
      .map((name, i) => `${PLUMMER}\nname = "${name}"\noffset = [${9 * i - 4.5}, 0, 0]`)
      .join("\n");
    const warnings = (...overrides: string[]) =>
      scenarioWarnings(parseScenario(smallDeck(pair), { overrides: ["box.size=24", ...overrides] }));
    const far = (...overrides: string[]) =>
      warnings(...overrides).filter((text) => text.startsWith("components begin"));
    const modified = ["mond.formulation=qumond", "mond.a0=1"];
    expect(far(...modified)).toEqual([]);
    expect(far()).toEqual([]);
    expect(far(...modified, "box.size=14")).toEqual([
      "components begin 9 apart, 0.643 of box.size: beyond 0.6 modified gravity in an isolated box errs by more than 2 % in " +
        "their pull. Try box.size = 15",
    ]);
    expect(far(...modified, "box.size=14", "box.boundary=periodic")).toEqual([]);
  });

  it.each<[string[], string]>([
    [["mond.formulation=qumond"], "mond.a0"],
    [["mond.formulation=qumond", "mond.a0=0"], "mond.a0: expected a number above 0, found 0"],
    [["mond.formulation=qumond", "mond.a0=-1"], "mond.a0: expected a number above 0, found -1"],
    [["mond.formulation=tohline", "mond.a0=1"], 'mond.formulation: expected one of "none", "qumond", "aqual"'],
    [
      ["mond.formulation=aqual", "mond.a0=1", "mond.interpolation=mcgaugh2016"],
      'mond.interpolation: expected one with μ, with mond.formulation = "aqual", found "mcgaugh2016"',
    ],
    [["mond.interpolation=bekenstein"], 'mond.interpolation: expected one of "simple", "standard"'],
    [["gravity=direct"], 'mond.formulation: expected "none" with gravity = "direct", found "qumond"'],
    [["mesh.gradient=spectral"], 'mond.formulation: expected "none" with mesh.gradient = "spectral"'],
    [["mesh.softenedModels=true"], 'mond.formulation: expected "none" with mesh.softenedModels = true'],
    [["particles.plummer.rigid=true"], 'mond.formulation: expected "none" with [[potential]] or rigid components'],
  ])("%j is refused", (overrides, expected) => {
    const rest = overrides.some((one) => one.startsWith("mond")) ? [] : ["mond.formulation=qumond", "mond.a0=1"];
    let message = "";
    try {
      parsed(...rest, ...overrides);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toContain(expected);
    expect(
      message
        .trim()
        .split("\n")
        .filter((line) => line.includes("mond.")),
    ).toHaveLength(1);
  });

  it.each(["output", "maps"])("%s.phantom is refused in Newton's gravity", (table) => {
    expect(() => parsed(`${table}.phantom=true`)).toThrow(
      `${table}.phantom: expected false with mond.formulation = "none", found true`,
    );
  });

  it("sets up low-surface-brightness in Newton's gravity as its own comment says", async () => {
    const deck = readFileSync("scenarios/low-surface-brightness.toml", "utf8");
    const [, overrides] = /# {3}gravmesh run low-surface-brightness (.*)/.exec(deck)!;
    const scenario = parseScenario(deck, { overrides: [...overrides.split(" "), "particles.disk.count=100"] });
    expect(scenario.mond.formulation).toBe("none");
    const { particles } = await initialConditions(scenario, { G: unitSystem("galactic").G });
    expect(particles.count).toBe(100);
  });

  it("tells no energy error, as ½ Σ m φ isn't what is conserved", () => {
    const mass = ["particles.plummer.mass=1", "particles.plummer.scale=1"];
    expect(conservedBy(parsed(...mass)).quantity).toBe("energy");
    expect(conservedBy(parsed(...mass, "mond.formulation=qumond", "mond.a0=1")).quantity).toBe("none");
  });
});
