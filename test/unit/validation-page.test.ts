/** A validation as text, as a table and as a page: that they say what was measured, and stand whatever is missing. */
import { describe, expect, it } from "vitest";
import { display } from "../../src/doors/cli/display.ts";
import { validateWords } from "../../src/doors/cli/validate.ts";
import { lineChart } from "../../src/run/page/charts.ts";
import { unitLabels } from "../../src/run/page/units.ts";
import { forceErrors } from "../../src/study/validate/force-errors.ts";
import type { TargetTable } from "../../src/study/validate/forces.ts";
import { validateHtml } from "../../src/study/validate/page.ts";
import {
  type Evolution,
  type EvolutionRow,
  type ForceComparison,
  type Parts,
  partCase,
  type Validation,
} from "../../src/study/validate/record.ts";
import { percent, validationCsv, validationText } from "../../src/study/validate/table.ts";
import { fixtureScenario } from "../support/scenario-fixture.ts";

/** Errors of `size` times the force on 200 targets at distances 0.1 … 10. */
function errors(size: number, softening: number) {
  const count = 200;
  const abscissa = Float64Array.from({ length: count }, (_, i) => 0.1 * 100 ** (i / (count - 1)));
  const direct = Float64Array.from({ length: 3 * count }, (_, k) => (k % 3 === 0 ? -1 - k / count : 0));
  const mesh = direct.map((a, k) => a * (1 + (size * (k % 7)) / 6));
  return forceErrors({ mesh, direct, abscissa, edges: [0.1, 0.3, 1, 3, 10], softening, cell: 0.25 });
}

const forces = (): ForceComparison => ({
  ...{ targets: 200, sources: 262_144, method: "direct sum", precision: "double-single", against: "radius" },
  ...{ rmsAcceleration: 0.5, outside: 0, seconds: 12, plain: errors(0.2, 0), fitted: errors(0.02, 0.125) },
  tried: [0.3, 0.5, 0.7].map((cells) => ({ cells, rms: 0.01 + (cells - 0.5) ** 2 })),
  triedOn: 100,
  softeningByAxis: [0.5, 0.51, 0.75],
  byLevel: null,
  components: [
    { name: "halo", targets: 200, halfMassRadius: 2, softeningCells: 0.5, cell: 0.25, plain: 0.1, fitted: 0.01 },
  ],
});

function row(time: number): EvolutionRow {
  const state = (size: number) => ({
    ...{ energyError: size * time, momentumError: 1e-7 * time, virialRatio: 1.01 },
    lagrangianRadii: [0.1, 0.2, 0.4, 0.8, 1.2, 2 + size * time],
  });
  return {
    ...{ time, step: 100 * time, mesh: state(-1e-3), direct: state(1e-6) },
    distance: { rms: 0.4 * time, median: 0.25 * time },
    chaos: { rms: 3e-4, median: 2e-4 },
  };
}

const profile = (time: number) => ({ time, radius: [0.1, 1, 2], density: [3, 2, 0.5] });

const evolution = (): Evolution => ({
  ...{ particles: 4096, of: 262_144, step: 0.01, steps: 500, time: 2, end: 5, softening: 0.125, softeningCells: 0.5 },
  ...{ perturbation: 1e-4, seconds: 30, rows: [0, 0.5, 1, 1.5, 2].map(row) },
  profiles: { kind: "density", start: profile(0), mesh: profile(2), direct: profile(2) },
});

const law = (): Parts["force law"] => {
  const known = { meanRadial: -0.11, scatter: 11.52 };
  return {
    ...{ cells: 64, scheme: "CIC, truncated, 4-point" },
    rows: [
      { separation: 0.5, meanRadial: -92.3, scatter: 1.2, largest: 1, known: null },
      { separation: 2, meanRadial: -0.112, scatter: 11.515, largest: 1, known },
      { separation: 4, meanRadial: -0.001, scatter: 2.05, largest: 1, known: null },
    ],
  };
};

interface Changes extends Partial<Validation> {
  /** In place of what was measured. */
  parts?: { [P in keyof Parts]?: Parts[P] | null };
  /** A part that has failed, and why. */
  failure?: { part: keyof Parts; message: string };
}

function validation({ parts, failure, ...changes }: Changes = {}): Validation {
  const results = { forces: forces(), "force law": law(), evolution: evolution(), ...parts };
  const cases = (["forces", "force law", "evolution"] as const).map((part): Validation["cases"][number] => {
    const ended = failure?.part === part ? "failed" : "complete";
    return { ...partCase(part), status: ended, message: failure?.message ?? null, result: results[part] };
  });
  return {
    ...{ title: "Sphere <b>& more", reference: "A paper", expect: "", scenario: "plummer", status: "complete" },
    ...{ version: "0.1.0", node: "v20", date: "2025-01-02T03:04:05Z", backend: "webgpu", adapter: "llvmpipe" },
    ...{
      particles: 262_144,
      timeUnit: "time units",
      ...{ conserved: "energy", field: "none" },
      lengthUnit: "",
      boundary: "isolated",
      boxSize: 16,
      cell: 0.25,
      mesh: fixtureScenario().mesh,
      gravity: "mesh",
    },
    cases,
    notes: [
      "A <note> that is long enough for a line of its own and a bit of the next one, so that it has to be wrapped.",
    ],
    ...changes,
  };
}

