/**
 * How a comparison shows itself: a live line on a terminal, a plain line a variant elsewhere, one JSON object a line
 * with --json, nothing but warnings and errors with --quiet.
 */
import colours from "picocolors";
import type { CompareVariant, Comparison } from "../compare/page-model.ts";
import { comparisonText } from "../compare/table.ts";
import { errorText, simulatedTime } from "../page/text.ts";
import type { ErrorEvent, ProgressEvent, WarningEvent } from "../run/events.ts";
import { type DisplayOptions, progressLine } from "./display.ts";

export interface CompareStartEvent {
  event: "start";
  version: string;
  title: string;
  folder: string;
  backend: "webgpu" | "cpu";
  adapter: string | null;
  particles: number;
  /** [time] */
  end: number;
  varied: Record<string, string[]>;
  variants: string[];
}

/** The progress of one variant, as of a run. */
export interface CompareProgressEvent extends ProgressEvent {
  variant: string;
  index: number;
  count: number;
}

/** A variant is done, failed or stopped. */
export interface CompareVariantEvent {
  event: "variant";
  index: number;
  count: number;
  variant: Omit<CompareVariant, "rows">;
}

export interface CompareEndEvent {
  event: "end";
  folder: string;
  page: string;
  comparison: Comparison;
}

export type CompareEvent =
  | CompareStartEvent
  | CompareProgressEvent
  | CompareVariantEvent
  | CompareEndEvent
  | WarningEvent
  | ErrorEvent;

const JSON_INTERVAL = 1000;
const LIVE_INTERVAL = 80;
const ERASE_LINE = "\r\u001b[2K";

/** A watcher for the options given. */
export function compareDisplay(options: DisplayOptions): (event: CompareEvent) => void {
  const { out, err, json, quiet, now = performance.now.bind(performance) } = options;
  let last = Number.NEGATIVE_INFINITY;
  let drawn = false;
  if (json) {
    return (event) => {
      if (event.event === "progress") {
        if (now() - last < JSON_INTERVAL && event.fraction < 1) return;
        last = now();
      }
      out.write(`${JSON.stringify(event)}\n`);
    };
  }
  return (event) => {
    if (event.event === "progress") {
      if (quiet || !out.isTTY || now() - last < LIVE_INTERVAL) return;
      const name = `${event.index + 1}/${event.count} ${event.variant}`;
      const width = Math.max(10, (out.columns ?? 80) - 1 - name.length - 2);
      out.write(`${ERASE_LINE}${name}  ${progressLine(event, width)}`);
      drawn = true;
      last = now();
      return;
    }
    if (drawn) out.write(ERASE_LINE);
    drawn = false;
    if (event.event === "warning") err.write(`${colours.yellow("warning:")} ${event.message}\n`);
    else if (event.event === "error") err.write(`${colours.red("error:")} ${event.message}\n`);
    else if (!quiet) out.write(`${text(event)}\n`);
  };
}

function text(event: Exclude<CompareEvent, CompareProgressEvent | WarningEvent | ErrorEvent>): string {
  if (event.event === "start") {
    const where = event.backend === "webgpu" ? event.adapter : "CPU, float64";
    const varied = Object.entries(event.varied).map(([key, values]) => `${key} = ${values.join(", ")}`);
    return [
      colours.bold(event.title),
      `${event.variants.length} variants, ${varied.join("; ")}`,
      `${event.particles.toLocaleString("en")} particles to time ${simulatedTime(event.end)}`,
      `on ${where}; results in ${event.folder}`,
    ].join("\n");
  }
  if (event.event === "variant") {
    const { label, status, steps, millisecondsPerStep: ms, energyError } = event.variant;
    const done = [`${steps} steps`, ...(ms === null ? [] : [`${ms.toPrecision(3)} ms a step`])];
    if (energyError !== null) done.push(`ΔE/E ${errorText(energyError)}`);
    const said = status === "complete" ? "" : `${colours.yellow(status)}  `;
    return `  ${event.index + 1}/${event.count} ${label}  ${said}${done.join("  ")}`;
  }
  return `\n${comparisonText(event.comparison)}\n\n  page  ${event.page}`;
}
