/** The curves and bars of compare.html: all variants in each chart, the first one as a broad band under the others. */
import { scaleLinear } from "d3-scale";
import { type ChartSeries, escapeHtml, lineChart, shortNumber, type Tone } from "../page/charts.ts";
import { unit } from "../page/report-model.ts";
import { chartFigure, type Key } from "../run/report/curves.ts";
import type { ComparePage, CompareRow, CompareVariant } from "./page-model.ts";

/** Colours besides the first variant's; beyond them they return, dashed. */
export const VARIANT_COLOURS = 7;

/** How variant `index` is drawn. */
export function style(index: number): { tone: Tone; dashed?: boolean; band?: boolean } {
  if (index === 0) return { tone: "v0", band: true };
  const turn = Math.floor((index - 1) / VARIANT_COLOURS);
  return { tone: `v${1 + ((index - 1) % VARIANT_COLOURS)}`, ...(turn % 2 === 1 && { dashed: true }) };
}

function keysOf(variants: readonly CompareVariant[], shown: (variant: CompareVariant) => boolean): Key[] {
  return variants.flatMap((variant, i) => (shown(variant) ? { ...style(i), text: variant.label } : []));
}

/** LAGRANGIAN_FRACTIONS that are drawn, by index. */
const RADII = [
  { index: 1, label: "10 %" },
  { index: 3, label: "50 %" },
  { index: 5, label: "90 %" },
];

/** Energy, momentum, virial ratio, Lagrangian radii; none without curves. */
export function curves({ comparison: { variants }, units, boundary }: ComparePage): string[] {
  const drawn = ({ rows }: CompareVariant) => rows.length > 1;
  if (!variants.some(drawn)) return [];
  const x = { label: `Time${unit(units.time)}` };
  const points = (variant: CompareVariant, value: (row: CompareRow) => number): ChartSeries["points"] =>
    variant.rows.map((row) => [row.time * units.timeFactor, value(row)]);
  const series = (value: (row: CompareRow) => number): ChartSeries[] =>
    variants.flatMap((variant, i) => (drawn(variant) ? { points: points(variant, value), ...style(i) } : []));
  const keys = keysOf(variants, drawn);
  const figures = [
    chartFigure(
      "Energy",
      "",
      lineChart({
        description: "Relative energy error against time, a curve a variant",
        x,
        y: { label: "(E − E₀) / |E₀|" },
        series: series((row) => row.energyError),
        rules: [{ at: 0 }],
      }),
      keys,
    ),
    chartFigure(
      "Momentum",
      "",
      lineChart({
        description: "Momentum drift against time, a curve a variant",
        x,
        y: { label: "|p − p₀| / √(2 M K₀)", domain: [0, 0] },
        series: series((row) => row.momentumError),
      }),
      keys,
    ),
    chartFigure(
      "Virial ratio",
      "",
      lineChart({
        description: "Virial ratio against time, a curve a variant",
        x,
        y: { label: "2K / |V|", domain: [0.95, 1.05] },
        series: series((row) => row.virialRatio),
        rules: [{ at: 1 }],
      }),
      keys,
    ),
  ];
  if (boundary === "periodic") return figures;
  const radii = RADII.flatMap(({ index, label }) =>
    series((row) => row.lagrangianRadii[index]).map((one, i) => (i === 0 ? { ...one, label } : one)),
  );
  figures.push(
    chartFigure(
      "Lagrangian radii",
      "",
      lineChart({
        description: "Radii that hold 10, 50 and 90 % of the mass against time, curves for each variant",
        x,
        y: { label: `Radius${unit(units.length)}`, scale: "log" },
        series: radii,
      }),
      keys,
    ),
  );
  return figures;
}

interface Bar {
  value: number;
  text: string;
  index: number;
}

const ROW = 17;
const GAP = 11;
const WIDTH = 400;
const CHARACTER = 6;
/** Characters that every chart leaves for names, so that charts below each other line up. */
const LEAST_NAME = 9;

/** Bars in groups, one bar a variant in each. */
export function groupedBars(description: string, groups: readonly { label: string; bars: readonly Bar[] }[]): string {
  const names = Math.max(LEAST_NAME, ...groups.map(({ label }) => label.length)) * CHARACTER + 12;
  const all = groups.flatMap(({ bars }) => bars);
  const texts = Math.max(...all.map(({ text }) => [...text].length)) * CHARACTER + 8;
  const most = Math.max(...all.map(({ value }) => value));
  const length = scaleLinear([0, most || 1], [0, WIDTH - names - texts]);
  let y = 0;
  const parts = groups.map(({ label, bars }) => {
    const top = y;
    y += bars.length * ROW + GAP;
    const middle = top + (bars.length * ROW) / 2;
    const drawn = bars.map(({ value, text, index }, i) => {
      const at = top + i * ROW + ROW / 2;
      const end = Math.max(1, length(value));
      return (
        `<rect class="b-${style(index).tone}" x="${names}" y="${at - 5.5}" width="${end.toFixed(2)}" height="11" rx="1.5"/>` +
        `<text x="${(names + end + 6).toFixed(2)}" y="${at}" dy=".35em">${escapeHtml(text)}</text>`
      );
    });
    return `<text class="name" x="${names - 8}" y="${middle}" dy=".35em" text-anchor="end">${escapeHtml(label)}</text>${drawn.join("")}`;
  });
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${y - GAP + 4}" role="img" aria-label="${escapeHtml(description)}">${parts.join("")}</svg>`;
}

/** Time per stage in groups of variants; wall time a step and memory; none where nothing was measured. */
export function costs({ comparison: { variants, backend } }: ComparePage): string[] {
  const bars = (value: (variant: CompareVariant) => number | null | undefined, text: (value: number) => string) =>
    variants.flatMap((variant, index) => {
      const found = value(variant);
      return found === null || found === undefined ? [] : { value: found, text: text(found), index };
    });
  const time = (ms: number) => `${shortNumber(ms)} ms`;
  const stages = [...new Set(variants.flatMap((variant) => variant.stages.map(({ stage }) => stage)))]
    .map((label) => ({
      label,
      bars: bars(({ stages }) => stages.find(({ stage }) => stage === label)?.millisecondsPerStep, time),
    }))
    .filter((group) => group.bars.length > 0);
  const keys = (shown: (variant: CompareVariant) => boolean) =>
    keysOf(variants, shown).map(({ tone, text }) => ({ tone, text }));
  const figures: string[] = [];
  if (stages.length > 0) {
    figures.push(
      chartFigure(
        "Time per stage of a step",
        "",
        groupedBars("Time per stage of a step, a bar a variant", stages),
        keys((variant) => variant.stages.length > 0),
      ),
    );
  }
  const measured = (variant: CompareVariant) => variant.millisecondsPerStep !== null;
  if (variants.some(measured)) {
    const step = { label: "wall time", bars: bars(({ millisecondsPerStep }) => millisecondsPerStep, time) };
    const mebibytes = (bytes: number) => `${shortNumber(bytes / 2 ** 20)} MiB`;
    const memory = { label: "memory", bars: bars(({ memoryBytes }) => memoryBytes, mebibytes) };
    const where = backend === "webgpu" ? "on the GPU" : "of the CPU pipeline";
    const wall = groupedBars("Wall time of a step, a bar a variant", [step]);
    const held = groupedBars("Memory held, a bar a variant", [memory]);
    const stack = [chartFigure("A whole step", "", wall, keys(measured)), chartFigure("Memory", `held ${where}`, held)];
    figures.push(`<div class="stack">${stack.join("")}</div>`);
  }
  return figures;
}
