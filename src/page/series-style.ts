/** Colours of many curves in one chart, on pages that have more than three. */

/** Grey for the first variant, then colours that stay apart for colour-blind readers as far as seven can. */
const LIGHT = ["#6d7380", "#1d5fa6", "#c2500f", "#0b7a68", "#7b3fa0", "#9a6b00", "#b82e66", "#4c7a12"];
const DARK = ["#a3a9b5", "#7fb3ec", "#f0a067", "#62cdb5", "#c49bee", "#d8bb4c", "#f08bb1", "#a5d070"];

const variables = (colours: readonly string[]) => colours.map((colour, i) => `--v${i}: ${colour};`).join(" ");
const rules = LIGHT.map(
  (_, i) =>
    `.chart .s-v${i} { stroke: var(--v${i}); } .chart text.s-v${i} { stroke: none; } .b-v${i} { fill: var(--v${i}); }`,
).join("\n");

/** The colours as --v0 … --v7, and the classes of charts that use them. */
export const SERIES_CSS = `
:root { ${variables(LIGHT)} }
@media (prefers-color-scheme: dark) { :root { ${variables(DARK)} } }
@media print { :root { ${variables(LIGHT)} } }
${rules}
.key i.band { border-top-width: 6px; opacity: .45; vertical-align: .12em; }
`;
