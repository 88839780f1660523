/** Worker threads that draw particles, one a core. */
import { on } from "node:events";
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

/** Threads for a job; undefined for a small one, without their file, and where they don't know the job's models. */
export async function drawingThreads(
  job: DrawJob,
  {
    threads = Math.min(MOST_THREADS, availableParallelism()),
    least = LEAST_FOR_THREADS,
    file = threadFile(),
  }: { threads?: number; least?: number; file?: URL | undefined } = {},
): Promise<Crew | undefined> {
  if (job.count < least || threads < 2 || !file) return undefined;
  const made: ReturnType<typeof drawingThread>[] = [];
  const dismiss = () => {
    for (const { worker } of made) void worker.terminate();
  };
  try {
    for (let k = 0; k < threads; k++) made.push(drawingThread(file, job));
    await Promise.all(made.map(({ ready }) => ready));
    return { hands: made, dismiss };
  } catch {
    dismiss();
    return undefined;
  }
}

/** One thread: it answers requests in their order, after one word of whether it can draw the job's components. */
function drawingThread(file: URL, job: DrawJob) {
  // What Node was started with is no business of the thread's.
  const worker = new Worker(file, { workerData: job, execArgv: [], stdin: false });
  // An error of the thread rejects who waits for an answer, and whoever asks after that.
  const answers = on(worker, "message", { close: ["exit"] });
  const answer = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Error("a thread that draws particles has ended");
    const [found] = value as [ThreadAnswer];
    if ("failed" in found) throw new Error(found.failed);
    return found;
  };
  const hand: Hand = {
    async draw(task, room) {
      const drawn = answer();
      const request: ThreadRequest = { task, room };
      worker.postMessage(request, room ? [room.positions.buffer, room.velocities.buffer] : []);
      const found = await drawn;
      if (!("drawn" in found)) throw new Error("a thread that draws particles answered out of turn");
      return found.drawn;
    },
  };
  return { ...hand, worker, ready: answer() };
}
