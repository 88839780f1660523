/** The curves and bars of report.html: conservation, structure first against last, time per stage. */

import type { DiagnosticsRow } from "../../io/csv.ts";
import { barChart, type ChartSeries, escapeHtml, lineChart, shortNumber, type Tone } from "../../page/charts.ts";
import {
  moment,
  type ReportData,
  type ReportProfile,
  type ReportRotation,
  timeAxis,
  unit,
} from "../../page/report-model.ts";

/** An entry of a chart's legend. */
export interface Key {
  tone: Tone;
  dashed?: boolean;
  band?: boolean;
  text: string;
}

/** A chart with its title, and a note or a legend. */
export function chartFigure(title: string, note: string, svg: string, keys: readonly Key[] = []): string {
  const swatch = ({ tone, dashed, band, text }: Key) => {
    const colour = tone === "muted" ? "var(--soft)" : `var(--${tone})`;
    const style = `border-color:${colour}${dashed ? ";border-top-style:dashed" : ""}`;
    return `<span class="key"><i${band ? ' class="band"' : ""} style="${style}"></i>${escapeHtml(text)}</span>`;
  };
  const more = keys.length > 0 ? keys.map(swatch).join("") : escapeHtml(note);
  return `<figure><figcaption><b>${escapeHtml(title)}</b>${more}</figcaption>${svg}</figure>`;
}

/** Energy, momentum, virial ratio, Lagrangian radii; none without at least two rows. */
export function conservation(data: ReportData): string[] {
  const rows = data.diagnostics;
  if (rows.length < 2) return [];
  const { units } = data;
  const time = rows.map((row) => row.time * units.timeFactor);
  const x = { label: timeAxis(data) };
  const series = (value: (row: DiagnosticsRow) => number): ChartSeries["points"] =>
    rows.map((row, i) => [time[i], value(row)]);
  const [p0, scale] = [rows[0].momentum, Math.sqrt(2 * data.totalMass * rows[0].kinetic)];
  const drift = (row: DiagnosticsRow) => Math.hypot(...row.momentum.map((p, k) => p - p0[k])) / (scale > 0 ? scale : 1);
  const fractions = ["1 %", "10 %", "25 %", "50 %", "75 %", "90 %"];
  return [
    chartFigure(
      "Energy",
      data.comoving ? "residual of the cosmic energy equation" : "relative error of the total energy",
      lineChart({
        description: "Relative energy error against time",
        x,
        y: { label: data.comoving ? "Layzer–Irvine residual / |aW|" : "(E − E₀) / |E₀|" },
        series: [{ points: series((row) => row.energyError) }],
        rules: [{ at: 0 }],
      }),
    ),
    chartFigure(
      "Momentum",
      "drift of the total momentum from its first value",
      lineChart({
        description: "Momentum drift against time",
        x,
        y: { label: "|p − p₀| / √(2 M K₀)", domain: [0, 0] },
        series: [{ points: series(drift) }],
      }),
    ),
    ...(data.comoving
      ? []
      : [
          chartFigure(
            "Virial ratio",
            "1 in equilibrium",
            lineChart({
              description: "Virial ratio against time",
              x,
              y: { label: "2K / |V|", domain: [0.95, 1.05] },
              series: [{ points: series((row) => row.virialRatio) }],
              rules: [{ at: 1 }],
            }),
          ),
        ]),
    ...(data.boundary === "periodic"
      ? []
      : [
          chartFigure(
            "Lagrangian radii",
            "radii that hold a share of the mass",
            lineChart({
              description: "Lagrangian radii against time",
              x,
              y: { label: `Radius${unit(units.length)}`, scale: "log" },
              series: fractions.map((label, k) => ({
                points: series((row) => row.lagrangianRadii[k]),
                label,
                tone: label === "50 %" ? "accent" : "muted",
              })),
            }),
          ),
        ]),
  ];
}

/** Density profile and rotation curve, as far as there are any. */
export function structure(data: ReportData): string[] {
  const { units, profile, rotation } = data;
  const figures: string[] = [];
  const keysOf = (first: { time: number }, last: { time: number } | undefined): Key[] => [
    { tone: "muted", dashed: true, text: moment(data, first.time) },
    ...(last ? [{ tone: "accent" as const, text: moment(data, last.time) }] : []),
  ];
  if (profile !== undefined) {
    const disk = profile.kind === "surface-density";
    const points = (p: ReportProfile): ChartSeries["points"] => p.radius.map((r, i) => [r, p.density[i]]);
    const name = disk ? "Σ" : "ρ";
    const area = disk ? "²" : "³";
    figures.push(
      chartFigure(
        disk ? "Surface density" : "Density profile",
        "",
        lineChart({
          description: `${disk ? "Surface density" : "Density"} against radius, first against last`,
          x: { label: `${disk ? "R" : "r"}${unit(units.length)}`, ...(disk ? { domain: [0, 0] } : { scale: "log" }) },
          y: { label: `${name} [${units.mass || "mass"}/${units.length || "length"}${area}]`, scale: "log" },
          series: [
            { points: points(profile.first), tone: "muted", dashed: true },
            ...(profile.last ? [{ points: points(profile.last) }] : []),
          ],
        }),
        keysOf(profile.first, profile.last),
      ),
    );
  }
  if (rotation !== undefined) {
    const at = (r: ReportRotation, values: number[]): ChartSeries["points"] => r.radius.map((R, i) => [R, values[i]]);
    const curves = (r: ReportRotation, dashed: boolean): ChartSeries[] => [
      ...(r.circular
        ? [
            {
              points: at(r, r.circular),
              tone: "second" as const,
              dashed,
              ...(dashed && rotation.last ? {} : { label: "v_c" }),
            },
          ]
        : []),
      {
        points: at(r, r.rotation),
        tone: dashed ? "muted" : "accent",
        dashed,
        ...(dashed && rotation.last ? {} : { label: "⟨v_φ⟩" }),
      },
    ];
    figures.push(
      chartFigure(
        "Rotation curve",
        "",
        lineChart({
          description: "Mean rotation speed and circular speed against radius, first against last",
          x: { label: `R${unit(units.length)}`, domain: [0, 0] },
          y: { label: `Speed${unit(units.velocity)}`, domain: [0, 0] },
          series: [...curves(rotation.first, true), ...(rotation.last ? curves(rotation.last, false) : [])],
        }),
        keysOf(rotation.first, rotation.last),
      ),
    );
  }
  return figures;
}

/** Bars of the time per stage. */
export function timing(data: ReportData): string[] {
  const stages = data.stages.filter((stage) => stage.ms > 0).sort((a, b) => b.ms - a.ms);
  const total = stages.reduce((sum, stage) => sum + stage.ms, 0);
  if (total === 0) return [];
  const steps = Math.max(1, data.summary.steps);
  const rows = stages.map(({ stage, ms }) => ({
    label: stage,
    value: ms,
    text: `${shortNumber(ms / steps)} ms · ${shortNumber((100 * ms) / total, 2)} %`,
  }));
  const svg = barChart({ description: "Time per stage", rows });
  return [chartFigure("Time per stage", `per step, and share of ${shortNumber(total / steps)} ms in all stages`, svg)];
}
