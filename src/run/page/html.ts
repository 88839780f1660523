/** The building blocks of a page: tiles of numbers, tables, figures with legends, lists. */
import { type LineChart, type LineStyle, lineChart, swatch } from "./charts.ts";
import { cssColour, type Tone } from "./colours.ts";
import type { Concern } from "./concern.ts";
import { html, type Markup, nothing } from "./markup.ts";
import { MISSING, shortNumber } from "./numbers.ts";
import { type UnitLabels, withUnit } from "./units.ts";

export interface Tile {
  label: string;
  value: string;
  /** A line below it. */
  more?: string;
  wide?: boolean;
  /** Stands out: something is wrong with it. The text says so, too. */
  concern?: Concern | undefined;
}

export function tiles(list: readonly Tile[]): Markup {
  const one = ({ label, value, more, wide, concern }: Tile) => {
    const kind = wide ? "wide" : concern;
    return html`<div${kind && html` class="${kind}"`}><dt>${label}</dt><dd>${value}${more && html`<small>${more}</small>`}</dd></div>`;
  };
  return html`<dl class="numbers">${list.map(one)}</dl>`;
}

/** The tile that says what it was computed on. */
export function computedOn(backend: string, adapter: string): Tile {
  return { label: backend === "cpu" ? "Processor" : "Adapter", value: adapter, wide: true };
}

/** The tile of the mesh and its box; `side` [length]. */
export function meshTile(cells: string, boundary: string, side: number, { length }: UnitLabels): Tile {
  return { label: "Mesh", value: cells, more: `${boundary}, side ${withUnit(shortNumber(side), length)}` };
}

export interface TableRow {
  name: string;
  /** What the name leads to. */
  href?: string | undefined;
  /** A smaller line below the name. */
  where?: string;
  /** One of several that belong to the row before. */
  part?: boolean;
  /** Null where nothing was measured. */
  cells: readonly (string | null)[];
  /** How much of a colour is behind each cell, 0 … 1; null for none. */
  shades?: readonly (number | null)[] | undefined;
}

export interface HtmlTable {
  /** The first is above the names; a tone is shown as a square. */
  heads: readonly (string | { text: string; tone: Tone })[];
  /** Rows, or groups of them under a title. */
  groups: readonly { title?: string; rows: readonly TableRow[] }[];
  /** The rows' names are phrases, which may be broken across lines. */
  worded?: boolean;
  note?: string;
}

/** How the style sheet sets a table: width of a character, space before a column, what there is room for [CSS pixel]. */
const PHONE = { character: 7.2, gap: 16, room: 368, wraps: true };
const DESK = { character: 7.8, gap: 28, room: 1040, wraps: false };
/** Characters of a name that are kept on one line on a phone, where words allow it. */
const LEAST_NAME = 14;

const longestWord = (text: string) => Math.max(0, ...text.split(" ").map((word) => word.length));

/** Whether the table is wider than the screen. */
function overflows({ heads, groups, worded = false }: HtmlTable, screen: typeof PHONE): boolean {
  const rows = groups.flatMap(({ rows }) => rows);
  const { character, gap, room, wraps } = screen;
  const name = (text: string) =>
    worded || wraps ? Math.max(longestWord(text), Math.min(LEAST_NAME, text.length)) : text.length;
  const head = (text: string) => (wraps ? longestWord(text) : text.length);
  const characters = heads.map((one, c) =>
    Math.max(
      head(typeof one === "string" ? one : `${one.text}  `),
      ...rows.map((row) => (c === 0 ? name(row.name) : (row.cells[c - 1] ?? "").length)),
    ),
  );
  const width = characters.reduce((sum, count) => sum + count * character, 0) + gap * (heads.length - 1);
  return width > room;
}

/**
 * A table. One that is too wide for a narrow screen is shown there as a list, a row's cells below its name, each after
 * the head of its column; one that is too wide for any scrolls, and says so.
 */
