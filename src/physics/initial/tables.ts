/** Tabulated functions of one variable: places in rising values, and what lies between two of them. */

/** The last place from `low` on and before `high` whose value is at most x; `low` where none is. `values` rise. */
export function placeBelow(values: ArrayLike<number>, x: number, low: number, high: number): number {
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}

/** Linear interpolation in a table with rising abscissae, constant beyond them. */
export function interpolate(x: number, abscissae: Float64Array, ordinates: Float64Array): number {
  const low = placeBelow(abscissae, x, 0, abscissae.length - 1);
  const width = abscissae[low + 1] - abscissae[low];
  const t = width > 0 ? Math.min(1, Math.max(0, (x - abscissae[low]) / width)) : 0;
  return ordinates[low] + t * (ordinates[low + 1] - ordinates[low]);
}

/** The cubic with these values and slopes at t = 0 and t = 1, which lie `width` apart (Hermite). */
export function cubic(t: number, width: number, values: ArrayLike<number>, slopes: ArrayLike<number>): number {
  const s = 1 - t;
  return (
    s * s * (1 + 2 * t) * values[0] + t * t * (3 - 2 * t) * values[1] + t * s * width * (s * slopes[0] - t * slopes[1])
  );
}

/** Uniform table of a function of one variable, linear between its points, constant beyond them. */
export function uniformTable(start: number, end: number, points: number, value: (x: number) => number) {
  const inverse = (points - 1) / (end - start);
  const values = Float64Array.from({ length: points }, (_, i) => value(start + i / inverse));
  return (x: number) => {
    const position = Math.min(points - 1, Math.max(0, (x - start) * inverse));
    const i = Math.min(points - 2, Math.floor(position));
    return values[i] + (position - i) * (values[i + 1] - values[i]);
  };
}
