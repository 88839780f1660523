/** How a suite shows itself: one live line on a terminal, a line a measurement, at the end tables; or JSON events. */
import colours from "picocolors";
import type { SuiteEvent } from "../bench/suites/run.ts";
import { suiteText } from "../bench/suites/text.ts";
import { duration } from "../page/text.ts";
import type { DisplayOptions } from "./display.ts";

/** What is shown: a suite's events, and the error that ended it. */
export type SuiteShown = SuiteEvent | { event: "error"; kind: string; message: string; exitCode: number };

const INTERVAL = { json: 1000, live: 80 };
const ERASE_LINE = "\r\u001b[2K";
const BAR = 20;

function liveLine({ index, count, label, fraction }: Extract<SuiteEvent, { event: "progress" }>): string {
  const full = Math.round(BAR * Math.min(1, Math.max(0, fraction)));
  return `${"█".repeat(full)}${"░".repeat(BAR - full)} ${index + 1}/${count} ${label}`;
}

function measurementLine({ index, count, brief, measurement }: Extract<SuiteEvent, { event: "measurement" }>): string {
  const { label, status, message, seconds } = measurement;
  const place = `  ${index + 1}/${count} ${label}`;
  if (status === "failed") return `${place}  ${colours.red("failed")}: ${message}`;
  if (status === "skipped") return `${place}  ${colours.yellow("not measured")}: ${message}`;
  return `${place}  ${brief}${brief === "" ? "" : "  "}(${duration(seconds ?? 0)})`;
}

/** A watcher for the options given. */
export function suiteDisplay({
  out,
  err,
  json,
  quiet,
  now = performance.now.bind(performance),
}: DisplayOptions): (event: SuiteShown) => void {
  let last = Number.NEGATIVE_INFINITY;
  let drawn = false;
  const tooEarly = (interval: number) => {
    if (now() - last < interval) return true;
    last = now();
    return false;
  };
  if (json) {
    return (event) => {
      if (event.event === "progress" && tooEarly(INTERVAL.json)) return;
      out.write(`${JSON.stringify(event)}\n`);
    };
  }
  return (event) => {
    if (event.event === "progress") {
      if (quiet || !out.isTTY || tooEarly(INTERVAL.live)) return;
      out.write(`${ERASE_LINE}${liveLine(event).slice(0, (out.columns ?? 80) - 1)}`);
      drawn = true;
      return;
    }
    if (drawn) out.write(ERASE_LINE);
    drawn = false;
    if (event.event === "error") err.write(`${colours.red("error:")} ${event.message}\n`);
    else if (event.event === "start") {
      const kept = event.kept > 0 ? `, of which ${event.kept} are there already` : "";
      out.write(
        `${colours.bold(event.title)}\n${event.count} measurements${kept}\non ${event.adapter}; results in ${event.folder}\n`,
      );
    } else if (event.event === "measurement") out.write(`${measurementLine(event)}\n`);
    else out.write(`\n${suiteText(event.record)}\n\n  page  ${event.page}\n`);
  };
}
