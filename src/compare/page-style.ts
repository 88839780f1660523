/** Style sheet of compare.html: the report's, with the variants' colours and a table. */

import { SERIES_CSS } from "../page/series-style.ts";
import { REPORT_CSS } from "../page/style.ts";

export const COMPARE_CSS = `${REPORT_CSS}${SERIES_CSS}
.varied { font: 15px/1.5 var(--sans); color: var(--soft); margin-top: .2em; }
.short { font: 15px/1.55 var(--sans); max-width: 50rem; margin: 2em 0 0; padding: 0; list-style: none; }
.short li { margin: .55em 0; padding-left: 16px; border-left: 4px solid var(--v); }
.short b { font-weight: 600; }
.pictures { align-items: start; }
.difference, .keys { margin-top: 14px; }
.keys .ramp { max-width: none; padding: 0 0 16px; }
.keys.row { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(240px, 100%), 1fr)); gap: 0 14px; margin-top: 0; }
.keys .ticks .start { transform: none; }
.keys .ticks .end { transform: translateX(-100%); }
.stack figure + figure { margin-top: 26px; }
.stack figure + figure figcaption { min-height: 0; }
.scroll { overflow-x: auto; margin: 0 -4px; padding: 0 4px; }
table { border-collapse: collapse; font: 14px/1.35 var(--sans); font-variant-numeric: tabular-nums; }
th, td { padding: 5px 0 5px 28px; text-align: right; white-space: nowrap; font-weight: 400; }
th[scope=row], thead th:first-child, th[scope=rowgroup] { text-align: left; padding-left: 0; position: sticky; left: 0; background: var(--page); }
thead th { font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--soft); }
thead th i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 7px; }
th[scope=rowgroup] { font-weight: 600; padding-top: 18px; }
th[scope=row] { color: var(--soft); }
th.part[scope=row] { padding-left: 16px; }
tbody tr + tr td, tbody tr + tr th[scope=row] { border-top: 1px solid var(--hairline); }
tbody tr:nth-child(2) td, tbody tr:nth-child(2) th[scope=row] { border-top: 0; }
td.text { text-align: left; }
td small { color: var(--soft); font-size: 12px; }
@media (max-width: 520px) {
  .keys.row { grid-column: auto; }
  th, td { padding-left: 16px; }
  table { font-size: 13px; }
  thead th { white-space: normal; }
  th[scope=row] { white-space: normal; min-width: 7.5em; }
}
@media print {
  .scroll { overflow: visible; }
  table { font-size: 9pt; }
  tbody { break-inside: avoid; }
  .b-v0, .b-v1, .b-v2, .b-v3, .b-v4, .b-v5, .b-v6, .b-v7, i { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;
