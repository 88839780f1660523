/** `gravmesh movie`: a movie with a display and signals. */

import { bytesText } from "../../foundation/base/bytes.ts";
import { clock, duration } from "../../run/page/numbers.ts";
import type { MovieRequest } from "../../studio/movie/frames.ts";
import { type MovieEvent, movie } from "../../studio/movie/movie.ts";
import { colours } from "./colours.ts";
import { progressBar, type Words } from "./display.ts";
import { type Flags, session } from "./session.ts";

const BAR = 24;

const frameText = ({ index, frames, remainingSeconds }: Extract<MovieEvent, { event: "frame" }>) =>
  `frame ${index + 1} of ${frames}  ETA ${clock(remainingSeconds)}`;

export const movieWords: Words<MovieEvent> = {
  live: {
    activity: ({ what }) => `${what} …`,
    frame: (state) => `${progressBar(state.fraction, BAR)}  ${frameText(state)}`,
  },
  plain: { frame: frameText },
  lasting: {
    start: ({ title, from, frames, width, height }) =>
      `${colours.bold(title)}\n${frames} frames of ${width} × ${height} pixels from ${from}`,
    end: ({ file, bytes, frames, seconds }) =>
      `${file}: ${frames} frames, ${bytesText(bytes)}, in ${duration(seconds)}`,
  },
  stopping: "; nothing is left behind.",
};

export const movieCommand = (folder: string, { json, quiet, ...options }: Omit<MovieRequest, "folder"> & Flags) =>
  session<MovieEvent>({ json, quiet }, movieWords, (watch, signal) => movie({ ...options, folder }, watch, signal));
