/** The sources of a run's direct sum: bodies with mass, in their order. Tracers attract nothing and are left out. */

export interface Massive {
  /** Rows of the bodies with mass [M], ascending. */
  rows: Uint32Array;
  /** M; one where none has mass, whose force is zero. */
  count: number;
  /** One past the last of them. */
  end: number;
  /** Whether they are the first: no tracer lies between them. */
  inFront: boolean;
}

/** Which of the bodies have mass, by their masses [N]. */
export function massiveOf(masses: Float64Array): Massive {
  const rows = Uint32Array.from({ length: masses.length }, (_, i) => i).filter((i) => masses[i] > 0);
  const count = Math.max(1, rows.length);
  const end = rows.length > 0 ? rows[rows.length - 1] + 1 : 1;
  return { rows, count, end, inFront: end === count };
}
