/**
 * suite.html: a suite's results on one page, the paper's plots redrawn: ours as filled dots, the paper's as open
 * diamonds.
 */
import { type Look, lineChart } from "../../page/charts.ts";
import { seriesTone } from "../../page/colours.ts";
import { escapeHtml } from "../../page/escape.ts";
import { charts, computedOn, figure, remarks, section, table, tiles } from "../../page/html.ts";
import { maybe, shortNumber, small } from "../../page/numbers.ts";
import { pageHtml } from "../../page/shell.ts";
import { type ComparisonRow, type LinesPlot, publishedText, type SuiteRecord, type SuiteTable } from "./page-model.ts";

const number = (value: number) => shortNumber(value);

/** A plot with title, legend and note; "" when nothing of ours is in it. */
export function plotFigure({ title, where, x, y, series, rules, note }: LinesPlot): string {
  if (series.every(({ points, paper }) => paper || points.length === 0)) return "";
  let ours = 0; // numbered through where they have no colour of their own
  const drawn = series.map(({ label, points, paper = false, colour, curve = false, marks = false, dashed = false }) => {
    const place = colour ?? (paper ? undefined : ours++);
    const look: Look = {
      tone: place === undefined ? "v0" : seriesTone(place),
      ...(!curve && { marks: paper ? "diamond" : "dot" }),
      line: curve || !(paper || marks),
      dashed,
    };
    return { look, text: label, points };
  });
  const keys = drawn.map(({ look, text }) => ({ ...look, text }));
  return figure({
    title: `${title}, after ${where}`,
    // Series of the same name and look are one in the legend.
    keys: keys.filter(({ text }, i) => text !== "" && keys.findIndex((other) => other.text === text) === i),
    svg: lineChart({
      description: `${title}: ${y.label} against ${x.label}, ${series.map(({ label }) => label).join("; ")}`,
      ...{ x, y, ...(rules && { rules }) },
      series: drawn.map(({ look, points }) => ({ points, ...look })),
    }),
    ...(note && { note }),
  });
}

function keyNumbers({ measurements, machine, adapter, settings }: SuiteRecord): string {
  const done = measurements.filter(({ status }) => status === "done").length;
  const memory = `${shortNumber(machine.memoryBytes / 2 ** 30)} GiB`;
  return tiles([
    { label: "Measurements", value: `${done} of ${measurements.length}`, more: settings.quick ? "--quick" : "in full" },
    {
      ...computedOn("cpu", machine.processor),
      more: `${machine.cores} cores, ${small(machine.busyCores)} of them busy at the start; ${memory}; ${machine.system}`,
    },
    {
      ...computedOn("webgpu", adapter.name),
      more: adapter.software ? "a driver that runs on the CPU: no GPU was used" : "",
    },
  ]);
}

function tables(list: readonly SuiteTable[]): string {
  return list
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, columns, rows, note }) => {
      const named = rows.map(([name, ...cells]) => ({ name: name ?? "", cells }));
      return `<h3>${escapeHtml(title)}</h3>${table({ heads: columns, groups: [{ rows: named }], ...(note && { note }) })}`;
    })
    .join("");
}

function comparison(list: readonly ComparisonRow[], hardware: string): string {
  if (list.length === 0) return "";
  const rows = list.map(({ quantity, unit, where, published, ours, ratio }) => ({
    name: unit === "" ? quantity : `${quantity} [${unit}]`,
    where,
    cells: [publishedText(published, number), maybe(ours, number), maybe(ratio, number)],
  }));
  return table({
    heads: ["", "published", "ours", "ratio"],
    groups: [{ rows }],
    worded: true,
    note: `Published figures: ${hardware}. The ratio is ours over theirs; 1 stands for any value within a published range or bound.`,
  });
}

/** What a reader has to know, with what failed or waits. */
function toKnow(record: SuiteRecord): string[] {
  const missing = record.measurements.flatMap(({ label, status, message }) => {
    if (status === "done" || status === "skipped") return [];
    const how = { failed: "failed", waiting: "waits to be measured" }[status];
    return [`${label} ${how}${message ? `: ${message}` : ""}.`.replace(/\.\.$/, ".")];
  });
  return [...record.remarks, ...missing];
}

/** The results as one HTML page. */
export function suiteHtml(record: SuiteRecord): string {
  const { title, suite, paper, about, version, node, webgpu, date, finished } = record;
  const days = [...new Set([date.slice(0, 10), finished.slice(0, 10)])].join(" to ");
  return pageHtml({
    ...{ title: `${title}: ${suite}`, heading: title, reference: paper, expect: about },
    parts: [
      keyNumbers(record),
      section("The paper’s plots, redrawn", charts(record.plots.map(plotFigure).filter((one) => one !== ""))),
      section("The paper’s figures beside ours", comparison(record.comparison, record.hardware)),
      section("Measured here", tables(record.tables)),
      remarks(toKnow(record)),
    ],
    versions: [`gravmesh ${version}`, `webgpu ${webgpu}`, `Node ${node}`, days],
  });
}
