/**
 * Nonlinear power by Halofit, for comparison in reports, of what the linear power is of: with massive neutrinos, cold matter and
 * baryons. Smith et al. 2003, appendix C, with the coefficients of Takahashi et al. 2012, appendix, who state 5 % for k < 1 h/Mpc
 * and 10 % for k < 10 h/Mpc at redshifts up to 10 and 3.
 *   Δ²(k) = k³P/(2π²),  y = k/kσ,  σ(1/kσ) = 1 with a Gaussian window,
 *   n + 3 = −d ln σ²/d ln R,  C = −d² ln σ²/d ln R²  there.
 */
import { eachWaveNumber, type LinearPower } from "./power.ts";

/** Where 1/kσ is looked for [Mpc/h]. */
const SMALLEST_SCALE = 1e-4;
const LARGEST_SCALE = 1e3;
/** Range of k in units of 1/R beyond which e^{−k²R²} or the power leaves nothing. */
const WINDOW_END = 7;
const LOWEST = 1e-5;

export class Halofit {
  /** Nonlinear wave number kσ [h/Mpc]; undefined where fluctuations are linear on all scales, and so is the result. */
  readonly kSigma: number | undefined;
  /** Effective spectral index n. */
  readonly index: number = Number.NaN;
  /** C */
  readonly curvature: number = Number.NaN;

  constructor(
    private readonly linear: LinearPower,
    private readonly a = 1,
  ) {
    const R = unitVarianceScale(linear, a);
    if (R === undefined) return;
    const { variance, first, second } = gaussianVariance(linear, a, R);
    const slope = first / variance;
    this.kSigma = 1 / R;
    this.index = -3 - slope;
    this.curvature = slope * slope - second / variance;
  }

  /** P(k) [(Mpc/h)³]; k [h/Mpc]. */
  power(k: number): number {
    const linear = this.linear.power(k, this.a);
    if (this.kSigma === undefined || k === 0) return linear;
    const unit = k ** 3 / (2 * Math.PI * Math.PI);
    return this.#dimensionless(k / this.kSigma, unit * linear) / unit;
  }

  /** Δ² from y = k/kσ and the linear Δ². */
  #dimensionless(y: number, linear: number): number {
    const { index: n, curvature: C } = this;
    const { background } = this.linear;
    const { matter: cold, neutrinos, darkEnergy } = background.fractions(this.a);
    const matter = cold + neutrinos;
    const w = darkEnergy * (1 + background.equationOfState(this.a));
    const an = 10 ** (1.5222 + n * (2.8553 + n * (2.3706 + n * (0.9903 + n * 0.225))) - 0.6038 * C + 0.1749 * w);
    const bn = 10 ** (-0.5642 + n * (0.5864 + n * 0.5716) - 1.5474 * C + 0.2279 * w);
    const cn = 10 ** (0.3698 + n * (2.0404 + n * 0.8161) + 0.5869 * C);
    const gamma = 0.1971 - 0.0843 * n + 0.846 * C;
    const alpha = Math.abs(6.0835 + n * (1.3373 - n * 0.1959) - 5.5274 * C);
    const beta = 2.0379 + n * (-0.7354 + n * (0.3157 + n * (1.249 + n * 0.398))) - 0.1682 * C;
    const nu = 10 ** (5.2105 + 3.6902 * n);
    const [f1, f2, f3] = matterFactors(matter, darkEnergy);

    const quasilinear = ((linear * (1 + linear) ** beta) / (1 + alpha * linear)) * Math.exp(-y / 4 - (y * y) / 8);
    const halo = (an * y ** (3 * f1)) / (1 + bn * y ** f2 + (cn * f3 * y) ** (3 - gamma));
    return quasilinear + halo / (1 + nu / (y * y));
  }
}

/** f1, f2, f3 of Smith et al. 2003, eqs C17 and C18: between open and flat by dark energy's share of what isn't matter. */
function matterFactors(matter: number, darkEnergy: number): [number, number, number] {
  const share = matter === 1 ? 1 : darkEnergy / (1 - matter);
  const between = (flat: number, open: number) => share * matter ** flat + (1 - share) * matter ** open;
  return [between(-0.0307, -0.0732), between(-0.0585, -0.1423), between(0.0743, 0.0725)];
}

/** σ² with a Gaussian window e^{−k²R²/2}, and its first and second derivative in ln R. */
function gaussianVariance(linear: LinearPower, a: number, R: number) {
  let [variance, first, second] = [0, 0, 0];
  eachWaveNumber(LOWEST, WINDOW_END / R, 1 / R, (k, weight) => {
    const s = (k * R) ** 2;
    const density = (weight / k) * linear.dimensionless(k, a) * Math.exp(-s);
    variance += density;
    first -= 2 * s * density;
    second += 4 * s * (s - 1) * density;
  });
  return { variance, first, second };
}

/** R where σ = 1, by bisection in ln R and Newton at the end; undefined where there is none. */
function unitVarianceScale(linear: LinearPower, a: number): number | undefined {
  let [low, high] = [Math.log(SMALLEST_SCALE), Math.log(LARGEST_SCALE)];
  if (gaussianVariance(linear, a, SMALLEST_SCALE).variance < 1) return undefined;
  while (high - low > 0.1) {
    const middle = 0.5 * (low + high);
    if (gaussianVariance(linear, a, Math.exp(middle)).variance > 1) low = middle;
    else high = middle;
  }
  let x = 0.5 * (low + high);
  for (let iteration = 0; iteration < 6; iteration++) {
    const { variance, first } = gaussianVariance(linear, a, Math.exp(x));
    x -= (Math.log(variance) * variance) / first;
  }
  return Math.exp(x);
}
