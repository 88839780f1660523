/** Axes of charts: ticks that can be read off, and equal lengths where both axes are lengths. */
import { describe, expect, it } from "vitest";
import { axisScale } from "../../src/run/page/axes.ts";
import { lineChart, type Points } from "../../src/run/page/charts.ts";
import { pixelsPerUnit } from "../support/chart.ts";

const texts = (values: number[]) =>
  axisScale({ label: "r", scale: "log" }, values, [210, 26], 4, false).ticks.map(({ text }) => text);

describe("a logarithmic axis", () => {
  it("has ticks of 1, 2, 5 over a decade, and numbers at equal steps over less", () => {
    expect(texts([0.9, 30])).toEqual(["1", "2", "5", "10", "20"]);
    expect(texts([4.5, 6.2])).toEqual(["4", "5", "6", "7"]);
    expect(texts([6, 15])).toEqual(["6", "8", "10", "12", "14", "16"]);
    expect(texts([1.01, 1.02])).toEqual(["0.9", "1.0", "1.1"]);
  });

  it("has three ticks at least, whatever it spans", () => {
    for (const least of [1e-7, 3e-4, 0.037, 0.99, 4.4, 870, 2.2e6]) {
      for (let span = 1.001; span < 1e8; span *= 1.09) {
        const { ticks, scale } = axisScale({ label: "r", scale: "log" }, [least, least * span], [0, 1], 4, false);
        const places = ticks.map(({ at }) => scale(at));
        expect(places.length, `${least} to ${least * span}`).toBeGreaterThanOrEqual(3);
        expect(places.length).toBeLessThan(14);
        for (const place of places) expect(place >= -1e-9 && place <= 1 + 1e-9).toBe(true);
        expect(new Set(ticks.map(({ text }) => text)).size, ticks.map(({ text }) => text).join()).toBe(ticks.length);
      }
    }
  });
});

describe("a chart of equal lengths", () => {
  it.each([
    [
      [-3, 3],
      [-3, 3],
    ],
    [
      [0, 10],
      [-2, 2],
    ],
    [
      [-25, 25],
      [-12_000, 12_000],
    ],
    [
      [-1e-3, 1e-3],
      [-5e-4, 5e-4],
    ],
  ] as [[number, number], [number, number]][])("has them across %s and up %s", (across, up) => {
    const points: Points = [
      [across[0], up[0]],
      [across[1], up[1]],
    ];
    const svg = String(
      lineChart({
        ...{ description: "", series: [{ points }], equal: true },
        ...{ x: { label: "x", domain: across }, y: { label: "y", domain: up } },
      }),
    );
    const [x, y] = pixelsPerUnit(svg, points);
    expect(y / x).toBeCloseTo(1, 2);
  });
});
