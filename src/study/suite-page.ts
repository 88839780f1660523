/** A suite's results as a page, suite.html, and for the terminal: its tables, and the published figures beside ours. */

import { computedOn, htmlTable, remarks, section, type Tile } from "../run/page/html.ts";
import { type Markup, nothing } from "../run/page/markup.ts";
import { maybe, plainNumber, shortNumber, small } from "../run/page/numbers.ts";
import { textTable } from "../run/page/text.ts";
import { studyHtml } from "./page.ts";
import type { SuiteRecord } from "./suite-record.ts";
import { type ComparisonRow, publishedText, tableHtml, tableText } from "./table.ts";

function keyNumbers({ cases, machine, adapter, settings }: SuiteRecord): Tile[] {
  const done = cases.filter(({ status }) => status === "complete").length;
  const memory = `${shortNumber(machine.memoryBytes / 2 ** 30)} GiB`;
  return [
    { label: "Measurements", value: `${done} of ${cases.length}`, more: settings.quick ? "--quick" : "in full" },
    {
      ...computedOn("cpu", machine.processor),
      more: `${machine.cores} cores, ${small(machine.busyCores)} of them busy at the start; ${memory}; ${machine.system}`,
    },
    {
      ...computedOn("webgpu", adapter.name),
      more: adapter.software ? "a driver that runs on the CPU: no GPU was used" : "",
    },
  ];
}

function besideRow({ quantity, unit, where, published, ours, ratio }: ComparisonRow, text: (value: number) => string) {
  const name = unit === "" ? quantity : `${quantity} [${unit}]`;
  return { name, where, cells: [publishedText(published, text), maybe(ours, text), maybe(ratio, text)] };
}

function comparison(list: readonly ComparisonRow[], hardware: string): Markup {
  if (list.length === 0) return nothing;
  const rows = list.map((one) => besideRow(one, shortNumber));
  return htmlTable({
    heads: ["", "published", "ours", "ratio"],
    groups: [{ rows }],
    worded: true,
    note: `Published figures: ${hardware}. The ratio is ours over theirs; 1 stands for any value within a published range or bound.`,
  });
}

/** What a reader has to know, with what failed or waits. */
function toKnow(record: SuiteRecord): string[] {
  const missing = record.cases.flatMap(({ label, status, message }) => {
    if (status !== "failed" && status !== "waiting") return [];
    const how = { failed: "failed", waiting: "waits to be measured" }[status];
    return [`${label} ${how}${message ? `: ${message}` : ""}.`.replace(/\.\.$/, ".")];
  });
  return [...record.remarks, ...missing];
}

/** The results as one HTML page. */
export function suiteHtml(record: SuiteRecord): string {
  const { title, suite, paper, about, version, node, webgpu, date, finished } = record;
  const days = [...new Set([date.slice(0, 10), finished.slice(0, 10)])].join(" to ");
  return studyHtml({
    ...{ title: `${title}: ${suite}`, heading: title, reference: paper, expect: about, numbers: keyNumbers(record) },
    sections: [
      section("The paper’s figures beside ours", comparison(record.comparison, record.hardware)),
      section("Measured here", ...record.tables.map(tableHtml)),
      remarks(toKnow(record)),
    ],
    versions: [`gravmesh ${version}`, `webgpu ${webgpu}`, `Node ${node}`, days],
  });
}

/** The figures that were measured; those that weren't are counted, and are in suite.json and on the page. */
function comparisonText(rows: readonly ComparisonRow[]): string {
  const measured = rows.filter(({ ours }) => ours !== null);
  const missing = rows.length - measured.length;
  const shown = measured.map((row) => {
    const { name, where, cells } = besideRow(row, plainNumber);
    return [name, where, ...cells];
  });
  const parts = ["The paper's figures beside ours"];
  if (shown.length > 0) parts.push(textTable(["", "where", "published", "ours", "ratio"], shown));
  if (missing > 0) parts.push(`  ${missing} more of its figures have nothing measured beside them.`);
  return parts.join("\n");
}

/** Tables, comparison, what to know, what went wrong. */
export function suiteText({ tables, comparison, remarks, cases, hardware }: SuiteRecord): string {
  const failed = cases.filter(({ status }) => status === "failed");
  return [
    ...tables.map(tableText),
    ...(comparison.length > 0 ? [`${comparisonText(comparison)}\n  Published: ${hardware}.`] : []),
    ...remarks,
    ...failed.map(({ label, message }) => `Failed: ${label}: ${message}`),
  ].join("\n\n");
}
