/**
 * compare.html: variants of a run side by side on one self-contained page. No network, no script; pictures are
 * embedded, charts are SVG, in the report's design.
 */
import { escapeHtml, shortNumber } from "../page/charts.ts";
import { withUnit } from "../page/report-model.ts";
import { large } from "../run/report/page.ts";
import { costs, curves, style } from "./page-curves.ts";
import type { ComparePage, CompareVariant } from "./page-model.ts";
import { pictureSection } from "./page-pictures.ts";
import { COMPARE_CSS } from "./page-style.ts";

export type { CompareMaps, ComparePage, CompareRow, CompareVariant, Comparison } from "./page-model.ts";

const MISSING = "–";

type Value = number | null | undefined;

const maybe = (value: Value, text: (value: number) => string) =>
  value === null || value === undefined ? MISSING : text(value);
const small = (value: number) => shortNumber(value, 2);
const cells = (value: number) => `${small(value)} ${value === 1 ? "cell" : "cells"}`;
const colour = (index: number) => `var(--${style(index).tone})`;

/** Each value once: "64³", or "32³, 64³" where it varies. */
function each(values: readonly string[]): string {
  return [...new Set(values)].join(", ");
}

function keyNumbers({ comparison, boundary, boxSize, units }: ComparePage): string {
  const { variants, particles, end, backend, adapter } = comparison;
  const reached = variants.filter(({ steps }) => steps > 0);
  const time = withUnit(shortNumber(end * units.timeFactor), units.time);
  const tiles = [
    { label: "Variants", value: String(variants.length) },
    { label: "Particles", value: particles.toLocaleString("en").replaceAll(",", "\u2009") },
    {
      label: "Mesh",
      value: each(variants.map((variant) => `${variant.cells}³`)),
      more: `${boundary}, side ${withUnit(shortNumber(boxSize), units.length)}`,
    },
    {
      label: "Steps",
      value: each(reached.map(({ steps }) => String(steps))) || "0",
      more: `to t = ${time}`,
    },
    { label: backend === "cpu" ? "Processor" : "Adapter", value: adapter, wide: true },
  ];
  const tile = ({ label, value, more, wide }: { label: string; value: string; more?: string; wide?: boolean }) =>
    `<div${wide ? ' class="wide"' : ""}><dt>${label}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
  return `<dl class="numbers">${tiles.map(tile).join("")}</dl>`;
}

/** A sentence a variant: how far it is from the first, and at what price. */
function inShort({ comparison: { variants } }: ComparePage): string {
  const [first] = variants;
  const items = variants.map((variant, index) => {
    const mark = `<li style="--v:${colour(index)}"><b>${escapeHtml(variant.label)}</b>`;
    return `${mark}${escapeHtml(sentence(variant, index === 0 ? undefined : first))}</li>`;
  });
  return `<ul class="short">${items.join("")}</ul>`;
}

function sentence(variant: CompareVariant, first: CompareVariant | undefined): string {
  const { status, message, acceleration, positionCells, largestEnergyError, millisecondsPerStep } = variant;
  const parts: string[] = [];
  if (acceleration) {
    parts.push(
      acceleration.largest === 0
        ? "accelerations at the first step are the same"
        : `accelerations at the first step differ by ${percent(acceleration.rms)} rms, ${percent(acceleration.largest)} at most`,
    );
  }
  if (positionCells !== null) parts.push(`particles end ${cells(positionCells)} away (rms)`);
  if (largestEnergyError !== null) parts.push(`energy is kept to ${small(largestEnergyError)}`);
  if (millisecondsPerStep !== null) {
    const ratio = first?.millisecondsPerStep ? millisecondsPerStep / first.millisecondsPerStep : undefined;
    const times = ratio === undefined ? "" : `, ${small(ratio)} times that of ${first?.label}`;
    parts.push(`a step takes ${shortNumber(millisecondsPerStep)} ms${times}`);
  }
  const text = parts.length > 0 ? `${parts.join("; ")}.` : "";
  if (status === "failed") return ` failed. ${message} ${text}`.trimEnd();
  if (status === "interrupted") return ` was stopped before its end. ${text}`.trimEnd();
  return status === "waiting" ? " was not run." : `${first ? "" : ", with which the others are compared"}: ${text}`;
}

function percent(value: number): string {
  return value >= 1e-5 && value < 100 ? `${small(100 * value)} %` : small(value);
}

/** The table, a column a variant. */
function tableSection({ comparison: { variants, backend } }: ComparePage): string {
  const [first] = variants;
  const stages = [...new Set(variants.flatMap((variant) => variant.stages.map(({ stage }) => stage)))];
  const time = (ms: number) => `${shortNumber(ms)} ms`;
  const against = (text: (variant: CompareVariant) => string) => (variant: CompareVariant) =>
    variant === first ? MISSING : text(variant);
  const row = (label: string, text: (variant: CompareVariant) => string, part = false) =>
    `<tr><th scope="row"${part ? ' class="part"' : ""}>${escapeHtml(label)}</th>${variants.map((variant) => `<td>${escapeHtml(text(variant))}</td>`).join("")}</tr>`;
  const group = (label: string, rows: readonly string[]) =>
    `<tbody><tr><th scope="rowgroup" colspan="${variants.length + 1}">${escapeHtml(label)}</th></tr>${rows.join("")}</tbody>`;
  const heads = variants.map(
    ({ label }, i) => `<th scope="col"><i style="background:${colour(i)}"></i>${escapeHtml(label)}</th>`,
  );
  const unfinished = variants.some(({ status }) => status !== "complete");
  const groups = [
    ...(unfinished ? [group("Run", [row("Status", ({ status }) => status)])] : []),
    group(`First step, against ${first.label}`, [
      row(
        "Potential, rms",
        against(({ potential }) => maybe(potential?.rms, small)),
      ),
      row(
        "largest",
        against(({ potential }) => maybe(potential?.largest, small)),
        true,
      ),
      row(
        "Acceleration, rms",
        against(({ acceleration }) => maybe(acceleration?.rms, small)),
      ),
      row(
        "largest",
        against(({ acceleration }) => maybe(acceleration?.largest, small)),
        true,
      ),
    ]),
    group(`End, against ${first.label}`, [
      row(
        "Distance of particles, rms",
        against(({ positionCells }) => maybe(positionCells, cells)),
      ),
    ]),
    group("Conservation", [
      row("Energy error, end", ({ energyError }) => maybe(energyError, small)),
      row("largest", ({ largestEnergyError }) => maybe(largestEnergyError, small), true),
      row("Momentum error, end", ({ momentumError }) => maybe(momentumError, small)),
      row("largest", ({ largestMomentumError }) => maybe(largestMomentumError, small), true),
    ]),
    group("Cost", [
      row("Wall time a step", ({ millisecondsPerStep }) => maybe(millisecondsPerStep, time)),
      ...stages.map((name) =>
        row(
          name,
          (variant) => maybe(variant.stages.find(({ stage }) => stage === name)?.millisecondsPerStep, time),
          true,
        ),
      ),
      row("Particle updates", ({ particleUpdatesPerSecond }) =>
        maybe(particleUpdatesPerSecond, (n) => `${large(n)}/s`),
      ),
      row(backend === "webgpu" ? "GPU memory" : "Memory", ({ memoryBytes }) =>
        maybe(memoryBytes, (bytes) => `${shortNumber(bytes / 2 ** 20)} MiB`),
      ),
    ]),
  ];
  const note =
    `Differences of the particles' potential and acceleration are in units of the rms of ${first.label}, distances in its cells. ` +
    "The momentum error is in units of √(2 M K₀). Wall times leave out each variant's first run of steps, in which kernels are still being compiled.";
  return `<h2>Side by side</h2><div class="scroll"><table><thead><tr><th></th>${heads.join("")}</tr></thead>${groups.join("")}</table></div><p class="note">${escapeHtml(note)}</p>`;
}

