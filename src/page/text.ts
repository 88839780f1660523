/** Numbers, durations and tables as a terminal shows them. */

/** 1234567 → "1.23 M"; three significant digits and a decimal prefix. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const prefixes = ["", " k", " M", " G", " T"];
  const power = Math.abs(value) < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(Math.abs(value)) / 3));
  const scaled = value / 1000 ** power;
  const digits = Math.abs(scaled) >= 100 ? 0 : Math.abs(scaled) >= 10 ? 1 : 2;
  return `${Number.isInteger(value) && power === 0 ? value : scaled.toFixed(digits)}${prefixes[power]}`;
}

/** 3725 → "1:02:05", 65 → "1:05". */
export function clock(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
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

/** Relative errors: sign and two digits, "+1.2e-5". */
export function errorText(error: number): string {
  return `${error < 0 ? "" : "+"}${error.toExponential(1)}`;
}

/** Rows of label and value, in two columns. */
export function labelled(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n");
}

/** A table with a header; all columns but the first are aligned to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, c) => Math.max(title.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join("  ")}`.trimEnd();
  return [line(header), `  ${widths.map((width) => "─".repeat(width)).join("  ")}`, ...rows.map(line)].join("\n");
}
