/**
 * A result folder or a live run, shown from the server of `gravmesh view` or `run --live`. Frames are every k-th particle; of a
 * live run the next is asked for when the last has been taken for a picture, so that nothing is read back for a page that
 * nobody looks at. What was shown last stays when the server goes.
 */
import { decodeFrame } from "../../live/frame.ts";
import { type About, API, type Frame, type FromServer, type LiveState, type Remote } from "../../live/protocol.ts";
import { ParticleMasses } from "../../particles/masses.ts";
import type { PaneStatus } from "../stage.ts";
import { addressOf, Connection, withToken } from "./connection.ts";
import type { Drawable, Exhibit, ExhibitHost, ExhibitState } from "./exhibit.ts";
import { HeldParticles } from "./held-particles.ts";

/** Particles of a frame: of a folder's, of a live run's, and where the processor draws. */
const MOST = { folder: 2 ** 19, live: 2 ** 17, host: 2 ** 14 };
/** Between the frames of a folder that is played [ms]. */
const FRAME_TIME = 100;

const STATUS: Record<LiveState, PaneStatus> = {
  ...{
    shown: "shown",
    preparing: "preparing",
    running: "running",
    paused: "paused",
    stopping: "running",
    ended: "done",
  },
};

const NO_UNITS = { length: "", time: "", mass: "", velocity: "" };

export class RemoteExhibit implements Exhibit {
  readonly #connection: Connection;
  readonly #held: HeldParticles;
  #about: About | undefined;
  #connected = false;
  #state: Extract<FromServer, { tell: "state" }> = { tell: "state", state: "preparing" };
  #progress: Extract<FromServer, { tell: "progress" }> | undefined;
  #preparation = 0;
  /** The frame that is seen, without its arrays, and of a folder its place. */
  #seen: { time: number; step?: number; index?: number } | undefined;
  /** A live run's frame has come that no picture was made of. */
  #fresh = false;
  /** A live run's frame that came last. */
  #latest: Frame | undefined;
  #wanted: { index: number; abort: AbortController } | undefined;
  #playing: ReturnType<typeof setTimeout> | undefined;
  #problem: ExhibitState["problem"];
  #over = false;

  constructor(
    private readonly remote: Remote,
    private readonly host: ExhibitHost,
  ) {
    this.#held = new HeldParticles(host.gpu);
    this.#connection = new Connection(remote, {
      message: (message) => this.#hear(message),
      frame: (bytes) => {
        this.#latest = decodeFrame(bytes);
        if (!this.#looksBack) void this.#take(this.#latest);
      },
      connected: (connected, why) => {
        this.#connected = connected;
        if (why !== undefined) this.#problem = { kind: "usage", message: why };
        if (connected && this.#isLive) this.#ask();
        host.changed("state");
      },
    });
  }

