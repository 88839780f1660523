/**
 * How a run shows itself: a live line on a terminal, a plain line every few seconds elsewhere, one JSON object a line
 * with --json, nothing but warnings and errors with --quiet.
 */
import colours from "picocolors";
import { clock, errorText, shortNumber, simulatedTime } from "../page/text.ts";
import type { ProgressEvent, RunEvent, StartEvent, Watcher } from "../run/events.ts";

/** The part of a terminal that is needed here. */
export interface Screen {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface DisplayOptions {
  json: boolean;
  quiet: boolean;
  out: Screen;
  err: Screen;
  /** [ms]; for tests. */
  now?: () => number;
}

/** Time between plain lines, and between JSON progress events [ms]. */
const PLAIN_INTERVAL = 5000;
const JSON_INTERVAL = 1000;
const LIVE_INTERVAL = 80;
const BAR = { widest: 28, narrowest: 8 };
const ERASE_LINE = "\r\u001b[2K";

/** A watcher for the options given. */
export function display(options: DisplayOptions): Watcher {
  if (options.json) return jsonLines(options);
  if (options.quiet) return complaints(options);
  return options.out.isTTY ? liveLine(options) : plainLines(options);
}

function jsonLines({ out, now = performance.now.bind(performance) }: DisplayOptions): Watcher {
  let last = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.event === "progress" || event.event === "preparation") {
      if (now() - last < JSON_INTERVAL && event.fraction > 0 && event.fraction < 1) return;
      last = now();
    }
    out.write(`${JSON.stringify(event)}\n`);
  };
}

function complaints({ err }: DisplayOptions): Watcher {
  return (event) => {
    if (event.event === "warning") err.write(`${colours.yellow("warning:")} ${event.message}\n`);
    else if (event.event === "error") err.write(`${colours.red("error:")} ${event.message}\n`);
  };
}

/** Lines that stay, the same on a terminal and in a log. */
function lasting(event: RunEvent): string | undefined {
  switch (event.event) {
    case "start":
      return heading(event);
    case "interrupted":
      return `Stopped at time ${simulatedTime(event.time)}, step ${event.step}; a checkpoint is saved. Go on with:\n  ${event.resume}`;
    default:
      return undefined;
  }
}

function heading(event: StartEvent): string {
  const where = event.backend === "webgpu" ? event.adapter : "CPU, float64";
  const length = event.steps === null ? "adaptive step" : `${event.steps} steps`;
  const lines = [
    colours.bold(event.title),
    `${event.particles.toLocaleString("en")} particles, ${event.cells === null ? `direct summation, ${event.integrator}` : `mesh ${event.cells}³`}, to time ${simulatedTime(event.end)} in ${length}`,
    `on ${where}; results in ${event.folder}`,
  ];
  if (event.resumedAt) {
    lines.push(`resumed at time ${simulatedTime(event.resumedAt.time)}, step ${event.resumedAt.step}`);
  }
  return lines.join("\n");
}

function plainLines(options: DisplayOptions): Watcher {
  const { out, now = performance.now.bind(performance) } = options;
  const complain = complaints(options);
  let last = now();
  return (event) => {
    complain(event);
    const text = lasting(event);
    if (text) out.write(`${text}\n`);
    if (event.event !== "progress" || now() - last < PLAIN_INTERVAL) return;
    last = now();
    const percent = `${Math.floor(100 * event.fraction)} %`.padStart(5);
    out.write(`${percent}  ${fields(event).join("  ")}\n`);
  };
}

/** Most important first: a narrow terminal loses the last ones. */
function fields(event: ProgressEvent): string[] {
  return [
    `t ${simulatedTime(event.time)}`,
    `ETA ${clock(event.remainingSeconds)}`,
    `step ${event.step}`,
    `${shortNumber(event.stepsPerSecond)} steps/s`,
    `ΔE/E ${errorText(event.energyError)}`,
    `${shortNumber(event.particleUpdatesPerSecond)} updates/s`,
  ];
}

/** Bar, percentage and as many fields as fit into `width` columns. */
export function progressLine(event: ProgressEvent, width: number): string {
  const percent = `${Math.floor(100 * event.fraction)} %`.padStart(5);
  const shown: string[] = [];
  let used = BAR.narrowest + 1 + percent.length;
  for (const field of fields(event)) {
    if (used + 2 + field.length > width) break;
    shown.push(field);
    used += 2 + field.length;
  }
  const bar = Math.min(BAR.widest, BAR.narrowest + Math.max(0, width - used));
  if (used > width) return percent.trim().slice(0, width);
  return [`${barOf(event.fraction, bar)} ${percent}`, ...shown].join("  ");
}

/** A bar of `width` columns, in eighths of a column. */
function barOf(fraction: number, width: number): string {
  const eighths = Math.round(8 * width * Math.min(1, Math.max(0, fraction)));
  const full = Math.floor(eighths / 8);
  const part = eighths % 8 === 0 ? "" : "▏▎▍▌▋▊▉"[(eighths % 8) - 1];
  return `${"█".repeat(full)}${part}`.padEnd(width, "░");
}

function liveLine(options: DisplayOptions): Watcher {
  const { out, now = performance.now.bind(performance) } = options;
  const complain = complaints(options);
  let drawn = false;
  let last = Number.NEGATIVE_INFINITY;
  const erase = () => {
    if (drawn) out.write(ERASE_LINE);
    drawn = false;
  };
  const draw = (line: string) => {
    out.write(`${ERASE_LINE}${line}`);
    drawn = true;
    last = now();
  };
  return (event) => {
    // One column stays free: some terminals wrap when the last one is written.
    const width = Math.max(10, (out.columns ?? 80) - 1);
    const due = now() - last >= LIVE_INTERVAL;
    if (event.event === "progress") {
      if (due) draw(progressLine(event, width));
      return;
    }
    if (event.event === "preparation") {
      const share = event.fraction > 0 ? `${Math.floor(100 * event.fraction)} %` : "…";
      if (due || event.fraction === 0) draw(`${event.what} ${share}`.slice(0, width));
      return;
    }
    const text = lasting(event);
    if (text !== undefined || event.event === "warning" || event.event === "error" || event.event === "end") erase();
    complain(event);
    if (text !== undefined) out.write(`${text}\n`);
  };
}
