/**
 * validate.html: how wrong the mesh is, on one self-contained page. No network, no script; charts are SVG, in the
 * report's design.
 */
import type { ErrorFigures, ForceErrors } from "../diagnostics/validation.ts";
import { escapeHtml, shortNumber } from "../page/charts.ts";
import { withUnit } from "../page/report-model.ts";
import { evolutionFigures, forceFigures, forceLawFigures, softeningText } from "./page-charts.ts";
import type { Evolution, ForceComparison, ForceLaw, ValidatePage } from "./page-model.ts";
import { VALIDATE_CSS } from "./page-style.ts";

export type { ValidatePage, Validation } from "./page-model.ts";

const MISSING = "–";

const grouped = (value: number) => value.toLocaleString("en").replaceAll(",", "\u2009");
const small = (value: number) => shortNumber(value, 2);
const cells = (value: number) => `${small(value)} ${value === 1 ? "cell" : "cells"}`;

function percent(value: number | null): string {
  if (value === null || Number.isNaN(value)) return MISSING;
  return `${small(100 * value)}\u202f%`;
}

/** Two decimals with a real minus, and no negative zero. */
function hundredths(value: number): string {
  const text = value.toFixed(2);
  return Number(text) === 0 ? "0" : text.replace("-", "−");
}

function sumText({ method, precision }: ForceComparison): string {
  return `${method}, ${precision === "double" ? "float64" : precision}`;
}

