/** The building blocks of a page: tiles of numbers, tables, figures with legends, lists. Text is escaped here. */
import { type Look, swatch } from "./charts.ts";
import { cssColour, type Tone } from "./colours.ts";
import { escapeHtml } from "./escape.ts";
import { MISSING, shortNumber } from "./numbers.ts";
import { type UnitLabels, withUnit } from "./units.ts";

export interface Tile {
  label: string;
  value: string;
  /** A line below it. */
  more?: string;
  /** Two columns, for text. */
  wide?: boolean;
}

/** Key numbers in a row. */
export function tiles(list: readonly Tile[]): string {
  const one = ({ label, value, more, wide }: Tile) =>
    `<div${wide ? ' class="wide"' : ""}><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
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
  /** A smaller line below the name. */
  where?: string;
  /** One of several that belong to the row before. */
  part?: boolean;
  /** Null where nothing was measured. */
  cells: readonly (string | null)[];
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

/** A table that scrolls sideways where the page is too narrow. */
export function table({ heads, groups, worded, note }: HtmlTable): string {
  const head = (one: HtmlTable["heads"][number]) => {
    if (one === "") return "<th></th>";
    if (typeof one === "string") return `<th scope="col">${escapeHtml(one)}</th>`;
    return `<th scope="col"><i style="background:${cssColour(one.tone)}"></i>${escapeHtml(one.text)}</th>`;
  };
  const row = ({ name, where, part, cells }: TableRow) =>
    `<tr><th scope="row"${part ? ' class="part"' : ""}>${escapeHtml(name)}${where ? `<small>${escapeHtml(where)}</small>` : ""}</th>` +
    `${cells.map((cell) => `<td>${escapeHtml(cell ?? MISSING)}</td>`).join("")}</tr>`;
  const bodies = groups.map(({ title, rows }) => {
    const above = title && `<tr><th scope="rowgroup" colspan="${heads.length}">${escapeHtml(title)}</th></tr>`;
    return `<tbody>${above ?? ""}${rows.map(row).join("")}</tbody>`;
  });
  const kind = worded ? ' class="worded"' : "";
  return (
    `<div class="scroll"><table${kind}><thead><tr>${heads.map(head).join("")}</tr></thead>${bodies.join("")}</table></div>` +
    noteText(note)
  );
}

/** A paragraph in small print; nothing without text. */
export function noteText(text: string | undefined): string {
  return text ? `<p class="note">${escapeHtml(text)}</p>` : "";
}

/** An entry of a chart's legend. */
export interface Key extends Look {
  text: string;
}

export interface Figure {
  title: string;
  /** Below the title: a legend, or else a few words. */
  keys?: readonly Key[];
  about?: string;
  svg: string;
  /** Below the chart. */
  note?: string;
}

/** A chart with its title, and a legend or a few words about it. */
export function figure({ title, keys = [], about = "", svg, note }: Figure): string {
  const key = (one: Key) => `<span class="key">${swatch(one)}${escapeHtml(one.text)}</span>`;
  const more = keys.length > 0 ? keys.map(key).join("") : escapeHtml(about);
  return `<figure><figcaption><b>${escapeHtml(title)}</b>${more}</figcaption>${svg}${noteText(note)}</figure>`;
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

/** A deck to unfold. */
export function deckDetails(summary: string, deck: string): string {
  return `<details><summary>${escapeHtml(summary)}</summary><pre>${escapeHtml(deck)}</pre></details>`;
}
