/** How a command shows itself: a live line, plain ones, JSON or next to nothing; its words are its own. */

import { Activities } from "../../run/activities.ts";
import type {
  ActivityEvent,
  ErrorEvent,
  PreparationEvent,
  ProgressEvent,
  StartEvent,
  WarningEvent,
} from "../../run/events.ts";
import { clockOf, energyErrorInTerminal } from "../../run/page/concern.ts";
import { clock, grouped, prefixed } from "../../run/page/numbers.ts";
import { momentInTerminal } from "../../run/page/units.ts";
import { colours } from "./colours.ts";
import { plainEvent, plainJson } from "./plain.ts";
import { ERASE_LINE, type TerminalScreen, terminalWidth } from "./terminal.ts";

interface DisplayOptions {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  out: TerminalScreen;
  err: TerminalScreen;
  /** For tests [ms]. */
  now?: () => number;
}

/** An event that passes has a fraction, 1 where something is done. */
export interface ShownEvent {
  event: string;
  fraction?: number;
  /** What a preparation is doing at the moment. */
  detail?: string;
}

type Texts<E extends ShownEvent, Rest extends unknown[]> = {
  readonly [K in E["event"]]?: (event: Extract<E, { event: K }>, ...rest: Rest) => string;
};

export interface Words<E extends ShownEvent> {
  /** Live lines, cut at `width` columns. `waited`: how long a preparation of unknown length has gone on [s]. */
  live: Texts<E, [width: number, waited: number]>;
  /** The line every few seconds where there is no terminal. */
  plain?: Texts<E, []>;
  /** Lines that stay, broken at `columns` where something is: in a log, nowhere. */
  lasting: Texts<E, [columns: number]>;
  /** Those that are said with --quiet, too, and on stderr where stdout can't be written: without them it is of no use. */
  needed?: Texts<E, []>;
  /** What it says is all that comes of the command: where that can't be written, it ends. */
  allSaid?: true;
  /** Said on stderr with --quiet, which doesn't show the lines; "" for nothing. */
  quiet?: Texts<E, []>;
  /** After the first Ctrl-C: "Stopping", and this. */
  stopping: string;
  /** The same where the process is killed soon after it was asked to stop. */
  hurried?: string;
}

export type Watch<E extends ShownEvent> = (event: E | WarningEvent | ErrorEvent) => void;

/** Time between plain lines, between JSON events that pass, and between live lines [ms]. */
const INTERVAL = { plain: 5000, json: 1000, live: 80 };
/** Between ticks of a clock on the live line [ms]. */
const SECOND = 1000;
const BAR = { widest: 28, narrowest: 8 };
/** From the beginning of the first of some lines to the end of the screen. */
const eraseLines = (count: number) => (count > 1 ? `\r\u001b[${count - 1}A\u001b[J` : ERASE_LINE);

export function display<E extends ShownEvent>(words: Words<E>, options: DisplayOptions): Watch<E> {
  if (options.json) return jsonLines(options);
  if (options.quiet) return harmless(quietLines(words, options));
  return harmless(options.out.isTTY ? liveLine(words, options) : plainLines(words, options));
}

/** Titles, names and paths come from files of other people: none of them may steer the terminal. */
function harmless<E extends ShownEvent>(watch: Watch<E>): Watch<E> {
  return (event) => watch(plainEvent(event));
}

function textOf<E extends ShownEvent, Rest extends unknown[]>(
  texts: Texts<E, Rest> | undefined,
  event: ShownEvent,
  ...rest: Rest
): string | undefined {
  const text = (texts as Record<string, (event: ShownEvent, ...rest: Rest) => string> | undefined)?.[event.event];
  return text?.(event, ...rest);
}

export const neededText = <E extends ShownEvent>({ needed }: Words<E>, event: ShownEvent) => textOf(needed, event);

function every(interval: number, now: () => number, last = Number.NEGATIVE_INFINITY) {
  return (orNow = false): boolean => {
    const due = orNow || now() - last >= interval;
    if (due) last = now();
    return due;
  };
}

/** Whatever takes long while there is no progress is shown at once. */
function begins({ event, fraction, detail }: ShownEvent): boolean {
  return event === "activity" || (event === "preparation" && fraction === 0 && detail === undefined);
}

