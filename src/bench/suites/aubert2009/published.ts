/**
 * The figures that Aubert, Amini & David (2009) print in their text. Their figures 2, 3 and 4 are plots without numbers:
 * what isn't in the text is not here. Speed-ups are of the GPU over the CPU.
 */

/** Their largest mesh, at which most of their figures hold. */
export const LARGE = 128;
export const PAPER_SIZES = [32, 64, 128] as const;

/** Speed-up of a step (figure 2, section 3.2) [cells, speed-up]: their full GPU and their GPU mixed. */
export const STEP_GAINS = {
  fft: {
    sort: [
      [32, 1.6],
      [128, 11.5],
    ],
    host: [
      [32, 2.5],
      [128, 18],
    ],
  },
  multigrid: { sort: [[128, 43]], host: [[128, 52]] },
} as const satisfies Record<string, Record<"sort" | "host", readonly (readonly [number, number])[]>>;
/** And at every size with multigrid. */
export const MULTIGRID_GAIN = { atLeast: 10 };

/** Shares of a step at 128³ [%] (figure 3, section 3.3). */
export const SHARES = {
  cpuPoisson: { fft: 75, multigrid: 100 },
  gpuHistogram: { fft: 60, multigrid: [10, 20] },
} as const;
/** Of the same: the histogram by sorting over that by the host; that over Poisson; Poisson's solvers over each other. */
export const SORT_OVER_HOST = 2;
export const HOST_OVER_POISSON = 1;
export const MULTIGRID_OVER_FFT = 10;

/** Speed-up of each stage at 128³, by its name in the plot (figure 4, section 3.4). */
export const STAGE_GAINS = {
  FFT: 40,
  multigrid: 60,
  gradient: [5, 120],
  update: [5, 120],
} as const;
/** That of the histogram, by size. */
export const HISTOGRAM_GAINS = { sort: { 32: 0.1, 128: 0.2 }, host: { 128: 0.5 } } as const;
/** For sphere and disk the host's takes at least so much longer. */
export const HOST_CONCENTRATED = { atMost: 1 / 1.15 };
/** Of the transforms, by size (section 3.4). */
export const TRANSFORM_GAINS = { 32: 2, 64: 16, 128: 40 } as const;

/** The bound on |ΔE/E| over a time unit that the paper sets itself, section 3.1. */
export const ENERGY_BOUND = 1e-3;
