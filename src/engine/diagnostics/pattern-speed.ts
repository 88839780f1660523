/**
 * How fast a pattern of m arms turns, from its phase at many times:
 *   Ω_p = Σ (t − t̄)(φ − φ̄) / Σ (t − t̄)²     the least-squares slope over a window of rows
 * and from the Fourier transform of C_m(R, t) over a window in time, without following any phase (Sellwood & Athanassoula
 * 1986, section 4.1, in rings instead of along spirals):
 *   S_m(R, Ω) = |Σ_j w_j C_m(R, t_j) e^{−imΩt_j}| / Σ_j w_j,  w_j = Δt_j · cos²(π (t_j − t̄)/T)
 * A pattern that turns steadily has a peak of its own height A_m(R) at its Ω_p. Times further apart than half a turn by 2π/m
 * can't be distinguished from slower ones: |Ω_p| < π/(m Δt).
 */

/** Phases of a pattern of m arms [rad], each within π/m of the one before; NaN is left out and left where it is. */
export function unwrapped(phases: readonly number[], m: number): number[] {
  const period = (2 * Math.PI) / m;
  let last = Number.NaN;
  return phases.map((phase) => {
    if (Number.isNaN(phase)) return phase;
    last = Number.isNaN(last) ? phase : phase - period * Math.round((phase - last) / period);
    return last;
  });
}

/** The largest speed that rows at these times can tell, for m arms [1/time]. */
export function fastestTold(times: readonly number[], m: number): number {
  const gaps = times.slice(1).map((t, i) => t - times[i]);
  return gaps.length === 0 ? 0 : Math.PI / (m * Math.max(...gaps));
}

/** Slope of unwrapped phases at each time, over the rows there are of `window` with this one in the middle; NaN of two. */
export function patternSpeeds(times: readonly number[], phases: readonly number[], window: number): number[] {
  const half = Math.floor(window / 2);
  return times.map((_, i) => {
    const from = Math.max(0, i - half);
    const near = phases
      .slice(from, i + half + 1)
      .flatMap((phase, k) => (Number.isNaN(phase) ? [] : [[times[from + k], phase]]));
    if (near.length < 3) return Number.NaN;
    const [t0, p0] = [0, 1].map((k) => near.reduce((sum, one) => sum + one[k], 0) / near.length);
    const across = near.reduce((sum, [t, p]) => sum + (t - t0) * (p - p0), 0);
    return across / near.reduce((sum, [t]) => sum + (t - t0) ** 2, 0);
  });
}

export interface SpectrogramRequest {
  /** [T] */
  times: readonly number[];
  /** Amplitude and phase, A_m e^{imφ_m}, in B rings, [T·B] each. */
  amplitude: ArrayLike<number>;
  phase: ArrayLike<number>;
  m: number;
  /** Rows of the window. */
  from: number;
  to: number;
  /** [K] [1/time] */
  speeds: readonly number[];
}

/** S_m(R, Ω) [K·B], rows by speed; rings that are empty at a time count as round there. */
export function spectrogram({ times, amplitude, phase, m, from, to, speeds }: SpectrogramRequest): Float64Array {
  const bins = amplitude.length / times.length;
  const weights = windowWeights(times, from, to);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const [real, imaginary] = [new Float64Array(speeds.length * bins), new Float64Array(speeds.length * bins)];
  for (const [j, weight] of weights.entries()) {
    const turns = speeds.map((speed) => -m * speed * times[from + j]);
    const [cosines, sines] = [turns.map(Math.cos), turns.map(Math.sin)];
    for (let b = 0; b < bins; b++) {
      const at = (from + j) * bins + b;
      if (!(amplitude[at] > 0)) continue;
      const [re, im] = [Math.cos, Math.sin].map((of) => weight * amplitude[at] * of(m * phase[at]));
      for (let k = 0; k < speeds.length; k++) {
        real[k * bins + b] += re * cosines[k] - im * sines[k];
        imaginary[k * bins + b] += re * sines[k] + im * cosines[k];
      }
    }
  }
  return real.map((re, i) => Math.hypot(re, imaginary[i]) / whole);
}

/** w_j of rows `from` to before `to`. */
function windowWeights(times: readonly number[], from: number, to: number): number[] {
  const first = times[from];
  const last = times[to - 1];
  // Half an interval beyond either end, so that the first and the last row count, too.
  const length = ((last - first) * (to - from)) / Math.max(1, to - from - 1);
  return times.slice(from, to).map((t, j) => {
    const before = times[from + Math.max(0, j - 1)];
    const after = times[Math.min(to - 1, from + j + 1)];
    return (after - before) * Math.cos((Math.PI * (t - (first + last) / 2)) / length) ** 2;
  });
}