/** A preparation of unknown length: the line shows that it goes on. */
const isWaitedFor = ({ event, fraction }: ShownEvent): boolean => event === "preparation" && fraction === 0;

function jsonLines<E extends ShownEvent>({ out, now = performance.now.bind(performance) }: DisplayOptions): Watch<E> {
  const due = every(INTERVAL.json, now);
  return (event) => {
    const { fraction } = event as ShownEvent;
    // What begins doesn't count: rows that follow each other closely would leave no room for progress.
    if (fraction !== undefined && !begins(event) && !due(fraction >= 1)) return;
    out.write(`${plainJson(event)}\n`);
  };
}

const COMPLAINTS = ["warning", "note", "error"];

function complaints<E extends ShownEvent>({ err, quiet }: DisplayOptions): Watch<E> {
  const marks: Record<string, string> = {
    ...{ warning: colours.yellow("warning:"), error: colours.red("error:") },
    ...(!quiet && { note: "note:" }),
  };
  return (event) => {
    if (event.event in marks) err.write(`${marks[event.event]} ${(event as WarningEvent | ErrorEvent).message}\n`);
  };
}

function quietLines<E extends ShownEvent>({ needed, quiet }: Words<E>, options: DisplayOptions): Watch<E> {
  const complain = complaints<E>(options);
  return (event) => {
    complain(event);
    const text = textOf(needed, event);
    if (text !== undefined) options.out.write(`${text}\n`);
    const missed = textOf(quiet, event);
    if (missed) options.err.write(`${missed}\n`);
  };
}

const lastingText = <E extends ShownEvent>({ lasting, needed }: Words<E>, event: ShownEvent, out: TerminalScreen) =>
  textOf(lasting, event, terminalWidth(out)) ?? textOf(needed, event);

function plainLines<E extends ShownEvent>(words: Words<E>, options: DisplayOptions): Watch<E> {
  const { out, now = performance.now.bind(performance) } = options;
  const complain = complaints<E>(options);
  const due = every(INTERVAL.plain, now, now());
  const activities = new Activities();
  /** The last passing line: once is enough in a log. */
  let last: string | undefined;
  return (event) => {
    complain(event);
    const text = lastingText(words, event, out);
    if (text !== undefined) out.write(`${text}\n`);
    const shown = activities.shows(event, now()) || event.event !== "activity";
    const passing =
      shown && words.plain && event.event in words.plain && due() ? textOf(words.plain, event) : undefined;
    if (passing !== undefined && passing !== last) out.write(`${passing}\n`);
    last = passing ?? last;
  };
}

function liveLine<E extends ShownEvent>(words: Words<E>, options: DisplayOptions): Watch<E> {
  const { out, now = performance.now.bind(performance) } = options;
  const complain = complaints<E>(options);
  const due = every(INTERVAL.live, now);
  const activities = new Activities();
  let drawn = 0;
  /** The last progress, which an activity stands in for. */
  let progress: ShownEvent | undefined;
  let busy = false;
  /** The wait that a clock is shown of. */
  let wait: { event: ShownEvent; since: number; clock: NodeJS.Timeout } | undefined;
  const waitFor = (event: ShownEvent) => {
    if (wait) wait.event = event;
    else wait = { event, since: now(), clock: setInterval(() => wait && draw(wait.event), SECOND).unref() };
  };
  const draw = (event: ShownEvent) => {
    // One column stays free: some terminals wrap when the last one is written.
    const width = Math.max(10, (out.columns || 80) - 1);
    const room = Math.max(1, (out.rows || 24) - 1);
    const waited = wait ? (now() - wait.since) / 1000 : 0;
    const lines = (textOf(words.live, event, width, waited) ?? "").split("\n").slice(0, room);
    out.write(`${eraseLines(drawn)}${lines.map((line) => line.slice(0, width)).join("\n")}`);
    drawn = lines.length;
    busy = event.event === "activity";
  };
  return (event) => {
    const lasting = activities.shows(event, now());
    if (isWaitedFor(event)) waitFor(event);
    else {
      clearInterval(wait?.clock);
      wait = undefined;
    }
    if (event.event in words.live && (lasting || event.event !== "activity")) {
      if (!lasting) progress = event;
      // What is waited for comes rarely, and the last of it stands for long.
      if (due(lasting || begins(event) || isWaitedFor(event))) draw(event);
      return;
    }
    const text = lastingText(words, event, out);
    const stays = text !== undefined || COMPLAINTS.includes(event.event);
    if (stays && drawn > 0) {
      out.write(eraseLines(drawn));
      drawn = 0;
      busy = false;
      progress = undefined; // what stays ends it, or has it in itself
    }
    complain(event);
    if (text !== undefined) out.write(`${text}\n`);
    if (busy && progress) draw(progress);
  };
}

