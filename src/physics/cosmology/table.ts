/**
 * Tabulated power spectra and transfer functions from the text output of CLASS (Blas, Lesgourgues & Tram 2011), CAMB (Lewis,
 * Challinor & Lasenby 2000) and others, as the titles of their columns say:
 *   k      k/h, or k in h/Mpc or 1/Mpc
 *   power  P in (Mpc/h)³ or Mpc³; Δ² = k³P/(2π²)
 *   T      T(k), CAMB's total, CLASS's T_tot/k2; CLASS's d_m/k², else d_b and d_cdm by their densities
 * Without titles two columns are k [h/Mpc] and P [(Mpc/h)³], seven or thirteen a CAMB transfer function (column 7 is the total).
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Background } from "./background.ts";

export interface SpectrumTable {
  /** For messages: the file's name. */
  name: string;
  kind: "power" | "transfer";
  /** What its columns were taken for, in words. */
  columns: string;
  /** Of cold matter and baryons, without massive neutrinos. */
  cold: boolean;
  /** As the file says; undefined where it says nothing. */
  redshift: number | undefined;
  /** [h/Mpc], ascending */
  k: Float64Array;
  /** P [(Mpc/h)³], or T in arbitrary units; the first above 0, others from 0 up */
  values: Float64Array;
  /** Baryons and cold matter, (δb − δc)/δcb; undefined where the table hasn't both. */
  parts: { titles: string; excess: Float64Array } | undefined;
}

interface Columns extends Pick<SpectrumTable, "kind" | "columns" | "cold"> {
  /** Numbers that a row must have. */
  width: number;
  /** k [h/Mpc] of a row, and the value there. */
  waveNumber: (row: number[]) => number;
  value: (row: number[], k: number) => number;
  /** Columns of baryons and cold matter; below 0 where there are none. */
  parts?: readonly [baryons: number, cold: number] | undefined;
  /** Their titles, for messages. */
  partTitles?: string;
}

/** Rows that make a curve. */
const FEWEST_ROWS = 4;
const CAMB_TOTAL = 6;
const CAMB_PARTS = [2, 1] as const;
/** CLASS names so its file of the power of cold matter and baryons, whose titles are those of all matter's. */
const OF_COLD_MATTER = /_cb\.\w+$/i;
/** Of a line of titles; CLASS has columns of 25 letters. */
const LONGEST_LINE = 4000;
/** How much of a line messages show. */
const MOST_SHOWN = 15;
const LONGEST_SHOWN = 80;
const EXPECTED =
  'titles of columns such as "k (h/Mpc)  P (Mpc/h)^3", "k (1/Mpc)  T(k)", "k/h  Delta^2", those of CLASS (d_m, T_tot) or of CAMB (total)';

