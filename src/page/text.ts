/** Rows, tables and paragraphs as a terminal shows them. */

/** Of a paragraph. */
const WIDTH = 78;

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

/** A table of `rows`: what each column says of one, by the column's head. */
export function tableOf<Row>(rows: readonly Row[], columns: Record<string, (row: Row) => string>): string {
  return table(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  );
}

/** In lines of at most WIDTH characters, where words allow it. */
export function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line !== "" && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}
