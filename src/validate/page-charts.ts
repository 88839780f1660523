/** The charts of validate.html: errors of the force, the force law, and both runs side by side. */
import type { ErrorBin, ForceErrors } from "../diagnostics/validation.ts";
import { type ChartSeries, lineChart, shortNumber } from "../page/charts.ts";
import { unit } from "../page/report-model.ts";
import { chartFigure, type Key } from "../run/report/curves.ts";
import type { Evolution, EvolutionRow, ForceComparison, ForceLaw, RunState, ValidatePage } from "./page-model.ts";

/** A shell with fewer targets is noise. */
const LEAST_IN_SHELL = 8;

type Points = ChartSeries["points"];

const middle = ({ from, to }: ErrorBin) => Math.sqrt(Math.max(from, to / 4) * to);
const cells = (value: number) => `${shortNumber(value, 2)} ${value === 1 ? "cell" : "cells"}`;

/** "no softening", or "ε = 0.4 cells". */
export function softeningText({ softening, softeningCells }: ForceErrors): string {
  return softening === 0 ? "no softening" : `ε = ${cells(softeningCells)}`;
}

/** Error against distance, its distribution, and the error along the force. */
export function forceFigures({ validation: { forces }, units }: ValidatePage): string[] {
  if (!forces?.plain) return [];
  const { plain, fitted, against } = forces;
  const shown = [
    { errors: plain, tone: "second" as const },
    ...(fitted ? [{ errors: fitted, tone: "accent" as const }] : []),
  ];
  const keys: Key[] = shown.map(({ errors, tone }) => ({ tone, text: `against ${softeningText(errors)}` }));
  const x = {
    label: against === "radius" ? `Distance from the centre of mass${unit(units.length)}` : "|a| / rms |a|",
    scale: "log" as const,
  };
  const shells = ({ bins }: ForceErrors) => bins.filter(({ targets }) => targets >= LEAST_IN_SHELL);
  const figures = [
    chartFigure(
      against === "radius" ? "Error against distance" : "Error against strength",
      "",
      lineChart({
        description: `Relative error of the mesh force against ${against}: median, and the band from 16 to 84 percent`,
        x,
        y: { label: "relative error |Δ| / |a|", scale: "log" },
        areas: shown.map(({ errors, tone }) => ({
          points: shells(errors).map((bin) => [middle(bin), bin.p16!, bin.p84!] as const),
          tone,
        })),
        series: shown.map(({ errors, tone }) => ({
          points: shells(errors).map((bin) => [middle(bin), bin.median!] as const),
          tone,
        })),
      }),
      keys,
    ),
    chartFigure("Distribution of the error", "", histogram(shown), keys),
    chartFigure(
      "Pull too hard, too weak",
      "",
      lineChart({
        description: `Mean error along the direct force against ${against}`,
        x,
        y: { label: "error along the force [%]", domain: [-1, 1] },
        series: shown.map(({ errors, tone }) => ({
          points: shells(errors).map((bin) => [middle(bin), 100 * bin.along!] as const),
          tone,
        })),
        rules: [{ at: 0 }],
      }),
      keys,
    ),
  ];
  const trial = triedFigure(forces);
  return trial ? [...figures, trial] : figures;
}

