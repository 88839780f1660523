/**
 * What a pane shows: a run, a snapshot, a result folder or a live run elsewhere. The stage draws it, tells its state and hands
 * the transport's wishes over. Particles lie on the stage's device; on the host where there is none.
 */
import type { GpuContext } from "../../gpu/context.ts";
import type { HostParticles } from "../../view/host-counts.ts";
import type { Scene } from "../../view/scene.ts";
import type { PaneNews, PaneState } from "../stage.ts";

export type { HostParticles } from "../../view/host-counts.ts";

/** What a renderer draws. */
export type Drawable = { on: "device"; scene: Scene } | { on: "host"; particles: HostParticles };

/** All that a pane tells but for what it measures itself: how many pictures it draws. */
export type ExhibitState = Omit<PaneState, "framesPerSecond">;

/** What an exhibit is given. */
export interface ExhibitHost {
  /** That of all panes; undefined without WebGPU. Its account of buffers is the exhibit's: `gpu.account()`. */
  gpu: GpuContext | undefined;
  /** Something is to be drawn, or to be told, that wasn't before. */
  changed(what: "particles" | "state"): void;
  /** For the curves; a pane gathers what it gets and tells it a few times a second. */
  tell(news: Exclude<PaneNews, { news: "state" }>): void;
}

export interface Exhibit {
  state(): ExhibitState;
  /** Asked for anew for every picture; undefined as long as there is nothing to be seen. */
  drawable(): Drawable | undefined;
  /** The particles that `drawable` shows now, in arrays. */
  particles(): Promise<HostParticles | undefined>;
  /** The deck as run, TOML; "" where none is known. */
  deck(): string;

  /** Left out by what doesn't go: a snapshot has none of them, a folder goes by its snapshots. */
  play?(): Promise<void>;
  pause?(): Promise<void>;
  step?(): Promise<void>;
  restart?(): Promise<void>;
  showFrame?(index: number): Promise<void>;
  moveFrame?(by: number): Promise<void>;
  /** To this time, or as near to it as there is anything, for a film; resolves when it is there. */
  goTo?(time: number): Promise<void>;
  /** Pauses a live run, and keeps it paused when no page is open any more. */
  keepPaused?(stays: boolean): Promise<void>;
  /** Ends a live run. */
  stop?(): Promise<void>;

  /** Gives back what it holds. Nothing is told afterwards. */
  destroy(): void;
}
