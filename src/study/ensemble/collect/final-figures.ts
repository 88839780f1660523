/**
 * What members end with, on the page: against each entry of the deck that varies, over chance where seeds alone vary, as a
 * table where two entries vary on a grid.
 */
import { bin, groups } from "d3-array";
import type { ChartAxis } from "../../../run/page/axes.ts";
import type { ChartSeries } from "../../../run/page/charts.ts";
import { htmlTable, type LegendKey, lineFigure, type TableRow } from "../../../run/page/html.ts";
import { type Markup, nothing } from "../../../run/page/markup.ts";
import { shortNumber, thinGrouped } from "../../../run/page/numbers.ts";
import { evenlyPicked } from "../../../run/page/picture-html.ts";
import { unit } from "../../../run/page/units.ts";
import type { VariedValue } from "../ensemble.ts";
import { asNumbers, type Final, type Parameter } from "./finals.ts";
import type { CollectedParts } from "./hdf5.ts";
import { spreadOf } from "./statistics.ts";

/** Quantities that the page draws and lists first, if they differ; the csv has all. */
const SHOWN: readonly { name: string; title: string; inField?: string; label: string; log?: boolean }[] = [
  { name: "largest_energy_error", title: "Largest energy error", label: "|E − E₀| / |E₀|", log: true },
  { name: "energy_error", title: "Residual of the cosmic energy equation at the end", label: "Residual / |aW|" },
  {
    ...{ name: "momentum_error", title: "Momentum drift at the end", label: "|P − P₀| / √(2 K M)", log: true },
    inField: "Momentum changed by external potentials, at the end",
  },
  { name: "virial_ratio", title: "Virial ratio at the end", label: "2K′ / |Σ m a·(x − x̄)|" },
  { name: "r10", title: "Radius of 10 % of the mass at the end", label: "r₁₀" },
  { name: "r50", title: "Radius of half the mass at the end", label: "r₅₀" },
  { name: "outside", title: "Particles outside the mesh at the end", label: "Particles" },
  { name: "kinetic", title: "Kinetic energy at the end", label: "K" },
  { name: "potential", title: "Potential energy at the end", label: "W" },
  { name: "bars.strength", title: "Bar strength at the end", label: "A₂" },
  { name: "bars.patternSpeed", title: "Pattern speed at the end", label: "Ωₚ" },
  { name: "haloes", title: "Haloes at the end", label: "Haloes" },
  { name: "heaviest_halo", title: "Heaviest halo at the end", label: "M" },
  { name: "wall_seconds", title: "Wall time", label: "Wall time" },
];
/** Those without a meaning on the comoving clock, on the static one, and in a periodic box. */
const STATIC = ["virial_ratio", "largest_energy_error"];
const COMOVING = ["energy_error"];
const ISOLATED = ["r10", "r50", "outside"];

const countedOf = <T>({ members }: CollectedParts, values: Iterable<T>): T[] =>
  [...values].filter((_, i) => members[i].counted);

export function shownFinals(page: CollectedParts) {
  const { scenario, comoving, field } = page.shared;
  const meaningless = [...(comoving ? STATIC : COMOVING), ...(scenario?.box.boundary === "periodic" ? ISOLATED : [])];
  return SHOWN.flatMap(({ name, title: plain, inField, label, log = false }) => {
    if (meaningless.includes(name)) return [];
    const title = (field !== "none" && inField) || plain;
    const final = page.finals.find((one) => one.name === name);
    return final && countedOf(page, final.values).some(Number.isFinite) ? [{ final, title, label, log }] : [];
  });
}

/** "[kpc]", "[s]"; nothing where units are free. */
const unitOf = ({ shared: { scenario } }: CollectedParts, { unit: of, name }: Final): string =>
  (scenario?.units.system ?? "nbody") === "nbody" && name !== "wall_seconds" ? "" : unit(of);

