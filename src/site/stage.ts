/**
 * What the page asks of its worker, where simulations run and pictures are drawn. The page holds no particles; everything
 * that crosses is plain data, and canvases that are handed over once.
 */

import type { Kept } from "../diagnostics/columns/column.ts";
import type { Diagnostics, DiagnosticsRow } from "../diagnostics/columns.ts";
import type { Remote } from "../live/protocol.ts";
import type { Species } from "../particles/state.ts";
import type { View } from "../view/view.ts";

/** Places for pictures beside each other: "b" is the variant that "a" is compared with. */
export const PANES = ["a", "b"] as const;
export type Pane = (typeof PANES)[number];

/** What a pane may show. */
export type Source =
  /** `overrides` as on the command line: "mesh.cells=64". `files` are what the deck reads, by name. */
  | { kind: "deck"; text: string; overrides: readonly string[]; files?: readonly File[] }
  /** A snapshot that was dropped onto the page. */
  | { kind: "snapshot"; files: readonly File[] }
  /** A result folder, or a run that is under way. */
  | { kind: "remote"; remote: Remote };

/** What is wrong, in words for the user. */
export interface Problem {
  /** As GravmeshError's, "internal", or of a device more closely: "lost", "kernel" for one that it doesn't compile. */
  kind: string;
  message: string;
  /** Of a deck, from 1. */
  line?: number;
  /** A deck key that would fit, with what it costs. */
  advice?: readonly string[];
}

/** A row of a pane; with the drift of the momentum, which no file has, where a run in the tab tells it. */
export type PaneRow = DiagnosticsRow & Partial<Pick<Diagnostics, "momentumError">>;

/** empty: nothing is shown; preparing: initial conditions are drawn; shown: a snapshot or a folder, which doesn't run. */
export type PaneStatus = "empty" | "preparing" | "paused" | "running" | "done" | "failed" | "shown";

export interface PaneState {
  status: PaneStatus;
  title: string;
  /** [time] */
  time: number;
  start: number;
  end: number;
  step: number;
  /** Of the run, or of the preparation. */
  fraction: number;
  /** Of the preparation: what is done on the device, once the particles are drawn. */
  doing?: string;
  particles: number;
  cells: number | undefined;
  boxSize: number;
  periodic: boolean;
  units: { length: string; time: string; mass: string; velocity: string };
  components: readonly { name: string; species: Species; count: number }[];
  /** What the energy error is of; the energy where it is left out. */
  conserved?: Kept["conserved"];
  /** External potentials; none where it is left out. */
  field?: Kept["field"];
  backend: "webgpu" | "cpu" | undefined;
  adapter: string | undefined;
  /** Every doubt about the run's numbers so far, a sentence each. */
  warnings?: readonly string[];
  /** Why it is slower or smaller than it might be. */
  notice?: string;
  stepsPerSecond: number;
  /** Pictures drawn. */
  framesPerSecond: number;
  problem?: Problem;
  /** Times of the snapshots of a folder or, so far, of a live run, and which one is shown; past the last: the run as it goes. */
  frames?: { times: readonly number[]; shown: number; live?: boolean };
  /** Of a folder or a live run: whether the page reaches its server. */
  connected?: boolean;
  /** Of a live run that is paused: whether it stays so when no page is open any more. */
  stays?: boolean;
  /** Address of the report of a folder or a live run, where there is one. */
  report?: string;
}

/** What a pane tells as it goes. */
export type PaneNews =
  | { news: "state"; state: PaneState }
  /** Diagnostics rows since the last time; `fresh`: those before are of another run. */
  | { news: "rows"; rows: readonly PaneRow[]; fresh: boolean }
  /** P(k) of a periodic run, k [1/length], P [length³]. */
  | { news: "spectrum"; time: number; k: readonly number[]; power: readonly number[] }
  /** Strength of the m = 2 wave A₂/A₀ of the disk. */
  | { news: "bar"; time: number; strength: number };

export interface PaneCanvases {
  /** The picture, and a 2D canvas of the same size above it for scale bar, time and colour bar. */
  picture: OffscreenCanvas;
  legend: OffscreenCanvas;
}

/** In device pixels, and of a CSS pixel. */
export interface PaneSize {
  width: number;
  height: number;
  ratio: number;
}

/** A deck's entry as the page offers it for editing. */
export interface DeckKey {
  /** In its table: "cells". */
  key: string;
  meaning: string;
  unit?: string;
  /** Words that it may have. */
  values?: readonly string[];
  /** As TOML. */
  default?: string;
  kind: "number" | "integer" | "text" | "boolean" | "list" | "table";
  least?: number;
  most?: number;
  required: boolean;
}

