/**
 * Criteria of the time step, as functions of the sizes of acceleration a and its derivatives: jerk j, snap s,
 * crackle c, a4, a5. Of one particle at one time: the end of its step.
 *   leapfrog   √(2νε/|a|)
 *   Hermite 4  √(ν(|a||s| + |j|²)/(|j||c| + |s|²)),       to start κν|a|/|j|     (Portegies Zwart+ 2007, eqs. 9 and 2)
 *   Hermite 6  η[(|a||s| + |j|²)/(|c||a5| + |a4|²)]^{1/6}, to start κη√(|a|/|s|)  (Nitadori & Makino 2008)
 * Without anything to tell a step by (0/0: a particle alone) a criterion is infinite: the largest step will do.
 */

/** κ, an eighth: a jerk or snap that happens to be small makes a first step far too long (docs/integrators.md). */
const FIRST_STEP = 1 / 8;

function ratio(above: number, below: number): number {
  return above === 0 && below === 0 ? Number.POSITIVE_INFINITY : above / below;
}

/** [time] */
export function leapfrogStep(nu: number, softening: number, a: number): number {
  return a === 0 ? Number.POSITIVE_INFINITY : Math.sqrt((2 * nu * softening) / a);
}

/** [time] */
export function hermite4FirstStep(nu: number, a: number, j: number): number {
  return FIRST_STEP * nu * ratio(a, j);
}

/** [time] */
export function hermite4Step(nu: number, a: number, j: number, s: number, c: number): number {
  return Math.sqrt(nu * ratio(a * s + j * j, j * c + s * s));
}

/** [time] */
export function hermite6FirstStep(eta: number, a: number, s: number): number {
  return FIRST_STEP * eta * Math.sqrt(ratio(a, s));
}

/** Of |a|, |j|, |s|, |c|, |a4|, |a5| [time]. */
export function hermite6Step(eta: number, [a, j, s, c, a4, a5]: readonly number[]): number {
  return eta * ratio(a * s + j * j, c * a5 + a4 * a4) ** (1 / 6);
}

/** Size of the vector whose x is at `at` in an array of vectors. */
export function norm(vectors: Float64Array, at: number): number {
  return Math.sqrt(vectors[at] * vectors[at] + vectors[at + 1] * vectors[at + 1] + vectors[at + 2] * vectors[at + 2]);
}
