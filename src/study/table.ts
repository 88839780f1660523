/** Quantities and what is made of them: a table on the terminal and on a page, a paper's figures beside ours. */
import { htmlTable, type TableRow } from "../run/page/html.ts";
import { html, type Markup } from "../run/page/markup.ts";
import { MISSING, maybe, plainNumber } from "../run/page/numbers.ts";
import { textTable } from "../run/page/text.ts";

export type Maybe = number | undefined;

/** Numbers over `X`, by default numbers of particles: ours, or the paper's. */
export interface Quantity<X = number> {
  /** Head of its column or row. */
  label: string;
  /** The same on a page, which has more room, and in CSV. */
  name?: string;
  column?: string;
  /** undefined or null where it wasn't measured or isn't printed. */
  of: (x: X) => Maybe | null;
  /** How a table writes it; three significant digits by default. On a page `onPage`, where that is another. */
  text?: (value: number, x: X) => string;
  onPage?: (value: number) => string;
  /** From the paper: by itself, or beside one of ours. */
  paper?: true | Quantity<X>;
}

/** A quantity by its label. */
export const quantity = <X = number>(
  label: string,
  of: Quantity<X>["of"],
  more: Omit<Quantity<X>, "label" | "of"> = {},
): Quantity<X> => ({ label, of, ...more });

/** To three significant digits. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

/** One over the other. */
export function ratio(above: Maybe, below: Maybe): Maybe {
  return above === undefined || below === undefined || below === 0 ? undefined : above / below;
}

/** The first cell of a row names it; null where nothing was measured. */
export interface StudyTable {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly (string | null)[])[];
  note?: string;
}

function cell<X>({ of, text = plainNumber }: Quantity<X>, x: X): string | null {
  const value = of(x);
  return value === undefined || value === null ? null : text(value, x);
}

/** Quantities as columns of a table, a row for each of `over`. */
export function tableColumns<X>(quantities: readonly Quantity<X>[], over: readonly X[], name: (x: X) => string) {
  return {
    columns: ["", ...quantities.map(({ label }) => label)],
    rows: over.map((x) => [name(x), ...quantities.map((one) => cell(one, x))]),
  };
}

/** A quantity as a row of a page's table, a cell for each of `over`. */
export function tableRow<X>({ name, label, of, onPage = plainNumber }: Quantity<X>, over: readonly X[]): TableRow {
  return { name: name ?? label, cells: over.map((x) => maybe(of(x), onPage)) };
}

/** `title` may be "", and the table then stands by itself. */
export function tableText({ title, columns, rows, note }: StudyTable): string {
  const shown = rows.map((row) => row.map((cell) => cell ?? MISSING));
  return [...(title ? [title] : []), textTable(columns, shown), ...(note ? [`  ${note}`] : [])].join("\n");
}

export function tableHtml({ title, columns, rows, note }: StudyTable): Markup {
  const named = rows.map(([name, ...cells]) => ({ name: name ?? "", cells }));
  const content = htmlTable({ heads: columns, groups: [{ rows: named }], ...(note && { note }) });
  return title ? html`<h3>${title}</h3>${content}` : content;
}

/** A table of quantities, unless nothing of ours is in it, and the paper's figures beside ours where they are asked for. */
export interface TableView<X> {
  title: string;
  /** The unit of the table and of the published figures: "ms"; without for pure numbers. */
  unit?: string;
  /** Where the paper has it: "table 2", "figure 3". */
  where: string;
  /** The columns where it is written `across`, else the rows, of which those without anything of ours are left out. */
  over: readonly X[];
  across?: boolean;
  /** Head of the column of names. */
  corner?: string;
  /** The name of a row or column: String by default. */
  name?: (x: X) => string;
  quantities: readonly Quantity<X>[];
  note?: string;
  /** Names the published figures: those of the paper's quantities that stand beside ours. */
  published?: (x: X, ours: Quantity<X>, paper: Quantity<X>) => string;
}

/** What is shown of results. */
export interface Views {
  comparison: ComparisonRow[];
  tables: StudyTable[];
}

export function view<X>(spec: TableView<X>): Views {
  const { title, unit, where, over, across = false, corner = "", name = String, quantities, note, published } = spec;
  const measured = over.filter((x) => quantities.some(({ of, paper }) => !paper && of(x) !== undefined));
  const upright = tableColumns(quantities, measured, name);
  const columns = [corner, ...(across ? over.map(name) : upright.columns.slice(1))];
  const rows = across ? quantities.map((one) => [one.label, ...over.map((x) => cell(one, x))]) : upright.rows;
  const heading = `${title}${unit ? ` [${unit}]` : ""} (${where})`;
  const table = { title: heading, columns, rows, ...(note !== undefined && { note }) };
  const printed = quantities.flatMap((one) =>
    over.flatMap((x): PublishedRow[] => {
      const [{ paper: ours }, value] = [one, one.of(x)];
      if (!published || typeof ours !== "object" || typeof value !== "number") return [];
      return [[published(x, ours, one), value, ours.of(x) ?? undefined]];
    }),
  );
  return { tables: measured.length > 0 ? [table] : [], comparison: beside({ where, unit }, printed) };
}

/** Several views, in this order. */
export const together = (views: readonly Views[]): Views => ({
  tables: views.flatMap(({ tables }) => tables),
  comparison: views.flatMap(({ comparison }) => comparison),
});

/** A figure as a paper prints it: a number, a range, or a bound. */
export type PublishedValue = number | readonly [number, number] | { atLeast: number } | { atMost: number };

/** A published figure beside ours. */
export interface ComparisonRow {
  /** What it is of: "step at 128³, full GPU, FFT". */
  quantity: string;
  /** "ms", "Gflop/s"; "" for pure numbers. */
  unit: string;
  /** Where the paper has it: "table 2", "section 3.2". */
  where: string;
  published: PublishedValue;
  /** null where it wasn't measured. */
  ours: number | null;
  /** Ours over the published one; over the nearer end of a range that it lies outside of, 1 within. */
  ratio: number | null;
}

/** What a published figure is of, the figure as printed, and ours; undefined where it wasn't measured. */
export type PublishedRow = readonly [quantity: string, value: PublishedValue, ours: Maybe];

/** Figures of one place in the paper beside ours. */
export function beside(
  { where, unit = "" }: { where: string; unit?: string | undefined },
  rows: readonly PublishedRow[],
): ComparisonRow[] {
  return rows.map(([quantity, published, found]) => {
    const ours = found !== undefined && Number.isFinite(found) ? found : null;
    return { quantity, unit, where, published, ours, ratio: ours === null ? null : ratioTo(published, ours) };
  });
}

/** The least and the greatest value that the paper's figure stands for. */
function rangeOf(value: PublishedValue): readonly [low: number, high: number] {
  if (typeof value === "number") return [value, value];
  if ("atLeast" in value) return [value.atLeast, Number.POSITIVE_INFINITY];
  return "atMost" in value ? [0, value.atMost] : value;
}

/** "1.6 to 11.5", "at least 40". */
export function publishedText(value: PublishedValue, text: (value: number) => string = String): string {
  const [low, high] = rangeOf(value).map((one) => text(one));
  if (typeof value === "number") return low;
  return "atLeast" in value ? `at least ${low}` : "atMost" in value ? `at most ${high}` : `${low} to ${high}`;
}

/** Ours over the published value; 1 inside a range or on the right side of a bound. */
export function ratioTo(published: PublishedValue, ours: number): number {
  const [low, high] = rangeOf(published);
  return ours < low ? ours / low : ours > high ? ours / high : 1;
}