function keyNumbers({ validation, units }: ValidatePage): string {
  const { particles, mesh, boundary, boxSize, forces, evolution, adapter, backend } = validation;
  const tiles = [
    { label: "Particles", value: grouped(particles) },
    {
      label: "Mesh",
      value: `${mesh.cells}³`,
      more: `${boundary}, side ${withUnit(shortNumber(boxSize), units.length)}`,
    },
    ...(forces ? [{ label: "Forces compared on", value: grouped(forces.targets), more: sumText(forces) }] : []),
    ...(evolution
      ? [
          {
            label: "Evolved",
            value: grouped(evolution.particles),
            more: `${evolution.rows.at(-1)?.step ?? 0} steps, to t = ${withUnit(shortNumber(evolution.time * units.timeFactor), units.time)}`,
          },
        ]
      : []),
    { label: backend === "cpu" ? "Processor" : "Adapter", value: adapter, wide: true },
  ];
  const tile = ({ label, value, more, wide }: { label: string; value: string; more?: string; wide?: boolean }) =>
    `<div${wide ? ' class="wide"' : ""}><dt>${label}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
  return `<dl class="numbers">${tiles.map(tile).join("")}</dl>`;
}

/** A sentence or two a part. */
function inShort(page: ValidatePage): string {
  const { forces, forceLaw, evolution } = page.validation;
  const items = [
    ...(forces?.plain ? [forceSentence(forces, page)] : []),
    ...(forceLaw ? lawSentence(forceLaw) : []),
    ...(evolution && evolution.rows.length > 1 ? [evolutionSentence(evolution)] : []),
  ];
  return items.length === 0 ? "" : `<ul class="short">${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
}

function forceSentence({ method, plain, fitted }: ForceComparison, { units }: ValidatePage): string {
  const against = (errors: ForceErrors) => `median error ${percent(errors.relative.median)}`;
  const first = `<b>Force.</b> Against the ${method} with ${softeningText(plain!)}: ${against(plain!)}`;
  if (!fitted) return `${first}.`;
  const length = withUnit(shortNumber(fitted.softening), units.length);
  return (
    `${first}. The mesh acts like a Plummer softening of <b>${cells(fitted.softeningCells)}</b> (${escapeHtml(length)}); ` +
    `against the ${method} with that: ${against(fitted)}, rms ${percent(fitted.scaled.rms)} of the rms acceleration.`
  );
}

function lawSentence({ rows }: ForceLaw): string[] {
  const parts = rows
    .filter(({ separation }) => [2, 4, 8].includes(separation))
    .map(
      ({ separation, meanRadial, scatter }) =>
        `${hundredths(meanRadial)} ± ${hundredths(scatter)}\u202f% at ${cells(separation)}`,
    );
  if (parts.length === 0) return [];
  return [
    `<b>Point mass.</b> Error of its pull, mean and scatter by direction and place in the cell: ${parts.join(", ")}.`,
  ];
}

function evolutionSentence({ rows, softeningCells }: Evolution): string {
  const last = rows.at(-1)!;
  const largest = (run: "mesh" | "direct") => Math.max(...rows.map((row) => Math.abs(row[run].energyError)));
  const chaos = last.chaos ? `; two direct runs that began a little apart, ${cells(last.chaos.median)}` : "";
  return (
    `<b>Evolution.</b> Beside a direct run with ε = ${cells(softeningCells)}: energy is kept to ${small(largest("mesh"))} on the mesh, ` +
    `${small(largest("direct"))} directly; the same particles end ${cells(last.distance.median)} apart in the median${chaos}.`
  );
}

const line = (label: string, values: readonly string[]) =>
  `<tr><th scope="row">${escapeHtml(label)}</th>${values.map((value) => `<td>${escapeHtml(value)}</td>`).join("")}</tr>`;

function tableOf(heads: readonly string[], bodies: readonly string[]): string {
  const columns = heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join("");
  return `<div class="scroll"><table><thead><tr>${columns}</tr></thead>${bodies.join("")}</table></div>`;
}

function forcesTable({ targets, sources, plain, fitted }: ForceComparison): string {
  const figures = ({ rms, median, p90, p99, largest }: ErrorFigures) => [rms, median, p90, p99, largest].map(percent);
  const bodies = [plain, fitted].flatMap((errors) =>
    errors === null
      ? []
      : [
          `<tbody><tr><th scope="rowgroup" colspan="7">Against ${escapeHtml(softeningText(errors))}</th></tr>${[
            line("relative, |Δ| / |a|", [...figures(errors.relative), percent(errors.along.mean)]),
            line("|Δ| / rms |a|", [...figures(errors.scaled), ""]),
          ].join("")}</tbody>`,
        ],
  );
  const some =
    targets === sources ? `all ${grouped(sources)} particles` : `${grouped(targets)} of ${grouped(sources)} particles`;
  const note =
    `Δ is the mesh’s acceleration less the exact one, on ${some}; the sum is over all. Along: the part of Δ in the direction of the ` +
    "force over the force, in the mean; positive where the mesh pulls too hard. Without softening, neighbours inside a cell make most of the " +
    "difference: a mesh is meant to leave those out.";
  return `${tableOf(["", "rms", "median", "90 %", "99 %", "largest", "along"], bodies)}<p class="note">${escapeHtml(note)}</p>`;
}

/** Separations of the table [cells]; the chart has all. */
const SEPARATIONS_SHOWN = [0.5, 1, 2, 3, 4, 6, 8, 16];

function lawTable({ rows: all, scheme }: ForceLaw): string {
  const rows = all.filter(({ separation }) => SEPARATIONS_SHOWN.includes(separation));
  const pair = (mean: number, scatter: number) => `${hundredths(mean)} / ${hundredths(scatter)}`;
  const lines = [
    line(
      "measured",
      rows.map(({ meanRadial, scatter }) => pair(meanRadial, scatter)),
    ),
  ];
  const anyKnown = rows.some(({ known }) => known);
  if (anyKnown) {
    lines.push(
      line(
        "known",
        rows.map(({ known }) => (known ? pair(known.meanRadial, known.scatter) : "")),
      ),
    );
  }
  const note =
    `${scheme}: mean error of the pull / rms scatter [%], over 64 places in a cell and 200 directions, by separation in cells.` +
    (anyKnown ? " Known: the table of gravmesh’s documentation, on 64³ cells; diamonds in the charts." : "");
  return `${tableOf(["", ...rows.map(({ separation }) => String(separation))], [`<tbody>${lines.join("")}</tbody>`])}<p class="note">${escapeHtml(note)}</p>`;
}

function evolutionTable({ rows }: Evolution): string {
  const [first, last] = [rows[0], rows.at(-1)!];
  const column = (run: "mesh" | "direct") => {
    const largest = Math.max(...rows.map((row) => Math.abs(row[run].energyError)));
    const { energyError, momentumError, virialRatio, lagrangianRadii } = last[run];
    const change = (index: number) => percent(lagrangianRadii[index] / first[run].lagrangianRadii[index] - 1);
    return [
      small(energyError),
      small(largest),
      small(momentumError),
      shortNumber(virialRatio),
      change(1),
      change(3),
      change(5),
    ];
  };
  const heads = ["", "ΔE / E", "at most", "momentum", "2K / |V|", "r 10 %", "r 50 %", "r 90 %"];
  return tableOf(heads, [
    `<tbody>${[line("mesh", column("mesh")), line("direct sum", column("direct"))].join("")}</tbody>`,
  ]);
}

/** The validation as one HTML page. */
export function validateHtml(page: ValidatePage): string {
  const { validation, deck } = page;
  const { title, forces, forceLaw, evolution, notes, failures, status, version, node, date } = validation;
  const optional = (tag: string, text: string) =>
    text.trim() === "" ? "" : `<p class="${tag}">${escapeHtml(text.trim())}</p>`;
  const remarks = [
    ...(status === "interrupted" ? ["It was stopped before its end."] : []),
    ...failures.map(({ part, message }) => `The ${part} failed: ${message}`),
    ...notes,
  ];
  const charts = (figures: readonly string[]) =>
    figures.length === 0 ? "" : `<div class="charts">${figures.join("")}</div>`;
  const evolved = evolution && evolution.rows.length > 1 ? evolution : null;
  const versions = [`gravmesh ${version}`, `Node ${node}`, date.slice(0, 10)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="gravmesh">
<title>${escapeHtml(title)}: mesh against direct summation</title>
<link rel="icon" href="data:,">
<style>${VALIDATE_CSS}</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(title)}</h1>
<p class="asked">The mesh against direct summation on the same particles</p>
${optional("reference", validation.reference)}
${optional("expect", validation.expect)}
</header>
${keyNumbers(page)}
${inShort(page)}
${remarks.length === 0 ? "" : `<h2>To know</h2><ul class="remarks">${remarks.map((text) => `<li>${escapeHtml(text)}</li>`).join("")}</ul>`}
${forces?.plain ? `<h2>Force at the first step</h2>${forcesTable(forces)}${charts(forceFigures(page))}` : ""}
${forceLaw ? `<h2>Force law</h2>${charts(forceLawFigures(forceLaw, forces?.fitted ?? null))}${lawTable(forceLaw)}` : ""}
${evolved ? `<h2>Both evolved</h2>${evolutionTable(evolved)}${charts(evolutionFigures(page))}` : ""}
<details><summary>The complete deck</summary><pre>${escapeHtml(deck)}</pre></details>
<footer>${versions.map(escapeHtml).join(" · ")}</footer>
</main>
</body>
</html>
`;
}
