/**
 * Who may ask the server what. It listens on 127.0.0.1, but every page of a browser can send requests there: one of another
 * origin, or of a name that was made to lead here (DNS rebinding), is refused, and whoever hasn't the token sees no more than
 * the page's own files.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { TOKEN } from "./protocol.ts";

const TOKEN_BYTES = 24;
/** Names of this machine; behind `ssh -L` the port is another. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

export interface Refusal {
  status: number;
  why: string;
}

export const newToken = () => randomBytes(TOKEN_BYTES).toString("base64url");

/** Refuses a request whatever it asks for. */
export function refusalOf({ method, headers }: IncomingMessage): Refusal | undefined {
  const { host = "", origin } = headers;
  if (!OWN_HOST.test(host)) return { status: 403, why: "This server answers to localhost and 127.0.0.1 only." };
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return { status: 403, why: "This server answers to its own page only." };
  }
  if (method !== "GET") return { status: 405, why: "Only GET is understood." };
  if (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0) {
    return { status: 413, why: "Expected a request without content." };
  }
  return undefined;
}

/** Whether a browser says that a page from elsewhere asks; what it doesn't say, others don't either. */
export function isForeign({ headers }: IncomingMessage): boolean {
  const from = headers["sec-fetch-site"];
  return from !== undefined && from !== "same-origin" && from !== "none";
}

/** Whether a request has the token: in its header, or in its address where a browser can't set one. */
export function hasToken({ headers }: IncomingMessage, { searchParams }: URL, token: string): boolean {
  const [, inHeader] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
  const given = inHeader ?? searchParams.get(TOKEN) ?? "";
  // Of equal length, whatever was given.
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Connections that have sent no whole request yet, and those that have, without the token. */
const MOST = { silent: 32, strange: 32 };

/** Who holds a connection. Without the token there are few at a time, and the oldest go first: none keeps others out. */
export class Doors {
  /** Sets keep the order in time. */
  readonly #silent = new Set<Socket>();
  readonly #strange = new Set<Socket>();
  readonly #known = new WeakSet<Socket>();
  /** The server forgets those that were upgraded, and a socket that isn't read doesn't notice that its peer has gone. */
  readonly #all = new Set<Socket>();

  comes(socket: Socket): void {
    this.#all.add(socket);
    socket.once("close", () => {
      this.#all.delete(socket);
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
    // A client that has asked lately is younger than one that hasn't.
    this.#strange.delete(socket);
    if (trusted) this.#known.add(socket);
    else {
      this.#strange.add(socket);
      leave(this.#strange, MOST.strange);
    }
  }

  /** Ends every connection, whatever its state. */
  close(): void {
    for (const socket of this.#all) socket.destroy();
  }
}

function leave(sockets: Set<Socket>, most: number): void {
  const [oldest] = sockets;
  if (sockets.size <= most) return;
  sockets.delete(oldest);
  oldest.destroy();
}
