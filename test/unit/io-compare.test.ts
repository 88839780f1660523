/** The parts of a comparison in numbers: variants, differences, tables, colours; that the page stands alone. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "fast-png";
import { describe, expect, it } from "vitest";
import { orbitDistance, relativeDifference } from "../../src/engine/diagnostics/differences.ts";
import { differenceRgb } from "../../src/run/page/colours.ts";
import { differencePng } from "../../src/run/page/pictures.ts";
import { unitLabels } from "../../src/run/page/units.ts";
import { compareHtml, look } from "../../src/study/compare/page.ts";
import type { ComparePage, CompareVariant, Comparison, VariantResult } from "../../src/study/compare/record.ts";
import { unmeasured } from "../../src/study/compare/record.ts";
import { comparisonCsv, comparisonText } from "../../src/study/compare/table.ts";
import { combinations, deckDifferences, labelOf, variantsOf, variationOf } from "../../src/study/compare/variants.ts";
import { smallDeck, useFolder } from "../support/decks.ts";

const work = useFolder("compare");

describe("variants", () => {
  it("are the Cartesian product, the last list varying fastest", () => {
    const variations = ["mesh.assignment=cic,tsc", "mesh.cells=16, 32"].map(variationOf);
    const all = combinations(variations);
    expect(all).toHaveLength(4);
    expect(all.map((one) => labelOf(one, variations))).toEqual([
      ...["cic, cells 16", "cic, cells 32", "tsc, cells 16", "tsc, cells 32"],
    ]);
  });

  it("name what is no word by its key", () => {
    const label = (text: string) => {
      const variation = variationOf(text);
      return combinations([variation]).map((one) => labelOf(one, [variation]));
    };
    expect(label("mesh.gradient=2-point,spectral")).toEqual(["2-point", "spectral"]);
    expect(label("time.step=0.01,adaptive")).toEqual(["step 0.01", "step adaptive"]);
    expect(label("multigrid.tolerance=1e-4,1e-6")).toEqual(["tolerance 1e-4", "tolerance 1e-6"]);
    expect(label("a.b=true,false")).toEqual(["b true", "b false"]);
  });

  it("of levels: with and without them, from the same particles", () => {
    const deck = join(work, "levels.toml");
    const level = "[[level]]\naround = 'plummer'\n";
    writeFileSync(deck, smallDeck(`[[particles]]\nkind = "plummer"\ncount = 10\n${level}${level}`, { cells: 64 }));
    const of = (scenario: string, levels: string) => variantsOf(scenario, [], { levels, vary: [] });
    const { variants } = of(deck, "with,without");
    expect(variants.map(({ label, scenario }) => [label, scenario.level.length])).toEqual([
      ["with levels", 2],
      ["without levels", 0],
    ]);
    expect(deckDifferences(variants)).toContainEqual({ key: "level.1.around", values: ["plummer", "–"] });
    expect(() => of(deck, "with,off")).toThrow("--levels: expected with and without, found with,off");
    expect(() => of("plummer", "with,without")).toThrow("expected a deck with [[level]] tables, found none");
  });

  it("of gravity: Newton's, and formulations of [mond]", () => {
    const { variants } = variantsOf("low-surface-brightness", [], { gravity: "newton,qumond", vary: [] });
    expect(variants.map(({ label, scenario }) => [label, scenario.mond.formulation])).toEqual([
      ["newton", "none"],
      ["qumond", "qumond"],
    ]);
    const wrong = () => variantsOf("low-surface-brightness", [], { gravity: "newton,tohline", vary: [] });
    expect(wrong).toThrow(/mond\.formulation: expected one of "none", "qumond"/);
  });

  it("read the deck with their settings; --poisson is short for --vary mesh.poisson", () => {
    const { variants, name } = variantsOf("plummer", ["mesh.cells=32"], {
      poisson: "fft",
      vary: ["mesh.assignment=cic,tsc"],
    });
    expect(name).toBe("plummer");
    expect(variants.map(({ settings }) => settings)).toEqual([
      { "mesh.poisson": "fft", "mesh.assignment": "cic" },
      { "mesh.poisson": "fft", "mesh.assignment": "tsc" },
    ]);
    expect(variants.map(({ scenario }) => [scenario.mesh.assignment, scenario.mesh.cells])).toEqual([
      ["cic", 32],
      ["tsc", 32],
    ]);
  });

  it.each([
    ["particles.0.count=1,2", /particles\.0\.count can't vary: it changes the initial conditions/],
    ["particles[0].seed=1,2", /can't vary: it changes the initial conditions/],
    ["box.size=1,2", /box\.size can't vary: it changes the initial conditions/],
    ["units.system=nbody,galactic", /units\.system can't vary: it changes the initial conditions/],
    ["time.end=1,2", /time\.end can't vary: the variants are compared at the same end/],
    ["output.snapshots=1,2", /it changes what is written/],
    ["mesh.assignment=cic,,tsc", /expected a deck key and its values, separated by commas/],
    ["=cic,tsc", /expected a deck key/],
    ["mesh.assignment=cic,tsc,cic", /cic is given twice/],
    ["mesh.assignment=cic", /at least two variants/],
    ["mesh.asignment=cic,tsc", /did you mean mesh\.assignment/],
    ["mesh.assignment=cic,txc", /expected one of .* found "txc"/],
    [`time.accuracy=${Array.from({ length: 17 }, (_, i) => i + 1)}`, /17 = 17 variants: expected at most 15/],
  ])("refuse --vary %s", (text, message) => {
    expect(() => variantsOf("plummer", [], { vary: [text] })).toThrow(message);
  });

  it("refuse what varies twice, and defaults that would change the particles", () => {
    const twice = { poisson: "fft", vary: ["mesh.poisson=fft"] };
    expect(() => variantsOf("plummer", [], twice)).toThrow(/mesh\.poisson varies twice/);
    const boundary = { vary: ["box.boundary=isolated,periodic"] };
    const aside = ["particles.0.offset=[1, 0, 0]"];
    expect(variantsOf("plummer", aside, boundary).variants).toHaveLength(2); // its deck sets the cutoff
  });
});

describe("differences", () => {
  it("are in units of the reference's rms", () => {
    expect(relativeDifference([3, 4, 5], [3, 4, 5], 1)).toEqual({ rms: 0, largest: 0 });
    const { rms, largest } = relativeDifference([1, 0, 0, 0, 2, 1], [1, 0, 0, 0, 2, 0], 3);
    expect(rms).toBeCloseTo(Math.sqrt(1 / 5), 12);
    expect(largest).toBeCloseTo(Math.sqrt(1 / (5 / 2)), 12);
    expect(relativeDifference([Number.NaN, 1], [1, 1], 1).largest).toBeNaN();
  });

  it("go the shorter way around a periodic box", () => {
    const [a, b] = [
      [9.9, 0, 0, 5, 5, 5],
      [0.1, 0, 0, 5, 5, 5],
    ];
    expect(orbitDistance(a, b, 1, 10).rms).toBeCloseTo(0.2 / Math.SQRT2, 12);
    expect(orbitDistance(a, b, 1).rms).toBeCloseTo(9.8 / Math.SQRT2, 12);
  });
});

describe("the colours of differences", () => {
  const luminance = (rgb: number[]) => {
    const linear = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };

  it("rise in lightness alike on both sides, blue below and orange above", () => {
    for (let i = 1; i <= 20; i++) {
      const [less, more] = [luminance(differenceRgb(-i / 20)), luminance(differenceRgb(i / 20))];
      expect(less).toBeGreaterThan(luminance(differenceRgb(-(i - 1) / 20)));
      expect(more).toBeGreaterThan(luminance(differenceRgb((i - 1) / 20)));
      expect(Math.abs(Math.cbrt(less) - Math.cbrt(more))).toBeLessThan(0.06);
    }
    const [less, more] = [differenceRgb(-0.6), differenceRgb(0.6)];
    expect(less[2]).toBeGreaterThan(less[0] + 60);
    expect(more[0]).toBeGreaterThan(more[2] + 60);
  });

  it("are symmetric about zero in the picture", () => {
    const map = { values: [-2, -1, 0, 1, 9], width: 5, height: 1 };
    expect(Array.from(decode(differencePng(map, 2)).data)).toEqual(
      [0, 64, 127, 191, 254].map((v) => expect.closeTo(v, -0.5)),
    );
    expect(Array.from(decode(differencePng(map, 0)).data)).toEqual([127, 127, 127, 127, 127]);
  });
});

function variant(label: string, changes: Partial<VariantResult> = {}): CompareVariant {
  const rows = [0, 1, 2].map((time) => ({
    time,
    step: 10 * time,
    energyError: -1e-4 * time,
    momentumError: 1e-6 * time,
    virialRatio: 1 + 0.01 * time,
    lagrangianRadii: [0.1, 0.3, 0.5, 1, 1.5, 2],
  }));
  const waiting = unmeasured(label, { "mesh.poisson": label }, 32);
  const result = {
    ...waiting.result,
    time: 2,
    steps: 20,
    energyError: -2e-4,
    largestEnergyError: 2e-4,
    momentumError: 2e-6,
    largestMomentumError: 2e-6,
    millisecondsPerStep: 12.5,
    particleUpdatesPerSecond: 2.5e6,
    stages: [
      { stage: "deposit", millisecondsPerStep: 2 },
      { stage: "poisson", millisecondsPerStep: 8 },
    ],
    memoryBytes: 3 * 2 ** 20,
    rows,
    ...changes,
  };
  return { ...waiting, status: "complete", result };
}

function comparison(variants: CompareVariant[]): Comparison {
  return {
    title: "Disk <b>& more",
    reference: "A paper",
    expect: "",
    scenario: "disk",
    status: "failed",
    version: "0.1.0",
    node: "v20",
    date: "2025-01-02T03:04:05Z",
    backend: "webgpu",
    adapter: "llvmpipe",
    particles: 1000,
    timeUnit: "time units",
    ...{ conserved: "energy", field: "none" },
    end: 2,
    varied: { "mesh.poisson": ["fft", "multigrid"] },
    cases: variants,
    ...{ direct: null, verdict: null, notes: [] },
  };
}

const three = () => [
  variant("fft"),
  variant("multigrid", {
    potential: { rms: 1.25e-3, largest: 0.01 },
    acceleration: { rms: 2.5e-3, largest: 0.02 },
    positionCells: 0.125,
    millisecondsPerStep: 25,
  }),
  {
    ...unmeasured("other", { "mesh.poisson": "other" }, 32),
    status: "failed" as const,
    message: 'no "tolerance", <x>',
  },
];

describe("the table", () => {
  it("tells everything in text, with the reason of a failure", () => {
    const text = comparisonText(comparison(three()));
    expect(text).toMatch(/multigrid +1\.3e-3 +1\.0e-2 +2\.5e-3 +2\.0e-2 +0\.125/);
    expect(text).toMatch(/fft +-2\.0e-4 +2\.0e-4 +2\.0e-6 +2\.0e-6/);
    expect(text).toMatch(/step +deposit +poisson +updates\/s +memory/);
    expect(text).toMatch(/multigrid +25\.0 +2\.00 +8\.00 +2\.50 M +3\.0 MiB/);
    expect(text).toMatch(/other( +–){5}/);
    expect(text).toContain('other failed: no "tolerance", <x>');
    for (const line of text.split("\n").slice(0, -1)) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it("is a file of comma-separated values with a row a variant", () => {
    const [header, ...rows] = comparisonCsv(comparison(three())).trimEnd().split("\n");
    expect(header).toBe(
      "variant,mesh.poisson,status,time,steps,potential_rms,potential_max,acceleration_rms,acceleration_max," +
        "direct_start_rms,direct_start_median,direct_start_best_cells,direct_start_best_rms," +
        "direct_end_rms,direct_end_median,direct_end_best_cells,direct_end_best_rms,power_alike_k,correlation_k," +
        "position_rms_cells,energy_error,energy_error_max,momentum_error,momentum_error_max,step_ms," +
        "particle_updates_per_second,memory_bytes,deposit_ms,poisson_ms,message",
    );
    expect(rows[0]).toBe(
      "fft,fft,complete,2,20,,,,,,,,,,,,,,,,-0.0002,0.0002,0.000002,0.000002,12.5,2500000,3145728,2,8,",
    );
    expect(rows[2]).toBe('other,other,failed,0,0,,,,,,,,,,,,,,,,,,,,,,,,,"no ""tolerance"", <x>"');
  });
});

/** A map of `pixels`² with a bump of that height. */
function map(height: number, pixels = 40) {
  const values = Float32Array.from({ length: pixels * pixels }, (_, i) => {
    const [x, y] = [(i % pixels) - pixels / 2, Math.floor(i / pixels) - pixels / 2];
    return height * Math.exp(-(x * x + y * y) / 50);
  });
  return { values, width: pixels, height: pixels, spanX: 10, spanY: 10, quantum: 0 };
}