const page = (changes: Changes = {}) =>
  validateHtml({
    validation: validation(changes),
    ...{ units: unitLabels("nbody"), shown: "all particles", deck: 'title = "<b>"\n' },
  });

describe("the text", () => {
  it("has the forces, the force law and the evolution, in 80 columns", () => {
    const text = validationText(validation());
    expect(text).toMatch(
      /^halo: forces are 10\.0 % off the direct sum in the median inside its half-mass\nradius \(2\)/,
    );
    expect(text).toMatch(
      /\n\nMesh acceleration against the direct sum \(double-single\), on 200 of 262,144\nparticles/,
    );
    expect(text).toMatch(/rms +median +90 % +99 % +max +along/);
    expect(text).toMatch(/\|Δ\|\/\|a\|, no softening +\d+\.\d+ % +10\.0 %/);
    expect(text).toMatch(/\|Δ\|\/\|a\|, ε = 0\.5 cells +\d\.\d+ % +1\.00 %/);
    expect(text).toContain("\n\nAlong x, y, z it acts like softenings of 0.5, 0.51, 0.75 cells.");
    expect(text).toMatch(/\n {2}2 +−0\.11 +11\.5\d +−0\.11 \/ 11\.52\n {2}4 +0 +2\.05 +–\n/);
    expect(text).toMatch(/mesh +-2\.0e-3 +2\.0e-3 +2\.0e-7 +1\.010/);
    expect(text).toMatch(/direct +2\.0e-6/);
    expect(text).toMatch(/\n {2}2 +0\.500 +0\.800 +2\.0e-4 +3\.0e-4/);
    for (const line of text.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it("stands when parts are missing, and tells why", () => {
    const nothing: Changes = { parts: { forces: null, "force law": null, evolution: null }, notes: [] };
    expect(validationText(validation(nothing))).toBe("");
    const failure = { part: "forces", message: "no memory" } as const;
    expect(validationText(validation({ ...nothing, failure, status: "failed" }))).toBe("The forces failed: no memory");
    expect(validationText(validation({ ...nothing, status: "interrupted" }))).toMatch(/^Stopped before the end/);
    const partly = validationText(validation({ parts: { forces: { ...forces(), fitted: null, tried: [] } } }));
    expect(partly).not.toMatch(/ε =.*cells +\d.*%|NaN|undefined|null/);
  });

  it("gives percentages as many digits as they deserve", () => {
    expect([0.5, 0.012345, 0.0012345, 1.234e-6, 3.456, 0, Number.NaN, null].map(percent)).toEqual([
      ...["50.0 %", "1.23 %", "0.123 %", "1.2e-4 %", "346 %", "0 %", "–", "–"],
    ]);
  });
});

describe("validate.csv", () => {
  it("has a row a target", () => {
    const targets: TargetTable = {
      ...{ ids: Uint32Array.of(7, 3), radii: Float64Array.of(0.5, 2) },
      mesh: Float64Array.of(1.1, 0, 0, 0, 2, 0),
      plain: Float64Array.of(1, 0, 0, 0, 4, 0),
      fitted: Float64Array.of(1.1, 0, 0),
    };
    expect(validationCsv(targets).split("\n")).toEqual([
      "id,radius,a_mesh_x,a_mesh_y,a_mesh_z,a_direct_x,a_direct_y,a_direct_z,a_fitted_x,a_fitted_y,a_fitted_z,error,error_fitted",
      "7,0.5,1.1,0,0,1,0,0,1.1,0,0,0.1,0",
      "3,2,0,2,0,0,4,0,,,,0.5,",
      "",
    ]);
    expect(validationCsv(undefined).split("\n")).toHaveLength(2);
  });
});

/** Elements that are opened and not closed, or the other way round. */
function unbalanced(html: string): string[] {
  const VOID = new Set(["meta", "link", "path", "line", "rect", "circle", "br", "!doctype"]);
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name, rest] of html.matchAll(/<(\/?)([a-z!][a-z0-9]*)([^>]*)>/g)) {
    if (VOID.has(name) || rest.endsWith("/")) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}

describe("validate.html", () => {
  const html = page();

  it("stands alone: no script, no network, no unescaped text, every element closed", () => {
    expect(/<script|https?:|url\(|@import|NaN|undefined|null|Infinity/.exec(html)).toBeNull();
    for (const [, target] of html.matchAll(/(?:src|href)="([^"]*)"/g)) expect(target).toMatch(/^data:/);
    expect(html).toContain("<h1>Sphere &lt;b&gt;&amp; more</h1>");
    expect(html).toContain("A &lt;note&gt;");
    expect(html).toContain("prefers-color-scheme: dark");
    expect(unbalanced(html)).toEqual([]);
  });

  it("has a chart of everything that was measured", () => {
    for (const title of [
      ...[
        "Error against distance",
        "Distribution of the error",
        "Pull too hard, too weak",
        "Which softening is it like?",
      ],
      ...["Force of a point mass, CIC, truncated, 4-point, 64³", "Scatter of the same"],
      ...["Energy", "Momentum", "Virial ratio", "Lagrangian radii", "Orbits part", "Density profile, all particles"],
    ]) {
      expect(html).toContain(`<b>${title}</b>`);
    }
    expect(html.match(/<svg/g)).toHaveLength(12);
    // Two bands over distance, two histograms, the scatter of the force law.
    expect(html.match(/class="area f-(accent|second)"/g)).toHaveLength(5);
  });

  it("says in a sentence how wrong the mesh is", () => {
    expect(html).toContain(
      "and 1\u202f% off that with ε = 0.5\u00a0cells; this mesh is best described by a softening of",
    );
    expect(html).toContain("−0.11 ± 11.52\u202f% at 2\u00a0cells, 0 ± 2.05\u202f% at 4\u00a0cells");
    expect(html).toContain("the same particles end 0.5\u00a0cells apart in the median");
  });

  it("is there whatever was measured", () => {
    const bare = page({ parts: { forces: null, "force law": null, evolution: null }, notes: [] });
    expect(bare).not.toMatch(/<svg|NaN|undefined|null|Infinity/);
    const short: Changes[] = [
      { parts: { evolution: { ...evolution(), rows: [row(0)], profiles: null } }, status: "interrupted" },
      { parts: { evolution: { ...evolution(), rows: evolution().rows.map((one) => ({ ...one, chaos: null })) } } },
      { parts: { forces: { ...forces(), fitted: null, tried: [] } } },
      { parts: { forces: { ...forces(), against: "strength", method: "Ewald sum", precision: "double" } } },
    ];
    for (const changes of short) {
      const one = page(changes);
      expect(/NaN|undefined|null|Infinity/.exec(one)).toBeNull();
      expect(unbalanced(one)).toEqual([]);
    }
    expect(page(short[0])).toContain("It was stopped before its end.");
    expect(page(short[3])).toContain("Error against strength");
    expect(page({ failure: { part: "evolution", message: "<x>" } })).toContain("The evolution failed: &lt;x&gt;");
  });
});

describe("areas in a chart", () => {
  const chart = (points: [number, number, number][], scale: "linear" | "log" = "linear") =>
    String(
      lineChart({
        ...{ description: "d", x: { label: "x" }, y: { label: "y", scale }, series: [] },
        areas: [{ points, tone: "second" }],
      }),
    );

  it("are closed polygons below the curves, within the axes", () => {
    const [, path] = /class="area f-second" d="([^"]*)"/.exec(
      chart([
        [0, 1, 2],
        [1, 1, 3],
        [2, 0, 1],
      ]),
    )!;
    expect(path).toMatch(/^M[^L]*(L[^L]*){5}z$/);
  });

  it("end at the foot of a logarithmic axis, and leave out what it can't show", () => {
    const [, path] = /class="area f-second" d="([^"]*)"/.exec(
      chart(
        [
          [0, 0, 2],
          [1, 1, 3],
          [2, -1, -0.5],
        ],
        "log",
      ),
    )!;
    expect(path.split("L")).toHaveLength(4);
    expect(path.split("L").at(-1)).toMatch(/ 210z$/); // 250 less the room for the axis
  });

  it("are not there for a single point", () => {
    expect(chart([[1, 0, 1]])).not.toContain('class="area');
  });
});