export function finalsTable(page: CollectedParts, finals: readonly { final: Final; title: string }[]): Markup {
  const range = (low: number, high: number) => `${shortNumber(low)} … ${shortNumber(high)}`;
  const rows = finals.map(({ final, title }): TableRow => {
    const { count, mean, deviation, least, q16, median, q84, greatest } = spreadOf(countedOf(page, final.values));
    const where = unitOf(page, final).trim();
    const cells = [shortNumber(median), range(q16, q84), range(least, greatest), shortNumber(mean)];
    return {
      ...{ name: title, ...(where !== "" && { where }) },
      cells: [...cells, shortNumber(deviation), thinGrouped(count)],
    };
  });
  if (rows.length === 0) return nothing;
  const heads = ["", "median", "16 to 84 %", "least … greatest", "mean", "σ", "members"];
  return htmlTable({ heads, groups: [{ rows }], worded: true });
}

const MOST_DOTS = 300;
/** Values of an entry with so many members have their median and scatter drawn. */
const LEAST_FOR_MEDIAN = 3;
/** From here on an axis of numbers above zero is logarithmic. */
const WIDE = 30;
/** Beside the outermost members [share of the axis]. */
const ROOM = 0.04;

type ShownFinal = ReturnType<typeof shownFinals>[number];

/** Quantities against entries of the deck; over chance where nothing but seeds varies. */
export function finalFigures(page: CollectedParts, shown: readonly ShownFinal[]): Markup[] {
  const varying = shown.filter(({ final }) => new Set(countedOf(page, final.values).filter(Number.isFinite)).size > 1);
  const entries = page.parameters.filter(({ isSeed, values }) => !isSeed && new Set(values).size > 1);
  if (entries.length === 0) return varying.map((one) => distribution(page, one));
  return varying.flatMap((one) => entries.map((entry) => scatter(page, one, entry)));
}

const distinct = ({ values }: Parameter) => [...new Set(values)].filter((value) => value !== undefined);

/** Where each value of an entry lies on its axis: numbers as they are, others one after the other. */
function axisOf(entry: Parameter): { axis: ChartAxis; place: (value: VariedValue) => number } {
  const values = distinct(entry);
  const numeric = asNumbers(entry)?.filter(Number.isFinite);
  if (numeric) {
    const [least, greatest] = [Math.min(...numeric), Math.max(...numeric)];
    const log = least > 0 && greatest > WIDE * least;
    const room = ROOM * (greatest - least);
    const factor = (greatest / least) ** ROOM;
    const domain: [number, number] = log ? [least / factor, greatest * factor] : [least - room, greatest + room];
    return { axis: { label: entry.key, domain, ...(log && { scale: "log" }) }, place: Number };
  }
  const ticks = values.map((value, at) => ({ at, text: String(value).slice(0, 16) }));
  const domain: [number, number] = [-0.5, values.length - 0.5];
  return { axis: { label: entry.key, ticks, domain }, place: (value) => values.indexOf(value) };
}

function scatter(page: CollectedParts, { final, title, label, log }: ShownFinal, entry: Parameter): Markup {
  const { axis, place } = axisOf(entry);
  const all = page.members.flatMap(({ counted }, i) => {
    const [value, own] = [entry.values[i], final.values[i]];
    return counted && value !== undefined && Number.isFinite(own) ? [[place(value), own] as const] : [];
  });
  const byValue = groups(all, ([at]) => at).sort(([a], [b]) => a - b);
  const medians = byValue
    .filter(([, group]) => group.length >= LEAST_FOR_MEDIAN)
    .map(([at, group]) => ({ at, ...spreadOf(group.map(([, value]) => value)) }));
  const dots = evenlyPicked(all, MOST_DOTS);
  const middle = medians.map(({ at, median }) => [at, median] as const);
  const series: ChartSeries[] = [
    { points: dots, tone: "muted", marks: "dot", line: false },
    { points: middle.length > 1 ? middle : [] },
    { points: middle, marks: "diamond", line: false, errors: medians.map(({ q16, q84 }) => [q16, q84] as const) },
  ];
  const median: LegendKey[] = medians.length > 0 ? [{ marks: "diamond", text: "median, 16 to 84 %" }] : [];
  return lineFigure({
    title: `${title}: ${entry.key}`,
    keys: [{ tone: "muted", marks: "dot", line: false, text: "a member" }, ...median],
    description: `${title} against ${entry.key}`,
    x: axis,
    y: { label: `${label}${unitOf(page, final)}`, ...(log && { scale: "log" }) },
    series: series.filter(({ points }) => points.length > 0),
    ...(dots.length < all.length && { note: `${dots.length} of ${all.length} members are drawn; medians are of all.` }),
  });
}

