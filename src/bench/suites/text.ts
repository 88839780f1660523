/** A suite's results for the terminal: its tables, and the published figures beside ours. */
import { MISSING, maybe, plainNumber } from "../../page/numbers.ts";
import { table } from "../../page/text.ts";
import { type ComparisonRow, publishedText, type SuiteRecord, type SuiteTable } from "./page-model.ts";

export function tableText({ title, columns, rows, note }: SuiteTable): string {
  const shown = rows.map((row) => row.map((cell) => cell ?? MISSING));
  return [title, table(columns, shown), ...(note ? [`  ${note}`] : [])].join("\n");
}

/** The figures that were measured; those that weren't are counted, and are in suite.json and on the page. */
export function comparisonText(rows: readonly ComparisonRow[]): string {
  const measured = rows.filter(({ ours }) => ours !== null);
  const missing = rows.length - measured.length;
  const shown = measured.map(({ quantity, unit, where, published, ours, ratio }) => [
    unit === "" ? quantity : `${quantity} [${unit}]`,
    where,
    publishedText(published, plainNumber),
    maybe(ours, plainNumber),
    maybe(ratio, plainNumber),
  ]);
  const parts = ["The paper's figures beside ours"];
  if (shown.length > 0) parts.push(table(["", "where", "published", "ours", "ratio"], shown));
  if (missing > 0) parts.push(`  ${missing} more of its figures have nothing measured beside them.`);
  return parts.join("\n");
}

/** Tables, comparison, what to know, what went wrong. */
export function suiteText({ tables, comparison, remarks, measurements, hardware }: SuiteRecord): string {
  const failed = measurements.filter(({ status }) => status === "failed");
  return [
    ...tables.filter(({ rows }) => rows.length > 0).map(tableText),
    ...(comparison.length > 0 ? [`${comparisonText(comparison)}\n  Published: ${hardware}.`] : []),
    ...remarks,
    ...failed.map(({ label, message }) => `Failed: ${label}: ${message}`),
  ].join("\n\n");
}
