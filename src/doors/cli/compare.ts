/** `gravmesh compare`: a comparison with a display and signals. */

import { grouped } from "../../run/page/numbers.ts";
import { momentInTerminal } from "../../run/page/units.ts";
import { compare } from "../../study/compare/compare.ts";
import type { CompareEvent } from "../../study/compare/record.ts";
import { comparisonText } from "../../study/compare/table.ts";
import { colours } from "./colours.ts";
import { progressLine, type Words, whereText } from "./display.ts";
import { command } from "./session.ts";

export const compareWords: Words<CompareEvent> = {
  live: {
    activity: ({ what }) => `${what} …`,
    progress: (event, width) => {
      const name = `${event.index + 1}/${event.count} ${event.label}`;
      return `${name}  ${progressLine(event, Math.max(10, width - name.length - 2))}`;
    },
  },
  lasting: {
    start: (event) => {
      const varied = Object.entries(event.varied).map(([key, values]) => `${key} = ${values.join(", ")}`);
      return [
        colours.bold(event.title),
        `${event.variants.length} variants, ${varied.join("; ")}`,
        `${grouped(event.particles)} particles to ${momentInTerminal(event.end, event.timeUnit)}`,
        whereText(event),
      ].join("\n");
    },
    case: ({ index, count, brief, case: { label, status } }) => {
      const said = status === "complete" ? "" : `${colours.yellow(status)}  `;
      return `  ${index + 1}/${count} ${label}  ${said}${brief}`;
    },
    end: ({ record, page }) => `\n${comparisonText(record)}\n\n  page  ${page}`,
  },
  stopping: " after this step; what has been measured is kept.",
};

export const compareCommand = command(compareWords, compare);
