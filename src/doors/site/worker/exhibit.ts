/**
 * What a pane shows: a run, a snapshot, a result folder or a live run elsewhere. The stage draws it, sends its state to the
 * page and passes on what the reader asks for. Particles lie on the stage's device; on the host where there is none.
 */
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { HostParticles } from "../../../studio/view/host-counts.ts";
import type { Scene } from "../../../studio/view/scene.ts";
import type { CurveEvent, PaneState } from "../stage.ts";

/** What a renderer draws: particles in buffers of the page's device, or in arrays where there is none. */
export type Drawable = Scene | HostParticles;

export interface ExhibitHost {
  /** That of all panes; undefined without WebGPU. Its account of buffers is the exhibit's: `gpu.account()`. */
  gpu: GpuContext | undefined;
  /** There are other particles to draw, or another state to send. */
  changed(what: "particles" | "state"): void;
  /** For the curves; a pane gathers the events and sends them a few times a second. */
  emit(event: CurveEvent): void;
}

export interface Exhibit {
  state(): PaneState;
  /** Asked for anew for every picture; undefined where there is nothing to be seen yet. */
  drawable(): Drawable | undefined;
  /** The particles that `drawable` shows now, in arrays. */
  particles(): Promise<HostParticles | undefined>;
  /** The deck as run, TOML; "" where it isn't known. */
  deck?(): string;

  /** Left out by what doesn't go: a snapshot has none of them, a folder goes by its snapshots. */
  play?(): Promise<void>;
  pause?(): Promise<void>;
  restart?(): Promise<void>;
  showFrame?(index: number): Promise<void>;
  moveFrame?(by: number): Promise<void>;
  /** To this time, or as near to it as there is anything, for a film; resolves when it is there. */
  goTo?(time: number): Promise<void>;
  /** Pauses a live run, and keeps it paused when no page is open any more. */
  keepPaused?(stays: boolean): Promise<void>;
  stop?(): Promise<void>;

  /** No event follows. */
  destroy(): void;
}
