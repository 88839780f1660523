/** What pages are made of: tables on narrow screens, numbers in one piece, colours of times, strips, marks, units. */
import { describe, expect, it } from "vitest";
import { lineChart } from "../../src/run/page/charts.ts";
import { COLOUR_CSS, TIME_COLOURS, timeTone } from "../../src/run/page/colours.ts";
import { concernOf, energyErrorInTerminal, energyErrorOnPage } from "../../src/run/page/concern.ts";
import { htmlTable, remarks, section, tiles } from "../../src/run/page/html.ts";
import { html } from "../../src/run/page/markup.ts";
import {
  inCells,
  inMilliseconds,
  large,
  mebibytes,
  percentage,
  shortNumber,
  thinGrouped,
} from "../../src/run/page/numbers.ts";
import { fittedStrips } from "../../src/run/page/pictures.ts";
import { pageHtml } from "../../src/run/page/shell.ts";
import { PAGE_CSS } from "../../src/run/page/style.ts";
import { densityUnit, unitLabels, volumeUnit, withUnit } from "../../src/run/page/units.ts";

describe("markup", () => {
  const HOSTILE = `<img src=x onerror="alert(1)">'&`;
  const SAFE = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;";

  it("is made of templates alone, in which all the rest is text", () => {
    expect(String(html`<b title="${HOSTILE}">${[HOSTILE, html`<i>${1}</i>`, false, undefined]}</b>`)).toBe(
      `<b title="${SAFE}">${SAFE}<i>1</i></b>`,
    );
    // @ts-expect-error A string isn't markup.
    expect(String(section("A section", "<b>"))).toBe("<h2>A section</h2>&lt;b&gt;");
  });

  it("has the text of every part of a chart as text", () => {
    const axis = { label: HOSTILE, ticks: [0, 1].map((at) => ({ at, text: HOSTILE })) };
    const points = [
      [0, 0],
      [1, 1],
    ] as const;
    const chart = lineChart({
      ...{ description: HOSTILE, x: axis, y: axis, series: [{ points, label: HOSTILE }] },
      ...{ rules: [{ at: 0.5, label: HOSTILE }], uprights: [{ at: 0.5, label: HOSTILE }] },
    });
    expect(String(chart)).not.toContain("<img");
    expect(String(chart).split(SAFE).length - 1).toBe(10);
  });

  it("stands in a page that says that it has no scripts", () => {
    const page = pageHtml({ heading: HOSTILE, lead: HOSTILE, parts: [remarks([HOSTILE])], versions: [HOSTILE] });
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
    );
    expect(page).not.toContain("<img");
  });
});

