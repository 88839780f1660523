/**
 * Weak lensing in Born's approximation (Bartelmann & Schneider 2001, eqs 6.18 and 6.21):
 *   κ(n) = ∫ dχ W(χ) δ(χ n, χ),   W = (3 Ωm H0²/2c²) (1 + z) r(χ) r(χs − χ)/r(χs)
 * with χ comoving along the line of sight and r across it, δ that of particles and Ωm theirs: what massive neutrinos add by
 * their own clustering is left out; C_ℓ of κ by Limber's integral with k = (ℓ + 1/2)/r (LoVerde &
 * Afshordi 2008).
 */
import type { Background } from "./background.ts";
import { HUBBLE_LENGTH } from "./constants.ts";
import { Halofit } from "./halofit.ts";
import type { LinearPower } from "./power.ts";
import { eachNode } from "./quadrature.ts";

export class LensKernel {
  /** Comoving distance of the sources [Mpc/h]. */
  readonly distance: number;
  readonly #across: number;
  readonly #factor: number;

  constructor(
    readonly background: Background,
    readonly redshift: number,
  ) {
    this.distance = background.comovingDistance(1 / (1 + redshift));
    this.#across = background.across(this.distance);
    this.#factor = (1.5 * background.today.matter) / HUBBLE_LENGTH ** 2;
  }

  /** W [h/Mpc] at a comoving distance, whose scale factor is a; 0 behind the sources. */
  weight(distance: number, a: number): number {
    if (distance >= this.distance) return 0;
    const { background } = this;
    const before = background.across(distance) * background.across(this.distance - distance);
    return (this.#factor * before) / (a * this.#across);
  }
}

const PANELS = 8;

/** Gauss–Legendre along the line of sight from a distance to the sources: dχ = c dln a/(aH). */
function alongSight(
  kernel: LensKernel,
  nearest: number,
  visit: (a: number, distance: number, part: number) => void,
): void {
  const { background } = kernel;
  const [first, last] = [Math.log(background.scaleFactorAt(nearest)), -Math.log(1 + kernel.redshift)];
  const width = (first - last) / PANELS;
  for (let panel = 0; panel < PANELS; panel++) {
    eachNode(last + panel * width, last + (panel + 1) * width, (x, part) => {
      const a = Math.exp(x);
      visit(a, background.comovingDistance(a), (part * HUBBLE_LENGTH) / (a * background.expansion(a)));
    });
  }
}

/** ∫ dχ W from a distance [Mpc/h] to the sources. */
export function meanConvergence(kernel: LensKernel, nearest: number): number {
  let sum = 0;
  alongSight(kernel, nearest, (a, distance, part) => {
    sum += part * kernel.weight(distance, a);
  });
  return sum;
}

/**
 * C_ℓ of κ at the multipoles `ells` by the linear and the Halofit power, and what shot noise of `density` particles
 * [(h/Mpc)³] adds, all between `nearest` [Mpc/h] and the sources.
 */
export function limber(
  kernel: LensKernel,
  linear: LinearPower,
  ells: ArrayLike<number>,
  { nearest, density }: { nearest: number; density: number },
) {
  const found = { linear: new Float64Array(ells.length), halofit: new Float64Array(ells.length), shotNoise: 0 };
  alongSight(kernel, nearest, (a, distance, part) => {
    const across = kernel.background.across(distance);
    const weight = part * (kernel.weight(distance, a) / across) ** 2;
    const halofit = new Halofit(linear, a);
    for (let i = 0; i < ells.length; i++) {
      const k = (ells[i] + 0.5) / across;
      found.linear[i] += weight * linear.power(k, a);
      found.halofit[i] += weight * halofit.power(k);
    }
    found.shotNoise += weight / density;
  });
  return found;
}
