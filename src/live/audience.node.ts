/**
 * The pages that are open. Each is sent what it doesn't know yet, and only while it reads: a page that is slow, or doesn't
 * read at all, holds up nothing and costs no more memory than what was on its way.
 */
import { type RawData, WebSocket } from "ws";
import { z } from "zod";
import type { DiagnosticsRow } from "../diagnostics/columns.ts";
import { type About, type FromServer, LARGEST_FRAME, type ToServer } from "./protocol.ts";
import type { ShownBar, ShownSpectrum } from "./run-files.node.ts";

type Told<K extends FromServer["tell"]> = Extract<FromServer, { tell: K }>;

/** What there is to be told, as it is now; what hasn't changed is the same object. */
export interface Showing {
  about: About;
  state: Told<"state">;
  rows: readonly DiagnosticsRow[];
  spectra: readonly ShownSpectrum[];
  bars: readonly ShownBar[];
  progress?: Told<"progress"> | undefined;
  preparation?: Told<"preparation"> | undefined;
}

/** A page with more than this under way is sent nothing more for now [byte]. */
const MOST_UNDERWAY = 2 ** 20;
/** Rows of a message. */
const ROWS = 500;
/** Time between looks whether pages are still there [ms]. */
const HEARTBEAT = 30_000;
/** Policy violation, as RFC 6455 has it. */
const MALFORMED = 1008;

const toServer = z.discriminatedUnion("ask", [
  z.strictObject({ ask: z.enum(["resume", "stop"]) }),
  z.strictObject({ ask: z.literal("pause"), stay: z.boolean().optional() }),
  z.strictObject({ ask: z.literal("frame"), most: z.int().min(1).max(LARGEST_FRAME) }),
]) satisfies z.ZodType<ToServer>;

/** What is sent bit by bit: how much of it a page has. */
type Counted = "rows" | "spectra" | "bars";

class Page {
  /** Particles of the next frame; undefined as long as the page has one to draw. */
  most: number | undefined;
  /** Particles of the frame that it asked for last. */
  usual: number | undefined;
  alive = true;
  #told: Partial<Omit<Showing, Counted>> & Record<Counted, number> = { rows: 0, spectra: 0, bars: 0 };

  constructor(private readonly socket: WebSocket) {}

  /** Whether it takes in what it is sent. */
  get reads(): boolean {
    return this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount < MOST_UNDERWAY;
  }

  tell(now: Showing): void {
    const told = this.#told;
    const { about, preparation, state, progress } = now;
    if (told.about !== about) this.#send({ tell: "about", about });
    for (const message of [preparation, state, progress]) {
      if (message && told[message.tell] !== message) this.#send(message);
    }
    // Rows that begin anew take bars and spectra with them.
    if (now.rows.length < told.rows) Object.assign(told, { rows: 0, spectra: 0, bars: 0 });
    if (now.bars.length < told.bars) told.bars = 0;
    while (this.reads && told.rows < now.rows.length) {
      const [first, rows] = [told.rows, now.rows.slice(told.rows, told.rows + ROWS)];
      this.#send({ tell: "rows", first, rows });
      told.rows += rows.length;
    }
    while (this.reads && told.bars < now.bars.length) {
      const [first, bars] = [told.bars, now.bars.slice(told.bars)];
      this.#send({ tell: "bars", first, bars });
      told.bars += bars.length;
    }
    while (this.reads && told.spectra < now.spectra.length) {
      this.#send({ tell: "spectrum", ...now.spectra[told.spectra++] });
    }
    if (this.reads) Object.assign(told, { about, preparation, state, progress });
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

  /** `asked`: a page asks for something; of a frame its page has been noted. `left`: a page has gone. */
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

  /**
   * The most particles that a page waits for, or with "usual" one that has ever waited for some; undefined where none
   * waits for a frame.
   */
  wanted(by: "most" | "usual"): number | undefined {
    const most = [...this.#pages.values()].flatMap((page) => (page.reads && page[by]) || []);
    return most.length > 0 ? Math.max(...most) : undefined;
  }

  /** Whether a page is taking in what it was sent. */
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
    page.tell(this.showing());
  }

  /** Tells all pages what they don't know yet. */
  tell(): void {
    const now = this.showing();
    for (const page of this.#pages.values()) page.tell(now);
  }

  /** A frame for the pages that wait for one; the last one of all for those that have waited before, too. */
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
