/** The style sheet of every page: light and dark by the reader's preference, one to three columns, printable. */
import { CHART_CSS } from "./charts.ts";
import { COLOUR_CSS } from "./colours.ts";

const BASE = `
:root {
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.55 var(--serif); }
main { max-width: 1120px; margin: 0 auto; padding: clamp(24px, 5vw, 64px) clamp(16px, 4vw, 40px) 48px; }
header { max-width: 46rem; }
h1 { font-size: clamp(28px, 5vw, 42px); line-height: 1.12; font-weight: 600; letter-spacing: -.012em; margin: 0 0 .35em; text-wrap: balance; }
h2 { font: 600 13px/1.3 var(--sans); letter-spacing: .02em; margin: 3.6em 0 1.1em; padding-top: 1em; border-top: 1px solid var(--hairline); }
h3 { font: 600 15px/1.35 var(--sans); margin: 2.2em 0 .7em; }
p { margin: .4em 0; }
.lead { font: 15px/1.5 var(--sans); color: var(--soft); margin-top: .2em; }
.reference { color: var(--soft); font-style: italic; }
.expect { margin-top: 1em; white-space: pre-line; }
.note { font: 13px/1.5 var(--sans); color: var(--soft); max-width: 46rem; margin: 6px 0 0; }
.short { font: 15px/1.55 var(--sans); max-width: 50rem; margin: 2em 0 0; padding: 0; list-style: none; }
.short li { margin: .55em 0; padding-left: 16px; border-left: 4px solid var(--v, var(--hairline)); }
.short b { font-weight: 600; }
.remarks { font: 15px/1.55 var(--sans); max-width: 50rem; margin: 0; padding-left: 1.1em; }
.remarks li { margin: .5em 0; }
details { margin-top: 3.6em; border-top: 1px solid var(--hairline); padding-top: 1em; }
summary { font: 600 13px/1.3 var(--sans); cursor: pointer; }
pre { font: 12.5px/1.55 var(--mono); background: var(--panel); padding: 16px 18px; border-radius: 4px; overflow-x: auto; tab-size: 4; }
footer { margin-top: 3.2em; padding-top: 1em; border-top: 1px solid var(--hairline); font: 12px/1.6 var(--sans); color: var(--soft); overflow-wrap: anywhere; }
@media (max-width: 520px) { body { font-size: 16px; } }
@media print {
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2 { margin-top: 2em; break-after: avoid; }
  pre { white-space: pre-wrap; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}`;

const NUMBERS = `
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 22px 24px; margin: 34px 0 0; padding: 20px 0 0; border-top: 1px solid var(--hairline); }
.numbers div { min-width: 0; }
.numbers dt { font: 12px/1.3 var(--sans); color: var(--soft); }
.numbers dd { margin: 3px 0 0; font: 500 20px/1.25 var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.numbers dd small { display: block; font-size: 12px; font-weight: 400; color: var(--soft); }
.numbers .large dd { color: var(--warn); }
.numbers .lost dd { color: var(--alarm); }
.numbers .wide { grid-column: span 2; }
.numbers .wide dd { font-size: 15px; line-height: 1.4; padding-top: 3px; }
h2 + .numbers { margin-top: 14px; padding-top: 0; border-top: 0; }
@media (max-width: 520px) { .numbers { grid-template-columns: 1fr 1fr; gap: 18px 16px; } }`;

