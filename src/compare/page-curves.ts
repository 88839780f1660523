/** The curves and bars of compare.html: all variants in each chart, the first one as a broad band under the others. */

import { type Bar, barChart } from "../page/bars.ts";
import type { Look } from "../page/charts.ts";
import { SERIES_COLOURS, seriesTone, type Tone } from "../page/colours.ts";
import { figure, type Key } from "../page/html.ts";
import { columnFigures, followed } from "../page/run-figures.ts";
import { isComoving } from "../page/units.ts";
import type { ComparePage, CompareVariant } from "./record.ts";
import { MEMORY, type Measure, STEP, stageMeasures } from "./table.ts";

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
export function curves({
  comparison: { variants, timeUnit, conserved, field },
  units,
  boundary,
}: ComparePage): string[] {
  const drawn = ({ rows }: CompareVariant) => rows.length > 1;
  const runs = variants.flatMap((variant, i) => (drawn(variant) ? followed(variant.rows, { look: look(i) }) : []));
  if (runs.length === 0) return [];
  const comoving = isComoving(timeUnit);
  return columnFigures({
    runs,
    units,
    boundary,
    ...{ comoving, conserved, field },
    keys: keysOf(variants, drawn),
    whose: ", a curve a variant",
  });
}

/** Characters that every chart of bars leaves for names, so that charts below each other line up. */
const LEAST_NAME = 9;

/** Time per stage in groups of variants; wall time a step and memory; none where nothing was measured. */
export function costs({ comparison: { variants, backend } }: ComparePage): string[] {
  const group = ({ value, written }: Measure, label: string) => ({
    label,
    bars: variants.flatMap((variant, i): Bar[] => {
      const found = value(variant) ?? undefined;
      return found === undefined ? [] : [{ value: found, text: written.onPage(found), tone: look(i).tone }];
    }),
  });
  const bars = (title: string, about: string, groups: ReturnType<typeof group>[], keys: Key[] = []) => {
    const svg = barChart({ description: `${title}, a bar a variant`, groups, leastName: LEAST_NAME });
    return figure({ title, about, svg, keys });
  };
  const solid = (index: number) => ({ tone: look(index).tone });
  const stages = stageMeasures(variants).map((stage) => group(stage, stage.name));
  const staged = keysOf(variants, ({ stages }) => stages.length > 0, solid);
  const measured = keysOf(variants, ({ millisecondsPerStep }) => millisecondsPerStep !== null, solid);
  const step = bars("A whole step", "", [group(STEP, "wall time")], measured);
  const where = backend === "webgpu" ? "on the GPU" : "of the CPU pipeline";
  const memory = bars("Memory", `held ${where}`, [group(MEMORY, "memory")]);
  return [
    ...(stages.length > 0 ? [bars("Time per stage of a step", "", stages, staged)] : []),
    ...(measured.length > 0 ? [`<div class="stack">${step}${memory}</div>`] : []),
  ];
}
