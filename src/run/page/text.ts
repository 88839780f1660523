/** Rows, tables and paragraphs as a terminal shows them. */

const WIDTH = 78;
/** Columns that text behind a label has at least where it is broken into lines. */
const LEAST_ROOM = 20;
const COLOUR = /\p{Cc}\[[0-9;]*m/gu;

/** Rows of label and value, in two columns, which together have `columns` characters where words allow it. */
export function labelled(rows: readonly (readonly [string, string])[], columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => hanging(`  ${label.padEnd(width)}  `, value, columns)).join("\n");
}

/** `text` behind `head`, its further lines below its first. */
export function hanging(head: string, text: string, columns: number): string {
  // Where nearly all of a line is its indentation, the text is better left to the terminal.
  const room = columns - visible(head);
  if (room < LEAST_ROOM) return head + text;
  return head + wrapped(text, room).replaceAll("\n", `\n${" ".repeat(visible(head))}`);
}

/** Columns that a terminal takes for `text`, which may be coloured. */
function visible(text: string): number {
  return text.replace(COLOUR, "").length;
}

/** A table with a header; all columns but the first are aligned to the right. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, c) => Math.max(title.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join("  ")}`.trimEnd();
  return [line(header), `  ${widths.map((width) => "─".repeat(width)).join("  ")}`, ...rows.map(line)].join("\n");
}

/** A table of `rows`: what each column says of one, by the column's head. */
export function tableOf<Row>(rows: readonly Row[], columns: Record<string, (row: Row) => string>): string {
  return textTable(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  );
}

/** In lines of at most `width` columns, where words allow it. */
export function wrapped(text: string, width = WIDTH): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line !== "" && visible(line) + 1 + visible(word) > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}
