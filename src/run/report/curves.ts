/** The curves and bars of report.html: conservation, structure first against last, time per stage. */

import { momentumScale, relativeTo } from "../../engine/diagnostics/columns/scales.ts";
import type { DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import { barChart } from "../page/bars.ts";
import type { ChartSeries, LineStyle, Points } from "../page/charts.ts";
import { seriesTone, type Tone } from "../page/colours.ts";
import { figure, type LegendKey, lineFigure } from "../page/html.ts";
import type { Markup } from "../page/markup.ts";
import { inMilliseconds, percentage } from "../page/numbers.ts";
import { columnFigures, profileFigure } from "../page/run-figures.ts";
import { unit } from "../page/units.ts";
import { moment, type ReportData, type ReportProfile, type ReportRotation, type ReportStructure } from "./model.ts";

/** |P − P₀|/√(2 K M) of each row of a run: momentumError, which diagnostics.csv hasn't got. */
export function momentumErrors(
  rows: readonly Pick<DiagnosticsRow, "time" | "kinetic" | "potential" | "momentum">[],
  { comoving = false, totalMass, boxEnergy = 0 }: Pick<ReportData, "comoving" | "totalMass" | "boxEnergy">,
): number[] {
  // Of canonical momenta on the comoving clock, where the rows have energies of the peculiar motion.
  const energies = ({ time: a, kinetic, potential }: (typeof rows)[number]) =>
    comoving ? { kinetic: kinetic * a * a, potential: potential * a } : { kinetic, potential };
  const [first] = rows;
  return rows.map((row) =>
    relativeTo(
      momentumScale(totalMass, energies(first), energies(row).kinetic, boxEnergy),
      Math.hypot(...row.momentum.map((p, k) => p - first.momentum[k])),
    ),
  );
}

/** What the diagnostics columns draw: energy, momentum, virial ratio, Lagrangian radii; none without two rows. */
export function conservation({ diagnostics, ...about }: ReportData): Markup[] {
  if (diagnostics.length < 2) return [];
  const errors = momentumErrors(diagnostics, about);
  const rows = diagnostics.map((row, i) => ({ ...row, momentumError: errors[i] }));
  return columnFigures({ ...about, runs: [{ rows, look: {} }], allCurves: true });
}

/** Density profile and rotation curve of each galaxy, as far as there are any. */
export function structure(data: ReportData): Markup[] {
  return (data.galaxies ?? []).flatMap((galaxy) => structureOf(data, galaxy, galaxy.name ? `: ${galaxy.name}` : ""));
}

function structureOf(data: ReportData, { profile, rotation, species }: ReportStructure, of: string): Markup[] {
  const { units } = data;
  const keysOf = (first: { time: number }, last: { time: number } | undefined): LegendKey[] => [
    { tone: "muted", dashed: true, text: moment(data, first.time) },
    ...(last ? [{ text: moment(data, last.time) }] : []),
  ];
  const figures: Markup[] = [];
  if (profile !== undefined) {
    const { kind, first, last } = profile;
    figures.push(
      profileFigure({
        ...{ kind, of, units, which: ", first against last", keys: keysOf(first, last) },
        series: densities(first, last, { tone: "muted" }, {}),
      }),
    );
  }
  if (rotation !== undefined) {
    const { first, last } = rotation;
    const parts = (last?.parts ?? []).map(({ name }, i): LegendKey => ({ tone: seriesTone(i + 2), text: name }));
    // Labels are at the curves of the last state, where there is one.
    const draw = (
      title: string,
      about: string,
      label: string,
      drawn: (r: ReportRotation) => Drawn[],
      keys: LegendKey[] = [],
    ) => {
      const curves = (r: ReportRotation | undefined, look: LineStyle) =>
        (r ? drawn(r) : []).map(({ values, label: name, tone = look.tone }): ChartSeries => {
          const points = values.flatMap((v, i) => (Number.isNaN(v) ? [] : [[r!.radius[i], v] as const]));
          return { points, ...look, ...(tone && { tone }), ...(name && r === (last ?? first) && { label: name }) };
        });
      figures.push(
        lineFigure({
          ...{ title: `${title}${of}`, keys: [...keysOf(first, last), ...keys] },
          description: `${about} against radius, first against last`,
          x: { label: `R${unit(units.length)}`, domain: [0, 0] },
          y: { label, domain: [0, 0] },
          series: [...curves(first, { tone: "muted", dashed: true }), ...curves(last, {})],
        }),
      );
    };
    const speeds = ({ rotation: values, circular, parts: alone = [] }: ReportRotation): Drawn[] => [
      ...alone.map(({ speed }, i) => ({ values: speed, tone: seriesTone(i + 2) })),
      ...(circular ? [{ values: circular, label: "v_c", tone: "second" as const }] : []),
      { values, label: "⟨v_φ⟩" },
    ];
    draw("Rotation curve", "Mean rotation speed and circular speed", `Speed${unit(units.velocity)}`, speeds, parts);
    const dispersions = ({ sigmaR, sigmaZ }: ReportRotation): Drawn[] => [
      { values: sigmaR, label: "σ_R" },
      { values: sigmaZ, label: "σ_z", tone: "second" },
    ];
    draw("Velocity dispersions", "Dispersions of v_R and v_z", `σ${unit(units.velocity)}`, dispersions);
    draw("Height", "Dispersion of z", `√(⟨z²⟩ − ⟨z⟩²)${unit(units.length)}`, ({ height: values }) => [{ values }]);
  }
  if (species !== undefined && species.length > 1) figures.push(speciesFigure(data, species, of));
  return figures;
}

/** Values at the radii of a rotation curve. */
type Drawn = { values: number[]; label?: string; tone?: Tone };

/** A profile at the start, dashed, and at the end. */
function densities(
  first: ReportProfile,
  last: ReportProfile | undefined,
  before: LineStyle,
  now: LineStyle,
): ChartSeries[] {
  const points = (p: ReportProfile): Points => p.radius.map((r, i) => [r, p.density[i]]);
  return [{ points: points(first), ...before, dashed: true }, ...(last ? [{ points: points(last), ...now }] : [])];
}

function speciesFigure(data: ReportData, species: NonNullable<ReportStructure["species"]>, of: string) {
  const looks = species.map((_, i): LineStyle => ({ tone: seriesTone(i) }));
  return profileFigure({
    ...{ kind: "density", of: ` by species${of}`, units: data.units },
    which: ", a curve a species, dashed at the start",
    series: species.flatMap(({ first, last }, i) => densities(first, last, looks[i], looks[i])),
    keys: [
      ...species.map(({ name }, i) => ({ ...looks[i], text: name })),
      { tone: "muted", dashed: true, text: moment(data, species[0].first.time) },
    ],
  });
}

export function timing({ stages, summary }: ReportData): Markup[] {
  const timed = stages.filter(({ ms }) => ms > 0).sort((a, b) => b.ms - a.ms);
  const total = timed.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return [];
  const steps = Math.max(1, summary.steps);
  const groups = timed.map(({ stage, ms }) => ({
    label: stage,
    bars: [{ value: ms, text: `${inMilliseconds(ms / steps)} · ${percentage(ms / total)}` }],
  }));
  const about = `per step, and share of ${inMilliseconds(total / steps)} in all stages`;
  return [figure({ title: "Time per stage", about, svg: barChart({ description: "Time per stage", groups }) })];
}
