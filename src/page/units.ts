/** Units as axes and captions name them. */
import { type UnitSystem, unitSystem } from "../deck/units.ts";

/** Unit labels for axes; empty where units are free. */
export interface UnitLabels {
  length: string;
  mass: string;
  velocity: string;
  time: string;
  /** Shown time = factor · time of the run. */
  timeFactor: number;
}

/** What pages call the units of a system. */
export function unitLabels(system: UnitSystem["name"]): UnitLabels {
  const { timeInGyr } = unitSystem(system);
  if (system === "nbody") return { length: "", mass: "", velocity: "", time: "", timeFactor: 1 };
  const perH = system === "cosmological" ? "/h" : "";
  return {
    length: system === "cosmological" ? "Mpc/h" : "kpc",
    mass: `10¹⁰ M☉${perH}`,
    velocity: "km/s",
    time: `Gyr${perH}`,
    timeFactor: timeInGyr ?? 1,
  };
}

/** " [kpc]", or nothing where units are free. */
export const unit = (text: string) => (text === "" ? "" : ` [${text}]`);

export function withUnit(value: string, text: string): string {
  return text === "" ? value : `${value}\u00a0${text}`;
}

/** "10¹⁰ M☉/kpc²": a density in two or three dimensions. */
export function densityUnit({ mass, length }: UnitLabels, dimensions: 2 | 3): string {
  return `${mass || "mass"}/${length || "length"}${dimensions === 2 ? "²" : "³"}`;
}
