/** The building blocks of a page: tiles of numbers, tables, figures with legends, lists. Text is escaped here. */
import { type LineChart, type Look, lineChart, swatch } from "./charts.ts";
import { cssColour, type Tone } from "./colours.ts";
import type { Concern } from "./concern.ts";
import { escapeHtml } from "./escape.ts";
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

export function tiles(list: readonly Tile[]): string {
  const one = ({ label, value, more, wide, concern }: Tile) =>
    `<div${wide || concern ? ` class="${wide ? "wide" : concern}"` : ""}><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
  return `<dl class="numbers">${list.map(one).join("")}</dl>`;
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
export function table(content: HtmlTable): string {
  const { heads, groups, worded, note } = content;
  const stacks = overflows(content, PHONE);
  const head = (one: HtmlTable["heads"][number]) => {
    if (one === "") return "<th></th>";
    if (typeof one === "string") return `<th scope="col">${escapeHtml(one)}</th>`;
    return `<th scope="col"><i style="background:${cssColour(one.tone)}"></i>${escapeHtml(one.text)}</th>`;
  };
  const row = ({ name, href, where, part, cells, shades }: TableRow) => {
    const named = href ? `<a href="${escapeHtml(href)}">${escapeHtml(name)}</a>` : escapeHtml(name);
    const below = where ? `<small>${escapeHtml(where)}</small>` : "";
    const shown = cells.map((cell, c) => {
      const about = (stacks ? headOf(heads[c + 1]) : "") + shadeOf(shades?.[c]);
      return `<td${about}>${escapeHtml(cell ?? MISSING)}</td>`;
    });
    return `<tr><th scope="row"${part ? ' class="part"' : ""}>${named}${below}</th>${shown.join("")}</tr>`;
  };
  const bodies = groups.map(({ title, rows }) => {
    const above = title && `<tr><th scope="rowgroup" colspan="${heads.length}">${escapeHtml(title)}</th></tr>`;
    return `<tbody>${above ?? ""}${rows.map(row).join("")}</tbody>`;
  });
  const kinds = [worded && "worded", stacks && "stacks"].filter(Boolean).join(" ");
  const kind = kinds && ` class="${kinds}"`;
  return (
    (overflows(content, DESK) ? '<p class="note sideways">Wider than the page: scroll sideways →</p>' : "") +
    `<div class="scroll"><table${kind}><thead><tr>${heads.map(head).join("")}</tr></thead>${bodies.join("")}</table></div>` +
    noteText(note)
  );
}

/** At most so much of the colour, so that the text stays readable [%]. */
const DEEPEST_SHADE = 55;

function shadeOf(shade: number | null | undefined): string {
  return typeof shade === "number" ? ` class="shaded" style="--shaded:${Math.round(DEEPEST_SHADE * shade)}%"` : "";
}

/** What the style sheet shows before a cell of a list: the head of its column. */
function headOf(head: HtmlTable["heads"][number] | undefined): string {
  if (head === undefined || head === "") return "";
  if (typeof head === "string") return ` data-head="${escapeHtml(head)}"`;
  return ` data-head="${escapeHtml(head.text)}" style="--tone:${cssColour(head.tone)}"`;
}

/** A paragraph in small print; nothing without text. */
export function noteText(text: string | undefined): string {
  return text ? `<p class="note">${escapeHtml(text)}</p>` : "";
}

export interface Key extends Look {
  text: string;
}

export interface Figure {
  title: string;
  /** Below the title: a legend, or else a few words. */
  keys?: readonly Key[] | undefined;
  about?: string | undefined;
  svg: string;
  /** Below the chart. */
  note?: string | undefined;
}

/** A chart with its title, and a legend or a few words about it. */
export function figure({ title, keys = [], about = "", svg, note }: Figure): string {
  const key = (one: Key) => `<span class="key">${swatch(one)}${escapeHtml(one.text)}</span>`;
  const more = keys.length > 0 ? keys.map(key).join("") : escapeHtml(about);
  return `<figure><figcaption><b>${escapeHtml(title)}</b>${more}</figcaption>${svg}${noteText(note)}</figure>`;
}

/** A chart of lines as a figure. */
export function lineFigure({ title, keys, about, note, ...chart }: Omit<Figure, "svg"> & LineChart): string {
  return figure({ title, keys, about, note, svg: lineChart(chart) });
}

/** Figures in columns; nothing without any. */
export function charts(figures: readonly string[]): string {
  return figures.length === 0 ? "" : `<div class="charts">${figures.join("")}</div>`;
}

/** A section under a heading; nothing when it would be empty. */
export function section(title: string, ...parts: readonly string[]): string {
  const content = parts.join("");
  return content === "" ? "" : `<h2>${escapeHtml(title)}</h2>${content}`;
}

/** What a reader has to know, as a section. */
export function remarks(texts: readonly string[]): string {
  const items = texts.map((text) => `<li>${escapeHtml(text)}</li>`);
  return items.length === 0 ? "" : section("To know", `<ul class="remarks">${items.join("")}</ul>`);
}

/** What came out, in a sentence each; `html` is escaped already. */
export function inShort(sentences: readonly { html: string; tone?: Tone }[]): string {
  const item = ({ html, tone }: (typeof sentences)[number]) =>
    `<li${tone ? ` style="--v:${cssColour(tone)}"` : ""}>${html}</li>`;
  return sentences.length === 0 ? "" : `<ul class="short">${sentences.map(item).join("")}</ul>`;
}

/** Something long to unfold; `html` is escaped already. */
export function unfolded(summary: string, html: string): string {
  return `<details><summary>${escapeHtml(summary)}</summary>${html}</details>`;
}

export function deckDetails(summary: string, deck: string): string {
  return unfolded(summary, `<pre>${escapeHtml(deck)}</pre>`);
}
