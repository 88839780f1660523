/** The last of many requests counts, and one is under way at a time. */
export function latest<T>(work: (value: T) => Promise<unknown>): (value: T) => void {
  let [busy, waiting]: [boolean, T[]] = [false, []];
  return async (value) => {
    waiting = [value];
    if (busy) return;
    busy = true;
    while (waiting.length > 0) {
      const [last] = waiting.splice(0);
      await work(last).catch(() => {});
    }
    busy = false;
  };
}
