/** A validation as text: tables for the terminal, and one row a target for validate.csv; docs/validate.md explains both. */

import { csvNumber, csvText } from "../io/csv.ts";
import { errorText, exponential, grouped, hundredths, MISSING, simulatedTime } from "../page/numbers.ts";
import { table } from "../page/text.ts";
import { LAGRANGIAN_FRACTIONS } from "../particles/sums.ts";
import type { ErrorBin, ErrorFigures, ForceErrors } from "./force-errors.ts";
import type { TargetTable } from "./forces.ts";
import { isTelling, middleOf } from "./page-charts.ts";
import type { Evolution, EvolutionRow, ForceComparison, ForceLaw, Validation } from "./record.ts";

/** Shells that are shown: every so many of all, with enough targets. */
const SHELLS_SHOWN = 10;
/** Rows of the evolution that are shown. */
const TIMES_SHOWN = 6;

/** Three digits: "12.3 %", "0.123 %"; powers of ten for tiny ones. */
export function percent(value: number | null): string {
  if (value === null || Number.isNaN(value)) return MISSING;
  const size = Math.abs(100 * value);
  if (size === 0) return "0 %";
  if (size < 0.01 || size >= 1e5) return `${exponential(100 * value)} %`;
  return `${size < 99.95 ? (100 * value).toPrecision(3) : (100 * value).toFixed(0)} %`;
}

const signed = (value: number | null) =>
  value !== null && value > 0 ? `+${percent(value)}` : percent(value).replace("-", "−");
const cells = (value: number) => (value < 1e-3 && value > 0 ? exponential(value) : value.toFixed(3));
const last = <T>(rows: readonly T[]): T | undefined => rows.at(-1);

/** How the sum is called that the mesh is compared with. */
export function sumName({ method, precision }: ForceComparison): string {
  return `${method} (${precision === "double" ? "float64" : precision})`;
}

function softeningName({ softening, softeningCells }: ForceErrors): string {
  if (softening === 0) return "no softening";
  return `ε = ${softeningCells.toFixed(2)} cells`;
}

function forcesText(forces: ForceComparison): string[] {
  const { targets, sources, plain, fitted, against } = forces;
  const row = (label: string, figures: ErrorFigures, along = "") => [
    label,
    ...[figures.rms, figures.median, figures.p90, figures.p99, figures.largest].map(percent),
    along,
  ];
  const some = targets === sources ? `all ${grouped(sources)}` : `${grouped(targets)} of ${grouped(sources)}`;
  const rows = [plain, fitted].flatMap((errors) =>
    errors === null
      ? []
      : [
          row(`|Δ|/|a|, ${softeningName(errors)}`, errors.relative, signed(errors.along.mean)),
          row("|Δ|/rms |a|", errors.scaled),
        ],
  );
  const parts = [
    `Mesh acceleration against the ${sumName(forces)}, on ${some}\n` +
      "particles: Δ = a_mesh − a, relative and in units of the rms; along: mean Δ·a/a²,\n" +
      "positive where the mesh pulls too hard",
    table(["", "rms", "median", "90 %", "99 %", "max", "along"], rows),
  ];
  if (fitted) {
    const length = Number(fitted.softening.toPrecision(3));
    parts.push(`The mesh acts like a Plummer softening of ${fitted.softeningCells.toFixed(2)} cells (${length}).`);
  }
  const shells = shellRows(forces);
  if (shells.length > 0) {
    const what = against === "radius" ? "distance from the centre of mass" : "size of the acceleration over its rms";
    const sums = [plain, fitted].flatMap((errors) =>
      errors ? [`ε = ${Number(errors.softeningCells.toFixed(2))}`, ""] : [],
    );
    parts.push(
      `Relative error by ${what}: median (16 … 84 %)\nagainst the sum with a softening of ε cells`,
      table([against === "radius" ? "r" : "|a|/rms", "targets", ...sums, ...(fitted ? ["along"] : [])], shells),
    );
  }
  return parts;
}

function shellRows({ plain, fitted }: ForceComparison): string[][] {
  if (!plain) return [];
  const full = plain.bins.flatMap((bin, b) => (isTelling(bin) ? [b] : []));
  const every = Math.max(1, Math.ceil(full.length / SHELLS_SHOWN));
  return full
    .filter((_, k) => (full.length - 1 - k) % every === 0)
    .map((b) => {
      const shell = plain.bins[b];
      const soft = fitted?.bins[b];
      const spread = (of: ErrorBin) => [
        percent(of.median),
        `${percent(of.p16).replace(" %", "")} … ${percent(of.p84)}`,
      ];
      return [
        String(Number(middleOf(shell).toPrecision(3))),
        grouped(shell.targets),
        ...spread(shell),
        ...(soft ? [...spread(soft), signed(soft.along)] : []),
      ];
    });
}

