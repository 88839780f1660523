/** What a movie is asked for. */
import type { FramesRequest } from "./frames.ts";

export const FORMATS = ["auto", "mp4", "apng", "png"] as const;
export type MovieFormat = Exclude<(typeof FORMATS)[number], "auto">;
export const SOURCES = ["auto", "maps", "subsamples", "snapshots"] as const;

export interface MovieRequest extends FramesRequest {
  /** Result folder of a run. */
  folder: string;
  from?: (typeof SOURCES)[number];
  format?: (typeof FORMATS)[number];
  /** Frames a second. */
  rate?: number;
  /** Powers of ten between the darkest and the brightest colour. */
  decades?: number;
  /** File, or folder of PNG files; movie.mp4, movie.png or movie-frames/ in the result folder. */
  out?: string;
  force?: boolean;
}
