/** AMUSE's side of a worker's messages, written after its SocketMessage and apart from ours: requests, replies, a listening peer. */
import { createServer, type Socket } from "node:net";
import { functionId } from "../../src/doors/amuse/functions.ts";

export interface Arguments {
  ints?: readonly number[];
  doubles?: readonly number[] | Float64Array;
  strings?: readonly string[];
  booleans?: readonly number[];
}

export interface Reply {
  error: boolean;
  callId: number;
  functionId: number;
  calls: number;
  /** Return codes first. */
  ints: number[];
  doubles: Float64Array;
  strings: string[];
}

/** The bytes of a request; `name` may be the function's number. */
export function request(
  name: string | number,
  { ints = [], doubles = [], strings = [], booleans = [] }: Arguments,
  { calls = 1, callId = 7, bigEndian = false, longs = 0, units = 0 } = {},
): Uint8Array {
  const texts = strings.map((text) => Buffer.from(`${text}\0`));
  const id = typeof name === "number" ? name : functionId(name);
  const words = [callId, id, calls, ints.length, longs, 0, doubles.length, booleans.length, strings.length, units];
  const bytesOfTexts = texts.reduce((sum, { length }) => sum + length, 0);
  const bytes = new Uint8Array(
    44 + 4 * (ints.length + texts.length) + 8 * (doubles.length + longs + units) + booleans.length + bytesOfTexts,
  );
  const view = new DataView(bytes.buffer);
  bytes[0] = bigEndian ? 1 : 0;
  let at = 4;
  const int = (value: number) => {
    view.setInt32(at, value, !bigEndian);
    at += 4;
  };
  words.forEach(int);
  ints.forEach(int);
  at += 8 * longs;
  for (const value of doubles) {
    view.setFloat64(at, value, !bigEndian);
    at += 8;
  }
  bytes.set(booleans, at);
  at += booleans.length;
  for (const { length } of texts) int(length - 1);
  for (const text of texts) {
    bytes.set(text, at);
    at += text.length;
  }
  return bytes;
}

/** The reply in bytes that are whole; undefined as long as they aren't. */
export function replyIn(bytes: Uint8Array): { reply: Reply; length: number } | undefined {
  if (bytes.length < 44) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = bytes[0] === 0;
  const [callId, id, calls, ints, , , doubles, booleans, strings] = Array.from({ length: 10 }, (_, k) =>
    view.getInt32(4 + 4 * k, little),
  );
  const [atDoubles, atStrings] = [44 + 4 * ints, 44 + 4 * ints + 8 * doubles + booleans];
  if (bytes.length < atStrings + 4 * strings) return undefined;
  const lengths = Array.from({ length: strings }, (_, k) => view.getInt32(atStrings + 4 * k, little));
  let at = atStrings + 4 * strings;
  const end = lengths.reduce((sum, length) => sum + length + 1, at);
  if (bytes.length < end) return undefined;
  const texts = lengths.map((length) => {
    at += length + 1;
    return Buffer.from(bytes.subarray(at - length - 1, at - 1)).toString();
  });
  const reply = {
    ...{ error: bytes[1] === 1, callId, functionId: id, calls, strings: texts },
    ints: Array.from({ length: ints }, (_, k) => view.getInt32(44 + 4 * k, little)),
    doubles: Float64Array.from({ length: doubles }, (_, k) => view.getFloat64(atDoubles + 8 * k, little)),
  };
  return { reply, length: end };
}

/** Whoever listens for a worker, as AMUSE does. */
export class Peer {
  #bytes: Uint8Array[] = [];
  #wake: () => void = () => {};

  private constructor(readonly socket: Socket) {
    socket
      .on("error", () => {})
      .on("data", (piece) => {
        this.#bytes.push(piece);
        this.#wake();
      });
  }

  /** Listens on the loop-back address, has `start` start a worker, and takes its connection. */
  static async listen(start: (port: number) => void): Promise<Peer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const connected = new Promise<Socket>((resolve) => server.once("connection", resolve));
    start((server.address() as { port: number }).port);
    const socket = await connected;
    server.close();
    return new Peer(socket);
  }

  send(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  async reply(): Promise<Reply> {
    for (;;) {
      const all = Buffer.concat(this.#bytes);
      const found = replyIn(all);
      this.#bytes = [found ? all.subarray(found.length) : all];
      if (found) return found.reply;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  call(name: string | number, given: Arguments = {}, how: Parameters<typeof request>[2] = {}): Promise<Reply> {
    this.send(request(name, given, how));
    return this.reply();
  }
}
