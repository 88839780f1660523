/** Worker threads that draw particles, one a core. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Crew, DrawJob, DrawnArrays, DrawTask, Hand } from "./crew.ts";

/** Particles from which on threads are quicker than it takes to start them. */
export const LEAST_FOR_THREADS = 2 ** 19;
/** More would only wait for the one that takes their blocks. */
const MOST_THREADS = 16;

/** What a thread is asked for. */
export interface ThreadRequest {
  task: DrawTask;
  room?: DrawnArrays | undefined;
}

/** Its first answer is `ready`, or `failed` where it can't draw these components; then one for each request. */
export type ThreadAnswer = { ready: true } | { failed: string } | { drawn: DrawnArrays };

/** The file that a thread runs, beside the bundle that this is part of; undefined in a bundle of somebody else's. */
function threadFile(): URL | undefined {
  const { url } = import.meta;
  if (!url?.startsWith("file:")) return undefined;
  const places = ["./drawing-thread.js", "../node/drawing-thread.js"].map((path) => new URL(path, url));
  return places.find((place) => existsSync(fileURLToPath(place)));
}

/**
 * Threads for a job. Undefined where it is small, where there is one core only, where their file isn't there, or where they can't draw the
 * job's components (those of models that were registered here are known here alone).
 */
export async function drawingThreads(
  job: DrawJob,
  {
    threads = Math.min(MOST_THREADS, availableParallelism()),
    least = LEAST_FOR_THREADS,
    file = threadFile(),
  }: { threads?: number; least?: number; file?: URL | undefined } = {},
): Promise<Crew | undefined> {
  if (job.count < least || threads < 2 || !file) return undefined;
  const hands: DrawingThread[] = [];
  const dismiss = () => {
    for (const hand of hands) hand.end();
  };
  try {
    for (let k = 0; k < threads; k++) hands.push(new DrawingThread(file, job));
    await Promise.all(hands.map((hand) => hand.ready));
    return { hands, dismiss };
  } catch {
    dismiss();
    return undefined;
  }
}

class DrawingThread implements Hand {
  readonly #worker: Worker;
  /** Who waits for an answer, the first for the next. */
  readonly #waiting: { resolve: (answer: ThreadAnswer) => void; reject: (error: unknown) => void }[] = [];
  readonly ready: Promise<unknown>;
  #error: unknown;

  constructor(file: URL, job: DrawJob) {
    // What Node was started with is no business of the thread's.
    this.#worker = new Worker(file, { workerData: job, execArgv: [], stdin: false });
    this.ready = this.#answer();
    this.#worker.on("message", (answer: ThreadAnswer) => {
      const one = this.#waiting.shift();
      if ("failed" in answer) one?.reject(new Error(answer.failed));
      else one?.resolve(answer);
    });
    const end = (error: unknown) => {
      this.#error ??= error;
      for (const { reject } of this.#waiting.splice(0)) reject(this.#error);
    };
    this.#worker.on("error", end);
    this.#worker.on("messageerror", end);
    this.#worker.on("exit", (code) => end(new Error(`a thread that draws particles ended with ${code}`)));
  }

  async draw(task: DrawTask, room?: DrawnArrays): Promise<DrawnArrays> {
    const answer = this.#answer();
    const request: ThreadRequest = { task, room };
    this.#worker.postMessage(request, room ? [room.positions.buffer, room.velocities.buffer] : []);
    const found = await answer;
    if (!("drawn" in found)) throw new Error("a thread that draws particles answered out of turn");
    return found.drawn;
  }

  end(): void {
    this.#worker.removeAllListeners("exit");
    void this.#worker.terminate();
  }

  #answer(): Promise<ThreadAnswer> {
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}
