/** A validation's tables for terminal and page, its closing text, and the rows of validate.csv (docs/validate.md). */

import { LAGRANGIAN_FRACTIONS } from "../../physics/particles/sums.ts";
import { csvNumber, csvText } from "../../run/io/csv.ts";
import { fieldNote } from "../../run/page/concern.ts";
import {
  cellsText,
  exponentText,
  grouped,
  hundredths,
  inCells,
  MISSING,
  shortNumber,
  simulatedTime,
  small,
  thousandths,
  withCommas,
} from "../../run/page/numbers.ts";
import { textTable, wrapped } from "../../run/page/text.ts";
import { withUnit } from "../../run/page/units.ts";
import { type StudyTable, tableText } from "../table.ts";
import type { ErrorFigures } from "./force-errors.ts";
import type { TargetTable } from "./forces.ts";
import type { ForceLaw } from "./law.ts";
import { axesText, softeningText } from "./page-charts.ts";
import {
  COMPARED,
  type Evolution,
  type ForceComparison,
  failuresOf,
  type LevelErrors,
  partsOf,
  type Validation,
} from "./record.ts";

const TIMES_SHOWN = 6;

/** Three digits: "12.3 %", "0.123 %"; powers of ten for tiny ones. */
export function percent(value: number | null): string {
  if (value === null || Number.isNaN(value)) return MISSING;
  const size = Math.abs(100 * value);
  if (size === 0) return "0 %";
  if (size < 0.01 || size >= 1e5) return `${exponentText(100 * value)} %`;
  return `${size < 99.95 ? (100 * value).toPrecision(3) : (100 * value).toFixed(0)} %`;
}

/** How shares, as percentages, and errors are written. */
export interface Style {
  percent: (value: number | null) => string;
  error: (value: number) => string;
  cells: (value: number) => string;
}

const IN_TERMINAL: Style = { percent, error: exponentText, cells: cellsText };
export const ON_PAGE: Style = {
  percent: (value) => (value === null || Number.isNaN(value) ? MISSING : `${small(100 * value)}\u202f%`),
  error: small,
  cells: inCells,
};

/** A share with its sign and a real minus. */
function signed(value: number | null, { percent }: Style): string {
  return `${value !== null && value > 0 ? "+" : ""}${percent(value).replace("-", "−")}`;
}

/** How many particles were looked at: "all 1,000", "500 of 1,000". */
export function someOf(some: number, all: number, write = grouped): string {
  return some === all ? `all ${write(all)}` : `${write(some)} of ${write(all)}`;
}

export function forceRows({ plain, fitted }: ForceComparison, style: Style): StudyTable {
  const figures = (all: ErrorFigures) => [all.rms, all.median, all.p90, all.p99, all.largest].map(style.percent);
  const rows = [plain, fitted].flatMap((errors) => {
    if (errors === null) return [];
    const along = signed(errors.along.mean, style);
    return [
      [`|Δ|/|a|, ${softeningText(errors, style.cells)}`, ...figures(errors.relative), along],
      ["|Δ|/rms |a|", ...figures(errors.scaled), ""],
    ];
  });
  return { title: "", columns: ["", "rms", "median", "90 %", "99 %", "max", "along"], rows };
}

export function levelRows(levels: readonly LevelErrors[], style: Style): StudyTable {
  const rows = levels.map(({ name, cell, targets, relative, along }) => {
    const figures = [relative.median, relative.p90, relative.p99].map(style.percent);
    return [name, small(cell), grouped(targets), ...figures, signed(along, style)];
  });
  return { title: "", columns: ["", "h", "targets", "median", "90 %", "99 %", "along"], rows };
}

/** Separations of the table [cells]; the chart has all. */
const SEPARATIONS_SHOWN = [0.5, 1, 2, 3, 4, 6, 8, 16];

