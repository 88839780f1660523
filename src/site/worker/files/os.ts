/** What the readers of snapshots ask of Node's `os`, in a page. */

/** A browser tells a page of up to so much memory, and some of none [byte]. */
const GIB = 2 ** 30;
const USUAL = 8;

export const constants = { errno: {} };
export const hostname = () => "page";

/** Of the machine, as far as the browser tells. */
export function totalmem(): number {
  const { deviceMemory = USUAL } = globalThis.navigator as { deviceMemory?: number };
  return deviceMemory * GIB;
}