/** "30,000 particles, mesh 64³" */
export function sizeText({ particles, cells, levels, integrator }: SizeOfRun): string {
  const within = levels > 0 ? `, ${levels} ${levels === 1 ? "level" : "levels"}` : "";
  const by = cells === null ? `direct summation, ${integrator}` : `mesh ${cells}³${within}`;
  return `${grouped(particles)} particles, ${by}`;
}

type SizeOfRun = Pick<StartEvent, "particles" | "cells" | "levels" | "integrator">;

/** "on" what a run computes, and where its results are. */
export function whereText(
  event: Pick<StartEvent, "backend" | "adapter" | "folder"> & Partial<Omit<StartEvent, "event">>,
) {
  const { backend, adapter, notice, ranks = 1, adapters, solvers, folder } = event;
  const unlike = new Set(adapters).size > 1;
  const shared = ranks === 1 ? "" : `${ranks} ranks${unlike ? "" : ", each"} `;
  const on = unlike ? adapters!.join(", ") : (notice ?? (backend === "webgpu" ? adapter : "CPU, float64"));
  return `${shared}on ${on};${solvers ? ` ${solvers};` : ""} results in ${folder}`;
}

/** Progress of a run, most important first: a narrow terminal loses the last ones. */
function fields(event: ProgressEvent): string[] {
  return [
    momentInTerminal(event.time, event.timeUnit),
    `ETA ${clock(event.remainingSeconds)}`,
    `step ${event.step}`,
    `${prefixed(event.stepsPerSecond)} steps/s`,
    `ΔE/E ${energyErrorInTerminal(event.energyError, clockOf(event))}`,
    `${prefixed(event.particleUpdatesPerSecond)} updates/s`,
  ];
}

/** Whole percents in five columns: " 50 %". */
export function percentColumn(fraction: number): string {
  return `${Math.floor(100 * fraction)} %`.padStart(5);
}

export function plainProgress(event: ProgressEvent): string {
  return `${percentColumn(event.fraction)}  ${fields(event).join("  ")}`;
}

export const plainActivity = ({ fraction, what }: ActivityEvent) => `${percentColumn(fraction)}  writing ${what} …`;

/** What is done before the first step, with a clock once it lasts. */
export function preparationLine({ what, fraction, detail }: PreparationEvent, width: number, waited = 0): string {
  if (fraction > 0) return `${what} ${percentColumn(fraction).trim()}`;
  const begun = waited < 1 ? what : `${what} ${clock(Math.floor(waited))}`;
  const line = detail === undefined ? begun : `${begun}  ${detail}`;
  return `${line.slice(0, Math.max(0, width - 2))} …`;
}

export function activityLine(event: ActivityEvent, width: number): string {
  const text = plainActivity(event);
  const room = width - text.length - 1;
  return room < BAR.narrowest ? text.trim() : `${progressBar(event.fraction, Math.min(BAR.widest, room))} ${text}`;
}

/** Bar, percentage and as many fields as fit. */
export function progressLine(event: ProgressEvent, width: number): string {
  const share = percentColumn(event.fraction);
  const shown: string[] = [];
  let used = BAR.narrowest + 1 + share.length;
  for (const field of fields(event)) {
    if (used + 2 + field.length > width) break;
    shown.push(field);
    used += 2 + field.length;
  }
  const bar = Math.min(BAR.widest, BAR.narrowest + Math.max(0, width - used));
  if (used > width) return share.trim().slice(0, width);
  return [`${progressBar(event.fraction, bar)} ${share}`, ...shown].join("  ");
}

export function progressBar(fraction: number, width: number): string {
  const eighths = Math.round(8 * width * Math.min(1, Math.max(0, fraction)));
  const full = Math.floor(eighths / 8);
  const part = eighths % 8 === 0 ? "" : "▏▎▍▌▋▊▉"[(eighths % 8) - 1];
  return `${"█".repeat(full)}${part}`.padEnd(width, "░");
}
