/** Style sheet of validate.html: the report's, with a table and two colours: blue the mesh, orange the direct sum. */
import { REPORT_CSS } from "../page/style.ts";

export const VALIDATE_CSS = `${REPORT_CSS}
.asked { font: 15px/1.5 var(--sans); color: var(--soft); margin-top: .2em; }
.short { font: 15px/1.55 var(--sans); max-width: 50rem; margin: 2em 0 0; padding: 0; list-style: none; }
.short li { margin: .6em 0; padding-left: 16px; border-left: 4px solid var(--hairline); }
.short b { font-weight: 600; }
.remarks { font: 14px/1.55 var(--sans); color: var(--soft); max-width: 50rem; margin: 0; padding-left: 1.2em; }
.remarks li { margin: .4em 0; }
.charts figure > .note { margin-top: 8px; }
.scroll { overflow-x: auto; margin: 0 -4px; padding: 0 4px; }
.scroll + .note { margin-top: 12px; }
.note + .charts, .scroll + .charts, .charts + .scroll { margin-top: 38px; }
table { border-collapse: collapse; font: 14px/1.35 var(--sans); font-variant-numeric: tabular-nums; }
th, td { padding: 5px 0 5px 28px; text-align: right; white-space: nowrap; font-weight: 400; }
th[scope=row], thead th:first-child, th[scope=rowgroup] { text-align: left; padding-left: 0; position: sticky; left: 0; background: var(--page); }
thead th { font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--soft); }
th[scope=rowgroup] { font-weight: 600; padding-top: 16px; }
th[scope=row] { color: var(--soft); }
tbody tr + tr td, tbody tr + tr th[scope=row] { border-top: 1px solid var(--hairline); }
tbody tr:nth-child(2) td, tbody tr:nth-child(2) th[scope=row] { border-top: 0; }
.key i.band { border-top-width: 6px; opacity: .45; vertical-align: .12em; }
@media (max-width: 520px) {
  th, td { padding-left: 16px; }
  table { font-size: 13px; }
  th[scope=row] { white-space: normal; min-width: 7em; }
}
@media print {
  .scroll { overflow: visible; margin: 0; padding: 0; }
  table { font-size: 8.5pt; }
  th, td { padding-left: 12px; }
  tbody { break-inside: avoid; }
  .chart .area { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;
