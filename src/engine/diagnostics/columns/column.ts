/** A diagnostics column: a quantity of the whole system that a run follows, in a record of its own. */
import type { Sums } from "../../../physics/particles/sums.ts";

/** A state as the columns see it. */
export interface ColumnMoment {
  /** [time]; the scale factor on the comoving clock. */
  time: number;
  step: number;
  /** Over the particles, by name; and those of the initial state. */
  sums: Sums;
  initial: Sums;
  /** In the energy equation [mass velocity²]: the sums' own but for the comoving clock, where motion is peculiar. */
  energies: { kinetic: number; potential: number };
  /** GM²/L, of all the mass and the box's side: a scale of energy that isn't zero [mass velocity²]. */
  boxEnergy: number;
  /** Instead of the energy E − Ω L_z is conserved (Jacobi), about an axis at x, y from the box's centre [length]. */
  jacobi?: { speed: number; axis: readonly [number, number] } | undefined;
  /** Relative residual of the Layzer–Irvine equation; on the comoving clock alone. */
  cosmicResidual?: number | undefined;
}

/** What pages draw of a column against time. */
export interface ColumnChart {
  title: string;
  about: string;
  /** What is drawn, for readers who don't see it: "Virial ratio". */
  quantity: string;
  /** Label of the vertical axis, without its unit. */
  label: string;
  /** Its unit, one of the deck's; none for a pure number. */
  unit?: "length" | "mass" | "velocity" | "time";
  scale?: "log";
  /** Included in the axis. */
  domain?: [number, number];
  /** Where a straight line shows what is expected. */
  rule?: number;
  /** A column with several numbers has one curve for each; `main` stands out, `few` are drawn where several runs are. */
  curves?: readonly { label: string; main?: boolean; few?: boolean }[];
  /** Runs that have it; all when left out. */
  only?: "isolated" | "static clock";
  /** What is said instead on the comoving clock. */
  comoving?: { about: string; label: string };
  /** Where external potentials leave another quantity conserved than the energy, or none. */
  conserved?: Record<"jacobi" | "none", { about: string; label: string }>;
  /** Where there are external potentials at all. */
  inField?: { about: string; quantity: string };
}

/** What is said about a run's conservation, on pages and in files (scenario/conserved.ts). */
export interface ConservedQuantity {
  /** What the energy error is of. */
  conserved: "energy" | "jacobi" | "none";
  /** Shape of the external potentials. Unless it is "none" they change the momentum: that is no error. */
  field: "none" | "central" | "axial" | "any";
}

/** The chart with the words for a run of this kind. */
export function worded(
  chart: ColumnChart,
  { comoving, conserved = "energy", field = "none" }: { comoving: boolean } & Partial<ConservedQuantity>,
): ColumnChart {
  const driven = conserved === "energy" ? undefined : chart.conserved?.[conserved];
  return { ...chart, ...(comoving ? chart.comoving : driven), ...(field !== "none" && chart.inField) };
}

export interface DiagnosticsColumn<
  Name extends string = string,
  Value extends number | readonly number[] = number | readonly number[],
  Heads extends string | readonly string[] | null = string | readonly string[] | null,
> {
  /** In `Diagnostics`, in events and in the library. */
  readonly name: Name;
  /** In diagnostics.csv, one a number; null for what isn't in the file. */
  readonly heads: Heads;
  /** In the deck's units, as "mass velocity"; "" for a pure number. */
  readonly unit: string;
  /** What it is, and how it follows from the sums. */
  readonly meaning: string;
  of(moment: ColumnMoment): Value;
  readonly chart?: ColumnChart;
}

/** Heads of the components of a vector. */
export function axes<Name extends string>(name: Name) {
  return [`${name}_x`, `${name}_y`, `${name}_z`] as const;
}

/** A column of one number that has its own name in the file. */
export function plainColumn<Name extends string>(
  name: Name,
  unit: string,
  meaning: string,
  of: DiagnosticsColumn<Name, number>["of"],
): DiagnosticsColumn<Name, number, Name> {
  return { name, heads: name, unit, meaning, of };
}

/** A column that is one of the sums over the particles as it stands. */
export function sumColumn<Name extends keyof Sums, Heads extends string | readonly string[]>(
  name: Name,
  heads: Heads,
  unit: string,
  meaning: string,
): DiagnosticsColumn<Name, Sums[Name], Heads> {
  return { name, heads, unit, meaning, of: ({ sums }) => sums[name] };
}
