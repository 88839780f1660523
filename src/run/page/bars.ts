/** Horizontal bars as static SVG, in groups that each have a name. */
import { scaleLinear } from "d3-scale";
import { coordinate } from "./charts.ts";
import type { Tone } from "./colours.ts";
import { html, type Markup } from "./markup.ts";

export interface Bar {
  value: number;
  /** Stands behind the bar. */
  text: string;
  tone?: Tone;
}

export interface BarChart {
  /** One sentence for a reader who cannot see the chart. */
  description: string;
  groups: readonly { label: string; bars: readonly Bar[] }[];
  /** Characters that the chart leaves for names at least, so that charts below each other line up. */
  leastName?: number;
}

const WIDTH = 400;
const CHARACTER = 6;
const ROW = 17;
/** Between groups: of single bars, and of several. */
const GAP = { single: 5, several: 11 };

export function barChart({ description, groups, leastName = 0 }: BarChart): Markup {
  const all = groups.flatMap(({ bars }) => bars);
  const names = Math.max(leastName, ...groups.map(({ label }) => [...label].length)) * CHARACTER + 12;
  const texts = Math.max(0, ...all.map(({ text }) => [...text].length)) * CHARACTER + 8;
  const most = Math.max(0, ...all.map(({ value }) => value));
  const length = scaleLinear([0, most || 1], [0, Math.max(20, WIDTH - names - texts)]);
  const gap = groups.some(({ bars }) => bars.length > 1) ? GAP.several : GAP.single;
  let y = 0;
  const parts = groups.map(({ label, bars }) => {
    const middle = y + (bars.length * ROW) / 2;
    const drawn = bars.map(({ value, text, tone = "accent" }, i) => {
      const at = y + i * ROW + ROW / 2;
      const end = Math.max(1, length(value));
      const bar = html`<rect class="bar f-${tone}" x="${names}" y="${at - 5.5}" width="${coordinate(end)}" height="11" rx="1.5"/>`;
      return html`${bar}<text x="${coordinate(names + end + 6)}" y="${at}" dy=".35em">${text}</text>`;
    });
    y += bars.length * ROW + gap;
    return html`<text class="name" x="${names - 8}" y="${middle}" dy=".35em" text-anchor="end">${label}</text>${drawn}`;
  });
  const height = Math.max(1, y - gap + 4);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${description}">${parts}</svg>`;
}
