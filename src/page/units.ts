/** Units as axes and captions name them. */
import { type UnitSystem, unitSystem } from "../deck/units.ts";
import { simulatedTime } from "./numbers.ts";
import { isComoving, redshiftText, SCALE_FACTOR } from "./unit-words.ts";

export { isComoving, redshiftText, withUnit } from "./unit-words.ts";

/** Unit labels for axes; empty where units are free, but for times, which nobody would recognise as such. */
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
  if (system === "nbody") return { length: "", mass: "", velocity: "", time: "time units", timeFactor: 1 };
  const perH = system === "cosmological" ? "/h" : "";
  return {
    length: system === "cosmological" ? "Mpc/h" : "kpc",
    mass: `10¹⁰\u00a0M☉${perH}`,
    velocity: "km/s",
    time: `Gyr${perH}`,
    timeFactor: timeInGyr ?? 1,
  };
}

/** What records, events and the terminal call the unit of a deck's times. */
export function timeUnitOf(system: UnitSystem["name"], clock: "static" | "comoving"): string {
  return clock === "comoving" ? SCALE_FACTOR : unitSystem(system).labels.time;
}

/** "2.5 time units", "0.5"; of the comoving clock with its redshift, "0.5 (z = 1)". */
export function timeInTerminal(time: number, timeUnit: string): string {
  const shown = simulatedTime(time);
  return isComoving(timeUnit) ? `${shown} (z = ${redshiftText(time)})` : `${shown} ${timeUnit}`;
}

/** "t = 2.5 time units", "a = 0.5 (z = 1)". */
export function momentInTerminal(time: number, timeUnit: string): string {
  return `${isComoving(timeUnit) ? "a" : "t"} = ${timeInTerminal(time, timeUnit)}`;
}

/** " [kpc]", or nothing where units are free. */
export const unit = (text: string) => (text === "" ? "" : ` [${text}]`);

/** In brackets where it is a fraction itself: of "Mpc/h²" nobody could tell what is squared. */
const factor = (text: string) => (text.includes("/") ? `(${text})` : text);

/** "10¹⁰ M☉/kpc²", "(10¹⁰ M☉/h)/(Mpc/h)²": a density in two or three dimensions. */
export function densityUnit({ mass, length }: Pick<UnitLabels, "mass" | "length">, dimensions: 2 | 3): string {
  return `${factor(mass || "mass")}/${factor(length || "length")}${dimensions === 2 ? "²" : "³"}`;
}

/** "(Mpc/h)³": a volume. */
export function volumeUnit({ length }: UnitLabels): string {
  return `${factor(length || "length")}³`;
}
