/**
 * report.html: a run on one self-contained page. No network, no script; pictures are embedded, charts are SVG.
 * The page shows what ReportData holds and nothing else; report-data.ts makes that from particles.
 */
import type { StageTime } from "../backend.ts";
import type { Boundary } from "../scenario/scenario.ts";
import { barChart, type ChartSeries, escapeHtml, lineChart, powerOfTen, shortNumber } from "./charts.ts";
import type { DiagnosticsRow } from "./csv.ts";
import {
  commonStretch,
  dataUrl,
  densityPng,
  type PixelMap,
  type Stretch,
  scaleBarLength,
  smoothedMap,
  stretchColour,
} from "./pictures.ts";
import { REPORT_CSS } from "./report-style.ts";

/** Unit labels for axes; empty where units are free. */
export interface ReportUnits {
  length: string;
  mass: string;
  velocity: string;
  time: string;
  /** Shown time = factor · time of the run. */
  timeFactor: number;
}

/** A projected density map [mass/length²] and what it spans [length]. */
export interface ReportMap extends PixelMap {
  spanX: number;
  spanY: number;
  /** What one particle of mean mass adds to its pixel [mass/length²]; 0 for no smoothing. */
  quantum: number;
}

export interface ReportSnapshot {
  time: number;
  faceOn: ReportMap;
  /** Present for disks. */
  edgeOn?: ReportMap;
}

export interface ReportProfile {
  time: number;
  radius: number[];
  /** ρ or Σ. */
  density: number[];
}

export interface ReportRotation {
  time: number;
  radius: number[];
  rotation: number[];
  circular?: number[];
}

export interface ReportSummary {
  particles: number;
  /** Mesh cells per side. */
  cells: number;
  steps: number;
  wallSeconds: number;
  /** [1/s] */
  particleUpdatesPerSecond: number;
  backend: string;
  adapter: string;
}

export interface ReportData {
  title: string;
  reference: string;
  expect: string;
  units: ReportUnits;
  boundary: Boundary;
  boxSize: number;
  snapshots: ReportSnapshot[];
  /** What the pictures and profiles show: "disk" or "all particles". */
  shown: string;
  diagnostics: DiagnosticsRow[];
  /** Σm, for the scale of momentum [mass]. */
  totalMass: number;
  profile?: { kind: "density" | "surface-density"; first: ReportProfile; last?: ReportProfile };
  rotation?: { first: ReportRotation; last?: ReportRotation };
  stages: StageTime[];
  summary: ReportSummary;
  /** The deck as run, TOML. */
  deck: string;
  /** Name → version, for the foot of the page. */
  versions: Record<string, string>;
}

/** More pictures than this are thinned out evenly; the first and the last always stay. */
const MOST_PICTURES = 12;

const unit = (text: string) => (text === "" ? "" : ` [${text}]`);

function withUnit(value: string, text: string): string {
  return text === "" ? value : `${value}\u00a0${text}`;
}

function timeText(data: ReportData, time: number): string {
  return withUnit(shortNumber(time * data.units.timeFactor), data.units.time);
}

