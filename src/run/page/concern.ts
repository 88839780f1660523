/** How large an energy error is, in one scale for terminal and pages: 0.025 must not look like 1e-5. */
import type { ConservedQuantity } from "../../engine/diagnostics/columns/column.ts";
import { percentage, signedError, small } from "./numbers.ts";
import { isComoving } from "./units.ts";

/** "large": forces, step or mesh are too coarse for what is run; "lost": nothing of it can be trusted. */
export type Concern = "large" | "lost";

/** Clocks differ: see LARGE_ENERGY_ERROR. "driven": the energy isn't conserved (in external potentials, or ½ Σ m φ of modified gravity), and no change is too much. */
export type Clock = "static" | "comoving" | "driven";

/** Of a run with that unit of time: "driven" where its energy isn't conserved. */
export const clockOf = ({
  timeUnit,
  conserved,
}: {
  timeUnit: string;
  conserved: ConservedQuantity["conserved"];
}): Clock => (isComoving(timeUnit) ? "comoving" : conserved === "none" ? "driven" : "static");

/** Relative errors of the energy that are large, at whatever row: the largest is judged, everywhere (worstRow). */
export const LARGE_ENERGY_ERROR = { static: 0.01, comoving: 0.05 } as const;
const LOST = 1;

/** The row that a run's energy is judged by. */
export function worstRow<Row extends { relativeEnergyError: number }>(rows: readonly Row[]): Row | undefined {
  const size = ({ relativeEnergyError: error }: Row) => (Number.isNaN(error) ? -1 : Math.abs(error));
  return rows.length === 0 ? undefined : rows.reduce((a, b) => (size(b) > size(a) ? b : a));
}

export function concernOf(energyError: number, clock: Clock = "static"): Concern | undefined {
  if (clock === "driven") return undefined;
  const size = Math.abs(energyError);
  return size > LOST ? "lost" : size > LARGE_ENERGY_ERROR[clock] ? "large" : undefined;
}

/** "above 1 %"; "" where there is nothing to say. */
export function concernText(energyError: number, clock: Clock = "static"): string {
  const concern = concernOf(energyError, clock);
  if (concern === undefined) return "";
  const large = LARGE_ENERGY_ERROR[clock === "comoving" ? clock : "static"];
  return concern === "lost" ? "the energy is lost" : `above ${percentage(large)}`;
}

/** For pages: as a share of the energy where it is large, and with a sign that doesn't depend on colours. */
export function energyErrorOnPage(energyError: number, clock: Clock = "static"): string {
  const size = Math.abs(energyError);
  if (!concernOf(size, clock)) return small(size);
  return `⚠\u00a0${size < 10 ? percentage(size) : small(size)}`;
}

/** What is said where momenta are, of runs in external potentials; `before` it; "" of others. */
export function fieldNote(field: ConservedQuantity["field"], before = "; "): string {
  return field === "none" ? "" : `${before}momenta change by external potentials: that is no error`;
}

/** For a terminal: "+1.2e-5", and "-3.6e-2!" where it is large. */
export function energyErrorInTerminal(energyError: number, clock: Clock = "static"): string {
  return `${signedError(energyError)}${concernOf(energyError, clock) ? "!" : ""}`;
}
