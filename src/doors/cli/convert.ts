/** `gravmesh convert`: a file of particles into another format, with a display and signals. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { FileFormatName, FileUnits, VelocityConvention } from "../../foundation/deck/file-formats.ts";
import type { WarningEvent } from "../../run/events.ts";
import { EXIT } from "../../run/failure.ts";
import { type Converted, type Converting, convert } from "../../run/io/convert.node.ts";
import { formatToWrite } from "../../run/io/formats.node.ts";
import { STDIN, STDOUT, standardInput, temporaryFile, withStandardInput } from "../../run/io/standard-input.node.ts";
import { duration, grouped } from "../../run/page/numbers.ts";
import { colours } from "./colours.ts";
import { percentColumn, progressBar, type Words } from "./display.ts";
import { type Flags, session } from "./session.ts";

type ConvertEvent =
  | ({ event: "progress" } & Converting)
  | ({ event: "end"; file: string; seconds: number } & Converted)
  | WarningEvent;

/** Every event, for docs/summary.md. */
export const CONVERT_EVENTS: Record<ConvertEvent["event"], string> = {
  progress: "about once a second: `from` and `to` (names of formats), `particles`, `fraction`",
  warning: "something to know: `message`",
  end: "the file is there: `file`, `from`, `to`, `particles`, `lost` (data that it doesn't hold), `assumed` (assumptions about the source), `seconds`",
};

interface ConvertOptions extends Flags {
  from?: FileFormatName;
  to?: FileFormatName;
  force?: boolean;
  double?: boolean;
  columns?: string;
  frame?: number;
  units?: string;
  velocities?: VelocityConvention;
  types?: number[];
  ids?: "file" | "new";
}

const BAR = 28;
const whatText = ({ from, to, particles }: Omit<Converting, "fraction">) =>
  `${grouped(particles)} particles, ${from} → ${to}`;

const words: Words<ConvertEvent> = {
  live: {
    progress: (event) => `${progressBar(event.fraction, BAR)} ${percentColumn(event.fraction)}  ${whatText(event)}`,
  },
  plain: { progress: (event) => `${percentColumn(event.fraction)}  ${whatText(event)}` },
  lasting: {
    end: (event) => {
      const { file, seconds, lost, assumed } = event;
      const taken = assumed.map((one) => `  ${colours.yellow("taken for:")} ${one}`);
      const missing = lost.map((one) => `  ${colours.yellow("not in it:")} ${one}`);
      return [`${colours.bold(file)}: ${whatText(event)}, ${duration(seconds)}`, ...taken, ...missing].join("\n");
    },
  },
  stopping: ", nothing is written.",
};

/** "kpc, 1e10 Msun, km/s" */
function unitsIn(text: string): FileUnits {
  const [length = "", mass = "", velocity = "", more] = text.split(",").map((part) => part.trim());
  if (more === undefined) return { length, mass, velocity };
  throw new GravmeshError("usage", `--units: expected three names, of length, mass and velocity, found "${text}".`);
}

export function convertCommand(source: string, target: string, options: ConvertOptions): Promise<number> {
  const { json, quiet, force = false, double = false, columns, frame, units, velocities, types, ids } = options;
  const piped = target === STDOUT;
  return session({ json, quiet: quiet || piped }, words, async (watch, signal) => {
    const began = performance.now();
    if (piped && json) throw new GravmeshError("usage", "--json and - would both write to stdout: name a file.");
    if (piped) formatToWrite(STDOUT, options.to);
    const as = {
      ...{ frame, velocities, ids, types },
      columns: columns?.split(",").map((name) => name.trim()),
      units: units === undefined ? undefined : unitsIn(units),
    };
    try {
      const from = await withStandardInput(signal, () => (source === STDIN ? standardInput() : source));
      const file = piped ? temporaryFile("stdout") : target;
      const request = { from, to: file, fromFormat: options.from, toFormat: options.to, force, double, as };
      const done = await convert(request, (state) => {
        if (signal.aborted) throw new GravmeshError("aborted", "stopped; nothing is written.");
        watch({ event: "progress", ...state });
      });
      if (piped) {
        for (const one of quiet ? [] : done.lost) watch({ event: "warning", message: `not in it: ${one}` });
        await pipeline(createReadStream(file), process.stdout, { end: false });
      }
      watch({ event: "end", ...done, file: target, seconds: (performance.now() - began) / 1000 });
      return EXIT.success;
    } catch (error) {
      // Of stdout, which is said there; files have errors of their own.
      const { syscall, code } = error as NodeJS.ErrnoException;
      if (syscall === "write") return code === "EPIPE" ? EXIT.unread : EXIT.failed;
      throw error;
    }
  });
}
