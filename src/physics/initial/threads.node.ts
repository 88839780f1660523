/** Worker threads that draw particles, one a core. */
import { on } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { DrawJob, DrawnArrays, Hand, WorkerPool } from "./worker-pool.ts";

/** Particles from which on threads are quicker than it takes to start them. */
export const LEAST_FOR_THREADS = 2 ** 19;
/** More would only wait for the one that takes their blocks. */
const MOST_THREADS = 16;

/** What a thread is asked for. Its first answer says that it is ready, the others are what was drawn. */
export type ThreadRequest = Parameters<Hand["draw"]>;

/** The file that a thread runs, next to the bundle that this is part of; undefined in another program's bundle. */
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
): Promise<WorkerPool | undefined> {
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

/** One thread, which answers requests in their order. */
function drawingThread(file: URL, job: DrawJob) {
  // What Node was started with is no business of the thread's.
  const worker = new Worker(file, { workerData: job, execArgv: [], stdin: false });
  // An error of the thread rejects the answer that is waited for, and all after it.
  const answers = on(worker, "message", { close: ["exit"] });
  const answer = async (): Promise<DrawnArrays> => {
    const { value, done } = await answers.next();
    if (done) throw new Error("a thread that draws particles has ended");
    return value[0];
  };
  const draw: Hand["draw"] = (...request: ThreadRequest) => {
    const drawn = answer();
    const [, room] = request;
    worker.postMessage(request, room ? [room.positions.buffer, room.velocities.buffer] : []);
    return drawn;
  };
  return { draw, worker, ready: answer() };
}
