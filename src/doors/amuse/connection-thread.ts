/**
 * The thread that holds the connection to AMUSE. It hears of a peer that is gone while the other one computes, and ends the
 * process where that one doesn't come to it.
 */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** What the thread says: that there is a connection, what came, that all was sent, or why there is none, or none any more. */
export type Heard = "connected" | Uint8Array<ArrayBuffer> | "sent" | { gone: string };
/** What it is told: that a piece of what came was taken, to send, or to send and end. */
export type Told = "taken" | Sending;
interface Sending {
  parts: readonly Uint8Array[];
  last: boolean;
}
export interface Peer {
  host: string;
  port: number;
}

/** AMUSE listens before it starts a worker [ms]. */
const LONGEST_CONNECT = 5000;
/** A machine that doesn't answer is asked after so long without a word [ms]. */
const ALIVE = 1000;
/** How long the other thread may compute after the peer has gone [ms]. */
const GRACE = 2000;
/** Read at a time. */
const READ_BYTES = 2 ** 20;
/** So many pieces may wait to be taken; then the peer has to. */
const MOST_PIECES = 64;

const { host, port } = workerData as Peer;
const say = (heard: Heard) => parentPort!.postMessage(heard, heard instanceof Uint8Array ? [heard.buffer] : []);

let [ends, pieces] = [false, 0];
const socket = connect({
  ...{ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: ALIVE },
  onread: {
    buffer: new Uint8Array(READ_BYTES),
    callback: (bytes, buffer) => {
      say(new Uint8Array(buffer.slice(0, bytes)));
      return ++pieces < MOST_PIECES;
    },
  },
});
const timer = setTimeout(() => gone(`no answer within ${LONGEST_CONNECT / 1000} s`), LONGEST_CONNECT);
socket.once("connect", () => {
  clearTimeout(timer);
  say("connected");
});
socket
  .on("error", ({ message }) => gone(message))
  .on("end", () => gone(""))
  .on("close", () => gone(""));

function gone(why: string): void {
  if (ends) return;
  ends = true;
  clearTimeout(timer);
  socket.destroy();
  say({ gone: why });
  setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE);
}

parentPort!.on("message", (told: Told) => {
  if (told === "taken") {
    if (pieces-- === MOST_PIECES) socket.resume();
    return;
  }
  const { parts, last } = told;
  socket.cork();
  for (const [k, part] of parts.entries()) socket.write(part, () => k === parts.length - 1 && say("sent"));
  socket.uncork();
  if (!last) return;
  ends = true;
  socket.destroySoon();
  parentPort!.close();
});
