/**
 * Massive neutrinos by linear response to the gravity of all matter (Ali-Haïmoud & Bird 2013, MNRAS 428, 3375, eqs 52–58):
 *   δν(k, s) = ∫ S(s') (s − s') Φ(k u (s − s')) ds',   S = (3/2) H0² a (Ωcb δcb + Ων δν),   ds = dt/a²
 *   Φ(κ) = [4/(3 ζ(3))] Σ (−1)^{n+1} n/(n² + κ²)²,   u = c k T₀/(m c²),
 * Φ the Fermi–Dirac distribution's transform: free streaming. Between the times of the history S is linear in s, and the
 * integrals of κ Φ over it are exact: M₁ = ∫ κ Φ dκ, M₂ = ∫ M₁ dκ. Neutrinos are non-relativistic in it, and at rest with
 * cold matter at EARLIEST.
 * k in h/Mpc, s in Mpc/h/(km/s).
 */
import type { Background } from "./background.ts";
import { HUBBLE, LIGHT } from "./constants.ts";
import { Spline } from "./interpolation.ts";
import { ComovingClock } from "./steps.ts";

/** Where linear theory begins, and its steps in ln a. */
const EARLIEST = 1e-4;
const THEORY_STEP = 0.05;
/** Terms of the alternating series, whose rest is that of Boole. */
const TERMS = 24;
const ZETA_3 = 1.2020569031595942;
const UNIT = 2 / (3 * ZETA_3);

/** UNIT Σ (−1)^{n+1} f(n) from f and its derivative. */
function alternating(f: (n: number) => number, slope: (n: number) => number): number {
  let sum = 0;
  for (let n = 1; n < TERMS; n += 2) sum += f(n) - f(n + 1);
  return UNIT * (sum + 0.5 * f(TERMS + 1) - 0.25 * slope(TERMS + 1));
}

/** ∫₀^κ κ Φ dκ */
export const firstIntegral = (kappa: number): number => {
  const square = kappa * kappa;
  return alternating(
    (n) => square / (n * (n * n + square)),
    (n) => (-square * (3 * n * n + square)) / (n * (n * n + square)) ** 2,
  );
};

/** ∫₀^κ of it. */
export const secondIntegral = (kappa: number): number =>
  alternating(
    (n) => kappa / n - Math.atan(kappa / n),
    (n) => -(kappa ** 3) / (n * n * (n * n + kappa * kappa)),
  );

/** Density contrasts of neutrinos at some wave numbers, from those of cold matter and baryons. */
export class NeutrinoHistory {
  /** Scale factors, ascending. */
  readonly times: number[] = [];
  /** S at them [times][wave numbers]. */
  readonly sources: Float64Array[] = [];
  readonly #s: number[] = [];

  constructor(
    private readonly background: Background,
    /** [h/Mpc] */
    private readonly k: Float64Array,
  ) {}

  /** Takes in S at a later a that is known. */
  append(a: number, source: Float64Array): void {
    this.#s.push(this.#superconformal(a));
    this.times.push(a);
    this.sources.push(source);
  }

  /** δν at a later a where cold matter and baryons have the contrasts `cold`; the history has S there then. */
  add(a: number, cold: Float64Array): Float64Array {
    const { neutrinos, today } = this.background;
    const now = this.#superconformal(a);
    const unit = 1.5 * HUBBLE * HUBBLE * a;
    const source = new Float64Array(cold.length);
    const contrast = cold.map((delta, i) => {
      // δν = known + own S, where S has δν in it.
      let [known, own] = [0, 0];
      for (const { ratio, today: density } of neutrinos!.species) {
        const one = this.#response(i, (this.k[i] * LIGHT) / ratio, now);
        known += (density / today.neutrinos) * one.known;
        own += (density / today.neutrinos) * one.own;
      }
      const result = (known + own * unit * today.matter * delta) / (1 - own * unit * today.neutrinos);
      source[i] = unit * (today.matter * delta + today.neutrinos * result);
      return result;
    });
    this.append(a, source);
    return contrast;
  }

  /** What the history adds to δν of a species at wave number i, w = k u, and what each unit of S at the present adds. */
  #response(i: number, w: number, now: number): { known: number; own: number } {
    const { sources } = this;
    const last = sources.length - 1;
    if (last < 0) return { known: 0, own: 0 };
    const kappa = this.#s.map((s) => w * (now - s));
    let known = sources[0][i] * firstIntegral(kappa[0]);
    let own = 0;
    let before = secondIntegral(kappa[0]);
    for (let j = 0; j <= last; j++) {
      const after = j < last ? secondIntegral(kappa[j + 1]) : 0;
      const share = (before - after) / (kappa[j] - (j < last ? kappa[j + 1] : 0));
      known -= share * sources[j][i];
      if (j < last) known += share * sources[j + 1][i];
      else own = share;
      before = after;
    }
    return { known: known / (w * w), own: own / (w * w) };
  }

  /** s at a, from the first time of the history. */
  #superconformal(a: number): number {
    const last = this.times.length - 1;
    if (last < 0) return 0;
    const { background } = this;
    return this.#s[last] + background.integralOver((x) => 1 / (x ** 3 * background.hubble(x)), this.times[last], a);
  }
}

