/** What can be wrong with a device beside its room, for those who report it: both are of the kind "device". */
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
