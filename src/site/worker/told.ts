/** What the server of a folder or of a live run has told, and what a pane shows of that. */
import type { About, FromServer, LiveState } from "../../live/protocol.ts";
import type { PaneStatus } from "../stage.ts";
import type { ExhibitHost, ExhibitState } from "./exhibit.ts";

const STATUS: Record<LiveState, PaneStatus> = {
  shown: "shown",
  preparing: "preparing",
  running: "running",
  paused: "paused",
  stopping: "running",
  ended: "done",
};

const NO_UNITS = { length: "", time: "", mass: "", velocity: "" };

/** The frame that is seen, and of a folder its place. */
export interface Seen {
  time: number;
  step?: number;
  index?: number;
}

export class Told {
  #about: About | undefined;
  #state: Extract<FromServer, { tell: "state" }> = { tell: "state", state: "preparing" };
  #progress: Extract<FromServer, { tell: "progress" }> | undefined;
  #preparation: { fraction: number; detail?: string } = { fraction: 0 };

  constructor(private readonly tell: ExhibitHost["tell"]) {}

  get about(): About | undefined {
    return this.#about;
  }

  get isLive(): boolean {
    return this.#about?.kind === "live";
  }

  get ended(): boolean {
    return this.#state.state === "ended";
  }

  /** The newest of the frames. */
  get last(): number {
    return (this.#about?.frames.length ?? 0) - 1;
  }

  /** Of a live run. */
  get status(): PaneStatus {
    if (this.ended) return this.#about?.status === "failed" ? "failed" : "done";
    return STATUS[this.#state.state];
  }

  /** Takes a message; curves are handed on. True where the state is another. */
  hear(message: FromServer): boolean {
    switch (message.tell) {
      case "about":
        this.#about = message.about;
        return true;
      case "rows":
        this.tell({ news: "rows", rows: message.rows, fresh: message.first === 0 });
        return false;
      case "spectrum": {
        const { time, k, power } = message;
        this.tell({ news: "spectrum", time, k, power });
        return false;
      }
      case "bars":
        for (const bar of message.bars) this.tell({ news: "bar", ...bar });
        return true;
      case "preparation":
        this.#preparation = message;
        return true;
      case "progress":
        this.#progress = message;
        return true;
      case "state":
        this.#state = message;
        return true;
    }
  }

  /** The state of a pane in which a frame is seen; `looksBack`: a snapshot instead of a live run's present. */
  shown(seen: Seen | undefined, looksBack: boolean): Omit<ExhibitState, "status"> {
    const about = this.#about;
    const { time = about?.start ?? 0, step = 0, index } = seen ?? {};
    const progress = this.isLive ? this.#progress : undefined;
    const live = looksBack ? undefined : progress;
    const { detail: doing } = this.#preparation;
    const way = about ? about.end - about.start : 0;
    const fraction =
      this.#state.state === "preparing"
        ? this.#preparation.fraction
        : (live?.fraction ?? (way > 0 ? (time - about!.start) / way : 0));
    return {
      ...{ title: about?.title ?? "", time: live?.time ?? time, step: live?.step ?? step, fraction },
      ...(doing !== undefined && { doing }),
      ...{ start: about?.start ?? 0, end: about?.end ?? 0, cells: about?.cells ?? undefined },
      ...{ boxSize: about?.boxSize ?? 1, periodic: about?.periodic ?? false, units: about?.units ?? NO_UNITS },
      components: about?.components ?? [],
      particles: (about?.components ?? []).reduce((sum, { count }) => sum + count, 0),
      ...{ backend: undefined, adapter: undefined, stepsPerSecond: progress?.stepsPerSecond ?? 0 },
      ...(this.#state.message !== undefined && { notice: this.#state.message }),
      ...(this.#state.stays !== undefined && { stays: this.#state.stays }),
      ...(about && { warnings: about.warnings, conserved: about.conserved, field: about.field }),
      ...(about && this.#frames(about, index)),
    };
  }

  #frames({ frames }: About, shown: number | undefined): Pick<ExhibitState, "frames"> {
    const times = frames.map(({ time }) => time);
    if (!this.isLive) return { frames: { times, shown: shown ?? 0 } };
    return times.length > 0 ? { frames: { times, shown: shown ?? times.length, live: true } } : {};
  }
}
