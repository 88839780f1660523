/** Where a movie's pictures come from: maps that a run has written, or the particles of its files seen by a camera. */
import type { PixelMap } from "../page/pictures.ts";
import type { UnitLabels } from "../page/units.ts";
import type { Panel } from "./frame.ts";

/** A panel whose maps are calmed where particles are few. */
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
  /** As page/units.ts has it. */
  timeUnit: string;
  /** The time of every frame [time]. */
  times: readonly number[];
  panels: readonly SourcePanel[];
  /** The projected densities of a frame, in the order of the panels [mass/length²]. */
  maps(frame: number): Promise<PixelMap[]>;
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
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];
