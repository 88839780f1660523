/** The charts of validate.html: errors of the force, the force law, and both runs side by side. */

import { range } from "d3-array";
import type { ChartSeries, LineChart, Points } from "../../run/page/charts.ts";
import type { Tone } from "../../run/page/colours.ts";
import { type LegendKey, lineFigure } from "../../run/page/html.ts";
import type { Markup } from "../../run/page/markup.ts";
import { inCells, shortNumber, thinGrouped } from "../../run/page/numbers.ts";
import { columnFigures, followed, profileFigure, timeAxis } from "../../run/page/run-figures.ts";
import { unit, withUnit } from "../../run/page/units.ts";
import type { ErrorBin, ForceErrors } from "./force-errors.ts";
import type { ForceLaw } from "./law.ts";
import {
  COMPARED,
  type Evolution,
  type EvolutionRow,
  type ForceComparison,
  partsOf,
  type ValidatePage,
} from "./record.ts";

/** A shell with fewer targets is noise. */
const LEAST_IN_SHELL = 8;

/** Softenings along the axes, two digits each. */
export const axesText = (cells: readonly number[]) => cells.map((one) => Number(one.toPrecision(2))).join(", ");

/** "no softening", or "ε = 0.4 cells". */
export function softeningText({ softening, softeningCells }: ForceErrors, cells = inCells): string {
  return softening === 0 ? "no softening" : `ε = ${cells(softeningCells)}`;
}

export const isTelling = ({ targets }: ErrorBin) => targets >= LEAST_IN_SHELL;

/** Where a shell is drawn and named. */
export const middleOf = ({ from, to }: ErrorBin) => Math.sqrt(Math.max(from, to / 4) * to);

/** One of the sums that the mesh is compared with. */
type Shown = { errors: ForceErrors; tone: Tone };

/** Error against distance, its distribution, and the error along the force. */
export function forceFigures({ validation, units }: ValidatePage): Markup[] {
  const { forces } = partsOf(validation);
  if (!forces?.plain) return [];
  const { plain, fitted, against } = forces;
  const shown: Shown[] = [
    { errors: plain, tone: "second" },
    ...(fitted ? [{ errors: fitted, tone: "accent" as Tone }] : []),
  ];
  const keys: LegendKey[] = shown.map(({ errors, tone }) => ({ tone, text: `against ${softeningText(errors)}` }));
  const radial = against === "radius";
  const x = {
    label: radial ? `Distance from the centre of mass${unit(units.length)}` : "|a| / rms |a|",
    scale: "log" as const,
  };
  const curves = <T>(point: (bin: ErrorBin) => T) =>
    shown.map(({ errors: { bins }, tone }) => ({ points: bins.filter(isTelling).map(point), tone }));
  const charts: Record<string, LineChart> = {
    [radial ? "Error against distance" : "Error against strength"]: {
      description: `Relative error of the force by ${COMPARED[validation.gravity].named} against ${against}: median, and the band from 16 to 84 percent`,
      x,
      y: { label: "relative error |Δ| / |a|", scale: "log" },
      areas: curves((bin) => [middleOf(bin), bin.p16!, bin.p84!]),
      series: curves((bin) => [middleOf(bin), bin.median!]),
    },
    "Distribution of the error": histogram(shown),
    "Pull too hard, too weak": {
      description: `Mean error along the direct force against ${against}`,
      x,
      y: { label: "error along the force [%]", domain: [-1, 1] },
      series: curves((bin) => [middleOf(bin), 100 * bin.along!]),
      rules: [{ at: 0 }],
    },
  };
  return [
    ...Object.entries(charts).map(([title, chart]) => lineFigure({ title, keys, ...chart })),
    ...triedFigure(forces),
  ];
}

function histogram(shown: readonly Shown[]): LineChart {
  const areas = shown.map(({ errors: { histogram: bars }, tone }) => {
    const width = (bars.to - bars.from) / bars.share.length;
    const first = bars.share.findIndex((share) => share > 0);
    const last = bars.share.findLastIndex((share) => share > 0);
    const used = first < 0 ? [] : range(first, last + 1);
    const points = used.flatMap((b) => {
      const [left, right] = [10 ** (bars.from + b * width), 10 ** (bars.from + (b + 1) * width)];
      return [[left, 0, 100 * bars.share[b]] as const, [right, 0, 100 * bars.share[b]] as const];
    });
    return { points, tone };
  });
  return {
    description: "Share of the targets by relative error",
    x: { label: "relative error |Δ| / |a|", scale: "log" },
    y: { label: "targets [%] per tenth of a decade", domain: [0, 0] },
    areas,
    series: areas.map(({ points, tone }) => ({ points: points.map(([at, , high]) => [at, high] as const), tone })),
  };
}

/** What softening the mesh is nearest to. */
function triedFigure({ tried, triedOn, fitted }: ForceComparison): Markup[] {
  if (tried.length < 3 || !fitted) return [];
  const chart = lineFigure({
    title: "Which softening is it like?",
    about: `rms difference from the direct sum by its softening, on ${thinGrouped(triedOn)} targets; least at ${inCells(fitted.softeningCells)}`,
    description: "Rms difference from a softened direct sum against the softening",
    x: { label: "ε [cells]", domain: [0, 0] },
    y: { label: "rms difference / rms |a| [%]", domain: [0, 0] },
    series: [{ points: tried.map(({ cells: at, rms }) => [at, 100 * rms] as const), marks: "dot" }],
  });
  return [chart];
}

