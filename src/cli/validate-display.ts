/**
 * How a validation shows itself: a live line on a terminal, the table at the end, one JSON object a line with --json,
 * nothing but warnings and errors with --quiet.
 */
import colours from "picocolors";
import { clock, simulatedTime } from "../page/text.ts";
import type { ErrorEvent, WarningEvent } from "../run/events.ts";
import type { Validation } from "../validate/page-model.ts";
import { validationText } from "../validate/table.ts";
import type { DisplayOptions } from "./display.ts";

export type Part = "preparation" | "forces" | "force law" | "evolution";

export interface ValidateStartEvent {
  event: "start";
  version: string;
  title: string;
  folder: string;
  backend: "webgpu" | "cpu";
  adapter: string | null;
  particles: number;
  /** Mesh cells per side. */
  cells: number;
}

export interface ValidateProgressEvent {
  event: "progress";
  part: Part;
  /** What of the part. */
  what: string;
  /** Of it, 0 … 1. */
  fraction: number;
  elapsedSeconds: number;
}

/** A part is done; null where there was nothing to measure. */
export interface ValidatePartEvent {
  event: "part";
  part: Part;
  result: Validation["forces"] | Validation["forceLaw"] | Validation["evolution"];
}

export interface ValidateEndEvent {
  event: "end";
  folder: string;
  page: string;
  validation: Validation;
}

export type ValidateEvent =
  | ValidateStartEvent
  | ValidateProgressEvent
  | ValidatePartEvent
  | ValidateEndEvent
  | WarningEvent
  | ErrorEvent;

const JSON_INTERVAL = 1000;
const LIVE_INTERVAL = 80;
const ERASE_LINE = "\r\u001b[2K";
const BAR = 24;

/** A watcher for the options given. */
export function validateDisplay(options: DisplayOptions): (event: ValidateEvent) => void {
  const { out, err, json, quiet, now = performance.now.bind(performance) } = options;
  let last = Number.NEGATIVE_INFINITY;
  let drawn = false;
  if (json) {
    return (event) => {
      if (event.event === "progress") {
        if (now() - last < JSON_INTERVAL) return;
        last = now();
      }
      out.write(`${JSON.stringify(event)}\n`);
    };
  }
  return (event) => {
    if (event.event === "progress") {
      if (quiet || !out.isTTY || now() - last < LIVE_INTERVAL) return;
      out.write(`${ERASE_LINE}${liveLine(event).slice(0, Math.max(10, (out.columns ?? 80) - 1))}`);
      drawn = true;
      last = now();
      return;
    }
    if (event.event === "part") return;
    if (drawn) out.write(ERASE_LINE);
    drawn = false;
    if (event.event === "warning") err.write(`${colours.yellow("warning:")} ${event.message}\n`);
    else if (event.event === "error") err.write(`${colours.red("error:")} ${event.message}\n`);
    else if (!quiet) out.write(`${event.event === "start" ? heading(event) : closing(event)}\n`);
  };
}

function liveLine({ what, fraction, elapsedSeconds }: ValidateProgressEvent): string {
  const share = Math.min(1, Math.max(0, fraction));
  const full = Math.round(BAR * share);
  const bar = `${"█".repeat(full)}${"░".repeat(BAR - full)}`;
  return `${bar} ${String(Math.floor(100 * share)).padStart(3)} %  ${what}  ${clock(elapsedSeconds)}`;
}

function heading({ title, particles, cells, backend, adapter, folder }: ValidateStartEvent): string {
  return [
    colours.bold(title),
    `${particles.toLocaleString("en")} particles, mesh ${cells}³ against direct summation`,
    `on ${backend === "webgpu" ? adapter : "CPU, float64"}; results in ${folder}`,
  ].join("\n");
}

function closing({ validation, page }: ValidateEndEvent): string {
  return `\n${validationText(validation)}\n\n  page  ${page}`;
}

/** "evolution, t = 1.2" */
export function evolutionText(time: number): string {
  return `evolution, t = ${simulatedTime(time)}`;
}
