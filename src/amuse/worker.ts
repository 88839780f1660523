/** `gravmesh amuse-worker`: connects to AMUSE, which listens, and answers its calls, one at a time, until it says stop. */
import { connect, type Socket } from "node:net";
import { GravmeshError } from "../base/errors.ts";
import { messageOf } from "../run/failure.ts";
import type { BackendChoice } from "../simulation/simulation.ts";
import { ByteFeed } from "./byte-feed.ts";
import { type Column, functionOf } from "./functions.ts";
import { Model } from "./model.ts";
import { LETTERS, type Letter, type Message, noValues, readMessage, reply, type Values } from "./protocol.ts";

/** The number of the call that ends a worker. */
const STOP = 0;
/** AMUSE listens before it starts a worker [ms]. */
const LONGEST_CONNECT = 5000;
/** A machine that doesn't answer is asked after so long without a word [ms]. */
const ALIVE = 1000;
/** Read at a time, into one buffer. */
const READ_BYTES = 2 ** 20;

export interface WorkerRequest {
  port: number;
  host: string;
  backend: BackendChoice;
}

/** Resolves when AMUSE has said stop. Throws "io" when there is nobody, or nobody any more, "input" for what is no message. */
export async function work({ port, host, backend }: WorkerRequest, notice: (line: string) => void): Promise<void> {
  const feed = new ByteFeed();
  const socket = await connected(host, port, feed);
  const gone = new Promise<never>((_, reject) => {
    const end = (why = "") => {
      const error = new GravmeshError("io", `AMUSE at ${host}:${port} is gone without a word to stop${why}`);
      feed.end(error);
      reject(error);
    };
    socket
      .on("error", ({ message }) => end(`: ${message}`))
      .on("end", () => end())
      .on("close", () => end());
  });
  gone.catch(() => {}); // it may be nobody's concern
  const model = new Model(backend, notice);
  try {
    for (;;) {
      const message = await readMessage(feed.take);
      const parts = await Promise.race([answer(model, message), gone]);
      socket.cork();
      for (const part of parts) socket.write(part);
      socket.uncork();
      if (message.functionId === STOP) return;
    }
  } finally {
    socket.end();
    model.destroy();
  }
}

function connected(host: string, port: number, feed: ByteFeed): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const callback = (bytes: number, buffer: Uint8Array) => {
      feed.push(buffer.subarray(0, bytes));
      return true;
    };
    const socket = connect({
      ...{ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: ALIVE },
      onread: { buffer: new Uint8Array(READ_BYTES), callback },
    });
    const fail = (why: string) => {
      socket.destroy();
      const advice = "AMUSE starts workers with the port and the host that it listens on";
      reject(new GravmeshError("io", `no connection to ${host}:${port}: ${why}; ${advice}`));
    };
    const timer = setTimeout(() => fail(`no answer within ${LONGEST_CONNECT / 1000} s`), LONGEST_CONNECT);
    const failed = ({ message }: Error) => fail(message);
    socket.once("error", failed).once("connect", () => {
      clearTimeout(timer);
      socket.off("error", failed);
      resolve(socket);
    });
  });
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
function columns(values: Values, letters: string, calls: number): Column[] {
  const next = Object.fromEntries(LETTERS.map((letter) => [letter, 0]));
  return Array.from(letters as Iterable<Letter>, (letter) => {
    const first = next[letter];
    next[letter] += calls;
    const all = values[letter];
    return Array.isArray(all) ? all.slice(first, first + calls) : all.subarray(first, first + calls);
  });
}

function requireArguments(name: string, takes: string, { values, calls }: Message): void {
  const expected = counted(takes, calls);
  const wrong = LETTERS.find((letter) => values[letter].length !== expected[letter]);
  if (wrong === undefined) return;
  const found = `${values[wrong].length} of type ${wrong}, expected ${expected[wrong]}`;
  throw new GravmeshError("usage", `${name}, ${calls} calls: found ${found}; its arguments are ${takes || "none"}`);
}
