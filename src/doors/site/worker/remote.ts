/**
 * A result folder or a live run, shown from the server of `gravmesh view` or `run --live`. Frames are every k-th particle; of a
 * live run the next is asked for when the last has been taken for a picture, so that nothing is read back for a page that
 * nobody looks at. What was shown last stays when the server goes.
 */

import { ParticleMasses } from "../../../physics/particles/masses.ts";
import { decodeFrame } from "../../../studio/live/frame.ts";
import { type About, API, type FromServer, type LiveFrame, type Remote } from "../../../studio/live/protocol.ts";
import type { PaneState, PaneStatus } from "../stage.ts";
import { messageText } from "../words.ts";
import { addressOf, Connection, withToken } from "./connection.ts";
import type { Drawable, Exhibit, ExhibitHost } from "./exhibit.ts";
import { HeldParticles } from "./held-particles.ts";
import { isLive, type LastMessages, liveStatus, type Seen, shownState } from "./server-state.ts";

/** Most particles of a frame: of a folder's, of a live run's, and where the processor draws. */
const MOST = { folder: 2 ** 19, live: 2 ** 17, host: 2 ** 14 };
/** Time between the frames of a folder that is played [ms]. */
const FRAME_TIME = 100;

export class RemoteExhibit implements Exhibit {
  readonly #connection: Connection;
  readonly #held: HeldParticles;
  readonly #messages: LastMessages = {};
  #connected = false;
  /** What is shown, without its arrays. */
  #seen: Seen | undefined;
  /** A live run's frame has come that no picture was made of yet. */
  #fresh = false;
  #latest: LiveFrame | undefined;
  #wanted: { index: number; abort: AbortController } | undefined;
  #playing: ReturnType<typeof setTimeout> | undefined;
  #problem: PaneState["problem"];
  #over = false;

  constructor(
    private readonly remote: Remote,
    private readonly host: ExhibitHost,
  ) {
    this.#held = new HeldParticles(host.gpu);
    this.#connection = new Connection(remote, {
      message: (message) => this.#receive(message),
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

  state(): PaneState {
    return {
      ...shownState(this.#messages, this.#seen, this.#looksBack),
      ...{ status: this.#status, connected: this.#connected, problem: this.#problem },
      // A run that has ended took its server with it: there are no snapshots to go to.
      ...(this.#ended && !this.#connected && { frames: undefined }),
      ...(this.#about?.report && { report: addressOf(this.remote, API.report) }),
    };
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

  /** The present of a live run comes after its snapshots. */
  async moveFrame(by: number): Promise<void> {
    this.#rest();
    const next = Math.min(this.#last + (this.#isLive ? 1 : 0), Math.max(0, this.#shown + by));
    if (next !== this.#shown) await this.showFrame(next);
  }

  async restart(): Promise<void> {
    if (this.#isLive) return;
    this.#rest();
    await this.showFrame(0);
  }

  async keepPaused(stay: boolean): Promise<void> {
    if (this.#isLive) this.#connection.send({ ask: "pause", stay });
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

  /** Shows the frame that is asked for last; those that were on their way are given up. */
  async showFrame(index: number): Promise<void> {
    if (this.#over) return;
    this.#wanted?.abort.abort();
    if (this.#isLive && index > this.#last) {
      this.#wanted = undefined;
      this.#seen = undefined;
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
      this.#wanted = undefined;
      // Without the server nothing is wrong with the frame; `connected` says that it is gone.
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

  get #about(): About | undefined {
    return this.#messages.about?.about;
  }

  get #isLive(): boolean {
    return isLive(this.#messages);
  }

  get #ended(): boolean {
    return this.#messages.state?.state === "ended";
  }

  /** Index of the frame that is shown or still on its way; the present of a live run is past the last. */
  get #shown(): number {
    return this.#wanted?.index ?? this.#seen?.index ?? (this.#isLive ? this.#last + 1 : 0);
  }

  get #last(): number {
    return (this.#about?.frames.length ?? 0) - 1;
  }

  get #status(): PaneStatus {
    if (this.#problem && !this.#seen) return "failed";
    if (!this.#isLive) return this.#playing === undefined ? "shown" : "running";
    return liveStatus(this.#messages);
  }

  #receive(message: FromServer): void {
    const before = this.#about;
    if (message.event === "rows") {
      this.host.emit({ event: "rows", rows: message.rows, fresh: message.first === 0 });
    } else if (message.event === "spectrum") {
      const { time, k, power } = message;
      this.host.emit({ event: "spectrum", time, k, power });
    } else if (message.event === "bars") {
      for (const bar of message.bars) this.host.emit({ event: "bar", ...bar });
    } else Object.assign(this.#messages, { [message.event]: message });
    if (message.event === "about") this.#learn(message.about, before);
    if (this.#ended) this.#connection.expectEnd();
    this.host.changed("state");
  }

  /** Chooses the frame to show from what was known `before`. */
  #learn(about: About, before: About | undefined): void {
    if (about.kind === "live") {
      if (before?.kind !== "live" || before.components.length === 0) this.#ask();
      return;
    }
    // Who looks at the newest frame of a run goes along with it.
    const atEnd = before !== undefined && this.#shown === before.frames.length - 1;
    if (about.frames.length === 0) return;
    if (!before?.frames.length) void this.showFrame(0);
    else if (atEnd && about.frames.length > before.frames.length) void this.showFrame(this.#last);
  }

  #ask(): void {
    this.#connection.send({ ask: "frame", most: this.host.gpu ? MOST.live : MOST.host });
  }

  async #take(frame: LiveFrame, index?: number): Promise<void> {
    const about = this.#about;
    if (this.#over || !about || about.components.length === 0) return;
    const { components, boxSize, periodic } = about;
    const { positions, velocities, ids, packedImages: images, masses, every, time, step, cores } = frame;
    // Each particle stands for those that were left out.
    const weights = new ParticleMasses(
      components.map(({ first, count }, c) => ({ first, count, mass: every * (masses[c] ?? 0) })),
    );
    try {
      await this.#held.show({ boxSize, periodic, components, weights, positions, velocities, ids, images });
    } catch (cause) {
      this.#fail(cause, "memory");
      return;
    }
    this.#seen = {
      ...{ time, ...(step !== undefined && { step }), ...(index !== undefined && { index }) },
      ...(cores && { cores }),
    };
    this.#problem = undefined;
    this.#fresh = this.#isLive && index === undefined;
    this.host.changed("particles");
    this.host.changed("state");
  }

  #fail(cause: unknown, kind: string): void {
    this.#problem = { kind, message: messageText(cause) };
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
