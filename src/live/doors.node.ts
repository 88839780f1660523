/**
 * Who holds a connection to the server. Whoever has shown the token keeps theirs. Of the others there are few at a time, and
 * the oldest go first when more come: those that never finish a request can't keep anybody out who does.
 */
import type { Socket } from "node:net";

/** Connections that have sent no whole request yet, and those that have, without the token. */
const MOST = { silent: 32, strange: 32 };

export class Doors {
  /** Sets keep the order in time. */
  readonly #silent = new Set<Socket>();
  readonly #strange = new Set<Socket>();
  readonly #known = new WeakSet<Socket>();

  comes(socket: Socket): void {
    socket.once("close", () => {
      this.#silent.delete(socket);
      this.#strange.delete(socket);
    });
    this.#silent.add(socket);
    leave(this.#silent, MOST.silent);
  }

  /** A whole request has come; `trusted`: it has the token. */
  asks(socket: Socket, trusted: boolean): void {
    this.#silent.delete(socket);
    if (this.#known.has(socket)) return;
    // Whoever has asked lately is younger than who hasn't.
    this.#strange.delete(socket);
    if (trusted) this.#known.add(socket);
    else {
      this.#strange.add(socket);
      leave(this.#strange, MOST.strange);
    }
  }
}

function leave(sockets: Set<Socket>, most: number): void {
  const [oldest] = sockets;
  if (sockets.size <= most) return;
  sockets.delete(oldest);
  oldest.destroy();
}
