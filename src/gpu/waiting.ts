/**
 * Waiting for the GPU without burning a core. While a promise is pending, Dawn for Node polls without pause;
 * sleeping a millisecond between turns of the event loop leaves the core to a software adapter.
 */

const sleeper = typeof SharedArrayBuffer === "undefined" ? undefined : new Int32Array(new SharedArrayBuffer(4));
const inNode = typeof process !== "undefined" && process.versions?.node !== undefined;

/** Resolves as `promise` does; in Node, sleeps in steps of a millisecond meanwhile. */
export async function patiently<T>(promise: Promise<T>): Promise<T> {
  if (!inNode || !sleeper) return promise;
  let settled = false;
  const watched = promise.finally(() => {
    settled = true;
  });
  watched.catch(() => {}); // the caller gets the rejection from the await below
  while (!settled) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (!settled) Atomics.wait(sleeper, 0, 0, 1);
  }
  return watched;
}