/** Contrasts at one time [wave numbers]: of cold matter with baryons, its growth rate d ln δ/d ln a, and of neutrinos. */
export interface LinearState {
  cold: Float64Array;
  rate: Float64Array;
  neutrinos: Float64Array;
}

/** Linear theory at some wave numbers: that of the clock's steps, in which growth without neutrinos' clustering is exact. */
export class NeutrinoTheory {
  readonly history: NeutrinoHistory;
  readonly states: LinearState[] = [];
  readonly #clock: ComovingClock;
  #momentum: Float64Array;

  constructor(
    readonly background: Background,
    readonly k: Float64Array,
  ) {
    this.history = new NeutrinoHistory(background, k);
    this.#clock = new ComovingClock(background);
    const { growth } = this.#clock;
    this.#momentum = k.map(() => growth.momentum1(EARLIEST));
    this.#note(
      EARLIEST,
      k.map(() => growth.D1(EARLIEST)),
    );
  }

  /** Goes on to `a`, if that is later. */
  reach(a: number): void {
    const { times, sources } = this.history;
    while (times[times.length - 1] < a) {
      const from = times[times.length - 1];
      const to = from * Math.exp(THEORY_STEP);
      const { openings, drifts, closings } = this.#clock.steps([from, to]);
      // −∇φ has the contrast (3/2) H0² Σ Ω δ = S/a.
      const kick = (factor: number) => {
        const [time, S] = [times[times.length - 1], sources[sources.length - 1]];
        this.#momentum = this.#momentum.map((p, i) => p + (factor * S[i]) / time);
      };
      kick(openings[0]);
      const { cold } = this.states[this.states.length - 1];
      const moved = cold.map((delta, i) => delta + drifts[0] * this.#momentum[i]);
      const neutrinos = this.history.add(to, moved);
      kick(closings[0]);
      this.#note(to, moved, neutrinos);
    }
  }

  /** At any a, as interpolated in ln a. */
  at(a: number): LinearState {
    this.reach(a);
    const at = Math.max(0, Math.log(a / EARLIEST) / THEORY_STEP);
    const low = Math.min(Math.floor(at), this.states.length - 2);
    const [from, to] = [this.states[low], this.states[low + 1]];
    // Relative to the growth of cold matter alone the contrast hardly changes in a step.
    const { growth } = this.#clock;
    const [D, first, second] = [a, this.history.times[low], this.history.times[low + 1]].map((time) => growth.D1(time));
    const between = (x: number, y: number) => x + (at - low) * (y - x);
    return {
      cold: from.cold.map((x, i) => D * between(x / first, to.cold[i] / second)),
      rate: from.rate.map((x, i) => between(x, to.rate[i])),
      neutrinos: from.neutrinos.map((x, i) => D * between(x / first, to.neutrinos[i] / second)),
    };
  }

  #note(a: number, cold: Float64Array, neutrinos = this.history.add(a, cold)): void {
    const { background } = this;
    const unit = a * a * background.hubble(a);
    this.states.push({ cold, neutrinos, rate: cold.map((delta, i) => this.#momentum[i] / (unit * delta)) });
  }
}

/** Nodes [h/Mpc] between which linear theory is a spline of ln k. */
const LOWEST = 1e-5;
const HIGHEST = 30;
const NODES = 48;

/** Growth by wave number [h/Mpc] at one time, 1 where a unit contrast has grown as a since early times. */
export interface GrowthByScale {
  /** Of cold matter with baryons, and d ln/d ln a of it. */
  cold: (k: number) => number;
  rate: (k: number) => number;
  /** Of all matter. */
  total: (k: number) => number;
}

/** Those that were asked for: initial conditions and outputs have backgrounds of their own. */
const made = new Map<string, NeutrinoGrowth>();

/** Linear growth of a background with massive neutrinos: at all wave numbers. */
export class NeutrinoGrowth {
  readonly #theory: NeutrinoTheory;
  readonly #made = new Map<number, GrowthByScale>();

  /** The one of a background, made once for all with its parameters. */
  static of(background: Background): NeutrinoGrowth {
    const key = JSON.stringify(background.parameters);
    const found = made.get(key) ?? new NeutrinoGrowth(background);
    made.set(key, found);
    return found;
  }

  private constructor(readonly background: Background) {
    const k = Float64Array.from({ length: NODES }, (_, i) => LOWEST * (HIGHEST / LOWEST) ** (i / (NODES - 1)));
    this.#theory = new NeutrinoTheory(background, k);
  }

  at(a: number): GrowthByScale {
    const known = this.#made.get(a);
    if (known) return known;
    const { cold, rate, neutrinos } = this.#theory.at(a);
    const { today, parameters } = this.background;
    const x = this.#theory.k.map(Math.log);
    const curve = (values: Float64Array) => {
      const spline = new Spline(x, values);
      return (k: number) => spline.value(Math.log(Math.min(HIGHEST, Math.max(LOWEST, k))));
    };
    const all = cold.map((delta, i) => (today.matter * delta + today.neutrinos * neutrinos[i]) / parameters.omegaM);
    const made = { cold: curve(cold), rate: curve(rate), total: curve(all) };
    this.#made.set(a, made);
    return made;
  }
}