const PICTURES = `
.pictures { display: grid; grid-template-columns: repeat(var(--columns, 4), 1fr); gap: 20px 14px; align-items: start; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
.picture { position: relative; display: block; background: #000004; border-radius: 2px; overflow: hidden; }
.picture + .picture { margin-top: 3px; }
.picture img { display: block; width: 100%; height: auto; }
.scale { position: absolute; left: 9px; bottom: 8px; height: 13px; border-bottom: 2px solid #fff; color: #fff; font: 11px/1 var(--sans); white-space: nowrap; text-shadow: 0 0 3px #000; }
figcaption { font: 13px/1.4 var(--sans); color: var(--soft); margin-top: 6px; font-variant-numeric: tabular-nums; }
figcaption b { font-weight: 600; color: var(--ink); }
.ramp { max-width: 400px; padding-top: 6px; font: 11px/1.4 var(--sans); color: var(--soft); font-variant-numeric: tabular-nums; }
.ramp .bar { height: 9px; border-radius: 2px; }
.ramp .ticks { position: relative; height: 22px; margin-top: 5px; line-height: 1; }
.ramp .ticks span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.ramp .ticks .start { transform: none; }
.ramp .ticks .end { transform: translateX(-100%); }
.pictures > .ramp { align-self: end; }
.difference, .keys { margin-top: 14px; }
.keys .ramp { max-width: none; padding: 0 0 16px; }
.keys.row { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(240px, 100%), 1fr)); gap: 0 14px; margin-top: 0; }
@media (max-width: 760px) { .pictures { grid-template-columns: repeat(3, 1fr); } }
@media (max-width: 520px) {
  .pictures { grid-template-columns: 1fr 1fr; gap: 14px 8px; }
  .keys.row { grid-column: auto; }
}
@media print {
  .pictures { grid-template-columns: repeat(var(--columns, 4), 1fr); }
  .picture, .ramp .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;

const CHARTS = `
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 34px clamp(24px, 5vw, 56px); align-items: start; }
.charts .wide { grid-column: 1 / -1; }
.charts figcaption { margin: 0 0 10px; min-height: 2.8em; color: var(--soft); }
.charts figcaption b { display: block; }
.charts figure > .note { margin-top: 8px; }
.key { display: inline-block; margin-right: 10px; }
.key i { display: inline-block; width: 18px; height: 0; border-top: 2px solid; vertical-align: .3em; margin-right: 5px; }
.key i.band { border-top-width: 6px; opacity: .45; vertical-align: .12em; }
.key svg { display: inline-block; width: 20px; height: 10px; vertical-align: -.05em; margin-right: 5px; overflow: visible; }
.stack figure + figure { margin-top: 26px; }
.stack figure + figure figcaption { min-height: 0; }
.note + .charts, .numbers + .charts, .scroll + .charts, .charts + .scroll { margin-top: 38px; }
@media (max-width: 600px) { .charts { grid-template-columns: 1fr; } }
@media (max-width: 520px) {
  .charts figcaption { min-height: 0; }
  .chart { font-size: 12.2px; }
}
@media print {
  .charts { grid-template-columns: 1fr 1fr; }
  .chart rect, .chart circle, .chart path, .key i { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;

/** Where a table overflows, a shadow at that side says so: the pale covers scroll with the content, the shadows don't. */
const TABLES = `
.scroll { overflow-x: auto; margin: 0 -4px; padding: 0 4px; background:
  linear-gradient(to right, var(--page) 30%, transparent) left / 28px 100% no-repeat local,
  linear-gradient(to left, var(--page) 30%, transparent) right / 28px 100% no-repeat local,
  linear-gradient(to right, var(--shade), transparent) left / 12px 100% no-repeat scroll,
  linear-gradient(to left, var(--shade), transparent) right / 12px 100% no-repeat scroll; }
.scroll + .note { margin-top: 10px; }
.scroll + .scroll { margin-top: 30px; }
.sideways { margin-bottom: 8px; }
table { border-collapse: collapse; font: 14px/1.35 var(--sans); font-variant-numeric: tabular-nums; }
th, td { padding: 5px 0 5px 28px; text-align: right; white-space: nowrap; font-weight: 400; }
th[scope=row], thead th:first-child, th[scope=rowgroup] { text-align: left; padding-left: 0; }
thead th { font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--soft); }
thead th i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 7px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
th[scope=rowgroup] { font-weight: 600; padding-top: 18px; }
th[scope=row] { color: var(--soft); }
th[scope=row] small { display: block; font-size: 12px; }
th.part[scope=row] { padding-left: 16px; }
th a { color: var(--accent); }
.shaded { background: color-mix(in oklab, var(--accent) var(--shaded), transparent); padding-right: 10px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
tbody tr + tr td, tbody tr + tr th[scope=row] { border-top: 1px solid var(--hairline); }
tbody tr:has(th[scope=rowgroup]) + tr > * { border-top: 0; }
.worded th[scope=row] { white-space: normal; min-width: 8.5em; color: var(--ink); }
.worded small { color: var(--soft); }
@media screen and (max-width: 520px) {
  th, td { padding-left: 16px; }
  table { font-size: 13px; }
  thead th { white-space: normal; }
  th[scope=row] { white-space: normal; min-width: 7.5em; }
  .stacks, .stacks tbody, .stacks tr, .stacks th, .stacks td { display: block; }
  .stacks thead { display: none; }
  .stacks tr { padding: 8px 0; }
  .stacks tbody tr + tr { border-top: 1px solid var(--hairline); }
  .stacks tbody tr:has(th[scope=rowgroup]) + tr { border-top: 0; }
  .stacks tbody tr td, .stacks tbody tr th[scope=row] { border-top: 0; padding: 1px 0; }
  .stacks th[scope=row] { color: var(--ink); font-weight: 600; }
  .stacks th.part[scope=row] { font-weight: 400; }
  .stacks td { display: flex; justify-content: space-between; gap: 16px; white-space: normal; }
  .stacks td::before { content: attr(data-head); color: var(--soft); text-align: left; border-left: 3px solid var(--tone, transparent); padding-left: 8px; }
  .stacks td:empty { display: none; }
  .scroll:has(.stacks) { background: none; }
  .sideways { display: none; }
}
@media print {
  .scroll { overflow: visible; margin: 0; padding: 0; background: none; }
  .sideways { display: none; }
  table { font-size: 9pt; }
  th, td { padding-left: 14px; }
  tbody { break-inside: avoid; }
}`;

export const PAGE_CSS = [COLOUR_CSS, CHART_CSS, BASE, NUMBERS, PICTURES, CHARTS, TABLES].join("\n");