export function lawRows({ rows: all }: ForceLaw): StudyTable {
  const shown = all.filter(({ separation }) => SEPARATIONS_SHOWN.includes(separation));
  const anyKnown = shown.some(({ known }) => known);
  const rows = shown.map(({ separation, meanRadial, scatter, known }) => {
    const text = known ? `${hundredths(known.meanRadial)} / ${hundredths(known.scatter)}` : MISSING;
    return [String(separation), hundredths(meanRadial), hundredths(scatter), ...(anyKnown ? [text] : [])];
  });
  return { title: "", columns: ["cells", "mean", "scatter", ...(anyKnown ? ["docs/accuracy.md"] : [])], rows };
}

/** Largest |error| of the energy in any row. */
export function largestError({ rows }: Evolution, run: "mesh" | "direct"): number {
  return Math.max(...rows.map((row) => Math.abs(row[run].energyError)));
}

/** At the last row. */
export function evolutionRows(evolution: Evolution, style: Style, gravity: Validation["gravity"]): StudyTable {
  const [first, last] = [evolution.rows[0], evolution.rows.at(-1)!];
  const rows = (["mesh", "direct"] as const).map((run) => {
    const { energyError, momentumError, virialRatio, lagrangianRadii } = last[run];
    const errors = [energyError, largestError(evolution, run), momentumError].map(style.error);
    const changes = ([0.1, 0.5, 0.9] as const).map((fraction) => {
      const index = LAGRANGIAN_FRACTIONS.indexOf(fraction);
      const start = first[run].lagrangianRadii[index];
      return start > 0 ? signed(lagrangianRadii[index] / start - 1, style) : MISSING;
    });
    return [run === "mesh" ? COMPARED[gravity].short : run, ...errors, virialRatio.toFixed(3), ...changes];
  });
  return { title: "", columns: ["", "energy", "at most", "momentum", "virial", "r 10 %", "r 50 %", "r 90 %"], rows };
}

function forcesText(forces: ForceComparison, gravity: Validation["gravity"]): string[] {
  const { short, named } = COMPARED[gravity];
  const { targets, sources, method, precision, byLevel, softeningByAxis } = forces;
  const parts = [
    `${short.replace(/^m/, "M")} acceleration against the ${method} (${precision === "double" ? "float64" : precision}), on ${someOf(targets, sources)}\n` +
      `particles: Δ = a_${short} − a, relative and in units of the rms; along: mean Δ·a/a²,\n` +
      `positive where ${named} pulls too hard`,
    tableText(forceRows(forces, IN_TERMINAL)),
    ...(softeningByAxis ? [`Along x, y, z it acts like softenings of ${axesText(softeningByAxis)} cells.`] : []),
  ];
  if (byLevel) {
    parts.push(
      "Relative error by the mesh that the force comes from, against the sum with that softening",
      tableText(levelRows(byLevel, IN_TERMINAL)),
    );
  }
  return parts;
}

/** What this force does to each component, a sentence each. */
export function componentSentences(
  forces: ForceComparison,
  { lengthUnit, gravity }: Pick<Validation, "lengthUnit" | "gravity">,
  { percent, cells }: Style,
): string[] {
  const size = (value: number) => withUnit(shortNumber(value), lengthUnit);
  if (!forces.fitted) return [];
  const all = `ε = ${cells(forces.fitted.softeningCells)}`;
  return forces.components.map(({ name, halfMassRadius, softeningCells, cell, plain, fitted }) => {
    const where = halfMassRadius === null ? "" : ` inside its half-mass radius (${size(halfMassRadius)})`;
    return (
      `${name}: forces are ${percent(plain)} off the ${forces.method} in the median${where}, and ${percent(fitted)} off that with ${all}; ` +
      `${gravity === "mesh" ? "this mesh" : COMPARED[gravity].named} is best described by a softening of ${cells(softeningCells)} = ${size(softeningCells * cell)}.`
    );
  });
}

const lawText = ({ scheme, cells }: ForceLaw) =>
  `Force of a point mass, ${scheme}, ${cells}³:\nmean radial error and rms scatter [%] by separation in cells`;

