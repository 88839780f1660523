/** compare.html: variants of a run side by side on one page. */
import { type Bar, barChart } from "../../run/page/bars.ts";
import type { LineStyle } from "../../run/page/charts.ts";
import { SERIES_COLOURS, seriesTone, type Tone } from "../../run/page/colours.ts";
import { clockOf, energyErrorOnPage, fieldNote } from "../../run/page/concern.ts";
import {
  charts,
  computedOn,
  deckDetails,
  figure,
  htmlTable,
  type LegendKey,
  meshTile,
  section,
  type TableRow,
  type Tile,
} from "../../run/page/html.ts";
import { html, type Markup } from "../../run/page/markup.ts";
import { firmly, inCells, inMilliseconds, small, thinGrouped } from "../../run/page/numbers.ts";
import { columnFigures, followed } from "../../run/page/run-figures.ts";
import { isComoving, momentOnPage } from "../../run/page/units.ts";
import { studyHtml } from "../page.ts";
import { tableHtml, tableRow } from "../table.ts";
import { pictureSection } from "./page-pictures.ts";
import type { ComparePage, CompareVariant, Comparison, DirectReference } from "./record.ts";
import {
  conservation,
  costMeasures,
  DIRECT,
  END,
  FIRST_STEP,
  MEMORY,
  type Measure,
  SPECTRA,
  STEP,
  shareText,
  spectraTable,
  stageMeasures,
} from "./table.ts";

/** Each value once: "64³", or "32³, 64³" where it varies. */
function each(values: readonly string[]): string {
  return [...new Set(values)].join(", ");
}

function keyNumbers({ comparison, boundary, boxSize, units }: ComparePage): Tile[] {
  const { cases: variants, particles, end, backend, adapter } = comparison;
  const reached = variants.filter(({ result }) => result.steps > 0);
  return [
    { label: "Variants", value: String(variants.length) },
    { label: "Particles", value: thinGrouped(particles) },
    meshTile(each(variants.map(({ result }) => `${result.cells}³`)), boundary, boxSize, units),
    {
      label: "Steps",
      value: each(reached.map(({ result }) => String(result.steps))) || "0",
      more: `to ${momentOnPage(end, units)}`,
    },
    computedOn(backend, adapter),
  ];
}

function sentence(variant: CompareVariant, first: CompareVariant | undefined, timeUnit: string): string {
  const { status, message, result } = variant;
  const { acceleration, positionCells, largestEnergyError, millisecondsPerStep, direct } = result;
  const parts: string[] = [];
  const off = [
    ...(direct.start ? [`${shareText(direct.start.rms)} rms`] : []),
    ...(direct.end ? [`${shareText(direct.end.rms)} at the end`] : []),
  ];
  if (off.length > 0) parts.push(`accelerations are off the direct sum by ${off.join(", ")}`);
  if (acceleration) {
    parts.push(
      acceleration.largest === 0
        ? "accelerations at the first step are the same"
        : `accelerations at the first step differ by ${shareText(acceleration.rms)} rms, ${shareText(acceleration.largest)} at most`,
    );
  }
  if (positionCells !== null) parts.push(`particles end ${inCells(positionCells)} away (rms)`);
  if (largestEnergyError !== null) {
    const clock = clockOf({ timeUnit, conserved: result.conserved });
    const said = clock === "driven" ? "½ Σ m φ and kinetic energy change by" : "energy is kept to";
    parts.push(`${said} ${energyErrorOnPage(largestEnergyError, clock)}`);
  }
  if (millisecondsPerStep !== null) {
    const ratio = first?.result.millisecondsPerStep
      ? millisecondsPerStep / first.result.millisecondsPerStep
      : undefined;
    const times = ratio === undefined ? "" : `, ${small(ratio)} times that of ${first?.label}`;
    parts.push(`a step takes ${inMilliseconds(millisecondsPerStep)}${times}`);
  }
  const text = parts.length > 0 ? `${parts.join("; ")}.` : "";
  if (status === "failed") return ` failed. ${message} ${text}`.trimEnd();
  if (status === "interrupted") return ` was stopped before its end. ${text}`.trimEnd();
  return status === "waiting" ? " was not run." : `${first ? "" : ", with which the others are compared"}: ${text}`;
}

const headsOf = (variants: readonly CompareVariant[]) => [
  "",
  ...variants.map(({ label }, i) => ({ text: label, tone: look(i).tone })),
];

function sideBySide(comparison: Comparison): Markup {
  const { cases: variants, backend, direct, field } = comparison;
  const { label } = variants[0];
  const row = (one: Measure): TableRow => {
    const { name, cells } = tableRow(one, variants);
    const onGpu = name === "Memory" && backend === "webgpu";
    return { name: onGpu ? "GPU memory" : name, part: name === name.toLowerCase(), cells }; // a stage, or the largest
  };
  const unfinished = variants.some(({ status }) => status !== "complete");
  const groups = [
    ...(unfinished ? [{ title: "Run", rows: [{ name: "Status", cells: variants.map(({ status }) => status) }] }] : []),
    ...(direct ? [{ title: `Acceleration, against the ${direct.method}`, rows: DIRECT.map(row) }] : []),
    { title: `First step, against ${label}`, rows: FIRST_STEP.map(row) },
    {
      title: `End, against ${label}`,
      rows: [...(variants.some(({ result }) => result.spectra) ? SPECTRA : []), ...END].map(row),
    },
    { title: "Conservation", rows: conservation(comparison).map(row) },
    { title: "Cost", rows: costMeasures(variants).map(row) },
  ];
  const note =
    `Differences of the particles' potential and acceleration are in units of the rms of ${label}, distances in its cells. ` +
    (direct ? `${directNote(direct)} ` : "") +
    `The momentum${field === "none" ? " error" : "’s change"} is in units of √(2 K M), K the larger one of the kinetic energies then and at the start${fieldNote(field)}. ` +
    "Wall times leave out each variant's first run of steps, in which kernels are still being compiled.";
  return htmlTable({ heads: headsOf(variants), groups, note });
}