function histogram(shown: readonly { errors: ForceErrors; tone: "accent" | "second" }[]): string {
  const areas = shown.map(({ errors: { histogram: bars }, tone }) => {
    const width = (bars.to - bars.from) / bars.share.length;
    const used = bars.share.flatMap((share, b) => (share > 0 ? [b] : []));
    const points =
      used.length === 0
        ? []
        : range(used[0], used.at(-1)!).flatMap((b) => {
            const [left, right] = [10 ** (bars.from + b * width), 10 ** (bars.from + (b + 1) * width)];
            return [[left, 0, 100 * bars.share[b]] as const, [right, 0, 100 * bars.share[b]] as const];
          });
    return { points, tone };
  });
  return lineChart({
    description: "Share of the targets by relative error",
    x: { label: "relative error |Δ| / |a|", scale: "log" },
    y: { label: "targets [%] per tenth of a decade", domain: [0, 0] },
    areas,
    series: areas.map(({ points, tone }) => ({ points: points.map(([at, , high]) => [at, high] as const), tone })),
  });
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** What softening the mesh is nearest to. */
function triedFigure({ tried, triedOn, fitted }: ForceComparison): string | undefined {
  if (tried.length < 3 || !fitted) return undefined;
  return chartFigure(
    "Which softening is it like?",
    `rms difference from the direct sum by its softening, on ${triedOn.toLocaleString("en")} targets; least at ${cells(fitted.softeningCells)}`,
    lineChart({
      description: "Rms difference between the mesh and a softened direct sum against the softening",
      x: { label: "ε [cells]", domain: [0, 0] },
      y: { label: "rms difference / rms |a| [%]", domain: [0, 0] },
      series: [{ points: tried.map(({ cells: at, rms }) => [at, 100 * rms] as const), marks: "dot" }],
    }),
  );
}

/** Mean and scatter of a point mass's force by separation, beside Plummer's law with the fitted softening. */
export function forceLawFigures(law: ForceLaw, fitted: ForceErrors | null): string[] {
  const { rows, cells: n, scheme } = law;
  const at = rows.filter(({ separation }) => separation >= 0.5);
  const means: Points = at.map(({ separation, meanRadial }) => [separation, meanRadial]);
  const band = at.map(
    ({ separation, meanRadial, scatter }) => [separation, meanRadial - scatter, meanRadial + scatter] as const,
  );
  const documented = (value: "meanRadial" | "scatter"): Points =>
    rows.flatMap(({ separation, known }) => (known ? [[separation, known[value]] as const] : []));
  const softening = fitted?.softeningCells;
  const plummer: Points =
    softening === undefined
      ? []
      : range(0, 60).map((k) => {
          const r = 0.5 * (at.at(-1)!.separation / 0.5) ** (k / 60);
          return [r, 100 * ((1 + (softening / r) ** 2) ** -1.5 - 1)];
        });
  const keys: Key[] = [
    { tone: "accent", text: "mean; band: scatter" },
    ...(softening === undefined
      ? []
      : [{ tone: "second" as const, dashed: true, text: `Plummer, ε = ${cells(softening)}` }]),
  ];
  const x = { label: "Separation [cells]", scale: "log" as const };
  const meanFigure = chartFigure(
    `Force of a point mass, ${scheme}, ${n}³`,
    "",
    lineChart({
      description: "Mean radial error of a point mass's force and its scatter against separation",
      x,
      y: { label: "error of the pull [%]" },
      areas: [{ points: band }],
      series: [
        ...(plummer.length > 0 ? [{ points: plummer, tone: "second" as const, dashed: true }] : []),
        { points: means },
        { points: documented("meanRadial"), marks: "diamond", tone: "muted", line: false },
      ],
      rules: [{ at: 0 }],
    }),
    keys,
  );
  const scatterFigure = chartFigure(
    "Scatter of the same",
    "rms by direction and place in the cell, radial and tangential together",
    lineChart({
      description: "Scatter of a point mass's force against separation",
      x,
      y: { label: "rms scatter [%]", scale: "log" },
      series: [
        { points: at.map((row) => [row.separation, row.scatter] as const) },
        { points: documented("scatter"), marks: "diamond", tone: "muted", line: false },
      ],
    }),
  );
  return [meanFigure, scatterFigure];
}

const RUNS = [
  { run: "mesh", tone: "accent", text: "mesh" },
  { run: "direct", tone: "second", text: "direct sum" },
] as const;
const RUN_KEYS: Key[] = RUNS.map(({ tone, text }) => ({ tone, text }));
/** Where the curves lie on each other the mesh's is a broad band below the other. */
const BAND_KEYS: Key[] = RUNS.map(({ run, tone, text }) => ({ tone, text, ...(run === "mesh" && { band: true }) }));
/** LAGRANGIAN_FRACTIONS that are drawn, by index. */
const RADII = [
  { index: 1, label: "10 %" },
  { index: 3, label: "50 %" },
  { index: 5, label: "90 %" },
];

/** Energy, momentum, Lagrangian radii, orbits, profiles; none without two rows. */
export function evolutionFigures({ validation: { evolution }, units, shown }: ValidatePage): string[] {
  if (!evolution || evolution.rows.length < 2) return [];
  const { rows } = evolution;
  const x = { label: `Time${unit(units.time)}` };
  const points = (value: (row: EvolutionRow) => number): Points =>
    rows.map((row) => [row.time * units.timeFactor, value(row)]);
  const both = (value: (state: RunState) => number): ChartSeries[] =>
    RUNS.map(({ run, tone }) => ({ points: points((row) => value(row[run])), tone }));
  return [
    chartFigure(
      "Energy",
      "",
      lineChart({
        description: "Relative energy error of both runs against time",
        x,
        y: { label: "(E − E₀) / |E₀|" },
        series: both(({ energyError }) => energyError),
        rules: [{ at: 0 }],
      }),
      RUN_KEYS,
    ),
    chartFigure(
      "Momentum",
      "",
      lineChart({
        description: "Momentum drift of both runs against time",
        x,
        y: { label: "|p − p₀| / √(2 M K₀)", domain: [0, 0] },
        series: both(({ momentumError }) => momentumError),
      }),
      RUN_KEYS,
    ),
    chartFigure(
      "Virial ratio",
      "",
      lineChart({
        description: "Virial ratio of both runs against time",
        x,
        y: { label: "2K / |V|", domain: [0.95, 1.05] },
        series: both(({ virialRatio }) => virialRatio),
        rules: [{ at: 1 }],
      }),
      RUN_KEYS,
    ),
    chartFigure(
      "Lagrangian radii",
      "",
      lineChart({
        description: "Radii that hold 10, 50 and 90 % of the mass against time, in both runs",
        x,
        y: { label: `Radius${unit(units.length)}`, scale: "log" },
        series: RADII.flatMap(({ index, label }) =>
          both(({ lagrangianRadii }) => lagrangianRadii[index]).map((one, i) =>
            i === 0 ? { ...one, label, band: true } : one,
          ),
        ),
      }),
      BAND_KEYS,
    ),
    distanceFigure(evolution, points, x),
    ...profileFigure(evolution, units, shown),
  ];
}

function distanceFigure(
  { rows, perturbation }: Evolution,
  points: (value: (row: EvolutionRow) => number) => Points,
  x: { label: string },
): string {
  const chaos = rows.every((row) => row.chaos !== null);
  // Both begin in the same places, to the spacing of the mesh's fixed point: no sight for a logarithm.
  const later = (value: (row: EvolutionRow) => number) => points(value).slice(1);
  const series: ChartSeries[] = [
    { points: later(({ distance }) => distance.rms), tone: "accent", dashed: true },
    { points: later(({ distance }) => distance.median), tone: "accent" },
    ...(chaos
      ? [
          { points: points((row) => row.chaos!.rms), tone: "muted" as const, dashed: true },
          { points: points((row) => row.chaos!.median), tone: "muted" as const },
        ]
      : []),
  ];
  const keys: Key[] = [
    { tone: "accent", text: "mesh and direct, median" },
    { tone: "accent", dashed: true, text: "rms" },
    ...(chaos
      ? [{ tone: "muted" as const, text: `two direct runs begun ${shortNumber(perturbation, 1)} cells apart` }]
      : []),
  ];
  return chartFigure(
    "Orbits part",
    "",
    lineChart({
      description: "Distance between the same particle in the mesh run and in the direct run against time",
      x,
      y: { label: "distance [cells]", scale: "log" },
      series,
    }),
    keys,
  );
}

function profileFigure({ profiles, time }: Evolution, units: ValidatePage["units"], shown: string): string[] {
  if (!profiles) return [];
  const disk = profiles.kind === "surface-density";
  const at = (run: "start" | "mesh" | "direct"): Points =>
    profiles[run].radius.map((r, i) => [r, profiles[run].density[i]]);
  const when = `t = ${shortNumber(time * units.timeFactor)}${units.time === "" ? "" : ` ${units.time}`}`;
  return [
    chartFigure(
      `${disk ? "Surface density" : "Density profile"}, ${shown}`,
      "",
      lineChart({
        description: `${disk ? "Surface density" : "Density"} against radius at the start, and of both runs at the end`,
        x: { label: `${disk ? "R" : "r"}${unit(units.length)}`, ...(disk ? { domain: [0, 0] } : { scale: "log" }) },
        y: {
          label: `${disk ? "Σ" : "ρ"} [${units.mass || "mass"}/${units.length || "length"}${disk ? "²" : "³"}]`,
          scale: "log",
        },
        series: [
          { points: at("start"), tone: "muted", dashed: true },
          { points: at("mesh"), tone: "accent", band: true },
          { points: at("direct"), tone: "second" },
        ],
      }),
      [
        { tone: "muted", dashed: true, text: "start" },
        { tone: "accent", band: true, text: `mesh, ${when}` },
        { tone: "second", text: "direct sum" },
      ],
    ),
  ];
}
