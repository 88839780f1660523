/** A page of `gravmesh view` and `run --live` without a browser: what it asks for, and what it hears. */
import { connect } from "node:net";
import { WebSocket } from "ws";
import { decodeFrame } from "../../src/studio/live/frame.ts";
import { API, type FromServer, type LiveFrame, type ToServer } from "../../src/studio/live/protocol.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Asks the API with the token, or with another one. */
export function get(address: URL, path: string, token = address.searchParams.get("token") ?? ""): Promise<Response> {
  return fetch(new URL(path, address.origin), { headers: { authorization: `Bearer ${token}` } });
}

export async function frameOf(address: URL, index: number, most: number): Promise<LiveFrame> {
  const answer = await get(address, `${API.frame}/${index}?most=${most}`);
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return decodeFrame(await answer.arrayBuffer());
}

/** Sends bytes as they are; the whole answer, or what there is of it when nothing more comes. */
export function raw({ port }: Pick<URL, "port">, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    let heard = "";
    socket.on("data", (data) => {
      heard += data.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(heard));
    socket.setTimeout(PATIENCE_MS / 10, () => socket.destroy());
  });
}

/** Status of an answer to a request line with headers. */
export async function statusOf(address: URL, line: string, headers: Record<string, string> = {}): Promise<number> {
  const all = { host: address.host, connection: "close", ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await raw(address, `${[line, ...head].join("\r\n")}\r\n\r\n`))?.[1]);
}

/** What a WebSocket is asked for with, token and all. */
export const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

type Of<K extends FromServer["event"]> = Extract<FromServer, { event: K }>;

export class LivePage {
  readonly messages: FromServer[] = [];
  readonly frames: LiveFrame[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly socket: WebSocket,
    /** Particles of the frames that it asks for, one after the other; none when 0. */
    most: number,
  ) {
    socket.on("message", (data: Buffer, binary: boolean) => {
      if (binary) {
        this.frames.push(decodeFrame(new Uint8Array(data).buffer));
        this.ask(most);
      } else this.messages.push(JSON.parse(String(data)));
      this.#look();
    });
    socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#look();
    });
  }

  static open(address: URL, most = 0): Promise<LivePage> {
    const socket = new WebSocket(`ws://${address.host}/${API.events}${address.search}`);
    const page = new LivePage(socket, most);
    return new Promise((resolve, reject) => {
      socket.once("open", () => {
        if (most > 0) page.ask(most);
        resolve(page);
      });
      socket.once("error", reject);
    });
  }

  send(message: ToServer): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  ask(most: number): void {
    if (most > 0) this.send({ ask: "frame", most });
  }

  last<K extends FromServer["event"]>(event: K): Of<K> | undefined {
    return this.messages.findLast((message): message is Of<K> => message.event === event);
  }

  get state(): string | undefined {
    return this.last("state")?.state;
  }

  /** Rows by their place. */
  get rows(): number {
    return this.messages.reduce((most, one) => (one.event === "rows" ? one.first + one.rows.length : most), 0);
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`${what}: never seen; ${JSON.stringify(this.messages.at(-1))}`)),
        PATIENCE_MS,
      );
      const look = () => {
        if (!holds()) return;
        clearTimeout(late);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.socket.close();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