/** A table of a deck: "mesh", or an array's kind: "particles" of "plummer". */
export interface DeckTable {
  name: string;
  array: boolean;
  /** Value of its key `kind`. */
  kind?: string;
  meaning: string;
  keys: readonly DeckKey[];
}

/** A scalar of the deck that a slider can change. */
export interface DeckSlider {
  /** As an override names it: "particles.disk.toomreQ". */
  path: string;
  label: string;
  meaning: string;
  unit?: string;
  value: number;
  least: number;
  most: number;
  integer: boolean;
  /** May change while a run goes on: a fork may have another value. */
  later?: boolean;
}

export interface DeckCheck {
  problems: readonly Problem[];
  /** Of a deck without problems. */
  title?: string;
  particles?: number;
  cells?: number;
  /** Device memory [byte]. */
  bytes?: number;
  sliders: readonly DeckSlider[];
}

export interface PictureRequest {
  /** Both panes beside each other where both show something. */
  panes: readonly Pane[];
  /** Of a pane [pixel]; that on the screen otherwise. */
  width?: number;
  height?: number;
  legend: boolean;
}

/** A view at a share of a film [0…1]. */
export interface Keyframe {
  at: number;
  view: View;
}

export interface FilmRequest extends PictureRequest {
  /** Seconds of film, and pictures a second. */
  seconds: number;
  rate: number;
  /** Views in time; between them cameras move smoothly. The present view where there are none. */
  keyframes: readonly Keyframe[];
  /** Time at the film's end: the run goes on while it is filmed. The present time for a camera move alone [time]. */
  until?: number;
}

/** For tests and the curious: the integer counts behind a pane's picture and the particles that they are of. */
export interface PaneGrid {
  width: number;
  height: number;
  /** Counts [layers · height · width], rows from the top. */
  counts: Uint32Array;
  layers: readonly string[];
  view: View;
  boxSize: number;
  periodic: boolean;
  /** Particles in id order as they were counted: [3N] u32 fixed point, [3N] velocities, images. */
  positions: Uint32Array;
  velocities: Float32Array;
  images?: Uint32Array;
}

/** All of it works in the worker; promises of `open` and the like resolve when it is under way, problems come as news. */
export interface Stage {
  /** Whether the browser has WebGPU; if not why, and what to switch on. */
  ability(): Promise<{ webgpu: boolean; adapter?: string; why?: string }>;
  vocabulary(): Promise<readonly DeckTable[]>;
  check(text: string, overrides: readonly string[]): Promise<DeckCheck>;

  attach(pane: Pane, canvases: PaneCanvases, size: PaneSize, news: (news: PaneNews) => void): Promise<void>;
  resize(pane: Pane, size: PaneSize): Promise<void>;
  /** Resolves when what was there is gone, and the page knows it: news that come later are of what is opened. */
  open(pane: Pane, source: Source): Promise<void>;
  close(pane: Pane): Promise<void>;

  /** All panes go together: in a comparison to equal times. */
  play(): Promise<void>;
  /** Resolves when nothing moves, and the news of it have been taken. */
  pause(): Promise<void>;
  /** One step, or the next snapshot of a folder. */
  step(): Promise<void>;
  restart(): Promise<void>;
  /** Shows in `to` what `from` shows now, to go on with other parameters: "time.step=0.01". */
  fork(from: Pane, to: Pane, overrides: readonly string[]): Promise<void>;
  /** Of a folder, or of those that a live run has written; past the last of these: as it goes. */
  showFrame(pane: Pane, index: number): Promise<void>;
  /** So many frames on from the one that was asked for last, as far as there are any. */
  moveFrame(pane: Pane, by: number): Promise<void>;
  /** Pauses a live run for as long as a page is open, or for longer. */
  keepPaused(pane: Pane, stays: boolean): Promise<void>;
  /** Ends a live run, as Ctrl-C would. */
  stop(pane: Pane): Promise<void>;

  /** The same for all panes. `moving`: a drag is under way, and fewer particles may be drawn. */
  look(view: View, moving: boolean): Promise<void>;

  /** image/png */
  picture(request: PictureRequest): Promise<Blob>;
  /** video/mp4. Rejects where the browser has no encoder. `progress` gets [0…1]. */
  film(request: FilmRequest, progress: (share: number) => void): Promise<Blob>;
  cancelFilm(): Promise<void>;

  grid(pane: Pane): Promise<PaneGrid>;
  /** The deck of a pane as run. */
  deck(pane: Pane): Promise<string>;
}
