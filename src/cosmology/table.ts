/**
 * Tabulated power spectra and transfer functions from the text output of CLASS (Blas, Lesgourgues & Tram 2011), CAMB (Lewis,
 * Challinor & Lasenby 2000) and others, as the titles of their columns say:
 *   k      k/h, or k in h/Mpc, 1/Mpc, h/kpc, 1/kpc
 *   power  P in (Mpc/h)³, Mpc³, (kpc/h)³, kpc³; Δ² = k³P/(2π²)
 *   T      T(k), CAMB's total, CLASS's T_tot/k2; CLASS's d_m/k², else d_b and d_cdm by their densities
 * each also as log10 or ln, or as a square root. Without titles two columns are k [h/Mpc] and P [(Mpc/h)³], seven or thirteen a
 * CAMB transfer function (column 7 is the total).
 */
import { GravmeshError } from "../base/errors.ts";
import type { Background } from "./background.ts";

export interface SpectrumTable {
  /** For messages: the file's name. */
  name: string;
  kind: "power" | "transfer";
  /** What its columns were taken for, in words. */
  columns: string;
  /** As the file says; undefined where it says nothing. */
  redshift: number | undefined;
  /** [h/Mpc], ascending */
  k: Float64Array;
  /** P [(Mpc/h)³], or T in arbitrary units; the first above 0, others from 0 up */
  values: Float64Array;
}

interface Columns extends Pick<SpectrumTable, "kind" | "columns"> {
  /** Numbers that a row must have. */
  width: number;
  /** k [h/Mpc] of a row, and the value there. */
  waveNumber: (row: number[]) => number;
  value: (row: number[], k: number) => number;
}

