/**
 * suite.html: a benchmark suite's results on one self-contained page, the paper's plots redrawn with our points and
 * theirs. No network, no script; charts are SVG, in the report's design.
 */
import { escapeHtml, shortNumber } from "../../page/charts.ts";
import { plotFigure } from "./page-charts.ts";
import { type ComparisonRow, publishedText, type SuiteRecord, type SuiteTable, skippedTexts } from "./page-model.ts";
import { SUITE_CSS } from "./page-style.ts";

const MISSING = "–";

function keyNumbers({ measurements, machine, adapter, settings }: SuiteRecord): string {
  const done = measurements.filter(({ status }) => status === "done").length;
  const gibibytes = machine.memoryBytes / 2 ** 30;
  const tiles = [
    { label: "Measurements", value: `${done} of ${measurements.length}`, more: settings.quick ? "--quick" : "in full" },
    {
      label: "Processor",
      value: machine.processor,
      more: `${machine.cores} cores, ${machine.busyCores.toFixed(1)} of them busy at the start; ${shortNumber(gibibytes)} GiB; ${machine.system}`,
      wide: true,
    },
    {
      label: "Adapter",
      value: adapter.name,
      more: adapter.software ? "a driver that runs on the CPU: no GPU was used" : "",
      wide: true,
    },
  ];
  const tile = ({ label, value, more, wide }: { label: string; value: string; more: string; wide?: boolean }) =>
    `<div${wide ? ' class="wide"' : ""}><dt>${label}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
  return `<dl class="numbers">${tiles.map(tile).join("")}</dl>`;
}

function scrolled(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const heads = head.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join("");
  const body = rows.map(([first, ...cells]) => {
    const rest = cells.map((cell) => `<td>${escapeHtml(cell ?? MISSING)}</td>`);
    return `<tr><th scope="row">${escapeHtml(first ?? "")}</th>${rest.join("")}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function tables(list: readonly SuiteTable[]): string {
  const shown = list.filter(({ rows }) => rows.length > 0);
  if (shown.length === 0) return "";
  const one = ({ title, columns, rows, note }: SuiteTable) =>
    `<h3>${escapeHtml(title)}</h3>${scrolled(columns, rows)}${note ? `<p class="note">${escapeHtml(note)}</p>` : ""}`;
  return `<h2>Measured here</h2><div class="tables">${shown.map(one).join("")}</div>`;
}

function comparison(rows: readonly ComparisonRow[], hardware: string): string {
  if (rows.length === 0) return "";
  const number = (value: number) => shortNumber(value);
  const cell = (text: string) => `<td>${escapeHtml(text)}</td>`;
  const body = rows.map(({ quantity, unit, where, published, ours, ratio }) => {
    const name = unit === "" ? quantity : `${quantity} [${unit}]`;
    const cells = [publishedText(published, number), ours === null ? MISSING : number(ours)];
    return (
      `<tr><th scope="row">${escapeHtml(name)}<small>${escapeHtml(where)}</small></th>` +
      `${[...cells, ratio === null ? MISSING : number(ratio)].map(cell).join("")}</tr>`
    );
  });
  const heads = ["", "published", "ours", "ratio"].map((text) => `<th scope="col">${text}</th>`).join("");
  const note = `Published figures: ${hardware}. The ratio is ours over theirs; 1 stands for any value within a published range or bound.`;
  return [
    "<h2>The paper’s figures beside ours</h2>",
    `<div class="scroll"><table class="published"><thead><tr>${heads}</tr></thead><tbody>${body.join("")}</tbody></table></div>`,
    `<p class="note">${escapeHtml(note)}</p>`,
  ].join("");
}

function remarks(record: SuiteRecord): string {
  const missing = record.measurements.flatMap(({ label, status, message }) => {
    if (status === "done" || status === "skipped") return [];
    const how = { failed: "failed", waiting: "waits to be measured" }[status];
    return [`${label} ${how}${message ? `: ${message}` : ""}.`.replace(/\.\.$/, ".")];
  });
  const all = [...record.remarks, ...skippedTexts(record.measurements), ...missing];
  if (all.length === 0) return "";
  return `<h2>To know</h2><ul class="remarks">${all.map((text) => `<li>${escapeHtml(text)}</li>`).join("")}</ul>`;
}

/** The results as one HTML page. */
export function suiteHtml(record: SuiteRecord): string {
  const { title, paper, about, plots, version, node, webgpu, date, finished } = record;
  const figures = plots.map(plotFigure).filter((figure) => figure !== "");
  const days = [...new Set([date.slice(0, 10), finished.slice(0, 10)])].join(" to ");
  const versions = [`gravmesh ${version}`, `webgpu ${webgpu}`, `Node ${node}`, days];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gravmesh">
<title>${escapeHtml(title)}: ${escapeHtml(record.suite)}</title>
<link rel="icon" href="data:,">
<style>${SUITE_CSS}</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(title)}</h1>
<p class="reference">${escapeHtml(paper)}</p>
<p class="expect">${escapeHtml(about)}</p>
</header>
${keyNumbers(record)}
${figures.length === 0 ? "" : `<h2>The paper’s plots, redrawn</h2><div class="charts">${figures.join("")}</div>`}
${comparison(record.comparison, record.hardware)}
${tables(record.tables)}
${remarks(record)}
<footer>${versions.map(escapeHtml).join(" · ")}</footer>
</main>
</body>
</html>
`;
}
