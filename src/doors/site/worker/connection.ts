/** The WebSocket to a server; when it is lost, it is opened again after pauses that grow, until the server refuses. */
import { API, type FromServer, type Remote, TOKEN, type ToServer } from "../../../studio/live/protocol.ts";

/** Pauses before it is tried again [ms]. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

export interface Listener {
  message(message: FromServer): void;
  frame(bytes: ArrayBuffer): void;
  /** `why`: the server's own words where it refuses, and there is no sense in another try. */
  connected(connected: boolean, why?: string): void;
}

export const withToken = ({ token }: Remote): RequestInit => ({
  headers: { authorization: `Bearer ${token}` },
  cache: "no-store",
});

/** The address of what a browser opens by itself. */
export function addressOf({ base, token }: Remote, path: string): string {
  return `${base}${path}?${TOKEN}=${encodeURIComponent(token)}`;
}

export class Connection {
  #socket: WebSocket | undefined;
  #pause = FIRST_PAUSE;
  #again: ReturnType<typeof setTimeout> | undefined;
  #over = false;
  #last = false;

  constructor(
    private readonly remote: Remote,
    private readonly listener: Listener,
  ) {
    this.#open();
  }

  send(message: ToServer): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** The server has said that it ends: after the next loss it isn't looked for again. */
  expectEnd(): void {
    this.#last = true;
  }

  close(): void {
    this.#over = true;
    clearTimeout(this.#again);
    this.#socket?.close();
  }

  #open(): void {
    const socket = new WebSocket(addressOf(this.remote, API.events).replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#pause = FIRST_PAUSE;
      this.listener.connected(true);
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.#over) return;
      if (typeof data === "string") this.listener.message(JSON.parse(data) as FromServer);
      else this.listener.frame(data);
    };
    socket.onclose = () => void this.#lost();
  }

  async #lost(): Promise<void> {
    if (this.#over) return;
    const why = this.#last ? undefined : await this.#refusal();
    if (this.#over) return;
    this.listener.connected(false, why);
    if (why !== undefined || this.#last) return;
    this.#again = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, 2 * this.#pause);
  }

  /** Why the server doesn't want us; undefined where it isn't there, or would have us. */
  async #refusal(): Promise<string | undefined> {
    try {
      const answer = await fetch(`${this.remote.base}${API.about}`, withToken(this.remote));
      return answer.status === 401 || answer.status === 403 ? (await answer.text()).trim() : undefined;
    } catch {
      return undefined;
    }
  }
}