function page(variants: CompareVariant[], heights: (number | undefined)[]): ComparePage {
  return {
    comparison: comparison(variants),
    units: unitLabels("nbody"),
    boundary: "isolated",
    boxSize: 16,
    shown: "all particles",
    maps: heights.map((height) => (height === undefined ? undefined : { faceOn: map(height) })),
    differences: [{ key: "mesh.poisson", values: ["fft", "multigrid", "other"] }],
    deck: 'title = "<b>"\n',
  };
}

describe("compare.html", () => {
  const html = compareHtml(page(three(), [1, 1.1, undefined]));

  it("stands alone: no script, no network, no unescaped text", () => {
    const text = html.replace(/base64,[^"]*/g, "");
    expect(/<script|https?:|url\(|@import|NaN|undefined|null/.exec(text)).toBeNull();
    for (const [, target] of html.matchAll(/(?:src|href)="([^"]*)"/g)) expect(target).toMatch(/^data:/);
    expect(html).toContain("<h1>Disk &lt;b&gt;&amp; more</h1>");
    expect(html).toContain("no &quot;tolerance&quot;, &lt;x&gt;");
    expect(html).toContain("prefers-color-scheme: dark");
  });

  it("has curves of every variant, the first as a band", () => {
    for (const title of [
      "Energy",
      "Momentum",
      "Virial ratio",
      "Lagrangian radii",
      "Time per stage of a step",
      "Memory",
    ]) {
      expect(html).toContain(`<b>${title}</b>`);
    }
    expect(html.match(/class="curve s-v0 band"/g)).toHaveLength(6); // three charts, three radii
    expect(html.match(/class="curve s-v1"/g)).toHaveLength(6);
    expect(html).not.toContain('class="curve s-v2"');
  });

  it("has a picture a variant that came to its end, and what differs from the first", () => {
    const pngs = [...html.matchAll(/<img src="data:image\/png;base64,([^"]*)"[^>]*alt="([^"]*)"/g)];
    expect(pngs.map((found) => found[2])).toEqual([
      "Projected density of all particles, fft",
      "Projected density of all particles, multigrid",
      "Difference from fft, multigrid",
    ]);
    const { data } = decode(Uint8Array.from(Buffer.from(pngs[2][1], "base64")));
    expect(data[20 * 40 + 20]).toBeGreaterThan(240); // more in the middle
    expect(Math.abs(data[0] - 127)).toBeLessThan(3); // as much at the corner
    expect(html).toContain("multigrid less fft");
  });

  it("says in a sentence what each variant costs and how far it is from the first", () => {
    expect(html).toContain(
      "<b>multigrid</b>: accelerations at the first step differ by 0.25\u00a0% rms, 2\u00a0% at most; particles end 0.13\u00a0cells away (rms); " +
        "energy is kept to 2\u202f×\u202f10⁻⁴; a step takes 25\u00a0ms, 2 times that of fft.",
    );
    expect(html).toContain("<b>other</b> failed. no");
    expect(html).toMatch(/Wall time a step<\/th><td>12\.5\u00a0ms<\/td><td>25\u00a0ms<\/td><td>–<\/td>/);
    expect(html).toMatch(/Status<\/th><td>complete<\/td><td>complete<\/td><td>failed<\/td>/);
  });

  it("is there whatever was measured", () => {
    const nothing = [unmeasured("a", {}, 32), unmeasured("b", {}, 32)];
    const bare = compareHtml(page(nothing, []));
    expect(bare).not.toMatch(/<svg|<img|NaN|undefined|null|Infinity/);
    expect(bare).toContain("<b>b</b> was not run.");
    const noFirst = compareHtml(page([unmeasured("a", {}, 32), variant("b")], [undefined, 1]));
    expect(/Difference from|NaN|undefined|null/.exec(noFirst.replace(/base64,[^"]*/g, ""))).toBeNull();
    const periodic = compareHtml({ ...page(three(), [1, 1]), boundary: "periodic" });
    expect(periodic).not.toContain("Lagrangian");
  });

  it("keeps equal variants dark, whatever their noise", () => {
    const same = compareHtml(page(three(), [1, 1 + 1e-7]));
    const png = /alt="Difference/.exec(same) && [...same.matchAll(/base64,([^"]*)"/g)][2][1];
    const { data } = decode(Uint8Array.from(Buffer.from(png ?? "", "base64")));
    for (const value of data) expect(Math.abs(value - 127)).toBeLessThanOrEqual(1);
  });

  it("tells fifteen variants apart", () => {
    const styles = Array.from({ length: 15 }, (_, i) => JSON.stringify(look(i)));
    expect(new Set(styles).size).toBe(15);
  });
});
