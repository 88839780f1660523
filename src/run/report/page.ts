/**
 * report.html: a run on one self-contained page. No network, no script; pictures are embedded, charts are SVG.
 * The page shows what ReportData holds and nothing else; report-data.ts makes that from particles.
 */
import { escapeHtml, shortNumber } from "../../page/charts.ts";
import { pictureSection } from "../../page/picture-strips.ts";
import { moment, type ReportData, withUnit } from "../../page/report-model.ts";
import { SERIES_CSS } from "../../page/series-style.ts";
import { REPORT_CSS } from "../../page/style.ts";
import { cosmology } from "./cosmology.ts";
import { conservation, structure, timing } from "./curves.ts";

export type {
  ReportData,
  ReportMap,
  ReportProfile,
  ReportRotation,
  ReportSnapshot,
  ReportSummary,
  ReportUnits,
} from "../../page/report-model.ts";

function duration(seconds: number): string {
  if (seconds < 120) return `${shortNumber(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** 123456789 → "123 M". */
export function large(value: number): string {
  const units: [number, string][] = [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ];
  for (const [size, letter] of units) if (value >= size) return `${shortNumber(value / size)}\u00a0${letter}`;
  return shortNumber(value);
}

function keyNumbers(data: ReportData): string {
  const { summary, diagnostics } = data;
  const errors = diagnostics.map((row) => Math.abs(row.energyError)).filter((e) => !Number.isNaN(e));
  const last = diagnostics.at(-1);
  const tiles: { label: string; value: string; more?: string; wide?: boolean }[] = [
    { label: "Particles", value: summary.particles.toLocaleString("en").replaceAll(",", "\u2009") },
    data.direct
      ? {
          label: "Direct summation",
          value: data.direct.integrator,
          more: `softening ${withUnit(shortNumber(data.direct.softening), data.units.length)}`,
        }
      : {
          label: "Mesh",
          value: `${summary.cells}³`,
          more: `${data.boundary}, side ${withUnit(shortNumber(data.boxSize), data.units.length)}`,
        },
    {
      label: "Steps",
      value: summary.steps.toLocaleString("en").replaceAll(",", "\u2009"),
      more: last ? `to ${moment(data, last.time)}` : "",
    },
    { label: "Wall time", value: duration(summary.wallSeconds) },
    { label: "Particle updates", value: `${large(summary.particleUpdatesPerSecond)}/s` },
  ];
  if (last !== undefined) {
    tiles.push({
      label: "Energy error",
      value: shortNumber(Math.abs(last.energyError), 2),
      more: `largest ${shortNumber(Math.max(0, ...errors), 2)}`,
    });
    if (data.boundary === "isolated" && !data.direct)
      tiles.push({ label: "Outside the mesh", value: last.outside.toLocaleString("en").replaceAll(",", "\u2009") });
  }
  tiles.push({ label: summary.backend === "cpu" ? "Processor" : "Adapter", value: summary.adapter, wide: true });
  const tile = ({ label, value, more, wide }: (typeof tiles)[number]) =>
    `<div${wide ? ' class="wide"' : ""}><dt>${label}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
  return `<dl class="numbers">${tiles.map(tile).join("")}</dl>`;
}

function section(title: string, figures: readonly string[]): string {
  return figures.length === 0 ? "" : `<h2>${title}</h2><div class="charts">${figures.join("")}</div>`;
}

/** The report as one HTML page. */
export function reportHtml(data: ReportData): string {
  const versions = Object.entries(data.versions).map(([name, version]) => `${escapeHtml(name)} ${escapeHtml(version)}`);
  const optional = (tag: string, text: string) =>
    text.trim() === "" ? "" : `<p class="${tag}">${escapeHtml(text.trim())}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gravmesh">
<title>${escapeHtml(data.title)}</title>
<link rel="icon" href="data:,">
<style>${REPORT_CSS}${SERIES_CSS}</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(data.title)}</h1>
${optional("reference", data.reference)}
${optional("expect", data.expect)}
</header>
${keyNumbers(data)}
${pictureSection(data)}
${section("Clustering", cosmology(data))}
${section("Conservation and equilibrium", conservation(data))}
${section("Structure and cost", [...structure(data), ...timing(data)])}
<details><summary>The scenario as run</summary><pre>${escapeHtml(data.deck)}</pre></details>
<footer>${versions.join(" · ")}</footer>
</main>
</body>
</html>
`;
}