/** Throws "input", with the line where there is one. Units without h, and d_cdm with d_b, need `background`. */
export function spectrumTable(text: string, name: string, background?: Background): SpectrumTable {
  const header: string[] = [];
  const rows: { line: number; numbers: number[] }[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "") continue;
    const numbers = line.startsWith("#") ? [] : line.split(/[\s,]+/).map(fortranNumber);
    if (rows.length > 0 ? line.startsWith("#") : numbers.every(Number.isNaN))
      header.push(line.slice(0, LONGEST_LINE).replace(/^#+/, "").trim());
    else rows.push({ line: index + 1, numbers });
  }
  if (rows.length < FEWEST_ROWS) fail(name, `expected at least ${FEWEST_ROWS} rows of numbers, found ${rows.length}`);
  const {
    parts: places = [-1, -1],
    partTitles = "columns 3 and 2",
    ...found
  } = columnsOf(header, rows[0].numbers.length, name, background);
  const { kind, columns, cold, width, waveNumber, value } = found;
  const [k, values] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (const [i, { line, numbers }] of rows.entries()) {
    if (numbers.length !== width || !numbers.every(Number.isFinite)) {
      fail(name, `line ${line}: expected ${width} numbers, found ${numbers.length} (${listed(numbers, " ")})`);
    }
    k[i] = waveNumber(numbers);
    values[i] = value(numbers, k[i]);
    if (!(k[i] > (i === 0 ? 0 : k[i - 1]))) {
      fail(name, `line ${line}: expected wave numbers above 0 in ascending order, no logarithms, found ${k[i]}`);
    }
  }
  // The sign of a transfer function is a convention.
  if (kind === "transfer" && values[0] < 0) for (let i = 0; i < values.length; i++) values[i] = -values[i];
  const bad = values.findIndex((one, i) => !(i === 0 ? one > 0 : one >= 0));
  if (bad >= 0)
    fail(name, `line ${rows[bad].line}: expected values of one sign, the first not 0, found ${values[bad]}`);
  const share = background && background.today.baryons / background.today.matter;
  const excess = ({ numbers }: { numbers: number[] }) => {
    const [b, c] = places.map((column) => numbers[column]);
    return (b - c) / (share! * b + (1 - share!) * c);
  };
  const hasBoth = share !== undefined && Math.min(...places) > 0;
  const parts = hasBoth ? { titles: partTitles, excess: Float64Array.from(rows, excess) } : undefined;
  return { name, kind, columns, cold, redshift: redshiftOf(header, name), k, values, parts };
}

/** Throws "input" unless the table covers a box's modes, `lowest` to `highest` [h/Mpc]: it is only continued beyond. */
export function requireModes(table: SpectrumTable, lowest: number, highest: number): void {
  const [first, last] = [table.k[0], table.k[table.k.length - 1]];
  if (first <= lowest && last >= highest) return;
  fail(
    table.name,
    `expected wave numbers from ${lowest.toPrecision(4)} to ${highest.toPrecision(4)} h/Mpc, found ` +
      `${first.toPrecision(4)} to ${last.toPrecision(4)}; write the table with a larger range (P_k_max_h/Mpc in CLASS, ` +
      "transfer_kmax in CAMB)",
  );
}

/** A line of titles, without what they may have or not: blanks within them, arguments, braces, signs of multiplication. */
const plain = (line: string) =>
  line
    .replace(/\*\*/g, "^")
    .replace(/[{}$\\*·]/g, "")
    .replace(/⁻?[¹²³]/g, (power) => `^${power.replace("⁻", "-").replace("¹", "1").replace("²", "2").replace("³", "3")}`)
    .replace(/\[([^\]]*)\]/g, "($1)")
    .replace(/(?<!log_?10|log|lg|ln|sqrt|√)\s*\(k(,[^)]*)?\)/gi, "")
    .replace(/\s+in\s+|\s+(?=\(|[/1h^\-\d]*\s?[kMG]?pc)|(?<=\([^)]*)\s+/g, "");

/** Titles of columns, numbered as by CLASS or parted by blanks: the quantity, and its unit. */
function titlesIn(line: string) {
  const [, ...numbered] = line.split(/\s*\b\d+:\s*/);
  const blanks = /[\s,;|]+/;
  const titles =
    numbered.length > 0 ? numbered.map((one) => plain(one).replace(/\s/g, "")) : plain(line).trim().split(blanks);
  return titles.map((title) => {
    // CAMB's k/h has the unit 1/Mpc.
    if (/^k\/?h(\(1?\/?Mpc(\^?-1)?\))?$/.test(title)) return { title, quantity: "k", unit: "h/Mpc" };
    const [, quantity, unit] = /^(.*?)([(/1h^\-\d]*[kMG]?pc.*)?$/.exec(title)!;
    return { title, quantity, unit: (unit ?? "").replace(/^\/?\((.*)\)$/, "$1") };
  });
}

/** Units over h and without, of k and of P. */
const UNITS = {
  k: {
    words: "k in h/Mpc or 1/Mpc",
    perH: /^(h\/Mpc|hMpc\^?-1|Mpc\^?-1h|1?\/\((Mpc\/h|h\^?-1Mpc)\)|\(Mpc\/h\)\^?-1)$/,
    without: /^(1?\/Mpc|Mpc\^?-1)$/,
    length: -1,
  },
  P: {
    words: "P in (Mpc/h)^3 or Mpc^3",
    perH: /^(\((Mpc\/h|h\^?-1Mpc|Mpch\^?-1)\)\^?3|Mpc\^?3(\/h\^?3|h\^?-3)|h\^?-3Mpc\^?3|\(h\/Mpc\)\^?-3)$/,
    without: /^\(?Mpc\)?\^?3$/,
    length: 3,
  },
};

/** Quantities by their titles, and the value from a number; the first that a table has is taken. */
const QUANTITIES = [
  { what: "P", titles: /^Pk?(_?(lin|linear|m|mm|tot|cb|k|matter))?$/i, of: (x: number) => x },
  {
    what: "k³P/(2π²)",
    titles: /^((Delta|Δ)(_\w+)?\^?2(_\w+)?|k\^?3P\w*\/\(?2(pi|π)\^2\)?)$/i,
    of: (x: number, k: number) => (2 * Math.PI * Math.PI * x) / k ** 3,
  },
  // CLASS's t_tot is a velocity.
  { what: "T", titles: /^(-?T(_?(tot|total|m|matter|k))?(\/k\^?2)?|[Tt]otal|[Tt]ransfer)$/, of: (x: number) => x },
  { what: "k²T", titles: /^d_m$/, of: (x: number, k: number) => x / (k * k) },
];

/** Whether a line beside the titles speaks of other units than h/Mpc, or, with `all`, of another quantity than P. */
function isDoubtful(line: string, all: boolean): boolean {
  const perH = /km\/s\/Mpc|h\s*[/*]?\s*Mpc\S*|Mpc(\^?-?\d)?\)?\s*[/*]?\s*h\b\S*|h\^?-\d\s*Mpc\S*/gi;
  const others = /Δ|delta\s*\^?2|dimensionless|\bT\s*\(|transfer|sqrt|√|\bk\^?3|\b(log|lg|ln)[_\d]*\s*\(?\s*[kPT]\b/i;
  return /pc\b/i.test(line.replace(perH, "")) || /kpc/i.test(line) || (all && others.test(line));
}

function columnsOf(header: string[], width: number, name: string, background: Background | undefined): Columns {
  const isTitles = (one: string) =>
    /^k\/h\s|\b1:\s*k\b/.test(one) || (titlesIn(one).length === width && /^(log|lg|ln)?\S*k/i.test(one));
  const line = header.findLast(isTitles);
  const refuse = (expected: string, found = line ?? ""): never =>
    fail(name, `expected ${expected}, found the header "${listed([found], "")}"`);
  const doubt = header.find((one) => one !== line && isDoubtful(one, line === undefined && width === 2));
  if (line === undefined) {
    if (doubt !== undefined) refuse(EXPECTED, doubt);
    if (![2, 7, 13].includes(width)) fail(name, `expected ${EXPECTED}, found ${width} columns without titles`);
    const isPower = width === 2;
    const columns = `${isPower ? "k [h/Mpc] and P [(Mpc/h)³]" : "CAMB's k/h and total"}, as it has no titles`;
    const value = (row: number[]) => row[isPower ? 1 : CAMB_TOTAL];
    const cold = isPower && OF_COLD_MATTER.test(name);
    const parts = isPower ? undefined : CAMB_PARTS;
    return { kind: isPower ? "power" : "transfer", columns, cold, width, waveNumber: ([k]) => k, value, parts };
  }
  const titles = titlesIn(line);
  const [first] = titles;
  const scale = (of: keyof typeof UNITS, unit: string): number => {
    const { words, perH, without, length } = UNITS[of];
    const h = background?.parameters.h;
    if (perH.test(unit)) return 1;
    return without.test(unit) && h !== undefined ? h ** length : refuse(words);
  };
  if (first.quantity !== "k") refuse(UNITS.k.words);
  if (first.unit === "" && doubt !== undefined) refuse(UNITS.k.words, doubt);
  const kScale = first.unit === "" ? 1 : scale("k", first.unit);
  const partOf = (part: RegExp) => titles.findIndex(({ quantity }) => part.test(quantity));
  const parts = [partOf(/^(d_b|baryon|-?T_b\/k2)$/i), partOf(/^(d_cdm|CDM|-?T_cdm\/k2)$/i)] as const;
  const partTitles = parts.map((at) => titles[at]?.title).join(" and ");
  const of = (kind: "power" | "transfer", what: string, value: Columns["value"], cold = false): Columns => ({
    columns: `${first.title} as k [${first.unit || "h/Mpc"}], ${what}`,
    ...{ kind, cold, width: titles.length, waveNumber: ([k]) => kScale * k, value, parts, partTitles },
  });
  for (const [i, one] of QUANTITIES.entries()) {
    const all = titles.filter(({ quantity }) => one.titles.test(quantity));
    const [found, another] = all.length > 1 ? all.filter(({ quantity }) => /lin/i.test(quantity)) : all;
    if (all.length > 1 && (!found || another)) refuse(`one column of ${one.what} in linear theory`);
    if (!found) continue;
    const { title, unit } = found;
    if (one.what !== "P" && unit !== "") refuse(`${one.what} without a unit`);
    // Without a unit of its own that of k.
    const volume = one.what !== "P" ? 1 : unit === "" ? kScale ** -3 : scale("P", unit.replace(/^\//, ""));
    const words = `${title} as ${one.what}${one.what === "P" ? ` [${unit || "1/k³"}]` : ""}`;
    const at = titles.indexOf(found);
    const isCold = /_?cb$/i.test(title) || (i < 2 && OF_COLD_MATTER.test(name));
    return of(i < 2 ? "power" : "transfer", words, (row, k) => volume * one.of(row[at], k), isCold);
  }
  const [baryons, cold] = parts;
  if (titles[cold]?.title === "d_cdm" && titles[baryons]?.title === "d_b" && background) {
    const share = background.today.baryons / background.today.matter;
    const sum = (row: number[]) => (1 - share) * row[cold] + share * row[baryons];
    return of("transfer", "d_cdm and d_b as k²T", (row, k) => sum(row) / (k * k), true);
  }
  return refuse(EXPECTED);
}

/** CLASS writes "… at redshift z=0.5". */
function redshiftOf(header: string[], name: string): number | undefined {
  const all = [...header.join("\n").matchAll(/(?:\bz\s*[=:]|\bredshift\s*[=:]?)\s*([-+]?\d[\d.]*(?:e[-+]?\d+)?)/gi)];
  const found = new Set(all.map(([, number]) => Number.parseFloat(number)));
  if (found.size > 1) fail(name, `expected one redshift, found ${listed([...found], " and ")}`);
  return [...found][0];
}

/** Fortran may write 1.5D-3. */
const fortranNumber = (text: string) => Number(text.replace(/[dD]/, "e"));

function listed(items: readonly (string | number)[], separator: string): string {
  const shown = items.slice(0, MOST_SHOWN).map((item) => String(item).slice(0, LONGEST_SHOWN));
  return `${shown.join(separator)}${items.length > MOST_SHOWN ? " …" : ""}`;
}

function fail(name: string, message: string): never {
  throw new GravmeshError("input", `${name}: ${message}`);
}