function evolutionText(
  evolution: Evolution,
  { timeUnit, field, gravity }: Pick<Validation, "timeUnit" | "field" | "gravity">,
): string[] {
  const { short, named } = COMPARED[gravity];
  const { particles, of, rows, softeningCells, step, time, end } = evolution;
  if (rows.length < 2) return [];
  const every = Math.max(1, Math.ceil((rows.length - 1) / TIMES_SHOWN));
  const shown = rows.filter((_, k) => k > 0 && (rows.length - 1 - k) % every === 0);
  const distances = shown.map(({ time: at, distance, chaos }) => [
    ...[simulatedTime(at), thousandths(distance.median), thousandths(distance.rms)],
    ...(chaos ? [thousandths(chaos.median), thousandths(chaos.rms)] : []),
  ]);
  const perturbed = rows.some(({ chaos }) => chaos !== null);
  const chaos = `;\nchaos: in two direct runs begun ${evolution.perturbation.toExponential(0)} cells apart`;
  return [
    `${someOf(particles, of).replace("all", "All")} particles evolved to t = ${simulatedTime(time)} of ${simulatedTime(end)} ${timeUnit}, step ${simulatedTime(step)}:\n` +
      `by ${named}, and by direct summation with ε = ${cellsText(softeningCells)}.\n` +
      `Errors against each run's own start; change of Lagrangian radii${fieldNote(field, ";\n")}`,
    tableText(evolutionRows(evolution, IN_TERMINAL, gravity)),
    `Distance of the same particle in the ${short} and the direct run, in cells${perturbed ? chaos : ""}`,
    textTable(["time", "median", "rms", ...(perturbed ? ["chaos median", "rms"] : [])], distances),
  ];
}

/** What the command prints at the end. */
export function validationText(validation: Validation): string {
  const { notes, status, gravity } = validation;
  const { forces, forceLaw, evolution } = partsOf(validation);
  const parts = [
    ...(forces
      ? [
          ...componentSentences(forces, validation, IN_TERMINAL).map((one) => wrapped(one)),
          ...forcesText(forces, gravity),
        ]
      : []),
    ...(forceLaw ? [lawText(forceLaw), tableText(lawRows(forceLaw))] : []),
    ...(evolution ? evolutionText(evolution, validation) : []),
    ...[...notes, ...failuresOf(validation)].map((note) => wrapped(withCommas(note))),
    ...(status === "interrupted" ? ["Stopped before the end; what had been measured is above and in the files."] : []),
  ];
  return parts.join("\n\n");
}

/** Targets that validate.csv lists at most. */
const MOST_ROWS = 100_000;
const VECTORS = ["mesh", "plain", "fitted"] as const;
const COLUMN: Record<(typeof VECTORS)[number], string> = { mesh: "a_mesh", plain: "a_direct", fitted: "a_fitted" };

/** validate.csv: a header, then a row a target; fields are empty where nothing was measured. */
export function validationCsv(targets: TargetTable | undefined): string {
  const axes = ["x", "y", "z"];
  const vectors = VECTORS.flatMap((name) => axes.map((axis) => `${COLUMN[name]}_${axis}`));
  const header = ["id", "radius", ...vectors, "error", "error_fitted"];
  const number = (value: number) => (Number.isFinite(value) ? csvNumber(value, 7) : "");
  const row = ({ ids, radii, ...found }: TargetTable, i: number) => {
    const vector = (name: (typeof VECTORS)[number]) => axes.map((_, k) => found[name][3 * i + k] ?? Number.NaN);
    const mesh = vector("mesh");
    const error = (direct: number[]) => Math.hypot(...direct.map((a, k) => mesh[k] - a)) / Math.hypot(...direct);
    const errors = [error(vector("plain")), error(vector("fitted"))];
    return [String(ids[i]), ...[radii[i], ...VECTORS.flatMap(vector), ...errors].map(number)];
  };
  const count = Math.min(MOST_ROWS, targets?.ids.length ?? 0);
  return csvText(
    header,
    Array.from({ length: count }, (_, i) => row(targets!, i)),
  );
}
