/**
 * Tabulated power spectra and transfer functions from the text output of CLASS (Blas, Lesgourgues & Tram 2011) and CAMB
 * (Lewis, Challinor & Lasenby 2000), k in h/Mpc, P in (Mpc/h)³; transfer functions as δ/k², which tends to a constant for
 * small k. They are recognised by their header lines:
 *   CLASS `*_pk.dat`  "1:k (h/Mpc)  2:P (Mpc/h)^3"                     power
 *   CLASS `*_tk.dat`  "1:k (h/Mpc)  2:d_g  3:d_b …", column d_m (else d_b and d_cdm by their densities)
 *                     or, with format = camb, "-T_tot/k2"              transfer
 *   CAMB `*_matterpower.dat`   "k/h  P"                                power
 *   CAMB `*_transfer_out.dat`  "k/h  CDM  baryon  …  total  …"         transfer
 * Without a header two columns are a power spectrum, seven or thirteen a CAMB transfer function (column 7 is the total).
 */
import { GravmeshError } from "../base/errors.ts";
import type { Background } from "./background.ts";

export interface SpectrumTable {
  /** For messages: the file's name. */
  name: string;
  kind: "power" | "transfer";
  /** As the file says; undefined where it says nothing. */
  redshift: number | undefined;
  /** [h/Mpc], ascending */
  k: Float64Array;
  /** P [(Mpc/h)³], or T in arbitrary units; positive */
  values: Float64Array;
}

interface Columns {
  kind: "power" | "transfer";
  /** Value at k from the numbers of a row. */
  value: (row: number[], k: number) => number;
  /** Numbers that a row must have. */
  width: number;
}

/** Rows that make a curve. */
const FEWEST_ROWS = 4;
const CAMB_TOTAL = 6;
/** How much of a line messages show. */
const MOST_SHOWN = 15;
const LONGEST_SHOWN = 20;
const EXPECTED =
  'expected text output of CLASS ("1:k (h/Mpc) 2:P (Mpc/h)^3", or columns d_m or T_tot) or of CAMB ("k/h P", or a column "total")';

/** Throws "input", with the line where there is one. A CLASS file without the column d_m needs `background`. */
export function spectrumTable(text: string, name: string, background?: Background): SpectrumTable {
  const header: string[] = [];
  const rows: { line: number; numbers: number[] }[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "") continue;
    if (line.startsWith("#")) header.push(line.replace(/^#+/, "").trim());
    else rows.push({ line: index + 1, numbers: line.split(/[\s,]+/).map(fortranNumber) });
  }
  if (rows.length < FEWEST_ROWS) fail(name, `expected at least ${FEWEST_ROWS} rows of numbers, found ${rows.length}`);
  const columns = columnsOf(header, rows[0].numbers.length, name, background);
  const [k, values] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (const [i, { line, numbers }] of rows.entries()) {
    if (numbers.length !== columns.width || numbers.some((value) => !Number.isFinite(value))) {
      fail(name, `line ${line}: expected ${columns.width} numbers, found ${numbers.length} (${listed(numbers, " ")})`);
    }
    k[i] = numbers[0];
    values[i] = columns.value(numbers, k[i]);
    if (!(k[i] > (i === 0 ? 0 : k[i - 1]))) {
      fail(name, `line ${line}: expected wave numbers above 0 in ascending order, found ${k[i]}`);
    }
  }
  // The sign of a transfer function is a convention.
  if (columns.kind === "transfer" && values[0] < 0) for (let i = 0; i < values.length; i++) values[i] = -values[i];
  const bad = values.findIndex((value) => !(value > 0));
  if (bad >= 0) fail(name, `line ${rows[bad].line}: expected values of one sign and not 0, found ${values[bad]}`);
  return { name, kind: columns.kind, redshift: redshiftOf(header), k, values };
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

function columnsOf(header: string[], width: number, name: string, background: Background | undefined): Columns {
  const numbered = header.find((line) => /\b1:\s*k\b/.test(line));
  if (numbered) {
    const [, ...titles] = numbered.split(/\s*\b\d+:\s*/).map((title) => title.trim());
    if (!titles[0].includes("h/Mpc"))
      fail(name, `expected k in h/Mpc, found "${listed(titles.slice(0, 1), "")}"; write the table in h/Mpc`);
    return namedColumns(titles, name, background);
  }
  const titled = header.find((line) => /^k\/h\s/.test(line));
  if (titled) return namedColumns(titled.split(/\s+/), name, background);
  if (width === 2) return { kind: "power", value: (row) => row[1], width };
  if (width === 7 || width === 13) return { kind: "transfer", value: (row) => row[CAMB_TOTAL], width };
  return fail(name, `${EXPECTED}, found ${width} columns without a header that names them`);
}

/** By the titles of CLASS or of CAMB, which begin with k/h and say no unit of P. */
function namedColumns(titles: string[], name: string, background: Background | undefined): Columns {
  const [width, ofCamb] = [titles.length, titles[0] === "k/h"];
  const at = (...names: string[]) => titles.findIndex((title) => names.includes(title));
  const power = ofCamb ? at("P") : titles.findIndex((title) => /^P\b/.test(title));
  if (power > 0) {
    if (!ofCamb && !/\(Mpc\/h\)\^?3/.test(titles[power]))
      fail(name, `expected P in (Mpc/h)^3, found "${listed([titles[power]], "")}"`);
    return { kind: "power", value: (row) => row[power], width };
  }
  const total = at("-T_tot/k2", "T_tot/k2", "total");
  if (total > 0) return { kind: "transfer", value: (row) => row[total], width };
  const matter = at("d_m");
  if (matter > 0) return { kind: "transfer", value: (row, k) => row[matter] / (k * k), width };
  const [cold, baryons] = [at("d_cdm"), at("d_b")];
  if (cold > 0 && baryons > 0 && background) {
    const share = background.today.baryons / background.today.matter;
    return { kind: "transfer", value: (row, k) => ((1 - share) * row[cold] + share * row[baryons]) / (k * k), width };
  }
  return fail(name, `${EXPECTED}, found the columns ${listed(titles, ", ")}`);
}

/** CLASS writes "… at redshift z=0.5". */
function redshiftOf(header: string[]): number | undefined {
  const found = header.map((line) => /\bredshift z\s*=\s*([-+.\deE]+)/.exec(line)).find((match) => match !== null);
  return found ? Number.parseFloat(found[1]) : undefined;
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
