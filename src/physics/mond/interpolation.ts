/**
 * Interpolating functions of modified Newtonian dynamics: ν(y) of QUMOND, g = ν(g_N/a0) g_N of a sphere, and μ(x) of AQUAL,
 * μ(g/a0) g = g_N, which is its inverse: x = y ν(y), y = x μ(x) (Famaey & McGaugh 2012, sect. 6.2). ν is given less one, as
 * the phantom matter has it: nothing is lost where the field is Newton's.
 */
export interface InterpolatingFunction {
  /** For the deck's documentation. */
  meaning: string;
  /** ν(y) − 1, for y > 0. */
  nuMinusOne(y: number): number;
  /** μ(x), for x > 0. */
  mu(x: number): number;
  /** d ln μ/d ln x. */
  muSlope(x: number): number;
  /** The three as WGSL expressions of y and x, where μ is one. */
  wgsl: { nuMinusOne: string; mu: string; muSlope: string } | { nuMinusOne: string };
}

/** Bisections to all of float64's digits, however small y is. */
const BISECTIONS = 120;

/** y of x = y ν(y), with ν at least 1. */
function inverse(x: number, nuMinusOne: (y: number) => number): number {
  let low = 0;
  let high = x;
  for (let step = 0; step < BISECTIONS; step++) {
    const y = 0.5 * (low + high);
    if (y * (1 + nuMinusOne(y)) > x) high = y;
    else low = y;
  }
  return 0.5 * (low + high);
}

const mcgaughNu = (y: number) => 1 / Math.expm1(Math.sqrt(y));

export const interpolatingFunctions = {
  simple: {
    meaning: "ν = ½ + √(¼ + 1/y), μ = x/(1 + x) (Famaey & Binney 2005)",
    nuMinusOne: (y) => 2 / (y + Math.sqrt(y * (y + 4))),
    mu: (x) => x / (1 + x),
    muSlope: (x) => 1 / (1 + x),
    wgsl: { nuMinusOne: "2.0 / (y + sqrt(y * (y + 4.0)))", mu: "x / (1.0 + x)", muSlope: "1.0 / (1.0 + x)" },
  },
  standard: {
    meaning: "ν² = ½ + √(¼ + 1/y²), μ = x/√(1 + x²) (Milgrom 1983)",
    nuMinusOne: (y) => {
      const excess = 2 / (y * (y + Math.sqrt(y * y + 4)));
      return excess / (1 + Math.sqrt(1 + excess));
    },
    mu: (x) => x / Math.sqrt(1 + x * x),
    muSlope: (x) => 1 / (1 + x * x),
    wgsl: {
      nuMinusOne: "2.0 / (y * (y + sqrt(y * y + 4.0))) / (1.0 + sqrt(1.0 + 2.0 / (y * (y + sqrt(y * y + 4.0)))))",
      mu: "x / sqrt(1.0 + x * x)",
      muSlope: "1.0 / (1.0 + x * x)",
    },
  },
  mcgaugh2016: {
    meaning: "ν = 1/(1 − exp(−√y)) (McGaugh, Lelli & Schombert 2016)",
    nuMinusOne: mcgaughNu,
    mu: (x) => inverse(x, mcgaughNu) / x,
    muSlope(x) {
      const y = inverse(x, mcgaughNu);
      const root = Math.sqrt(y);
      // d ln x/d ln y = 1 + d ln ν/d ln y
      return 1 / (1 - 0.5 * root * mcgaughNu(y)) - 1;
    },
    // The rest of exp(t) − 1 where 1 is nearly all of it.
    wgsl: {
      nuMinusOne:
        "1.0 / select(exp(min(sqrt(y), 80.0)) - 1.0, sqrt(y) * (1.0 + sqrt(y) * (0.5 + sqrt(y) * (1.0 / 6.0 + sqrt(y) / 24.0))), y < 0.01)",
    },
  },
  deep: {
    meaning: "ν = y^(−1/2), μ = x: the deep regime everywhere, for tests",
    nuMinusOne: (y) => 1 / Math.sqrt(y) - 1,
    mu: (x) => x,
    muSlope: () => 1,
    wgsl: { nuMinusOne: "1.0 / sqrt(y) - 1.0", mu: "x", muSlope: "1.0" },
  },
} as const satisfies Record<string, InterpolatingFunction>;

export type Interpolation = keyof typeof interpolatingFunctions;

/** Least y that ν is asked for: ν y stays finite where the field vanishes. */
const LEAST_Y = 1e-12;

/** ν(g/a0) − 1: the phantom matter's share of a field of strength g. */
export function phantomShare(name: Interpolation, a0: number, g: number): number {
  return interpolatingFunctions[name].nuMinusOne(Math.max(g / a0, LEAST_Y));
}

/** What a field of strength g stands for: ν(g/a0) g. */
export function modified(name: Interpolation, a0: number, g: number): number {
  return g * (1 + phantomShare(name, a0, g));
}

/** Newton's field of a modified one: μ(g/a0) g. */
export function newtonian(name: Interpolation, a0: number, g: number): number {
  return g === 0 ? 0 : g * interpolatingFunctions[name].mu(g / a0);
}
