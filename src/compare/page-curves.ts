/** The curves and bars of compare.html: all variants in each chart, the first one as a broad band under the others. */

import { type Bar, barChart } from "../page/bars.ts";
import type { Look } from "../page/charts.ts";
import { SERIES_COLOURS, seriesTone, type Tone } from "../page/colours.ts";
import { figure, type Key } from "../page/html.ts";
import { mebibytes, shortNumber } from "../page/numbers.ts";
import { columnFigures } from "../page/run-figures.ts";
import type { ComparePage, CompareVariant } from "./record.ts";
import { stagesOf, stageTime } from "./table.ts";

/** How variant `index` is drawn: when the colours have been used up they return, dashed. */
export function look(index: number): Look & { tone: Tone } {
  if (index === 0) return { tone: "v0", band: true };
  const turn = Math.floor((index - 1) / SERIES_COLOURS);
  return { tone: seriesTone(index - 1), ...(turn % 2 === 1 && { dashed: true }) };
}

/** A legend of the variants `shown`, whose colours alone matter where there are bars. */
function keysOf(variants: readonly CompareVariant[], shown: (variant: CompareVariant) => boolean, of = look): Key[] {
  return variants.flatMap((variant, i) => (shown(variant) ? { ...of(i), text: variant.label } : []));
}

/** Energy, momentum, virial ratio, Lagrangian radii; none without curves. */
export function curves({ comparison: { variants }, units, boundary }: ComparePage): string[] {
  const drawn = ({ rows }: CompareVariant) => rows.length > 1;
  const runs = variants.flatMap(({ rows }, i) =>
    rows.length > 1
      ? { rows: rows.map(({ energyError, ...row }) => ({ ...row, relativeEnergyError: energyError })), look: look(i) }
      : [],
  );
  if (runs.length === 0) return [];
  return columnFigures({ runs, units, boundary, keys: keysOf(variants, drawn), whose: ", a curve a variant" });
}

/** Characters that every chart of bars leaves for names, so that charts below each other line up. */
const LEAST_NAME = 9;

/** Time per stage in groups of variants; wall time a step and memory; none where nothing was measured. */
export function costs({ comparison: { variants, backend } }: ComparePage): string[] {
  const barsOf = (value: (variant: CompareVariant) => number | null | undefined, text: (value: number) => string) =>
    variants.flatMap((variant, i): Bar[] => {
      const found = value(variant);
      return found === null || found === undefined ? [] : [{ value: found, text: text(found), tone: look(i).tone }];
    });
  const bars = (title: string, about: string, groups: { label: string; bars: Bar[] }[], keys: Key[] = []) => {
    const svg = barChart({ description: `${title}, a bar a variant`, groups, leastName: LEAST_NAME });
    return figure({ title, about, svg, keys });
  };
  const solid = (index: number) => ({ tone: look(index).tone });
  const time = (ms: number) => `${shortNumber(ms)} ms`;
  const stages = stagesOf(variants).map((label) => ({
    label,
    bars: barsOf((variant) => stageTime(variant, label), time),
  }));
  const staged = ({ stages }: CompareVariant) => stages.length > 0;
  const measured = (variant: CompareVariant) => variant.millisecondsPerStep !== null;
  const figures =
    stages.length > 0 ? [bars("Time per stage of a step", "", stages, keysOf(variants, staged, solid))] : [];
  if (variants.some(measured)) {
    const step = { label: "wall time", bars: barsOf(({ millisecondsPerStep }) => millisecondsPerStep, time) };
    const memory = { label: "memory", bars: barsOf(({ memoryBytes }) => memoryBytes, mebibytes) };
    const where = backend === "webgpu" ? "on the GPU" : "of the CPU pipeline";
    const stack = [
      bars("A whole step", "", [step], keysOf(variants, measured, solid)),
      bars("Memory", `held ${where}`, [memory]),
    ];
    figures.push(`<div class="stack">${stack.join("")}</div>`);
  }
  return figures;
}
