/** `gravmesh amuse-worker`: connects to AMUSE, which listens, and answers its calls, one at a time, until it says stop. */
import { Worker } from "node:worker_threads";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { messageOf } from "../../run/failure.ts";
import type { BackendChoice } from "../../scenario/simulation/simulation.ts";
import type { Heard, Peer, Told } from "./connection-thread.ts";
import { type AmuseColumn, functionOf } from "./functions.ts";
import { Model } from "./model.ts";
import { LETTERS, type Letter, type Message, noValues, readMessage, reply, type Values } from "./protocol.ts";

/** The number of the call that ends a worker. */
const STOP = 0;
/** Calls at once of a function without arguments, whose reply is longer than what came. */
const MOST_WITHOUT = 2 ** 16;

export interface WorkerRequest extends Peer {
  backend: BackendChoice;
}

/** Resolves when AMUSE has said stop. Throws "io" when there is nobody, or nobody any more, "input" for what is no message. */
export async function work({ port, host, backend }: WorkerRequest, notice: (line: string) => void): Promise<void> {
  const feed = new ByteFeed(() => tell("taken"));
  // Built beside this file's bundle (.tooling/build.mjs).
  const thread = new Worker(new URL("./amuse-connection.js", import.meta.url), {
    workerData: { host, port },
    execArgv: [],
  });
  const gone = new Promise<never>((_, reject) => {
    let what = `no connection to ${host}:${port}`;
    const end = (why: string) => {
      const error = new GravmeshError("io", why === "" ? what : `${what}: ${why}`);
      feed.end(error);
      reject(error);
    };
    thread.on("message", (heard: Heard) => {
      if (heard === "connected") what = `AMUSE at ${host}:${port} is gone without a word to stop`;
      else if (heard === "sent") sent();
      else if (heard instanceof Uint8Array) feed.push(heard);
      else end(heard.gone);
    });
    thread.on("error", ({ message }) => end(message));
  });
  gone.catch(() => {}); // it may be nobody's concern
  const tell = (told: Told) => {
    const parts = told === "taken" ? [] : told.parts;
    thread.postMessage(told, [...new Set(parts.map(({ buffer }) => buffer as ArrayBuffer))]);
  };
  let sent = () => {};
  let earlier: Promise<void> | undefined;
  const model = new Model(backend, notice);
  try {
    for (;;) {
      const message = await readMessage(feed.take);
      await Promise.race([earlier, gone]); // who doesn't read its reply gets no other
      const parts = await Promise.race([answer(model, message), gone]);
      earlier = new Promise((resolve) => (sent = resolve));
      tell({ parts, last: message.functionId === STOP });
      if (message.functionId === STOP) return;
    }
  } finally {
    model.destroy();
  }
}

/** The reply to a message, an error included. */
export async function answer(model: Model, message: Message): Promise<Uint8Array[]> {
  if (message.functionId === STOP) return reply(message, noValues());
  try {
    const { takes, gives, name, call } = functionOf(message.functionId);
    const { calls: count } = message;
    requireArguments(name, takes, message);
    const values = noValues(counted(`i${gives}`, count));
    const [codes, ...into] = columns(values, `i${gives}`, count);
    await call({ model, count, given: columns(message.values, takes, count), into, codes: codes as Int32Array });
    // Texts have no views: their columns are lists of their own.
    values.s = into.filter((_, k) => gives[k] === "s").flat() as string[];
    return reply(message, values);
  } catch (error) {
    return reply(message, { ...noValues(), s: [messageOf(error)] }, true);
  }
}

const counted = (letters: string, calls: number) =>
  Object.fromEntries(LETTERS.map((letter) => [letter, calls * letters.split(letter).length - calls]));

/** The columns of arguments with these types. */
function columns(values: Values, letters: string, calls: number): AmuseColumn[] {
  const next = Object.fromEntries(LETTERS.map((letter) => [letter, 0]));
  return Array.from(letters as Iterable<Letter>, (letter) => {
    const first = next[letter];
    next[letter] += calls;
    const all = values[letter];
    return Array.isArray(all) ? all.slice(first, first + calls) : all.subarray(first, first + calls);
  });
}

function requireArguments(name: string, takes: string, { values, calls }: Message): void {
  if (takes === "" && calls > MOST_WITHOUT) {
    throw new GravmeshError("usage", `${name}: expected at most ${MOST_WITHOUT} calls at once, found ${calls}`);
  }
  const expected = counted(takes, calls);
  const wrong = LETTERS.find((letter) => values[letter].length !== expected[letter]);
  if (wrong === undefined) return;
  const found = `${values[wrong].length} of type ${wrong}, expected ${expected[wrong]}`;
  throw new GravmeshError("usage", `${name}, ${calls} calls: found ${found}; its arguments are ${takes || "none"}`);
}

export class ByteFeed {
  readonly #pieces: Uint8Array[] = [];
  #ended: Error | undefined;
  #wake = () => {};

  /** `taken` is called for every piece that no longer lies here. */
  constructor(private readonly taken: () => void = () => {}) {}

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  /** There are no more than have come: whoever wants more gets `why`. */
  end(why: Error): void {
    this.#ended ??= why;
    this.#wake();
  }

  /** The next bytes in a buffer of their own; by one caller at a time. */
  readonly take = async (bytes: number): Promise<Uint8Array<ArrayBuffer>> => {
    const target = new Uint8Array(bytes);
    for (let filled = 0; filled < bytes; ) {
      const [piece] = this.#pieces;
      if (piece) {
        const part = piece.subarray(0, bytes - filled);
        target.set(part, filled);
        filled += part.length;
        if (part.length < piece.length) this.#pieces[0] = piece.subarray(part.length);
        else {
          this.#pieces.shift();
          this.taken();
        }
      } else if (this.#ended) throw this.#ended;
      else await new Promise<void>((come) => (this.#wake = come));
    }
    return target;
  };
}
