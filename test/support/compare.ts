/** Where two arrays first differ, or "same": fast on millions of entries, and a failure shows the place. */
export function firstDifference(found: ArrayLike<number>, expected: ArrayLike<number>): string {
  if (found.length !== expected.length) return `lengths ${found.length} and ${expected.length}`;
  for (let i = 0; i < found.length; i++) {
    if (found[i] !== expected[i]) return `at ${i}: found ${found[i]}, expected ${expected[i]}`;
  }
  return "same";
}