describe("a table", () => {
  const rows = [{ name: "Potential, rms", cells: ["0.024", "0.051"] }];
  const wide = (columns: number) => ({
    heads: ["", ...Array.from({ length: columns }, (_, i) => ({ text: `variant ${i}`, tone: "v1" as const }))],
    groups: [{ rows: [{ name: "Potential, rms", cells: Array(columns).fill("0.024") }] }],
  });

  it("stays one where a phone can hold it", () => {
    const html = String(htmlTable({ heads: ["", "fft", "multigrid"], groups: [{ rows }] }));
    expect(html).toContain("<table><thead>");
    expect(html).not.toMatch(/data-head|sideways/);
  });

  it("is a list on a phone where it would be cut, each number after the head of its column", () => {
    const html = String(htmlTable(wide(6)));
    expect(html).toContain('<table class="stacks">');
    expect(html).toContain('<td data-head="variant 5" style="--tone:var(--v1)">0.024</td>');
    expect(html).not.toContain("sideways");
    const narrow = /@media screen and \(max-width: 520px\) \{([\s\S]*?)\n\}/.exec(
      PAGE_CSS.slice(PAGE_CSS.indexOf(".sideways")),
    );
    expect(narrow?.[1]).toMatch(/\.stacks td::before \{ content: attr\(data-head\)/);
  });

  it("says that it scrolls where no page can hold it", () => {
    expect(String(htmlTable(wide(15)))).toMatch(/^<p class="note sideways">Wider than the page: scroll sideways/);
  });
});

describe("numbers on a page", () => {
  it("are in one piece", () => {
    const all = [
      ...[thinGrouped(60_000), shortNumber(5e-4), shortNumber(-1.2e9), shortNumber(60_000), large(2.5e6)],
      ...[inCells(0.5), inMilliseconds(12.34), mebibytes(3e8), percentage(0.123), withUnit("3", "10¹⁰\u00a0M☉")],
    ];
    // Lines are broken at a plain space and at a thin one, not at their no-break relatives.
    for (const text of all) expect(text).not.toMatch(/[ \u2009]/);
    expect(all.slice(0, 2)).toEqual(["60\u202f000", "5\u202f×\u202f10⁻⁴"]);
  });

  it("have units that can be read in one way", () => {
    const box = unitLabels("cosmological");
    expect(densityUnit(box, 2)).toBe("(10¹⁰\u00a0M☉/h)/(Mpc/h)²");
    expect(volumeUnit(box)).toBe("(Mpc/h)³");
    expect(densityUnit(unitLabels("galactic"), 3)).toBe("10¹⁰\u00a0M☉/kpc³");
    expect(densityUnit(unitLabels("nbody"), 2)).toBe("mass/length²");
  });
});

describe("an energy error", () => {
  it("of 0.025 doesn't look like one of 1e-5", () => {
    expect([1e-5, -0.025, 0.01, 5, Number.POSITIVE_INFINITY].map((error) => concernOf(error))).toEqual([
      ...[undefined, "large", undefined, "lost", "lost"],
    ]);
    expect([1e-5, 0.025, 4e23].map((error) => energyErrorOnPage(error))).toEqual([
      ...["1\u202f×\u202f10⁻⁵", "⚠\u00a02.5\u00a0%", "⚠\u00a04\u202f×\u202f10²³"],
    ]);
    expect([1e-5, -0.025].map((error) => energyErrorInTerminal(error))).toEqual(["+1.0e-5", "-2.5e-2!"]);
    const html = String(tiles([{ label: "Energy error", value: energyErrorOnPage(0.025), concern: concernOf(0.025) }]));
    expect(html).toContain('<div class="large"><dt>Energy error</dt><dd>⚠\u00a02.5\u00a0%</dd></div>');
  });
});

/** OKLab lightness of "#rrggbb" (Ottosson 2020). */
function lightness(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
}

describe("the colours of times", () => {
  it("are different ones, whatever their number, and the last is always the same", () => {
    for (let count = 1; count <= TIME_COLOURS; count++) {
      const tones = Array.from({ length: count }, (_, i) => timeTone(i, count));
      expect(new Set(tones).size).toBe(count);
      expect(tones.at(-1)).toBe(`t${TIME_COLOURS - 1}`);
      expect(tones).toEqual([...tones].sort());
    }
  });

  it("are in order: each stands out more from the page than the one before", () => {
    const [light, dark] = [...COLOUR_CSS.matchAll(/--page: (#\w{6});.*?(--t0:[^}]*)\}/g)].map(([, page, times]) => {
      const all = [...times.matchAll(/--t\d: (#\w{6})/g)].map(([, hex]) => hex);
      return all.map((hex) => Math.abs(lightness(hex) - lightness(page)));
    });
    for (const steps of [light, dark]) {
      expect(steps).toHaveLength(TIME_COLOURS);
      for (let i = 1; i < steps.length; i++) expect(steps[i] - steps[i - 1]).toBeGreaterThan(0.03);
    }
  });
});

describe("an edge-on strip", () => {
  /** A disk of 40 × 40 pixels about the middle, from edge to edge, that rises by `slope`. */
  function edgeOn(slope: number) {
    const size = 40;
    const values = new Float32Array(size * size);
    for (let x = 0; x < size; x++) values[Math.round(19.5 + slope * (x - 19.5)) * size + x] = 1;
    return { values, width: size, height: size, spanX: 8, spanY: 8, quantum: 0 };
  }
  const total = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0);

  it("is a quarter as high as wide for a thin disk", () => {
    const [strip] = fittedStrips([edgeOn(0)]);
    expect([strip.width, strip.height, strip.spanX, strip.spanY]).toEqual([40, 10, 8, 2]);
    expect(total(strip.values)).toBe(40);
  });

  it("has room for a tilted one, the same for all times", () => {
    const strips = fittedStrips([edgeOn(0), edgeOn(0.6)]);
    expect(strips.map(({ values }) => total(values))).toEqual([40, 40]);
    expect(strips[0].height).toBe(strips[1].height);
    expect(strips[1].height).toBeGreaterThanOrEqual(24);
    expect(strips[1].height).toBeLessThan(32);
    expect(strips[1].spanY / strips[1].height).toBeCloseTo(0.2, 12);
  });

  it("is never more than there is", () => {
    expect(fittedStrips([edgeOn(1)])[0].height).toBe(40);
    expect(fittedStrips([])).toEqual([]);
  });
});

describe("a chart", () => {
  it("names vertical marks above its curves, and draws error bars to the axis", () => {
    const svg = String(
      lineChart({
        description: "",
        x: { label: "M", scale: "log" },
        y: { label: "n", scale: "log" },
        series: [
          {
            ...{ marks: "dot", line: false },
            points: [
              [10, 1e-3],
              [100, 1e-5],
            ],
            errors: [
              [9e-4, 1.1e-3],
              [0, 2e-5],
            ],
          },
        ],
        uprights: [
          { at: 5, label: "20 particles" },
          { at: 50, label: "radius <of> a cell" },
        ],
      }),
    );
    const names = [...svg.matchAll(/<text class="halo" x="[\d.]+" y="([\d.]+)"[^>]*>([^<]*)</g)];
    expect(names.map(([, , name]) => name)).toEqual(["20 particles", "radius &lt;of&gt; a cell"]);
    const grid = [...svg.matchAll(/class="grid"[^>]*y1="([\d.]+)"/g)].map(([, y]) => Number(y));
    for (const [, y] of names) expect(Number(y)).toBeLessThan(Math.min(...grid) - 4);
    const bars = [...svg.matchAll(/class="span s-accent"[^>]*y1="([\d.]+)" y2="([\d.]+)"/g)];
    expect(bars).toHaveLength(2);
    expect(Number(bars[1][1])).toBe(210); // what reaches zero ends at the foot
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});
