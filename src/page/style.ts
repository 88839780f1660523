/** Style sheet of report.html: light and dark by the reader's preference, one to three columns, printable. */
import { CHART_CSS } from "./charts.ts";

export const REPORT_CSS = `${CHART_CSS}
:root {
  color-scheme: light dark;
  --page: #fdfdfc; --ink: #1b1d22; --soft: #626874; --hairline: #e4e5e8; --panel: #f5f5f3;
  --accent: #1d5fa6; --second: #b8480f; --third: #0b7a68;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131418; --ink: #e7e7ea; --soft: #9aa0ab; --hairline: #2b2d34; --panel: #1b1c21;
    --accent: #7fb3ec; --second: #f0a067; --third: #62cdb5;
  }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --ink: #000; --soft: #555; --hairline: #ddd; --panel: #fff;
    --accent: #1d5fa6; --second: #b8480f; --third: #0b7a68;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.55 var(--serif); }
main { max-width: 1120px; margin: 0 auto; padding: clamp(24px, 5vw, 64px) clamp(16px, 4vw, 40px) 48px; }
header { max-width: 46rem; }
h1 { font-size: clamp(28px, 5vw, 42px); line-height: 1.12; font-weight: 600; letter-spacing: -.012em; margin: 0 0 .35em; text-wrap: balance; }
h2 { font: 600 13px/1.3 var(--sans); letter-spacing: .02em; margin: 3.6em 0 1.1em; padding-top: 1em; border-top: 1px solid var(--hairline); }
p { margin: .4em 0; }
.reference { color: var(--soft); font-style: italic; }
.expect { margin-top: 1em; white-space: pre-line; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 22px 24px; margin: 34px 0 0; padding: 20px 0 0; border-top: 1px solid var(--hairline); }
.numbers div { min-width: 0; }
.numbers dt { font: 12px/1.3 var(--sans); color: var(--soft); }
.numbers dd { margin: 3px 0 0; font: 500 20px/1.25 var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.numbers dd small { display: block; font-size: 12px; font-weight: 400; color: var(--soft); }
.numbers .wide { grid-column: span 2; }
.numbers .wide dd { font-size: 15px; line-height: 1.4; padding-top: 3px; }
.pictures { display: grid; grid-template-columns: repeat(var(--columns, 4), 1fr); gap: 20px 14px; align-items: end; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
.picture { position: relative; display: block; background: #000004; border-radius: 2px; overflow: hidden; }
.picture + .picture { margin-top: 3px; }
.picture img { display: block; width: 100%; height: auto; }
.scale { position: absolute; left: 9px; bottom: 8px; height: 13px; border-bottom: 2px solid #fff; color: #fff; font: 11px/1 var(--sans); white-space: nowrap; text-shadow: 0 0 3px #000; }
figcaption { font: 13px/1.4 var(--sans); color: var(--soft); margin-top: 6px; font-variant-numeric: tabular-nums; }
figcaption b { font-weight: 600; color: var(--ink); }
.ramp { max-width: 400px; padding-top: 6px; line-height: 1.4; font: 11px/1 var(--sans); color: var(--soft); font-variant-numeric: tabular-nums; }
.ramp .bar { height: 9px; border-radius: 2px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.ramp .ticks { position: relative; height: 22px; margin-top: 5px; }
.ramp .ticks span { position: absolute; transform: translateX(-50%); }
.note { font: 13px/1.5 var(--sans); color: var(--soft); max-width: 46rem; margin: 6px 0 0; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 34px clamp(24px, 5vw, 56px); align-items: start; }
.charts figcaption { margin: 0 0 10px; min-height: 2.8em; color: var(--soft); }
.charts figcaption b { display: block; }
.key { white-space: nowrap; margin-right: 10px; }
.key i { display: inline-block; width: 18px; height: 0; border-top: 2px solid; vertical-align: .3em; margin-right: 5px; }
details { margin-top: 3.6em; border-top: 1px solid var(--hairline); padding-top: 1em; }
summary { font: 600 13px/1.3 var(--sans); cursor: pointer; }
pre { font: 12.5px/1.55 var(--mono); background: var(--panel); padding: 16px 18px; border-radius: 4px; overflow-x: auto; tab-size: 4; }
footer { margin-top: 3.2em; padding-top: 1em; border-top: 1px solid var(--hairline); font: 12px/1.6 var(--sans); color: var(--soft); overflow-wrap: anywhere; }
@media (max-width: 760px) {
  .pictures { grid-template-columns: repeat(3, 1fr); }
}
@media (max-width: 600px) {
  .charts { grid-template-columns: 1fr; }
}
@media (max-width: 520px) {
  body { font-size: 16px; }
  .pictures { grid-template-columns: 1fr 1fr; gap: 14px 8px; }
  .numbers { grid-template-columns: 1fr 1fr; gap: 18px 16px; }
  .charts figcaption { min-height: 0; }
  .chart { font-size: 12.2px; }
}
@media print {
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2 { margin-top: 2em; break-after: avoid; }
  .pictures { grid-template-columns: repeat(var(--columns, 4), 1fr); }
  .charts { grid-template-columns: 1fr 1fr; }
  .picture { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  pre { white-space: pre-wrap; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}`;
