/** What can be wrong with a device, and how it is caught. */
import { GravmeshError } from "../base/errors.ts";

/** A device that is gone rejects without a word. */
export const LOST = "the GPU device was lost";

/** It is gone, and nothing on it can go on; another may be had. */
export class DeviceLost extends GravmeshError {
  constructor(message: string, options?: ErrorOptions) {
    super("device", message, options);
  }
}

/** Its compiler takes a kernel for wrong: the same device refuses it each time. */
export class KernelRefused extends GravmeshError {
  constructor(message: string, options?: ErrorOptions) {
    super("device", message, options);
  }
}

const FILTERS = ["validation", "out-of-memory", "internal"] as const satisfies readonly GPUErrorFilter[];

/** A call that was made, and what went wrong with it: "memory" where the device has no room, else "device". */
export interface Captured<T> {
  value: T;
  error: Promise<GravmeshError | undefined>;
}

/**
 * Errors of the calls that we make, caught where they are made: by error scopes that are opened and closed without a turn
 * of the event loop between, so that the scopes of others on the same device, and their errors, stay theirs.
 */
export function captured<T>(device: GPUDevice, call: () => T): Captured<T> {
  for (const filter of FILTERS) device.pushErrorScope(filter);
  let popped: Promise<GPUError | null>[] = [];
  let value: T;
  try {
    value = call();
  } finally {
    popped = FILTERS.map(() => device.popErrorScope());
    for (const scope of popped) scope.catch(() => {}); // of a lost device, which pending calls report anyway
  }
  const error = Promise.all(popped).then(([internal, memory, validation]) => {
    const first = validation ?? memory ?? internal;
    return first ? new GravmeshError(memory ? "memory" : "device", first.message) : undefined;
  });
  error.catch(() => {});
  return { value, error };
}