  state(): ExhibitState {
    const about = this.#about;
    const { time = about?.start ?? 0, step = 0, index } = this.#seen ?? {};
    const progress = this.#isLive ? this.#progress : undefined;
    const live = this.#looksBack ? undefined : progress;
    const way = about ? about.end - about.start : 0;
    const fraction =
      this.#state.state === "preparing"
        ? this.#preparation
        : (live?.fraction ?? (way > 0 ? (time - about!.start) / way : 0));
    return {
      ...{
        status: this.#status,
        title: about?.title ?? "",
        time: live?.time ?? time,
        step: live?.step ?? step,
        fraction,
      },
      ...{ start: about?.start ?? 0, end: about?.end ?? 0, cells: about?.cells ?? undefined },
      ...{ boxSize: about?.boxSize ?? 1, periodic: about?.periodic ?? false, units: about?.units ?? NO_UNITS },
      components: about?.components ?? [],
      particles: (about?.components ?? []).reduce((sum, { count }) => sum + count, 0),
      ...{
        backend: undefined,
        adapter: undefined,
        stepsPerSecond: progress?.stepsPerSecond ?? 0,
        connected: this.#connected,
      },
      ...(this.#state.message !== undefined && { notice: this.#state.message }),
      ...(about && { conserved: about.conserved }),
      ...(this.#problem && { problem: this.#problem }),
      ...(about && this.#frames(about, index)),
      ...(about?.report && { report: addressOf(this.remote, API.report) }),
    };
  }

  #frames({ frames }: About, shown: number | undefined): Pick<ExhibitState, "frames"> {
    const times = frames.map(({ time }) => time);
    if (!this.#isLive) return { frames: { times, shown: shown ?? 0 } };
    return times.length > 0 ? { frames: { times, shown: shown ?? times.length, live: true } } : {};
  }

  drawable(): Drawable | undefined {
    if (this.#fresh) {
      this.#fresh = false;
      this.#ask();
    }
    return this.#held.drawable();
  }

  async particles(): ReturnType<Exhibit["particles"]> {
    return this.#held.particles;
  }

  deck(): string {
    return this.#about?.deck ?? "";
  }

  async play(): Promise<void> {
    if (this.#isLive) return this.#connection.send({ ask: "resume" });
    if (this.#shown >= this.#last) await this.showFrame(0);
    if (this.#playing === undefined) this.#playNext();
    this.host.changed("state");
  }

  async pause(): Promise<void> {
    if (this.#isLive) return this.#connection.send({ ask: "pause" });
    this.#rest();
  }

  async step(): Promise<void> {
    if (this.#isLive) return;
    this.#rest();
    if (this.#shown < this.#last) await this.showFrame(this.#shown + 1);
  }

  async restart(): Promise<void> {
    if (this.#isLive) return;
    this.#rest();
    await this.showFrame(0);
  }

  async stop(): Promise<void> {
    if (this.#isLive) this.#connection.send({ ask: "stop" });
  }

  async goTo(time: number): Promise<void> {
    if (this.#isLive) return;
    const frames = this.#about?.frames ?? [];
    const next = frames.findLastIndex((frame) => frame.time <= time);
    if (next >= 0 && next !== this.#shown) await this.showFrame(next);
  }

  /** Whichever is asked for last is shown; those that were on their way are given up. */
  async showFrame(index: number): Promise<void> {
    if (this.#over) return;
    this.#wanted?.abort.abort();
    if (this.#isLive && index > this.#last) {
      this.#wanted = undefined;
      if (this.#latest) await this.#take(this.#latest);
      return;
    }
    const wanted = { index, abort: new AbortController() };
    this.#wanted = wanted;
    const address = `${this.remote.base}${API.frame}/${index}?most=${this.host.gpu ? MOST.folder : MOST.host}`;
    try {
      const answer = await fetch(address, { ...withToken(this.remote), signal: wanted.abort.signal });
      if (!answer.ok) throw new Error((await answer.text()).trim());
      const bytes = await answer.arrayBuffer();
      if (this.#wanted === wanted) await this.#take(decodeFrame(bytes), index);
    } catch (cause) {
      if (wanted.abort.signal.aborted || this.#over) return;
      // Without the server nothing is wrong with the frame; it is told otherwise that it is gone.
      if (!(cause instanceof TypeError)) this.#fail(cause, "input");
    }
  }

  destroy(): void {
    this.#over = true;
    this.#rest();
    this.#wanted?.abort.abort();
    this.#connection.close();
    this.#held.destroy();
  }

  /** Whether a snapshot of a live run is shown instead of its present. */
  get #looksBack(): boolean {
    return this.#isLive && this.#seen?.index !== undefined;
  }

  get #isLive(): boolean {
    return this.#about?.kind === "live";
  }

  get #shown(): number {
    return this.#wanted?.index ?? this.#seen?.index ?? 0;
  }

  get #last(): number {
    return (this.#about?.frames.length ?? 0) - 1;
  }

  get #status(): PaneStatus {
    if (this.#problem && !this.#seen) return "failed";
    if (!this.#isLive) return this.#playing === undefined ? "shown" : "running";
    if (this.#state.state === "ended") return this.#about?.status === "failed" ? "failed" : "done";
    return STATUS[this.#state.state];
  }

  #hear(message: FromServer): void {
    switch (message.tell) {
      case "about":
        this.#learn(message.about);
        break;
      case "rows":
        this.host.tell({ news: "rows", rows: message.rows, fresh: message.first === 0 });
        return;
      case "spectrum": {
        const { time, k, power } = message;
        this.host.tell({ news: "spectrum", time, k, power });
        return;
      }
      case "bars":
        for (const bar of message.bars) this.host.tell({ news: "bar", ...bar });
        return;
      case "preparation":
        this.#preparation = message.fraction;
        break;
      case "progress":
        this.#progress = message;
        break;
      case "state":
        this.#state = message;
        if (message.state === "ended") this.#connection.expectEnd();
    }
    this.host.changed("state");
  }

  #learn(about: About): void {
    const before = this.#about;
    this.#about = about;
    if (about.kind === "live") {
      if (before?.kind !== "live" || before.components.length === 0) this.#ask();
      return;
    }
    // One who looks at the newest frame of a run goes along with it.
    const atEnd = before !== undefined && this.#shown === before.frames.length - 1;
    if (about.frames.length === 0) return;
    if (!before?.frames.length) void this.showFrame(0);
    else if (atEnd && about.frames.length > before.frames.length) void this.showFrame(this.#last);
  }

  #ask(): void {
    this.#connection.send({ ask: "frame", most: this.host.gpu ? MOST.live : MOST.host });
  }

  async #take(frame: Frame, index?: number): Promise<void> {
    const about = this.#about;
    if (this.#over || !about || about.components.length === 0) return;
    const { components, boxSize, periodic } = about;
    const { positions, velocities, ids, packedImages: images, masses, every, time, step } = frame;
    // Each stands for those that were left out.
    const weights = new ParticleMasses(
      components.map(({ first, count }, c) => ({ first, count, mass: every * (masses[c] ?? 0) })),
    );
    try {
      await this.#held.show({ boxSize, periodic, components, weights, positions, velocities, ids, images });
    } catch (cause) {
      this.#fail(cause, "memory");
      return;
    }
    this.#seen = { time, ...(step !== undefined && { step }), ...(index !== undefined && { index }) };
    this.#problem = undefined;
    this.#fresh = this.#isLive && index === undefined;
    this.host.changed("particles");
    this.host.changed("state");
  }

  #fail(cause: unknown, kind: string): void {
    this.#problem = { kind, message: cause instanceof Error ? cause.message : String(cause) };
    this.#rest();
    this.host.changed("state");
  }

  #playNext(): void {
    this.#playing = setTimeout(async () => {
      const next = this.#shown + 1;
      if (next > this.#last) return this.#rest();
      await this.showFrame(next);
      if (this.#playing !== undefined) this.#playNext();
    }, FRAME_TIME);
  }

  #rest(): void {
    clearTimeout(this.#playing);
    if (this.#playing === undefined) return;
    this.#playing = undefined;
    if (!this.#over) this.host.changed("state");
  }
}
