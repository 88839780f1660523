/**
 * The thread that holds the connection to AMUSE. It hears of a peer that is gone while the other one computes, and ends the
 * process where that one doesn't come to it.
 */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** What the thread says: that there is a connection, what came, or why there is none, or none any more. */
export type Heard = "connected" | Uint8Array<ArrayBuffer> | { gone: string };
/** What it is told: to send, or to send and end. */
export interface Sending {
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

const { host, port } = workerData as Peer;
const say = (heard: Heard) => parentPort!.postMessage(heard, heard instanceof Uint8Array ? [heard.buffer] : []);

let ends = false;
const socket = connect({
  ...{ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: ALIVE },
  onread: {
    buffer: new Uint8Array(READ_BYTES),
    callback: (bytes, buffer) => {
      say(new Uint8Array(buffer.slice(0, bytes)));
      return true;
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

parentPort!.on("message", ({ parts, last }: Sending) => {
  socket.cork();
  for (const part of parts) socket.write(part);
  socket.uncork();
  if (!last) return;
  ends = true;
  socket.destroySoon();
  parentPort!.close();
});
