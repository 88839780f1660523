/** Units as axes and captions name them. */
import { type UnitSystem, unitSystem } from "../../foundation/deck/units.ts";
import { shortNumber, simulatedTime, unbroken } from "./numbers.ts";

/** Unit of times on the comoving clock. */
export const SCALE_FACTOR = "scale factor";

export const isComoving = (timeUnit: string) => timeUnit === SCALE_FACTOR;

/** Redshift of the scale factor `a`: "63", "0.5". */
export function redshiftText(a: number): string {
  const z = 1 / a - 1;
  return String(Math.abs(z) < 5e-4 ? 0 : Number(z.toPrecision(3)));
}

/** "16 kpc"; "3 × 10¹⁰ M☉" of a unit that begins with a number itself. */
export function withUnit(value: string, text: string): string {
  if (/^\d/.test(text)) return `${value}\u202f×\u202f${text}`;
  return text === "" ? value : `${value}\u00a0${text}`;
}

/**
 * Unit labels for axes; empty where units are free, but for times, which couldn't be recognised as such. Times on pages are
 * in the deck's unit, as they are in files, on the terminal and in movies.
 */
export interface UnitLabels {
  length: string;
  mass: string;
  velocity: string;
  /** Empty on the comoving clock, whose times are scale factors. */
  time: string;
  /** What the unit of time is in years: 0.978 Gyr; none where units are free. */
  years?: { value: number; unit: string };
}

/** What pages call the units of a system. */
export function unitLabels(system: UnitSystem["name"], clock: "static" | "comoving" = "static"): UnitLabels {
  const { timeInGyr, labels } = unitSystem(system);
  const time = clock === "comoving" ? "" : labels.time;
  if (timeInGyr === undefined) return { length: "", mass: "", velocity: "", time };
  const perH = system === "cosmological" ? "/h" : "";
  return {
    length: system === "cosmological" ? "Mpc/h" : "kpc",
    mass: `10¹⁰\u00a0M☉${perH}`,
    velocity: "km/s",
    time,
    ...(time !== "" && { years: { value: timeInGyr, unit: `Gyr${perH}` } }),
  };
}

/** "t = 0.5 kpc/(km/s) (0.489 Gyr)", "z = 0.5": where a run has come to, on a page. */
export function momentOnPage(time: number, { time: unit, years }: UnitLabels): string {
  if (unit === "") return unbroken(`z = ${redshiftText(time)}`);
  const moment = unbroken(`t = ${withUnit(shortNumber(time), unit)}`);
  return years ? `${moment} (${withUnit(shortNumber(time * years.value), years.unit)})` : moment;
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

/** In brackets where it is a fraction itself: in "Mpc/h²" it isn't clear what is squared. */
const factor = (text: string) => (text.includes("/") ? `(${text})` : text);

/** "10¹⁰ M☉/kpc²", "(10¹⁰ M☉/h)/(Mpc/h)²": a density in two or three dimensions. */
export function densityUnit({ mass, length }: Pick<UnitLabels, "mass" | "length">, dimensions: 2 | 3): string {
  return `${factor(mass || "mass")}/${factor(length || "length")}${dimensions === 2 ? "²" : "³"}`;
}

/** "(Mpc/h)³": a volume. */
export function volumeUnit({ length }: Pick<UnitLabels, "length">): string {
  return `${factor(length || "length")}³`;
}
