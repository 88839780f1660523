/**
 * What the page and the server of `gravmesh view` and `gravmesh run --live` say to each other, over HTTP and a WebSocket on
 * 127.0.0.1. Every request but for the page's own files carries the token.
 */

import type { ConservedQuantity } from "../../engine/diagnostics/columns/column.ts";
import type { DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";

/** Where the page's server is. */
export interface Remote {
  /** The page's address without its query; it ends in "/". */
  base: string;
  token: string;
}

/** Name of the token in the page's address and in those of the WebSocket and the report. */
export const TOKEN = "token";

/** Paths from the page's own. A fetch has the token in its header `authorization`, as `Bearer TOKEN`. */
export const API = {
  about: "api/about",
  /** And `/K?most=N`. */
  frame: "api/frame",
  report: "api/report",
  /** The WebSocket. */
  events: "api/events",
} as const;

/** Particles of a frame, at most [2²⁰: 28 MiB]. */
export const LARGEST_FRAME = 2 ** 20;

/** What a server shows, the answer to `GET api/about`. */
export interface About extends ConservedQuantity {
  kind: "folder" | "live";
  title: string;
  /** The deck as run, with units; "" as long as it isn't known. */
  deck: string;
  boxSize: number;
  periodic: boolean;
  /** [time] */
  start: number;
  end: number;
  /** Cells per side; null with direct summation. */
  cells: number | null;
  /** Every doubt about the run's numbers so far, a sentence each. */
  warnings: readonly string[];
  units: { length: string; time: string; mass: string; velocity: string };
  /** Empty while initial conditions are drawn. */
  components: ComponentRange[];
  /** The frames of a folder in order of time; of a live run the snapshots written so far. */
  frames: { time: number; step?: number }[];
  /** How a finished run ended, or that it is under way. */
  status: "running" | "complete" | "interrupted" | "failed";
  /** Whether there is a report.html: `GET api/report`. */
  report: boolean;
}

/**
 * Particles of a frame, thinned to every k-th id: `GET api/frame/K?most=N`, and each binary message of the WebSocket.
 * In bytes: a u32 with the header's length, the header as JSON (padded with spaces to multiples of 4), positions, velocities,
 * ids, and images of isolated boxes.
 */
export interface FrameHeader {
  time: number;
  step?: number;
  /** Particles in the frame, and in the run. */
  count: number;
  of: number;
  /** Every k-th id. */
  every: number;
  /** Whether images follow. */
  images: boolean;
  /** What a particle counts with by component [mass], its mass but for massless tracers; those of a component are drawn alike. */
  masses: number[];
  /** Where the levels are; of runs that have some. */
  cores?: readonly LevelCore[];
}

export interface LiveFrame extends FrameHeader {
  /** [3·count, xyzxyz…] u32 fixed point, x = L·u/2³². */
  positions: Uint32Array<ArrayBuffer>;
  /** [3·count, xyzxyz…] [velocity] */
  velocities: Float32Array<ArrayBuffer>;
  /** [count] ascending. */
  ids: Uint32Array<ArrayBuffer>;
  /** [count] packed images of the box; isolated only. */
  packedImages?: Uint32Array<ArrayBuffer>;
}

/** Of a disk, in rings about the z axis. */
export interface LiveRotation {
  /** [length] */
  radius: readonly number[];
  /** Mean v_φ, and the circular speed of the mean force [velocity]. */
  rotation: readonly number[];
  circular: readonly number[];
}

export interface LiveSpectrum {
  time: number;
  /** [1/length] */
  k: readonly number[];
  /** P [length³] */
  power: readonly number[];
}

export interface LiveBar {
  time: number;
  /** |A₂|/A₀ of the inner disk. */
  strength: number;
}
/** Text messages of the WebSocket, from the server. */
export type FromServer =
  | { event: "about"; about: About }
  /** `first`: how many were sent before; 0 begins anew. Numbers that are none are null. */
  | { event: "rows"; first: number; rows: DiagnosticsRow[] }
  /** Of the snapshot of that time. */
  | ({ event: "spectrum" } & LiveSpectrum)
  /** What bars.csv measures; `first` as of rows. */
  | { event: "bars"; first: number; bars: readonly LiveBar[] }
  | { event: "preparation"; what: string; fraction: number; detail?: string }
  | { event: "progress"; time: number; step: number; fraction: number; stepsPerSecond: number }
  /** `stays`: of a pause, that it lasts when no page is open any more. */
  | { event: "state"; state: LiveState; message?: string; stays?: boolean };

/** "shown": of a folder, which can't be paused or stopped from here. */
type LiveState = "shown" | "preparing" | "running" | "paused" | "stopping" | "ended";

/**
 * To the server. `pause`: until the run is resumed or the last page has gone; with `stay` for longer than that. `frame`: the
 * last one is drawn, the next may come, with at most so many particles.
 */
export type ToServer =
  | { ask: "resume" | "stop" }
  | { ask: "pause"; stay?: boolean | undefined }
  | { ask: "frame"; most: number };
