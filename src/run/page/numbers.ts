/**
 * Numbers as people read them: one set of formats for the terminal and for pages.
 *
 * A terminal writes exponents as 1.2e-5 and separates thousands with commas, so that what it shows can be pasted into
 * other programs; a page writes powers of ten (1.2 × 10⁻⁵), thin spaces and a real minus, and no number on a page may be
 * broken across lines.
 */
import { format } from "d3-format";

/** Stands where nothing was measured. */
export const MISSING = "–";

/** Between groups of digits; no line is broken at it. */
const THIN_SPACE = "\u202f";
/** Between words that belong together: a number and its unit. */
const FIRM_SPACE = "\u00a0";

/** `text` as one piece: no line is broken at its spaces. */
export function unbroken(text: string): string {
  return text.replaceAll(" ", FIRM_SPACE);
}

/** `text` of a value, or a dash where there is none. */
export function maybe(value: number | null | undefined, text: (value: number) => string): string {
  return value === null || value === undefined ? MISSING : text(value);
}

const SUPERSCRIPTS: Record<string, string> = Object.fromEntries(
  [..."-0123456789"].map((c, i) => [c, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]]),
);

/** 10ⁿ as text: "10⁻³". */
export function powerOfTen(n: number): string {
  return `10${[...String(n)].map((c) => SUPERSCRIPTS[c]).join("")}`;
}

/** For pages: three significant digits, powers of ten where it is very large or small. */
export function shortNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : MISSING;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${mantissa.replace("-", "−").replace(/\.?0+$/, "")}${THIN_SPACE}×${THIN_SPACE}${powerOfTen(Number(power))}`;
  }
  return withThinSpaces(format(size >= 1000 ? ",.0f" : `.${digits}~r`)(value));
}

/** A relative change as "+1.8 %", "−28 %"; "> 50 %" from where none was measured. */
export function changeText(change: number): string {
  return change > 0.5 ? "> 50 %" : `${change > 0 ? "+" : ""}${shortNumber(100 * change, 2)} %`;
}

/** For pages: errors, ratios and the like, in two significant digits. */
export function small(value: number): string {
  return shortNumber(value, 2);
}

/** `text` with its numbers and their units in one piece each: "2.1 %", "3 cells". */
export function firmly(text: string): string {
  return text.replace(/(\d) (%|cells?|ms)/g, `$1${FIRM_SPACE}$2`);
}

/** 1234567 → "1.23 M"; three significant digits and a decimal prefix. */
export function prefixed(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const prefixes = ["", " k", " M", " G", " T"];
  const power = Math.abs(value) < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(Math.abs(value)) / 3));
  const scaled = value / 1000 ** power;
  const digits = Math.abs(scaled) >= 100 ? 0 : Math.abs(scaled) >= 10 ? 1 : 2;
  return `${Number.isInteger(value) && power === 0 ? value : scaled.toFixed(digits)}${prefixes[power]}`;
}

/** The same for pages: without trailing zeros, and not broken across lines. */
export function large(value: number): string {
  if (!(Math.abs(value) >= 1000)) return shortNumber(value);
  return prefixed(value)
    .replace(/\.0+ |(\.\d*[1-9])0+ /, "$1 ")
    .replace(" ", FIRM_SPACE);
}

/** For pages: memory in three significant digits, so that variants can be told apart. */
export function mebibytes(bytes: number): string {
  return unbroken(`${shortNumber(bytes / 2 ** 20)} MiB`);
}

/** 1234567 → "1,234,567". */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}

export function withThinSpaces(number: string): string {
  return number.replaceAll(",", THIN_SPACE);
}

/** The same for pages, with thin spaces. */
export function thinGrouped(count: number): string {
  return withThinSpaces(grouped(count));
}

/** `text` of a page as a terminal has it: commas between groups of digits. */
export function withCommas(text: string): string {
  return text.replace(/(\d)\u202f(?=\d)/g, "$1,");
}

/** "1.2e-5"; "0". */
export function exponentText(value: number): string {
  return value === 0 ? "0" : value.toExponential(1);
}

/** For terminals: three significant digits without trailing zeros, "0.52"; an exponent where it is very small or large. */
export function plainNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return exponentText(value).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}

/** Relative errors: sign and two digits, "+1.2e-5"; "0". */
export function signedError(error: number): string {
  return `${error > 0 ? "+" : ""}${exponentText(error)}`;
}

/** Two decimals with a real minus, and no negative zero. */
export function hundredths(value: number): string {
  const text = value.toFixed(2);
  return Number(text) === 0 ? "0" : text.replace("-", "−");
}

/** "0.5 cells", "1 cell". */
export function cellsText(value: number): string {
  return `${small(value)} ${value === 1 ? "cell" : "cells"}`;
}

/** The same for pages. */
export function inCells(value: number): string {
  return unbroken(cellsText(value));
}

/** For pages: a share as "12 %". */
export function percentage(share: number): string {
  return unbroken(`${small(100 * share)} %`);
}

/** The same for terminals, whole: "12 %". */
export function wholePercent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** Bytes a second: "12.3 GB/s". */
export function bandwidth(bytesPerSecond: number): string {
  return `${(bytesPerSecond / 1e9).toFixed(1)} GB/s`;
}

/** Distances in cells for terminals, to a thousandth: "0.012"; smaller ones as "1.2e-5". */
export function thousandths(value: number): string {
  return value < 1e-3 && value > 0 ? exponentText(value) : value.toFixed(3);
}

/** For pages: "12.3 ms". */
export function inMilliseconds(ms: number): string {
  return unbroken(`${shortNumber(ms)} ms`);
}

/** 12.345 → "12.3", 0.00123 → "0.00123", 1234.5 → "1235"; times in tables. */
export function milliseconds(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** 3725 → "1:02:05", 65 → "1:05". */
export function clock(seconds: number): string {
  if (!Number.isFinite(seconds)) return MISSING;
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** 4.2 → "4.20 s", 125 → "2:05 min". */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${clock(seconds)} ${seconds < 3600 ? "min" : "h"}`;
}

/** Five significant digits without trailing zeros. */
export function simulatedTime(time: number): string {
  return String(Number(time.toPrecision(5)));
}