/** How often a quantity takes which values, and each member's as a dot below. */
function distribution(page: CollectedParts, { final, title, label, log }: ShownFinal): Markup {
  const values = countedOf(page, final.values).filter((value) => Number.isFinite(value) && (!log || value > 0));
  const scale = (value: number) => (log ? Math.log10(value) : value);
  const back = (value: number) => (log ? 10 ** value : value);
  const wanted = Math.max(3, Math.min(30, Math.ceil(Math.sqrt(values.length))));
  const bins = bin()
    .thresholds(wanted)(values.map(scale))
    .filter(({ x0, x1 }) => x1! > x0!);
  const steps = bins.flatMap(({ x0, x1, length }) => [x0!, x1!].map((at) => [back(at), 0, length] as const));
  const { median } = spreadOf(values);
  const dots = evenlyPicked(values, MOST_DOTS).map((value) => [value, 0] as const);
  return lineFigure({
    ...{ title, about: `of ${thinGrouped(values.length)} members, by chance` },
    description: `How many members end with which ${title.toLowerCase()}`,
    x: { label: `${label}${unitOf(page, final)}`, ...(log && { scale: "log" }) },
    y: { label: "Members", domain: [0, 1] },
    series: [{ points: dots, tone: "muted", marks: "dot", line: false }],
    areas: [{ points: steps }],
    uprights: [{ at: median, label: `median ${shortNumber(median)}` }],
  });
}

/** Values of an entry of which a table has a column; and quantities of which it has rows. */
const MOST_COLUMNS = 8;
const MOST_ROWS = 12;
const MOST_TABLES = 4;

/** Medians of the first quantities, where two entries vary, each by few values; the deeper the colour the more. */
export function heatTable(page: CollectedParts, shown: readonly ShownFinal[]): Markup {
  const entries = page.parameters.filter((one) => !one.isSeed && distinct(one).length > 1);
  if (entries.length !== 2) return nothing;
  const [down, across] = entries;
  const [rows, columns] = entries.map(distinct);
  if (rows.length > MOST_ROWS || columns.length > MOST_COLUMNS) return nothing;
  const tables = shown.slice(0, MOST_TABLES).map(({ final, title }) => {
    const medians = rows.map((row) =>
      columns.map((column) => {
        const isHere = (i: number) => down.values[i] === row && across.values[i] === column;
        return spreadOf(final.values.filter((_, i) => page.members[i].counted && isHere(i))).median;
      }),
    );
    const { least, greatest } = spreadOf(medians.flat());
    const shade = (value: number) =>
      Number.isFinite(value) ? (greatest > least ? (value - least) / (greatest - least) : 0) : null;
    return {
      title: `${title}${unitOf(page, final)}`,
      rows: medians.map((cells, i) => ({
        name: `${down.key} = ${rows[i]}`,
        cells: cells.map((value) => (Number.isFinite(value) ? shortNumber(value) : null)),
        shades: cells.map(shade),
      })),
    };
  });
  const heads = ["median", ...columns.map((value) => `${across.key} = ${value}`)];
  return tables.length === 0 ? nothing : htmlTable({ heads, groups: tables });
}
