/** What crosses between the page and its worker (worker/stage.ts): plain data, and canvases that are handed over once. */

import type { Diagnostics, DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import type { Species } from "../../physics/particles/state.ts";
import type { About, LiveBar, LiveRotation, LiveSpectrum, Remote } from "../../studio/live/protocol.ts";
import type { PictureSize } from "../../studio/view/camera.ts";
import type { HostParticles } from "../../studio/view/host-counts.ts";
import type { PictureGrid } from "../../studio/view/picture.ts";
import type { View } from "../../studio/view/view.ts";

/** Places for pictures beside each other: "b" is the variant that "a" is compared with. */
export const PANES = ["a", "b"] as const;
export type Pane = (typeof PANES)[number];

export type Source =
  /**
   * `overrides` as on the command line: "mesh.cells=64". `files` are what the deck reads, by name. `linked`: a link has brought
   * it, and its reader hasn't asked for it to be run.
   */
  | { kind: "deck"; text: string; overrides: readonly string[]; files?: readonly File[]; linked?: boolean }
  | { kind: "snapshot"; files: readonly File[] }
  /** A result folder, or a run that is under way. */
  | { kind: "remote"; remote: Remote };

export interface StageProblem {
  /**
   * A kind of GravmeshError, "internal", "large" for a run that waits to be asked for, or of a device more closely: "lost", or
   * "kernel" for one that it doesn't compile.
   */
  kind: string;
  message: string;
  /** The line of the deck, from 1. */
  line?: number;
  /** A deck key that would fit, with what it costs. */
  advice?: readonly string[];
}

/** A row of a pane; with the drift of the momentum, which no file has, where a run in the tab tells it. */
export type PaneRow = DiagnosticsRow & Partial<Pick<Diagnostics, "momentumError">>;

/** empty: nothing is shown; preparing: initial conditions are drawn; shown: a snapshot or a folder, which doesn't run. */
export type PaneStatus = "empty" | "preparing" | "paused" | "running" | "done" | "failed" | "shown";

export interface PaneState
  extends Partial<Pick<About, "conserved" | "field">>,
    Pick<About, "title" | "start" | "end" | "boxSize" | "periodic" | "units"> {
  status: PaneStatus;
  /** [time] */
  time: number;
  step: number;
  /** The share of the run, or of the preparation, that is done. */
  fraction: number;
  /** What the device does once the particles are drawn, while the run is prepared. */
  doing?: string | undefined;
  particles: number;
  cells: number | undefined;
  /** Where the levels are, of what has some. */
  cores?: readonly LevelCore[] | undefined;
  components: readonly { name: string; species: Species; count: number }[];
  backend: "webgpu" | "cpu" | undefined;
  adapter: string | undefined;
  /** Every doubt about the run's numbers so far, a sentence each. */
  warnings?: readonly string[] | undefined;
  /** Why it is slower or smaller than it might be. */
  notice?: string | undefined;
  stepsPerSecond: number;
  problem?: StageProblem | undefined;
  /** Times of the snapshots of a folder or, so far, of a live run, and which one is shown; past the last: the run as it goes. */
  frames?: { times: readonly number[]; shown: number; live?: boolean } | undefined;
  /** Whether the page reaches the server of a folder or a live run. */
  connected?: boolean | undefined;
  /** Whether a live run that is paused stays so when no page is open any more. */
  stays?: boolean | undefined;
  /** Address of the report of a folder or a live run, where there is one. */
  report?: string | undefined;
}

export const EMPTY: PaneState = {
  ...{ status: "empty", title: "", time: 0, start: 0, end: 0, step: 0, fraction: 0, particles: 0, cells: undefined },
  ...{ boxSize: 1, periodic: false, units: { length: "", time: "", mass: "", velocity: "" }, components: [] },
  ...{ backend: undefined, adapter: undefined, stepsPerSecond: 0 },
};

export type CurveEvent =
  /** Diagnostics rows since the event before; `fresh`: the rows before belong to another run. */
  | { event: "rows"; rows: readonly PaneRow[]; fresh: boolean }
  | ({ event: "spectrum" } & LiveSpectrum)
  | ({ event: "rotation" } & LiveRotation)
  | ({ event: "bar" } & LiveBar);

export type PaneEvent = { event: "state"; state: PaneState } | CurveEvent;

/** What the browser can do; without WebGPU why, and what to switch on. */
export interface Ability {
  webgpu: boolean;
  why?: string;
}

export interface PaneCanvases {
  /** The picture, and a 2D canvas of the same size above it for scale bar, time and colour bar. */
  picture: OffscreenCanvas;
  legend: OffscreenCanvas;
}

/** In device pixels; `ratio` of them are a CSS pixel. */
export interface PaneSize extends PictureSize {
  ratio: number;
}

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
  problems: readonly StageProblem[];
  /** This and the rest but for `sliders`: of a deck without problems. */
  particles?: number;
  cells?: number;
  /** Device memory [byte]. */
  bytes?: number;
  sliders: readonly DeckSlider[];
}

export interface PictureRequest {
  panes: readonly Pane[];
  /** The size of a pane [pixel]; that on the screen where it is left out. */
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
export interface PaneGrid
  extends Pick<PictureGrid, "width" | "height" | "counts" | "layers" | "view">,
    Pick<HostParticles, "boxSize" | "periodic" | "positions" | "velocities" | "images"> {}