export function htmlTable(content: HtmlTable): Markup {
  const { heads, groups, worded, note } = content;
  const stacks = overflows(content, PHONE);
  const head = (one: HtmlTable["heads"][number]) => {
    if (one === "") return html`<th></th>`;
    if (typeof one === "string") return html`<th scope="col">${one}</th>`;
    return html`<th scope="col"><i style="background:${cssColour(one.tone)}"></i>${one.text}</th>`;
  };
  const row = ({ name, href, where, part, cells, shades }: TableRow) => {
    const named = href ? html`<a href="${href}">${name}</a>` : name;
    const below = where && html`<small>${where}</small>`;
    const shown = cells.map((cell, c) => {
      const about = html`${stacks && headOf(heads[c + 1])}${shadeOf(shades?.[c])}`;
      return html`<td${about}>${cell ?? MISSING}</td>`;
    });
    return html`<tr><th scope="row"${part && html` class="part"`}>${named}${below}</th>${shown}</tr>`;
  };
  const bodies = groups.map(({ title, rows }) => {
    const above = title && html`<tr><th scope="rowgroup" colspan="${heads.length}">${title}</th></tr>`;
    return html`<tbody>${above}${rows.map(row)}</tbody>`;
  });
  const kinds = [worded && "worded", stacks && "stacks"].filter(Boolean).join(" ");
  const kind = kinds && html` class="${kinds}"`;
  const wide = overflows(content, DESK) && html`<p class="note sideways">Wider than the page: scroll sideways →</p>`;
  return html`${wide}<div class="scroll"><table${kind}><thead><tr>${heads.map(head)}</tr></thead>${bodies}</table></div>${noteText(note)}`;
}

/** At most so much of the colour, so that the text stays readable [%]. */
const DEEPEST_SHADE = 55;

function shadeOf(shade: number | null | undefined): Markup | false {
  return typeof shade === "number" && html` class="shaded" style="--shaded:${Math.round(DEEPEST_SHADE * shade)}%"`;
}

/** What the style sheet shows before a cell of a list: the head of its column. */
function headOf(head: HtmlTable["heads"][number] | undefined): Markup {
  if (head === undefined || head === "") return nothing;
  if (typeof head === "string") return html` data-head="${head}"`;
  return html` data-head="${head.text}" style="--tone:${cssColour(head.tone)}"`;
}

/** A paragraph in small print; nothing without text. */
export function noteText(text: string | undefined): Markup {
  return text ? html`<p class="note">${text}</p>` : nothing;
}

export interface LegendKey extends LineStyle {
  text: string;
}

export interface Figure {
  title: string;
  /** Below the title: a legend, or else a few words. */
  keys?: readonly LegendKey[] | undefined;
  about?: string | undefined;
  svg: Markup;
  /** Below the chart. */
  note?: string | undefined;
}

/** A chart with its title, and a legend or a few words about it. */
export function figure({ title, keys = [], about = "", svg, note }: Figure): Markup {
  const key = (one: LegendKey) => html`<span class="key">${swatch(one)}${one.text}</span>`;
  const more = keys.length > 0 ? keys.map(key) : about;
  return html`<figure><figcaption><b>${title}</b>${more}</figcaption>${svg}${noteText(note)}</figure>`;
}

/** A chart of lines as a figure. */
export function lineFigure({ title, keys, about, note, ...chart }: Omit<Figure, "svg"> & LineChart): Markup {
  return figure({ title, keys, about, note, svg: lineChart(chart) });
}

/** Figures in columns; nothing without any. */
export function charts(figures: readonly Markup[]): Markup {
  return figures.length === 0 ? nothing : html`<div class="charts">${figures}</div>`;
}

/** A section under a heading; nothing when it would be empty. */
export function section(title: string, ...parts: readonly Markup[]): Markup {
  const content = html`${parts}`;
  return content.isEmpty ? content : html`<h2>${title}</h2>${content}`;
}

/** What a reader has to know, as a section. */
export function remarks(texts: readonly string[]): Markup {
  const items = texts.map((text) => html`<li>${text}</li>`);
  return items.length === 0 ? nothing : section("To know", html`<ul class="remarks">${items}</ul>`);
}

/** What came out, in a sentence each. */
export function inShort(sentences: readonly { text: Markup | string; tone?: Tone }[]): Markup {
  const item = ({ text, tone }: (typeof sentences)[number]) =>
    html`<li${tone && html` style="--v:${cssColour(tone)}"`}>${text}</li>`;
  return sentences.length === 0 ? nothing : html`<ul class="short">${sentences.map(item)}</ul>`;
}

/** Something long to unfold. */
export function unfolded(summary: string, content: Markup): Markup {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}

export function deckDetails(summary: string, deck: string): Markup {
  return unfolded(summary, html`<pre>${deck}</pre>`);
}
