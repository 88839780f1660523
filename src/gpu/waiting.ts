/**
 * Waiting for the GPU without burning a core. While a promise is pending, Dawn for Node polls without pause; sleeping a
 * millisecond between turns of the event loop leaves the core to a software adapter. A GPU has its core, and what it is
 * waited for often takes less than a millisecond: there the sleep begins when that hasn't come soon.
 */

const sleeper = typeof SharedArrayBuffer === "undefined" ? undefined : new Int32Array(new SharedArrayBuffer(4));
const inNode = typeof process !== "undefined" && process.versions?.node !== undefined;

/** Turns without sleep on hardware before the first one with [ms]. */
const POLLED_MS = 4;

/** What is waited for, by whether it may be slept through, and since when. */
const waited = new Set<{ software: boolean; since: number }>();
let turning = false;

/** Resolves as `promise` does; in Node, sleeps in steps of a millisecond meanwhile, on hardware after some polling. */
export function patiently<T>(promise: Promise<T>, software: boolean): Promise<T> {
  if (!inNode || !sleeper) return promise;
  const wait = { software, since: performance.now() };
  waited.add(wait);
  void turn(sleeper);
  return promise.finally(() => waited.delete(wait));
}

/** One loop for all that is waited for. */
async function turn(sleep: Int32Array<SharedArrayBuffer>): Promise<void> {
  if (turning) return;
  turning = true;
  while (waited.size > 0) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const now = performance.now();
    const sleepy = [...waited].every(({ software, since }) => software || now - since > POLLED_MS);
    if (waited.size > 0 && sleepy) Atomics.wait(sleep, 0, 0, 1);
  }
  turning = false;
}
