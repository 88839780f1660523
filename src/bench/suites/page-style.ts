/** Style sheet of suite.html: the comparison page's, with marks in the colours of its series. */
import { COMPARE_CSS } from "../../compare/page-style.ts";

/** Colours of the comparison page besides grey. */
export const SUITE_COLOURS = 7;

const fills = Array.from({ length: SUITE_COLOURS + 1 }, (_, i) => `.chart .f-v${i} { fill: var(--v${i}); }`).join(" ");

export const SUITE_CSS = `${COMPARE_CSS}
${fills}
.key { white-space: normal; display: inline-block; }
.key svg { display: inline-block; width: 20px; height: 10px; vertical-align: -.05em; margin-right: 5px; overflow: visible; }
.tables .scroll + p.note { margin-top: 8px; }
h3 { font: 600 15px/1.35 var(--sans); margin: 2.2em 0 .7em; }
.published th[scope=row] { white-space: normal; min-width: 8.5em; color: var(--ink); }
.published th small { display: block; color: var(--soft); font-size: 12px; }
.remarks { font: 15px/1.55 var(--sans); max-width: 46rem; padding-left: 1.1em; }
.remarks li { margin: .5em 0; }
.chart .span { stroke-width: 2; opacity: .7; }
.chart .row { stroke: var(--hairline); stroke-width: 1; }
.charts .wide { grid-column: 1 / -1; }
@media print { .chart circle, .chart path { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }`;
