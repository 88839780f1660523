/** suite.html: a suite's results on one page, the paper's figures beside ours. */
import { escapeHtml } from "../../page/escape.ts";
import { computedOn, remarks, section, table, tiles } from "../../page/html.ts";
import { maybe, shortNumber, small } from "../../page/numbers.ts";
import { pageHtml } from "../../page/shell.ts";
import { type ComparisonRow, publishedText, type SuiteRecord, type SuiteTable } from "./page-model.ts";

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
    cells: [publishedText(published, shortNumber), maybe(ours, shortNumber), maybe(ratio, shortNumber)],
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
      section("The paper’s figures beside ours", comparison(record.comparison, record.hardware)),
      section("Measured here", tables(record.tables)),
      remarks(toKnow(record)),
    ],
    versions: [`gravmesh ${version}`, `webgpu ${webgpu}`, `Node ${node}`, days],
  });
}
