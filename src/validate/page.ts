/** validate.html: how wrong the mesh is, on one page. */

import { escapeHtml } from "../page/escape.ts";
import { charts, computedOn, deckDetails, inShort, remarks, section, table, tiles } from "../page/html.ts";
import { hundredths, inCells, MISSING, shortNumber, small, thinGrouped } from "../page/numbers.ts";
import { pageHtml } from "../page/shell.ts";
import { withUnit } from "../page/units.ts";
import type { ErrorFigures, ForceErrors } from "./force-errors.ts";
import { evolutionFigures, forceFigures, forceLawFigures, softeningText } from "./page-charts.ts";
import type { Evolution, ForceComparison, ForceLaw, ValidatePage } from "./record.ts";

function percent(value: number | null): string {
  return value === null || Number.isNaN(value) ? MISSING : `${small(100 * value)}\u202f%`;
}

function keyNumbers({ validation, units }: ValidatePage): string {
  const { particles, mesh, boundary, boxSize, forces, evolution, adapter, backend } = validation;
  const sum = ({ method, precision }: ForceComparison) =>
    `${method}, ${precision === "double" ? "float64" : precision}`;
  const reached = ({ rows, time }: Evolution) =>
    `${rows.at(-1)?.step ?? 0} steps, to t = ${withUnit(shortNumber(time * units.timeFactor), units.time)}`;
  return tiles([
    { label: "Particles", value: thinGrouped(particles) },
    {
      label: "Mesh",
      value: `${mesh.cells}³`,
      more: `${boundary}, side ${withUnit(shortNumber(boxSize), units.length)}`,
    },
    ...(forces ? [{ label: "Forces compared on", value: thinGrouped(forces.targets), more: sum(forces) }] : []),
    ...(evolution ? [{ label: "Evolved", value: thinGrouped(evolution.particles), more: reached(evolution) }] : []),
    computedOn(backend, adapter),
  ]);
}

/** A sentence or two a part. */
function sentences(page: ValidatePage): string[] {
  const { forces, forceLaw, evolution } = page.validation;
  return [
    ...(forces?.plain ? [forceSentence(forces, page)] : []),
    ...(forceLaw ? lawSentence(forceLaw) : []),
    ...(evolution && evolution.rows.length > 1 ? [evolutionSentence(evolution)] : []),
  ];
}

function forceSentence({ method, plain, fitted }: ForceComparison, { units }: ValidatePage): string {
  const against = (errors: ForceErrors) => `median error ${percent(errors.relative.median)}`;
  const first = `<b>Force.</b> Against the ${method} with ${softeningText(plain!)}: ${against(plain!)}`;
  if (!fitted) return `${first}.`;
  const length = withUnit(shortNumber(fitted.softening), units.length);
  return (
    `${first}. The mesh acts like a Plummer softening of <b>${inCells(fitted.softeningCells)}</b> (${escapeHtml(length)}); ` +
    `against the ${method} with that: ${against(fitted)}, rms ${percent(fitted.scaled.rms)} of the rms acceleration.`
  );
}

function lawSentence({ rows }: ForceLaw): string[] {
  const parts = rows
    .filter(({ separation }) => [2, 4, 8].includes(separation))
    .map(
      ({ separation, meanRadial, scatter }) =>
        `${hundredths(meanRadial)} ± ${hundredths(scatter)}\u202f% at ${inCells(separation)}`,
    );
  if (parts.length === 0) return [];
  return [
    `<b>Point mass.</b> Error of its pull, mean and scatter by direction and place in the cell: ${parts.join(", ")}.`,
  ];
}

const largestError = (rows: Evolution["rows"], run: "mesh" | "direct") =>
  Math.max(...rows.map((row) => Math.abs(row[run].energyError)));

function evolutionSentence({ rows, softeningCells }: Evolution): string {
  const last = rows.at(-1)!;
  const chaos = last.chaos ? `; two direct runs that began a little apart, ${inCells(last.chaos.median)}` : "";
  return (
    `<b>Evolution.</b> Beside a direct run with ε = ${inCells(softeningCells)}: energy is kept to ${small(largestError(rows, "mesh"))} on the mesh, ` +
    `${small(largestError(rows, "direct"))} directly; the same particles end ${inCells(last.distance.median)} apart in the median${chaos}.`
  );
}

