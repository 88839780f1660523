/**
 * Growth rate of a mode: the slope of ln A against time, by least squares, over the time in which it grows alone. That
 * begins when what else the start held has mixed away, and ends when A is no longer small.
 */

/** Of l = 2 within the measured radius; bars of these models end at about 0.3. */
export const LARGEST_LINEAR = 0.1;
/** Equal parts of the time, from whose slopes the error follows. */
const PARTS = 4;
/** Samples that each part needs. */
const LEAST_SAMPLES = 3;

export interface Fit {
  /** γ [1/time], and the standard error of the mean of the slopes of equal parts of the time. */
  rate: number;
  error: number;
  /** [time] */
  from: number;
  to: number;
}

/** `amplitudes` at `times`; `mixed`: when the start is forgotten. Undefined where too little is left. */
export function growthRate(times: readonly number[], amplitudes: readonly number[], mixed: number): Fit | undefined {
  const late = amplitudes.findIndex((amplitude, i) => times[i] >= mixed && amplitude > LARGEST_LINEAR);
  const points: Point[] = [];
  times.slice(0, late < 0 ? undefined : late).forEach((time, i) => {
    if (time >= mixed && amplitudes[i] > 0) points.push([time, Math.log(amplitudes[i])]);
  });
  const part = Math.floor(points.length / PARTS);
  if (part < LEAST_SAMPLES) return undefined;
  const slopes = Array.from({ length: PARTS }, (_, k) => slope(points.slice(k * part, (k + 1) * part)));
  const mean = slopes.reduce((sum, one) => sum + one, 0) / PARTS;
  const variance = slopes.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (PARTS - 1);
  return {
    rate: slope(points),
    error: Math.sqrt(variance / PARTS),
    from: points[0][0],
    to: points[points.length - 1][0],
  };
}

type Point = [time: number, logarithm: number];

function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([time]) => time), mean(([, value]) => value)];
  return mean(([time, value]) => (time - x) * (value - y)) / mean(([time]) => (time - x) ** 2);
}
