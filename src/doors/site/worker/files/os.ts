/** What the readers of snapshots ask of Node's `os`, in a page. */

/** A browser says how many GiB there are, and some say nothing. */
const GIB = 2 ** 30;
const USUAL = 8;

export const constants = { errno: {} };
export const hostname = () => "page";

export function totalmem(): number {
  const { deviceMemory = USUAL } = globalThis.navigator as { deviceMemory?: number };
  return deviceMemory * GIB;
}