function forcesTable({ targets, sources, plain, fitted }: ForceComparison): string {
  const figures = ({ rms, median, p90, p99, largest }: ErrorFigures) => [rms, median, p90, p99, largest].map(percent);
  const groups = [plain, fitted].flatMap((errors) => {
    if (errors === null) return [];
    const relative = [...figures(errors.relative), percent(errors.along.mean)];
    return {
      title: `Against ${softeningText(errors)}`,
      rows: [
        { name: "relative, |Δ| / |a|", cells: relative },
        { name: "|Δ| / rms |a|", cells: [...figures(errors.scaled), ""] },
      ],
    };
  });
  const all = thinGrouped(sources);
  const some = targets === sources ? `all ${all} particles` : `${thinGrouped(targets)} of ${all} particles`;
  const note =
    `Δ is the mesh’s acceleration less the exact one, on ${some}; the sum is over all. Along: the part of Δ in the direction of the ` +
    "force over the force, in the mean; positive where the mesh pulls too hard. Without softening, neighbours inside a cell make most of the " +
    "difference: a mesh is meant to leave those out.";
  return table({ heads: ["", "rms", "median", "90 %", "99 %", "largest", "along"], groups, note });
}

/** Separations of the table [cells]; the chart has all. */
const SEPARATIONS_SHOWN = [0.5, 1, 2, 3, 4, 6, 8, 16];

function lawTable({ rows: all, scheme }: ForceLaw): string {
  const shown = all.filter(({ separation }) => SEPARATIONS_SHOWN.includes(separation));
  const pair = (row: { meanRadial: number; scatter: number } | null) =>
    row ? `${hundredths(row.meanRadial)} / ${hundredths(row.scatter)}` : "";
  const anyKnown = shown.some(({ known }) => known);
  const rows = [
    { name: "measured", cells: shown.map(pair) },
    ...(anyKnown ? [{ name: "known", cells: shown.map(({ known }) => pair(known)) }] : []),
  ];
  const note =
    `${scheme}: mean error of the pull / rms scatter [%], over 64 places in a cell and 200 directions, by separation in cells.` +
    (anyKnown ? " Known: the table of gravmesh’s documentation, on 64³ cells; diamonds in the charts." : "");
  return table({ heads: ["", ...shown.map(({ separation }) => String(separation))], groups: [{ rows }], note });
}

function evolutionTable({ rows }: Evolution): string {
  const [first, last] = [rows[0], rows.at(-1)!];
  const cells = (run: "mesh" | "direct") => {
    const { energyError, momentumError, virialRatio, lagrangianRadii } = last[run];
    const errors = [energyError, largestError(rows, run), momentumError].map(small);
    const change = (index: number) => percent(lagrangianRadii[index] / first[run].lagrangianRadii[index] - 1);
    return [...errors, shortNumber(virialRatio), ...[1, 3, 5].map(change)];
  };
  const named = [
    { name: "mesh", cells: cells("mesh") },
    { name: "direct sum", cells: cells("direct") },
  ];
  const heads = ["", "ΔE / E", "at most", "momentum", "2K / |V|", "r 10 %", "r 50 %", "r 90 %"];
  return table({ heads, groups: [{ rows: named }] });
}

/** The validation as one HTML page. */
export function validateHtml(page: ValidatePage): string {
  const { validation, deck } = page;
  const { title, reference, expect, forces, forceLaw, evolution, status, version, node, date } = validation;
  const evolved = evolution && evolution.rows.length > 1 ? evolution : null;
  const toKnow = [
    ...(status === "interrupted" ? ["It was stopped before its end."] : []),
    ...validation.failures.map(({ part, message }) => `The ${part} failed: ${message}`),
    ...validation.notes,
  ];
  const law = (measured: ForceLaw) => [charts(forceLawFigures(measured, forces?.fitted ?? null)), lawTable(measured)];
  return pageHtml({
    ...{ title: `${title}: mesh against direct summation`, heading: title, reference, expect },
    lead: "The mesh against direct summation on the same particles",
    parts: [
      keyNumbers(page),
      inShort(sentences(page).map((html) => ({ html }))),
      remarks(toKnow),
      section("Force at the first step", ...(forces?.plain ? [forcesTable(forces), charts(forceFigures(page))] : [])),
      section("Force law", ...(forceLaw ? law(forceLaw) : [])),
      section("Both evolved", ...(evolved ? [evolutionTable(evolved), charts(evolutionFigures(page))] : [])),
      deckDetails("The complete deck", deck),
    ],
    versions: [`gravmesh ${version}`, `Node ${node}`, date.slice(0, 10)],
  });
}
