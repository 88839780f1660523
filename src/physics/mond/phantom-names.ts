/** Names in a checkpoint: what the solver of the phantom matter's potential remembers lies beside what Newton's does. */
const PREFIX = "phantom:";

export function named<A>(arrays: Record<string, A> = {}): Record<string, A> {
  return Object.fromEntries(Object.entries(arrays).map(([name, array]) => [PREFIX + name, array]));
}

/** The arrays that `named` has named. */
export function unnamed<A>(arrays: Record<string, A>): Record<string, A> {
  const own = Object.entries(arrays).filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(own.map(([name, array]) => [name.slice(PREFIX.length), array]));
}