/** Mean and scatter of a point mass's force by separation, with Plummer's law of the fitted softening. */
export function forceLawFigures({ rows, cells, scheme }: ForceLaw, fitted: ForceErrors | null): Markup[] {
  const at = rows.filter(({ separation }) => separation >= 0.5);
  const measured = (value: "meanRadial" | "scatter") => ({
    points: at.map(({ separation, [value]: figure }) => [separation, figure] as const),
  });
  const documented = (value: "meanRadial" | "scatter"): ChartSeries => ({
    points: rows.flatMap(({ separation, known }) => (known ? [[separation, known[value]] as const] : [])),
    ...{ marks: "diamond", tone: "muted", line: false },
  });
  const plummer = fitted
    ? [{ points: plummerLaw(fitted.softeningCells, at.at(-1)!.separation), tone: "second" as const, dashed: true }]
    : [];
  const x = { label: "Separation [cells]", scale: "log" as const };
  return [
    lineFigure({
      title: `Force of a point mass, ${scheme}, ${cells}³`,
      keys: [
        { text: "mean; band: scatter" },
        ...plummer.map((look) => ({ ...look, text: `Plummer, ε = ${inCells(fitted!.softeningCells)}` })),
      ],
      description: "Mean radial error of a point mass's force and its scatter against separation",
      x,
      y: { label: "error of the pull [%]" },
      areas: [
        { points: at.map(({ separation: r, meanRadial: e, scatter }) => [r, e - scatter, e + scatter] as const) },
      ],
      series: [...plummer, measured("meanRadial"), documented("meanRadial")],
      rules: [{ at: 0 }],
    }),
    lineFigure({
      title: "Scatter of the same",
      about: "rms by direction and place in the cell, radial and tangential together",
      description: "Scatter of a point mass's force against separation",
      x,
      y: { label: "rms scatter [%]", scale: "log" },
      series: [measured("scatter"), documented("scatter")],
    }),
  ];
}

/** Error of a Plummer-softened force [%] up to `most` cells. */
function plummerLaw(softening: number, most: number): Points {
  return range(61).map((k) => {
    const r = 0.5 * (most / 0.5) ** (k / 60);
    return [r, 100 * ((1 + (softening / r) ** 2) ** -1.5 - 1)];
  });
}

const MESH = { tone: "accent" } as const;
const DIRECT = { tone: "second", text: "direct sum" } as const;

/** Energy, momentum, Lagrangian radii, orbits, profiles; none without two rows. */
export function evolutionFigures({ validation, units, shown }: ValidatePage): Markup[] {
  const { conserved, field, gravity } = validation;
  const key = { ...MESH, text: COMPARED[gravity].short };
  const { evolution } = partsOf(validation);
  if (!evolution || evolution.rows.length < 2) return [];
  const states = (run: "mesh" | "direct") => evolution.rows.map((row) => ({ time: row.time, ...row[run] }));
  return [
    ...columnFigures({
      runs: [
        // Where the radii lie on each other the mesh's are a broad band below the others.
        followed(states("mesh"), { look: { tone: MESH.tone }, radiiLook: { tone: MESH.tone, band: true } }),
        followed(states("direct"), { look: { tone: DIRECT.tone } }),
      ],
      ...{ units, boundary: "isolated", whose: ", in both runs", conserved, field },
      keys: [key, DIRECT],
      radiiKeys: [{ ...key, band: true }, DIRECT],
    }),
    distanceFigure(evolution, units, key.text),
    ...profiles(evolution, { units, shown, name: key.text }),
  ];
}

function distanceFigure({ rows, perturbation }: Evolution, units: ValidatePage["units"], name: string): Markup {
  const chaos = rows.every((row) => row.chaos !== null);
  const curves = (of: "distance" | "chaos", from: readonly EvolutionRow[], tone?: Tone): ChartSeries[] =>
    (["rms", "median"] as const).map((figure) => ({
      points: from.map((row) => [row.time, row[of]![figure]] as const),
      ...{ dashed: figure === "rms", ...(tone && { tone }) },
    }));
  // Both begin in the same places, to the spacing of the mesh's fixed point: no sight for a logarithm.
  const series = [...curves("distance", rows.slice(1)), ...(chaos ? curves("chaos", rows, "muted") : [])];
  const keys: LegendKey[] = [{ text: `${name} and direct, median` }, { dashed: true, text: "rms" }];
  if (chaos) keys.push({ tone: "muted", text: `two direct runs begun ${shortNumber(perturbation, 1)} cells apart` });
  return lineFigure({
    ...{ title: "Orbits part", keys, series, x: timeAxis(units), y: { label: "distance [cells]", scale: "log" } },
    description: `Distance between the same particle in the ${name} run and in the direct run against time`,
  });
}

function profiles(
  { profiles, time }: Evolution,
  { units, shown, name }: Pick<ValidatePage, "units" | "shown"> & { name: string },
): Markup[] {
  if (!profiles) return [];
  const at = (run: "start" | "mesh" | "direct"): Points =>
    profiles[run].radius.map((r, i) => [r, profiles[run].density[i]]);
  const when = `t = ${withUnit(shortNumber(time), units.time)}`;
  const looks = [{ tone: "muted", dashed: true }, { tone: MESH.tone, band: true }, { tone: DIRECT.tone }] as const;
  return [
    profileFigure({
      ...{ kind: profiles.kind, of: `, ${shown}`, which: " at the start, and of both runs at the end", units },
      series: [at("start"), at("mesh"), at("direct")].map((points, i) => ({ points, ...looks[i] })),
      keys: ["start", `${name}, ${when}`, "direct sum"].map((text, i) => ({ text, ...looks[i] })),
    }),
  ];
}