function decksSection({ comparison: { variants }, differences, deck }: ComparePage): string {
  const heads = variants.map(
    ({ label }, i) => `<th scope="col"><i style="background:${colour(i)}"></i>${escapeHtml(label)}</th>`,
  );
  const rows = differences.map(
    ({ key, values }) =>
      `<tr><th scope="row">${escapeHtml(key)}</th>${values.map((value) => `<td>${escapeHtml(value)}</td>`).join("")}</tr>`,
  );
  return [
    "<h2>How the decks differ</h2>",
    `<div class="scroll"><table><thead><tr><th></th>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`,
    `<details><summary>The complete deck of ${escapeHtml(variants[0].label)}</summary><pre>${escapeHtml(deck)}</pre></details>`,
  ].join("");
}

function section(title: string, figures: readonly string[]): string {
  return figures.length === 0 ? "" : `<h2>${title}</h2><div class="charts">${figures.join("")}</div>`;
}

/** The comparison as one HTML page. */
export function compareHtml(page: ComparePage): string {
  const { comparison } = page;
  const varied = Object.entries(comparison.varied).map(([key, values]) => `${key} = ${values.join(", ")}`);
  const optional = (tag: string, text: string) =>
    text.trim() === "" ? "" : `<p class="${tag}">${escapeHtml(text.trim())}</p>`;
  const versions = [`gravmesh ${comparison.version}`, `Node ${comparison.node}`, comparison.date.slice(0, 10)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gravmesh">
<title>${escapeHtml(comparison.title)}: ${escapeHtml(varied.join("; "))}</title>
<link rel="icon" href="data:,">
<style>${COMPARE_CSS}</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(comparison.title)}</h1>
<p class="varied">Compared: ${escapeHtml(varied.join("; "))}</p>
${optional("reference", comparison.reference)}
${optional("expect", comparison.expect)}
</header>
${keyNumbers(page)}
${inShort(page)}
${pictureSection(page)}
${tableSection(page)}
${section("Conservation and equilibrium", curves(page))}
${section("Cost", costs(page))}
${decksSection(page)}
<footer>${versions.map(escapeHtml).join(" · ")}</footer>
</main>
</body>
</html>
`;
}
