/** Where a movie's pictures come from: maps that a run has written, or the particles of its files seen by a camera. */

import type { LevelCore } from "../../physics/particles/level-core.ts";
import type { PixelMap } from "../../run/page/pictures.ts";
import type { UnitLabels } from "../../run/page/units.ts";
import type { CoreView, Edge } from "../view/cores.ts";
import type { Panel } from "./frame.ts";

export interface SourcePanel extends Panel {
  /** What one particle of mean mass adds to its pixel [mass/length²]; 0 for no smoothing. */
  quantum: number;
  /** Seen from the side: rows above and below that nothing is in are left out. */
  edgeOn: boolean;
}

export interface FrameSource {
  /** What the pictures are made of, for messages: maps, subsamples or snapshots. */
  from: string;
  title: string;
  units: UnitLabels;
  timeUnit: string;
  /** The time of every frame [time]. */
  times: readonly number[];
  panels: readonly SourcePanel[];
  /** The projected densities of a frame, in the order of the panels [mass/length²]. */
  maps(frame: number): Promise<PixelMap[]>;
  /** The levels then, and the edges of their cores in the order of the panels. */
  levels(frame: number): Promise<{ cores: readonly LevelCore[]; edges: Edge[][] }>;
}

/** What of a run is shown, and from where; what is left out is the source's own choice. */
export interface FramesRequest {
  /** One column a species, a component or a galaxy. */
  by?: "species" | "component" | "galaxy" | undefined;
  /** Names of components, species or galaxies; all that the report shows when left out. */
  only?: readonly string[] | undefined;
  views?: readonly ViewName[] | undefined;
  /** What the camera turns about the vertical in all, and how high it stands above the plane [degree]. */
  turn?: number | undefined;
  elevation?: number | undefined;
  /** Further frames of the last state. */
  still?: number | undefined;
  /** What a picture spans [length], and its pixels. */
  span?: number | undefined;
  pixels?: number | undefined;
}

/** Ways to look, and the axis that each looks along. */
export const VIEWS = { "face-on": "z", "edge-on": "y", side: "x" } as const;
export type ViewName = keyof typeof VIEWS;
/** The same as angles of a camera [degree]. */
export const VIEW_ANGLES: Record<ViewName, Pick<CoreView, "azimuth" | "elevation">> = {
  "face-on": { azimuth: 0, elevation: 90 },
  "edge-on": { azimuth: 0, elevation: 0 },
  side: { azimuth: 90, elevation: 0 },
};
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** Where frames go: a film, an animated picture, or a folder of pictures. */
export interface FrameSink {
  /** A frame's colours by number [width·height]. */
  add(pixels: Uint8Array): Promise<void>;
  /** All frames are there: only now is there a file of the name that was asked for. Resolves to its size [byte]. */
  end(): Promise<number>;
  /** Leaves nothing behind. */
  abort(): void;
}

export interface FilmShape {
  width: number;
  height: number;
  frames: number;
  rate: number;
}

export const FORMATS = ["auto", "mp4", "apng", "png"] as const;
export type MovieFormat = Exclude<(typeof FORMATS)[number], "auto">;
export const MOVIE_SOURCES = ["auto", "maps", "subsamples", "snapshots"] as const;

export interface MovieRequest extends FramesRequest {
  folder: string;
  from?: (typeof MOVIE_SOURCES)[number];
  format?: (typeof FORMATS)[number];
  rate?: number;
  /** Powers of ten between the darkest and the brightest colour. */
  decades?: number;
  /** File, or folder of PNG files; movie.mp4, movie.png or movie-frames/ in the result folder. */
  out?: string;
  force?: boolean;
  /** Whether the cores of levels are drawn as frames; they are when left out. */
  cores?: boolean;
}
