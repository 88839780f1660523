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
    mass: `10¹⁰\u00a0M☉${perH}`,
    velocity: "km/s",
    time: `Gyr${perH}`,
    timeFactor: timeInGyr ?? 1,
  };
}

/** " [kpc]", or nothing where units are free. */
export const unit = (text: string) => (text === "" ? "" : ` [${text}]`);

/** "16 kpc"; "3 × 10¹⁰ M☉" of a unit that begins with a number itself. */
export function withUnit(value: string, text: string): string {
  if (/^\d/.test(text)) return `${value}\u202f×\u202f${text}`;
  return text === "" ? value : `${value}\u00a0${text}`;
}

/** In brackets where it is a fraction itself: of "Mpc/h²" nobody could tell what is squared. */
const factor = (text: string) => (text.includes("/") ? `(${text})` : text);

/** "10¹⁰ M☉/kpc²", "(10¹⁰ M☉/h)/(Mpc/h)²": a density in two or three dimensions. */
export function densityUnit({ mass, length }: UnitLabels, dimensions: 2 | 3): string {
  return `${factor(mass || "mass")}/${factor(length || "length")}${dimensions === 2 ? "²" : "³"}`;
}

/** "(Mpc/h)³": a volume. */
export function volumeUnit({ length }: UnitLabels): string {
  return `${factor(length || "length")}³`;
}
