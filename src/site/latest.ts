/** The last of many requests counts, and one is under way at a time. */
export function latest<T>(work: (value: T) => Promise<unknown>): (value: T) => void {
  let [busy, next]: [boolean, { value: T } | undefined] = [false, undefined];
  const go = async (value: T) => {
    busy = true;
    await work(value).catch(() => {});
    busy = false;
    if (next) {
      const { value: last } = next;
      next = undefined;
      void go(last);
    }
  };
  return (value) => {
    if (busy) next = { value };
    else void go(value);
  };
}
