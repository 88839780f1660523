/** What follows from an object is made once: for things that are asked for again and again. */
export function once<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const made = new WeakMap<K, { value: T }>();
  return (of) => {
    const found = made.get(of) ?? { value: make(of) };
    made.set(of, found);
    return found.value;
  };
}