describe("the display", () => {
  const events = () => {
    const written: string[] = [];
    const out = { isTTY: true, columns: 60, write: (text: string) => written.push(text) };
    return { written, out };
  };
  const progress = {
    event: "progress",
    ...{ key: "forces", label: "forces", index: 0, count: 3 },
    what: "direct sum",
    fraction: 0.5,
    elapsedSeconds: 65,
  } as const;

  it("has a live line on a terminal, and none elsewhere", () => {
    const { written, out } = events();
    display(validateWords, { out, err: out, now: () => 0 })(progress);
    expect(written.join("")).toMatch(/█{12}░{12} +50 % {2}direct sum {2}1:05$/);
    const plain = events();
    display(validateWords, { out: { ...plain.out, isTTY: false }, err: plain.out })(progress);
    expect(plain.written).toEqual([]);
  });

  it("says nothing but warnings when quiet, and one object a line with --json", () => {
    const quiet = events();
    const watch = display(validateWords, { quiet: true, out: quiet.out, err: quiet.out });
    watch(progress);
    watch({ event: "end", folder: "f", page: "p", record: validation() });
    watch({ event: "warning", message: "beware" });
    expect(quiet.written).toEqual([expect.stringMatching(/warning.*beware\n$/)]);
    const json = events();
    display(validateWords, { json: true, out: json.out, err: json.out })(progress);
    expect(json.written.map((line) => JSON.parse(line))).toEqual([progress]);
  });
});