function duration(seconds: number): string {
  if (seconds < 120) return `${shortNumber(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** 123456789 → "123 M". */
function large(value: number): string {
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
    {
      label: "Mesh",
      value: `${summary.cells}³`,
      more: `${data.boundary}, side ${withUnit(shortNumber(data.boxSize), data.units.length)}`,
    },
    {
      label: "Steps",
      value: summary.steps.toLocaleString("en").replaceAll(",", "\u2009"),
      more: last ? `to t = ${timeText(data, last.time)}` : "",
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
    if (data.boundary === "isolated")
      tiles.push({ label: "Outside the mesh", value: last.outside.toLocaleString("en").replaceAll(",", "\u2009") });
  }
  tiles.push({ label: summary.backend === "cpu" ? "Processor" : "Adapter", value: summary.adapter, wide: true });
  const tile = ({ label, value, more, wide }: (typeof tiles)[number]) =>
    `<div${wide ? ' class="wide"' : ""}><dt>${label}</dt><dd>${escapeHtml(value)}${more ? `<small>${escapeHtml(more)}</small>` : ""}</dd></div>`;
  return `<dl class="numbers">${tiles.map(tile).join("")}</dl>`;
}

function thinned<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]);
}

function picture(map: ReportMap, stretch: Stretch | undefined, alternative: string, bar: string): string {
  const png = dataUrl(densityPng(map, stretch));
  return `<span class="picture"><img src="${png}" width="${map.width}" height="${map.height}" alt="${escapeHtml(alternative)}">${bar}</span>`;
}

function ramp(stretch: Stretch, label: string): string {
  const stops = Array.from({ length: 13 }, (_, i) => `${stretchColour(i / 12)} ${number((100 * i) / 12)}%`).join(", ");
  const [low, high] = [Math.log10(stretch.floor), Math.log10(stretch.ceiling)];
  const ticks: string[] = [];
  for (let n = Math.ceil(low); n <= high; n++) {
    ticks.push(`<span style="left:${number((100 * (n - low)) / (high - low))}%">${powerOfTen(n)}</span>`);
  }
  return `<div class="ramp"><div class="bar" style="background:linear-gradient(to right, ${stops})"></div><div class="ticks">${ticks.join("")}</div>${escapeHtml(label)}</div>`;
}

const number = (value: number) => String(Number(value.toFixed(2)));

function calm(map: ReportMap): ReportMap {
  return map.quantum > 0 ? { ...map, ...smoothedMap(map, map.quantum) } : map;
}

function pictures(data: ReportData): string {
  if (data.snapshots.length === 0) return "";
  const snapshots = thinned(data.snapshots, MOST_PICTURES).map(({ time, faceOn, edgeOn }) => ({
    time,
    faceOn: calm(faceOn),
    edgeOn: edgeOn && calm(edgeOn),
  }));
  const stretch = commonStretch(snapshots.map((s) => s.faceOn));
  const edgeStretch = commonStretch(snapshots.flatMap((s) => (s.edgeOn ? [s.edgeOn] : [])));
  const figures = snapshots.map(({ time, faceOn, edgeOn }) => {
    const length = scaleBarLength(faceOn.spanX);
    const bar = `<span class="scale" style="width:${number((100 * length) / faceOn.spanX)}%">${escapeHtml(withUnit(shortNumber(length), data.units.length))}</span>`;
    const at = `t = ${timeText(data, time)}`;
    const face = picture(
      faceOn,
      stretch,
      `Projected density of ${data.shown}${edgeOn ? ", face-on," : ""} at ${at}`,
      bar,
    );
    const edge = edgeOn ? picture(edgeOn, edgeStretch, `The same, edge-on, at ${at}`, "") : "";
    return `<figure>${face}${edge}<figcaption><b>${escapeHtml(at)}</b></figcaption></figure>`;
  });
  const edges = snapshots.some((s) => s.edgeOn);
  const notes = [
    "The same colours at all times, so that they can be compared.",
    edges && stretch && edgeStretch
      ? `The edge-on strips have their own, brightest at ${shortNumber(edgeStretch.ceiling / stretch.ceiling, 2)} times the density.`
      : "",
    snapshots.some((s) => s.faceOn.quantum > 0) ? "Smoothed where particles are few." : "",
    snapshots.length < data.snapshots.length ? `${snapshots.length} of ${data.snapshots.length} snapshots.` : "",
  ];
  const density = data.units.mass === "" ? "mass/length²" : `${data.units.mass}/${data.units.length}²`;
  return [
    `<h2>Projected density${edges ? ", face-on and edge-on" : ""}</h2>`,
    `<div class="pictures" style="--columns:${columns(snapshots.length)}">${figures.join("")}`,
    stretch ? ramp(stretch, `Projected density of ${data.shown} [${density}]`) : "",
    `</div><p class="note">${notes.filter((note) => note !== "").join(" ")}</p>`,
  ].join("");
}

/** Columns of pictures on a wide page: rows as even as possible. */
function columns(pictures: number): number {
  if (pictures <= 4) return Math.max(2, pictures);
  const empty = (n: number) => (n - (pictures % n)) % n;
  return [4, 3, 5].reduce((best, n) => (empty(n) < empty(best) ? n : best));
}

interface Key {
  tone: "accent" | "second" | "third" | "muted";
  dashed?: boolean;
  text: string;
}

function chartFigure(title: string, note: string, svg: string, keys: readonly Key[] = []): string {
  const swatch = ({ tone, dashed, text }: Key) => {
    const colour = tone === "muted" ? "var(--soft)" : `var(--${tone})`;
    return `<span class="key"><i style="border-color:${colour}${dashed ? ";border-top-style:dashed" : ""}"></i>${escapeHtml(text)}</span>`;
  };
  const more = keys.length > 0 ? keys.map(swatch).join("") : escapeHtml(note);
  return `<figure><figcaption><b>${escapeHtml(title)}</b>${more}</figcaption>${svg}</figure>`;
}

function conservation(data: ReportData): string[] {
  const rows = data.diagnostics;
  if (rows.length < 2) return [];
  const { units } = data;
  const time = rows.map((row) => row.time * units.timeFactor);
  const x = { label: `Time${unit(units.time)}` };
  const series = (value: (row: DiagnosticsRow) => number): ChartSeries["points"] =>
    rows.map((row, i) => [time[i], value(row)]);
  const [p0, scale] = [rows[0].momentum, Math.sqrt(2 * data.totalMass * rows[0].kinetic)];
  const drift = (row: DiagnosticsRow) => Math.hypot(...row.momentum.map((p, k) => p - p0[k])) / (scale > 0 ? scale : 1);
  const fractions = ["1 %", "10 %", "25 %", "50 %", "75 %", "90 %"];
  return [
    chartFigure(
      "Energy",
      "relative error of the total energy",
      lineChart({
        description: "Relative energy error against time",
        x,
        y: { label: "(E − E₀) / |E₀|" },
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

function structure(data: ReportData): string[] {
  const { units, profile, rotation } = data;
  const figures: string[] = [];
  const keysOf = (first: { time: number }, last: { time: number } | undefined): Key[] => [
    { tone: "muted", dashed: true, text: `t = ${timeText(data, first.time)}` },
    ...(last ? [{ tone: "accent" as const, text: `t = ${timeText(data, last.time)}` }] : []),
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

function timing(data: ReportData): string[] {
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
<style>${REPORT_CSS}</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(data.title)}</h1>
${optional("reference", data.reference)}
${optional("expect", data.expect)}
</header>
${keyNumbers(data)}
${pictures(data)}
${section("Conservation and equilibrium", conservation(data))}
${section("Structure and cost", [...structure(data), ...timing(data)])}
<details><summary>The scenario as run</summary><pre>${escapeHtml(data.deck)}</pre></details>
<footer>${versions.join(" · ")}</footer>
</main>
</body>
</html>
`;
}