function directNote({ method, softeningCells, targets }: DirectReference): string {
  return (
    `The ${method} is in float64 with a Plummer softening of ${inCells(softeningCells)}, on ${thinGrouped(targets)} particles picked at random: ` +
    "rms of the difference over the rms acceleration, and median of the relative difference. Each variant is nearest to a softening of its own, given in its smallest cells."
  );
}

export function compareHtml(page: ComparePage): string {
  const { comparison, differences, deck } = page;
  const { title, reference, expect, cases: variants, verdict, notes, version, node, date } = comparison;
  const varied = Object.entries(comparison.varied).map(([key, values]) => `${key} = ${values.join(", ")}`);
  const sentences = variants.map((variant, i) => ({
    text: html`<b>${variant.label}</b>${sentence(variant, i === 0 ? undefined : variants[0], comparison.timeUnit)}`,
    tone: look(i).tone,
  }));
  const spectra = spectraTable(variants);
  const decks = htmlTable({
    heads: headsOf(variants),
    groups: [{ rows: differences.map(({ key, values }) => ({ name: key, cells: values })) }],
  });
  return studyHtml({
    ...{
      title: `${title}: ${varied.join("; ")}`,
      heading: title,
      reference,
      expect,
      lead: `Compared: ${varied.join("; ")}`,
    },
    numbers: keyNumbers(page),
    sentences: [...(verdict ? [{ text: html`<b>${firmly(verdict)}</b>` }] : []), ...sentences],
    toKnow: notes,
    sections: [
      pictureSection(page),
      section("Side by side", sideBySide(comparison)),
      section("Densities by wavenumber at the end", ...spectra.map(tableHtml)),
      section("Conservation and equilibrium", charts(curves(page))),
      section("Cost", charts(costs(page))),
      section("How the decks differ", decks, deckDetails(`The complete deck of ${variants[0].label}`, deck)),
    ],
    versions: [`gravmesh ${version}`, `Node ${node}`, date.slice(0, 10)],
  });
}

/** How variant `index` is drawn: when the colours have been used up they return, dashed. */
export function look(index: number): LineStyle & { tone: Tone } {
  if (index === 0) return { tone: "v0", band: true };
  const turn = Math.floor((index - 1) / SERIES_COLOURS);
  return { tone: seriesTone(index - 1), ...(turn % 2 === 1 && { dashed: true }) };
}

/** A legend of the variants `shown`, whose colours alone matter where there are bars. */
function keysOf(
  variants: readonly CompareVariant[],
  shown: (variant: CompareVariant) => boolean,
  of = look,
): LegendKey[] {
  return variants.flatMap((variant, i) => (shown(variant) ? { ...of(i), text: variant.label } : []));
}

/** Energy, momentum, virial ratio, Lagrangian radii; none without curves. */
export function curves({ comparison, units, boundary }: ComparePage): Markup[] {
  const { cases: variants, timeUnit, conserved, field } = comparison;
  const drawn = ({ result }: CompareVariant) => result.rows.length > 1;
  const runs = variants.flatMap((variant, i) =>
    drawn(variant) ? followed(variant.result.rows, { look: look(i) }) : [],
  );
  if (runs.length === 0) return [];
  return columnFigures({
    ...{ runs, units, boundary, comoving: isComoving(timeUnit), conserved, field },
    ...{ keys: keysOf(variants, drawn), whose: ", a curve a variant" },
  });
}

/** Characters that every chart of bars leaves for names, so that charts below each other line up. */
const LEAST_NAME = 9;

/** Time per stage in groups of variants; wall time a step and memory; none where nothing was measured. */
export function costs({ comparison: { cases: variants, backend } }: ComparePage): Markup[] {
  const group = ({ of, onPage = small }: Measure, label: string) => ({
    label,
    bars: variants.flatMap((variant, i): Bar[] => {
      const value = of(variant) ?? undefined;
      return value === undefined ? [] : [{ value, text: onPage(value), tone: look(i).tone }];
    }),
  });
  const bars = (title: string, about: string, groups: ReturnType<typeof group>[], keys: LegendKey[] = []) => {
    const svg = barChart({ description: `${title}, a bar a variant`, groups, leastName: LEAST_NAME });
    return figure({ title, about, svg, keys });
  };
  const solid = (index: number) => ({ tone: look(index).tone });
  const stages = stageMeasures(variants).map((stage) => group(stage, stage.label));
  const staged = keysOf(variants, ({ result }) => result.stages.length > 0, solid);
  const measured = keysOf(variants, ({ result }) => result.millisecondsPerStep !== null, solid);
  const step = bars("A whole step", "", [group(STEP, "wall time")], measured);
  const where = backend === "webgpu" ? "on the GPU" : "of the CPU pipeline";
  const memory = bars("Memory", `held ${where}`, [group(MEMORY, "memory")]);
  return [
    ...(stages.length > 0 ? [bars("Time per stage of a step", "", stages, staged)] : []),
    ...(measured.length > 0 ? [html`<div class="stack">${step}${memory}</div>`] : []),
  ];
}
