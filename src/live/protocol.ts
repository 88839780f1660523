/**
 * What the page and the server of `gravmesh view` and `gravmesh run --live` say to each other, over HTTP and a WebSocket on
 * 127.0.0.1. Every request but for the page's own files carries the token.
 */
import type { Species } from "../particles/state.ts";

/** Where the page's server is, from the page's own address. */
export interface Remote {
  /** Of the page without its query, ends in "/". */
  base: string;
  token: string;
}

/** What a server shows: `GET api/about`. */
export interface About {
  kind: "folder" | "live";
  title: string;
  /** The deck as run, with units. */
  deck: string;
  boxSize: number;
  periodic: boolean;
  end: number;
  units: { length: string; time: string; mass: string; velocity: string };
  components: { name: string; species: Species; galaxy?: string; first: number; count: number }[];
  /** Of a folder: the snapshots in order of time; of a live run those written so far. */
  frames: { time: number; step: number }[];
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
  step: number;
  /** Particles in the frame, and in the run. */
  count: number;
  of: number;
  /** Every k-th id. */
  every: number;
  /** Whether images follow. */
  images: boolean;
  /** Mass of a particle by component [mass]; those of a component are drawn alike. */
  masses: number[];
}

export interface Frame extends FrameHeader {
  /** [3·count, xyzxyz…] u32 fixed point, x = L·u/2³². */
  positions: Uint32Array;
  /** [3·count, xyzxyz…] [velocity] */
  velocities: Float32Array;
  /** [count] ascending. */
  ids: Uint32Array;
  /** [count] packed images of the box; isolated only. */
  packedImages?: Uint32Array;
}

/** Text messages of the WebSocket, from the server. */
export type FromServer =
  | { tell: "about"; about: About }
  | { tell: "rows"; rows: Record<string, number>[] }
  | { tell: "progress"; time: number; step: number; fraction: number; stepsPerSecond: number; remainingSeconds: number }
  | { tell: "state"; state: "running" | "paused" | "stopping" | "ended"; message?: string };

/** To the server. `frame`: the last one is drawn, the next may come; `most`: how many particles a frame should have. */
export type ToServer = { ask: "pause" | "resume" | "stop" } | { ask: "frame"; most: number };
