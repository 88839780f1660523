/** The pages that are open. Each is sent what is new to it, and only while it reads: a slow one holds up nothing. */
import { type RawData, WebSocket } from "ws";
import { z } from "zod";
import type { DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import {
  type About,
  type FromServer,
  LARGEST_FRAME,
  type LiveBar,
  type LiveSpectrum,
  type ToServer,
} from "./protocol.ts";

type Message<K extends FromServer["event"]> = Extract<FromServer, { event: K }>;

/** What pages are sent, as it is now; what hasn't changed is the same object. */
export interface Showing {
  about: About;
  state: Message<"state">;
  rows: readonly DiagnosticsRow[];
  spectra: readonly LiveSpectrum[];
  bars: readonly LiveBar[];
  progress?: Message<"progress"> | undefined;
  preparation?: Message<"preparation"> | undefined;
}

/** A page with more than this on its way is sent nothing more for now [byte]. */
const MOST_UNDERWAY = 2 ** 20;
/** Rows of a message. */
const ROWS = 500;
/** Time between checks whether pages are still there [ms]. */
const HEARTBEAT = 30_000;
/** Policy violation, as RFC 6455 has it. */
const MALFORMED = 1008;

const toServer = z.discriminatedUnion("ask", [
  z.strictObject({ ask: z.enum(["resume", "stop"]) }),
  z.strictObject({ ask: z.literal("pause"), stay: z.boolean().optional() }),
  z.strictObject({ ask: z.literal("frame"), most: z.int().min(1).max(LARGEST_FRAME) }),
]) satisfies z.ZodType<ToServer>;

/** Sent bit by bit: how much of it a page has. */
type Counted = "rows" | "spectra" | "bars";

class Page {
  /** Particles of the next frame; undefined while the page has one to draw. */
  most: number | undefined;
  /** Particles of the frame for which it asked last. */
  usual: number | undefined;
  alive = true;
  #has: Partial<Omit<Showing, Counted>> & Record<Counted, number> = { rows: 0, spectra: 0, bars: 0 };

  constructor(private readonly socket: WebSocket) {}

  /** Whether it takes in what it is sent. */
  get reads(): boolean {
    return this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount < MOST_UNDERWAY;
  }

  update(now: Showing): void {
    const has = this.#has;
    const { about, preparation, state, progress } = now;
    if (has.about !== about) this.#send({ event: "about", about });
    for (const message of [preparation, state, progress]) {
      if (message && has[message.event] !== message) this.#send(message);
    }
    // Rows that begin anew take bars and spectra with them.
    if (now.rows.length < has.rows) Object.assign(has, { rows: 0, spectra: 0, bars: 0 });
    if (now.bars.length < has.bars) has.bars = 0;
    while (this.reads && has.rows < now.rows.length) {
      const [first, rows] = [has.rows, now.rows.slice(has.rows, has.rows + ROWS)];
      this.#send({ event: "rows", first, rows });
      has.rows += rows.length;
    }
    if (this.reads && has.bars < now.bars.length) {
      this.#send({ event: "bars", first: has.bars, bars: now.bars.slice(has.bars) });
      has.bars = now.bars.length;
    }
    while (this.reads && has.spectra < now.spectra.length) {
      this.#send({ event: "spectrum", ...now.spectra[has.spectra++] });
    }
    if (this.reads) Object.assign(has, { about, preparation, state, progress });
  }

  ask(most: number): void {
    this.most = this.usual = most;
  }

  show(frame: Uint8Array): void {
    this.most = undefined;
    if (this.reads) this.socket.send(frame);
  }

  #send(message: FromServer): void {
    if (this.reads) this.socket.send(JSON.stringify(message));
  }
}

export class Audience {
  readonly #pages = new Map<WebSocket, Page>();
  readonly #heartbeat: NodeJS.Timeout;

  /** `asked`: a page has asked for something; a frame has been noted for it. `left`: a page has gone. */
  constructor(
    private readonly showing: () => Showing,
    private readonly asked: (message: ToServer) => void = () => {},
    private readonly left: () => void = () => {},
  ) {
    this.#heartbeat = setInterval(() => this.#listen(), HEARTBEAT).unref();
  }

  get size(): number {
    return this.#pages.size;
  }

  /** The most particles for which a page waits, or with "usual" one that has ever waited; undefined where none does. */
  wanted(by: "most" | "usual"): number | undefined {
    const most = [...this.#pages.values()].flatMap((page) => (page.reads && page[by]) || []);
    return most.length > 0 ? Math.max(...most) : undefined;
  }

  get busy(): boolean {
    return [...this.#pages.keys()].some(({ bufferedAmount }) => bufferedAmount > 0);
  }

  add(socket: WebSocket): void {
    const page = new Page(socket);
    this.#pages.set(socket, page);
    socket.on("pong", () => (page.alive = true));
    socket.on("close", () => {
      this.#pages.delete(socket);
      this.left();
    });
    socket.on("error", () => socket.terminate());
    socket.on("message", (data, binary) => {
      const message = binary ? undefined : understood(data);
      if (!message) return socket.close(MALFORMED, "not understood");
      if (message.ask === "frame") page.ask(message.most);
      this.asked(message);
    });
    page.update(this.showing());
  }

  update(): void {
    const now = this.showing();
    for (const page of this.#pages.values()) page.update(now);
  }

  /** Sends a frame to the pages that wait for one; the last one of all also to those that have waited before. */
  show(frame: (most: number) => Uint8Array, last = false): void {
    for (const page of this.#pages.values()) {
      const most = last ? page.usual : page.most;
      if (most !== undefined) page.show(frame(most));
    }
  }

  end(): void {
    clearInterval(this.#heartbeat);
  }

  #listen(): void {
    for (const [socket, page] of this.#pages) {
      if (!page.alive) socket.terminate();
      page.alive = false;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
  }
}

function understood(data: RawData): ToServer | undefined {
  try {
    return toServer.safeParse(JSON.parse(String(data))).data;
  } catch {
    return undefined;
  }
}