/** Separations of the table in the terminal [cells]. */
const SEPARATIONS_SHOWN = [1, 2, 3, 4, 6, 8, 16];

function lawText({ cells: n, scheme, rows }: ForceLaw): string[] {
  const shown = rows.filter(({ separation }) => SEPARATIONS_SHOWN.includes(separation));
  const anyKnown = shown.some(({ known }) => known);
  const lines = shown.map(({ separation, meanRadial, scatter, known }) => [
    String(separation),
    hundredths(meanRadial),
    hundredths(scatter),
    ...(anyKnown ? [known ? `${hundredths(known.meanRadial)} / ${hundredths(known.scatter)}` : MISSING] : []),
  ]);
  return [
    `Force of a point mass, ${scheme}, ${n}³:\nmean radial error and rms scatter [%] by separation in cells`,
    table(["cells", "mean", "scatter", ...(anyKnown ? ["docs/accuracy.md"] : [])], lines),
  ];
}

function evolutionText(evolution: Evolution): string[] {
  const { particles, of, rows, softeningCells, step, time, end } = evolution;
  const largest = (of: (row: EvolutionRow) => number) => Math.max(...rows.map((row) => Math.abs(of(row))));
  const final = last(rows);
  if (!final || rows.length < 2) return [];
  const half = LAGRANGIAN_FRACTIONS.indexOf(0.5);
  const tenth = LAGRANGIAN_FRACTIONS.indexOf(0.1);
  const change = (run: "mesh" | "direct", index: number) =>
    rows[0][run].lagrangianRadii[index] > 0
      ? signed(final[run].lagrangianRadii[index] / rows[0][run].lagrangianRadii[index] - 1)
      : MISSING;
  const line = (run: "mesh" | "direct") => [
    run,
    errorText(final[run].energyError),
    exponential(largest((row) => row[run].energyError)),
    exponential(final[run].momentumError),
    final[run].virialRatio.toFixed(3),
    change(run, tenth),
    change(run, half),
  ];
  const some = particles === of ? `All ${grouped(of)} particles` : `${grouped(particles)} of ${grouped(of)} particles`;
  const every = Math.max(1, Math.ceil((rows.length - 1) / TIMES_SHOWN));
  const shown = rows.filter((_, k) => k > 0 && (rows.length - 1 - k) % every === 0);
  const distances = shown.map(({ time: at, distance, chaos }) => [
    simulatedTime(at),
    cells(distance.median),
    cells(distance.rms),
    ...(chaos ? [cells(chaos.median), cells(chaos.rms)] : []),
  ]);
  const perturbed = rows.some(({ chaos }) => chaos !== null);
  const parts = [
    `${some} evolved to time ${simulatedTime(time)} of ${simulatedTime(end)}, step ${simulatedTime(step)}:\n` +
      `on the mesh, and by direct summation with ε = ${softeningCells.toFixed(2)} cells.\n` +
      "Errors against each run's own start; change of Lagrangian radii",
    table(["", "energy", "at most", "momentum", "2K/|V|", "10 %", "50 %"], [line("mesh"), line("direct")]),
  ];
  if (distances.length > 0) {
    const chaos = `;\nchaos: in two direct runs begun ${evolution.perturbation.toExponential(0)} cells apart`;
    parts.push(
      `Distance of the same particle in the mesh and the direct run, in cells${perturbed ? chaos : ""}`,
      table(["time", "median", "rms", ...(perturbed ? ["chaos median", "rms"] : [])], distances),
    );
  }
  return parts;
}

const WIDTH = 78;

/** In lines of at most WIDTH characters, where words allow it. */
function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line !== "" && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}

/** What the command prints at the end. */
export function validationText({ forces, forceLaw, evolution, notes, failures, status }: Validation): string {
  const parts = [
    ...(forces ? forcesText(forces) : []),
    ...(forceLaw ? lawText(forceLaw) : []),
    ...(evolution ? evolutionText(evolution) : []),
    ...[...notes, ...failures.map(({ part, message }) => `The ${part} failed: ${message}`)].map(wrapped),
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
