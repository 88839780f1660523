/**
 * diagnostics.csv: one row an output time, numbers with nine significant digits.
 *
 * Relative energy error (E − E₀)/|E₀|; virial ratio 2K/|V| with the virial V = Σ m a·(x − x_cm), 1 in equilibrium.
 */

import { GravmeshError } from "../errors.ts";
import { LAGRANGIAN_FRACTIONS, type Sums } from "../particles/sums.ts";

const SIGNIFICANT_DIGITS = 9;
const AXES = ["x", "y", "z"] as const;

export interface DiagnosticsRow {
  /** [time] */
  time: number;
  step: number;
  /** [mass velocity²] */
  kinetic: number;
  potential: number;
  total: number;
  /** (E − E₀)/|E₀| */
  energyError: number;
  /** [mass velocity] */
  momentum: [number, number, number];
  /** About the centre of the box [mass length velocity]. */
  angularMomentum: [number, number, number];
  /** Box coordinates [length]. */
  centreOfMass: [number, number, number];
  /** 2K/|V| */
  virialRatio: number;
  /** Particles outside an isolated mesh. */
  outside: number;
  /** Radii that hold LAGRANGIAN_FRACTIONS of the mass [length]. */
  lagrangianRadii: number[];
}

/** Column names in order: time, step, … r90. */
export const DIAGNOSTICS_COLUMNS: readonly string[] = [
  "time",
  "step",
  "kinetic",
  "potential",
  "total",
  "energy_error",
  ...AXES.map((axis) => `momentum_${axis}`),
  ...AXES.map((axis) => `angular_momentum_${axis}`),
  ...AXES.map((axis) => `centre_of_mass_${axis}`),
  "virial_ratio",
  "outside",
  ...LAGRANGIAN_FRACTIONS.map((fraction) => `r${String(Math.round(fraction * 100)).padStart(2, "0")}`),
];

/** The first line of diagnostics.csv, with its line end. */
export const diagnosticsHeader = `${DIAGNOSTICS_COLUMNS.join(",")}\n`;

function ratio(numerator: number, denominator: number): number {
  return denominator === 0
    ? numerator === 0
      ? 0
      : Number.POSITIVE_INFINITY * Math.sign(numerator)
    : numerator / denominator;
}

/** The row of a state; `initial` are the sums of the initial state. */
export function diagnosticsOf(time: number, step: number, sums: Sums, initial: Sums): DiagnosticsRow {
  const total = sums.kinetic + sums.potential;
  const initialTotal = initial.kinetic + initial.potential;
  return {
    time,
    step,
    kinetic: sums.kinetic,
    potential: sums.potential,
    total,
    energyError: ratio(total - initialTotal, Math.abs(initialTotal)),
    momentum: [...sums.momentum],
    angularMomentum: [...sums.angularMomentum],
    centreOfMass: [...sums.centreOfMass],
    virialRatio: ratio(2 * sums.kinetic, Math.abs(sums.virial)),
    outside: sums.outside,
    lagrangianRadii: [...sums.lagrangianRadii],
  };
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(SIGNIFICANT_DIGITS))) : String(value);
}

/** A line of diagnostics.csv, with its line end. */
export function diagnosticsRow(row: DiagnosticsRow): string {
  const values = [
    row.time,
    row.step,
    row.kinetic,
    row.potential,
    row.total,
    row.energyError,
    ...row.momentum,
    ...row.angularMomentum,
    ...row.centreOfMass,
    row.virialRatio,
    row.outside,
    ...row.lagrangianRadii,
  ];
  return `${values.map(numberText).join(",")}\n`;
}

/**
 * Rows of a diagnostics.csv. A last line without its line end, left by a run that was killed while writing, is
 * dropped; anything else that is not a row is an error.
 * @throws GravmeshError "input"
 */
export function parseDiagnostics(text: string, file = "diagnostics.csv"): DiagnosticsRow[] {
  const lines = text.split("\n").slice(0, -1);
  if (lines.length === 0) return [];
  if (`${lines[0]}\n` !== diagnosticsHeader) {
    throw new GravmeshError(
      "input",
      `${file}: line 1 has columns other than this version's: expected "${diagnosticsHeader.trim()}".`,
    );
  }
  return lines.slice(1).map((line, i) => {
    const values = line.split(",").map((field) => (field.trim() === "" ? Number.NaN : Number(field)));
    if (values.length !== DIAGNOSTICS_COLUMNS.length || !values.slice(0, 2).every(Number.isFinite)) {
      throw new GravmeshError(
        "input",
        `${file}: line ${i + 2} is not a row of ${DIAGNOSTICS_COLUMNS.length} numbers: "${line}".`,
      );
    }
    let at = 0;
    const next = () => values[at++];
    const vector = (): [number, number, number] => [next(), next(), next()];
    return {
      time: next(),
      step: next(),
      kinetic: next(),
      potential: next(),
      total: next(),
      energyError: next(),
      momentum: vector(),
      angularMomentum: vector(),
      centreOfMass: vector(),
      virialRatio: next(),
      outside: next(),
      lagrangianRadii: values.slice(at),
    };
  });
}

/** What a resumed run keeps of diagnostics.csv: the header and the rows up to the checkpoint's step. */
export function diagnosticsUpTo(text: string, step: number, file?: string): string {
  const rows = parseDiagnostics(text, file).filter((row) => row.step <= step);
  return diagnosticsHeader + rows.map(diagnosticsRow).join("");
}
