/** A request for `gravmesh view`; apart from what answers it, so that the command line needn't load that. */

/** What a folder's frames are made of. */
export const FRAME_SOURCES = ["auto", "snapshots", "subsamples"] as const;
export type FrameSourceName = (typeof FRAME_SOURCES)[number];

export interface ServeRequest {
  /** A folder of results; without one the page alone is served. */
  folder?: string | undefined;
  /** A free one when left out. */
  port?: number | undefined;
  from: FrameSourceName;
  /** Modules that the run was made with. */
  extension?: readonly string[];
}
