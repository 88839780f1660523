/** `gravmesh validate`: a validation with a display and signals. */

import { clock, grouped } from "../../run/page/numbers.ts";
import type { ValidateEvent } from "../../study/validate/record.ts";
import { validationText } from "../../study/validate/table.ts";
import { validate } from "../../study/validate/validate.ts";
import { colours } from "./colours.ts";
import { percentColumn, progressBar, type Words, whereText } from "./display.ts";
import { command } from "./session.ts";

const BAR = 24;

export const validateWords: Words<ValidateEvent> = {
  live: {
    progress: ({ what, fraction, elapsedSeconds }) => {
      const share = Math.min(1, Math.max(0, fraction));
      return `${progressBar(share, BAR)} ${percentColumn(share)}  ${what}  ${clock(elapsedSeconds)}`;
    },
  },
  lasting: {
    start: (event) =>
      [
        colours.bold(event.title),
        `${grouped(event.particles)} particles, mesh ${event.cells}³ against direct summation`,
        whereText(event),
      ].join("\n"),
    end: ({ record, page }) => `\n${validationText(record)}\n\n  page  ${page}`,
  },
  stopping: "; what has been measured is kept.",
};

export const validateCommand = command(validateWords, validate);
