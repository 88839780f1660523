/**
 * Errors of the calls that we make, caught where they are made: by error scopes that are opened and closed without a turn
 * of the event loop between, so that the scopes of others on the same device, and their errors, stay theirs.
 */
import { GravmeshError } from "../base/errors.ts";

const FILTERS = ["validation", "out-of-memory", "internal"] as const satisfies readonly GPUErrorFilter[];

/** A call that was made, and what went wrong with it: "memory" where the device has no room, else "device". */
export interface Captured<T> {
  value: T;
  error: Promise<GravmeshError | undefined>;
}

export function captured<T>(device: GPUDevice, call: () => T): Captured<T> {
  for (const filter of FILTERS) device.pushErrorScope(filter);
  let popped: Promise<GPUError | null>[] = [];
  let value: T;
  try {
    value = call();
  } finally {
    popped = FILTERS.map(() => device.popErrorScope());
    for (const scope of popped) scope.catch(() => {}); // of a lost device, which whoever waits hears of anyway
  }
  const error = Promise.all(popped).then(([internal, memory, validation]) => {
    const first = validation ?? memory ?? internal;
    return first ? new GravmeshError(memory ? "memory" : "device", first.message) : undefined;
  });
  error.catch(() => {});
  return { value, error };
}