/** Rows that make a curve. */
const FEWEST_ROWS = 4;
const CAMB_TOTAL = 6;
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
  const { kind, columns, width, waveNumber, value } = columnsOf(header, rows[0].numbers.length, name, background);
  const [k, values] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (const [i, { line, numbers }] of rows.entries()) {
    if (numbers.length !== width || !numbers.every(Number.isFinite)) {
      fail(name, `line ${line}: expected ${width} numbers, found ${numbers.length} (${listed(numbers, " ")})`);
    }
    k[i] = waveNumber(numbers);
    values[i] = value(numbers, k[i]);
    if (!(k[i] > (i === 0 ? 0 : k[i - 1]))) {
      const hint = "for logarithms write log10(k) or ln(k) above the column";
      fail(name, `line ${line}: expected wave numbers above 0 in ascending order, found ${k[i]}; ${hint}`);
    }
  }
  // The sign of a transfer function is a convention.
  if (kind === "transfer" && values[0] < 0) for (let i = 0; i < values.length; i++) values[i] = -values[i];
  const bad = values.findIndex((one, i) => !(i === 0 ? one > 0 : one >= 0));
  if (bad >= 0)
    fail(name, `line ${rows[bad].line}: expected values of one sign, the first not 0, found ${values[bad]}`);
  return { name, kind, columns, redshift: redshiftOf(header, name), k, values };
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
    .replace(/Δ/g, "Delta")
    .replace(/\[/g, "(")
    .replace(/\]/g, ")")
    .replace(/(?<!log_?10|log|lg|ln|sqrt|√)\s*\(k(,[^)]*)?\)/gi, "")
    .replace(/\b(log_?10|log|lg|ln|sqrt)\s+/gi, "$1")
    .replace(/\s+in\s+|\s+(?=\(|[/1h^\-\d]*\s?[kMG]?pc)|(?<=\([^)]*)\s+/g, "");

/** Titles of columns, numbered as by CLASS or parted by blanks. */
function titlesIn(line: string): string[] {
  const [, ...numbered] = line.split(/\s*\b\d+:\s*/);
  if (numbered.length > 0) return numbered.map((title) => plain(title).replace(/\s/g, ""));
  return plain(line)
    .trim()
    .split(/[\s,;|]+/);
}

/** The first pair of brackets, in which there may be others. */
const INSIDE = /^\(((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)\)/;
const LOGARITHM = /^(log_?10|lg|log|ln)/i;
const ROOT = /^(sqrt|√)/i;

/** What a title says: the quantity, its unit, and how it is got back from the numbers. */
function titleOf(title: string) {
  const [log = ""] = LOGARITHM.exec(title) ?? [];
  const inner = log ? title.slice(log.length).replace(INSIDE, "$1") : title;
  const root = ROOT.test(inner);
  const bare = root ? inner.replace(ROOT, "").replace(INSIDE, "$1") : inner;
  const back = (value: number) => {
    const number = log === "" ? value : /^ln/i.test(log) ? Math.exp(value) : 10 ** value;
    return root ? number * number : number;
  };
  // CAMB's k/h, which has the unit 1/Mpc.
  if (/^k\/?h(\(1?\/?Mpc(\^?-1)?\))?$/.test(bare)) return { title, log, back, quantity: "k", unit: "h/Mpc" };
  const at = bare.search(/[(/1h^\-\d]*[kMG]?pc/);
  const [quantity, unit] = at < 0 ? [bare, ""] : [bare.slice(0, at), bare.slice(at)];
  return { title, log, back, quantity, unit: unit.replace(/^\((.*)\)$/, "$1") };
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

/** Quantities by their titles; the first that a table has is taken. */
const QUANTITIES = {
  P: /^Pk?(_?(lin|linear|m|mm|tot|cb|k|matter))?$/i,
  "Δ²": /^(Delta(_\w+)?\^?2(_\w+)?|k\^?3P\w*\/\(?2(pi|π)\^2\)?)$/i,
  T: /^(-?T(_?(tot|total|m|matter|k))?(\/k\^?2)?|total|transfer)$/i,
  δ: /^d_m$/,
};

/** Whether a line beside the titles speaks of other units than h/Mpc, or, with `all`, of another quantity than P. */
function isDoubtful(line: string, all: boolean): boolean {
  const perH = /km\/s\/Mpc|h\s*[/*]?\s*Mpc\S*|Mpc(\^?-?\d)?\)?\s*[/*]?\s*h\b\S*|h\^?-\d\s*Mpc\S*/gi;
  const others = /Δ|delta\s*\^?2|dimensionless|\bT\s*\(|transfer|sqrt|√|\bk\^?3|\b(log|lg|ln)[_\d]*\s*\(?\s*[kPT]\b/i;
  return /pc\b/i.test(line.replace(perH, "")) || /kpc/i.test(line) || (all && others.test(line));
}

function columnsOf(header: string[], width: number, name: string, background: Background | undefined): Columns {
  const isTitles = (one: string) =>
    /^k\/h\s|\b1:\s*k\b/.test(one) || (titlesIn(one).length === width && /^(log_?10|lg|log|ln)?\(?k/i.test(plain(one)));
  const line = header.findLast(isTitles);
  const refuse = (expected: string, found = line ?? ""): never =>
    fail(name, `expected ${expected}, found the header "${listed([found], "")}"`);
  const doubt = header.find((one) => one !== line && isDoubtful(one, line === undefined && width === 2));
  if (line === undefined) {
    if (doubt !== undefined) refuse(EXPECTED, doubt);
    if (width !== 2 && width !== 7 && width !== 13)
      fail(name, `expected ${EXPECTED}, found ${width} columns without titles`);
    const [kind, columns] =
      width === 2
        ? (["power", "k [h/Mpc] and P [(Mpc/h)³]"] as const)
        : (["transfer", "CAMB's k/h and total"] as const);
    const at = width === 2 ? 1 : CAMB_TOTAL;
    return { kind, columns: `${columns}, as it has no titles`, width, waveNumber: ([k]) => k, value: (row) => row[at] };
  }
  const titles = titlesIn(line).map(titleOf);
  const [first] = titles;
  const scale = (what: keyof typeof UNITS, unit: string): number => {
    const { words, perH, without, length } = UNITS[what];
    const [kilo, mpc] = [unit.includes("kpc") ? 1e-3 ** length : 1, unit.replace("kpc", "Mpc")];
    const h = background?.parameters.h;
    if (perH.test(mpc)) return kilo;
    return without.test(mpc) && h !== undefined ? kilo * h ** length : refuse(words);
  };
  const vague = titles.find(({ log }) => /^log$/i.test(log));
  if (vague) refuse(`log10 or ln in place of ${vague.title}`);
  if (first.quantity !== "k") refuse(UNITS.k.words);
  if (first.unit === "" && doubt !== undefined) refuse(UNITS.k.words, doubt);
  const kScale = first.unit === "" ? 1 : scale("k", first.unit);
  const of = (kind: "power" | "transfer", what: string, value: Columns["value"]): Columns => ({
    columns: `${first.title} as k [${first.unit || "h/Mpc"}], ${what}`,
    ...{ kind, width: titles.length, waveNumber: ([k]) => kScale * first.back(k), value },
  });
  for (const [what, pattern] of Object.entries(QUANTITIES)) {
    const all = titles.filter(({ quantity }) => pattern.test(quantity));
    const [found, another] = all.length > 1 ? all.filter(({ quantity }) => /lin/i.test(quantity)) : all;
    if (all.length > 1 && (!found || another)) refuse(`one column ${what} of linear theory`);
    if (!found) continue;
    const { title, unit, back } = found;
    const at = titles.indexOf(found);
    if (what === "T") return of("transfer", `${title} as T`, (row) => back(row[at]));
    if (what === "δ") return of("transfer", `${title} as k²T`, (row, k) => back(row[at]) / (k * k));
    if (what === "Δ²") {
      if (unit !== "") refuse("Δ² without a unit");
      return of("power", `${title} as k³P/(2π²)`, (row, k) => (2 * Math.PI * Math.PI * back(row[at])) / k ** 3);
    }
    // Without a unit of its own that of k.
    const volume = unit === "" ? kScale ** -3 : scale("P", unit.replace(/^\//, ""));
    return of("power", `${title} as P [${unit || "1/k³"}]`, (row) => volume * back(row[at]));
  }
  const [cold, baryons] = ["d_cdm", "d_b"].map((one) => titles.findIndex(({ title }) => title === one));
  if (cold > 0 && baryons > 0 && background) {
    const share = background.today.baryons / background.today.matter;
    const sum = (row: number[]) => (1 - share) * row[cold] + share * row[baryons];
    return of("transfer", "d_cdm and d_b as k²T", (row, k) => sum(row) / (k * k));
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
