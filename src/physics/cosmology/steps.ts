/**
 * Comoving steps. The state is comoving x [Mpc/h] and canonical momentum per mass p = a² dx/dt [km/s].
 *   dx/dt = p/a²,   dp/dt = −∇φ/a,   ∇²φ = 4πG (ρ − ρ̄)   (∇ and ρ comoving)
 * Standard factors (Quinn et al. 1997, section 2) integrate the clock exactly with p or the force held fixed:
 *   drift ∫dt/a² = ∫da/(a³H),   kick ∫dt/a = ∫da/(a²H)      [Mpc/h/(km/s)]
 * Growth-corrected factors (FastPM: Feng, Chu, Seljak & McDonald 2016) let p and the force vary within the step as in
 * Zel'dovich motion x = q + D ψ, p = P ψ with P = a³H dD/da, force (3/2) Ωm H0² D ψ:
 *   drift [D(to) − D(from)]/P(at),   kick [P(to) − P(from)]/((3/2) Ωm H0² D(at))
 * where `at` is when p or the force was known. So Zel'dovich motion is exact for any number of steps.
 *
 * Momenta are known in the middle of a step: with standard factors that of the variable that steps are equal in, with
 * growth-corrected ones the geometric mean, as in FastPM. Steps equal in a then have 0.4 of the arithmetic mean's error in
 * P(k), while standard ones would have twice as much (docs/cosmology.md).
 */
import { type Background, refuse } from "./background.ts";
import { HUBBLE } from "./constants.ts";
import { Growth } from "./growth.ts";

/** How steps are spread: equal in a, or in ln a. */
export type StepSpacing = "a" | "log-a";
export type FactorKind = "standard" | "growth-corrected";

export class ComovingClock {
  readonly growth: Growth;
  readonly #standard: boolean;
  readonly #spacing: StepSpacing;

  constructor(
    readonly background: Background,
    { factors = "growth-corrected", spacing = "a" }: { factors?: FactorKind; spacing?: StepSpacing } = {},
  ) {
    this.growth = new Growth(background);
    this.#standard = factors === "standard";
    this.#spacing = spacing;
  }

  /** The factor in x += p·drift from one scale factor to another, with the momentum at the scale factor `at`. */
  drift(from: number, to: number, at: number): number {
    const { background, growth } = this;
    if (this.#standard) return background.integralOver((a) => 1 / (a * a * a * background.hubble(a)), from, to);
    return (growth.D1(to) - growth.D1(from)) / growth.momentum1(at);
  }

  /** The factor in p += −∇φ·kick from one scale factor to another, with the force at the scale factor `at`. */
  kick(from: number, to: number, at: number): number {
    const { background, growth } = this;
    if (this.#standard) return background.integralOver((a) => 1 / (a * a * background.hubble(a)), from, to);
    const poissonFactor = 1.5 * background.today.matter * HUBBLE * HUBBLE;
    return (growth.momentum1(to) - growth.momentum1(from)) / (poissonFactor * growth.D1(at));
  }

  /** The scale factor at which a step's momenta are known. */
  middle(start: number, end: number): number {
    return this.#standard && this.#spacing === "a" ? 0.5 * (start + end) : Math.sqrt(start * end);
  }

  /**
   * Kicks and drifts of kick–drift–kick steps between `edges` [n + 1, scale factors], however they are spread, one of each a
   * step [Mpc/h/(km/s)]. Throws "scenario" unless the edges are above 0 and rise.
   */
  steps(edges: ArrayLike<number>) {
    const steps = Array.from({ length: edges.length - 1 }, (_, i) => {
      requireOrder(edges[i], edges[i + 1]);
      return [edges[i], this.middle(edges[i], edges[i + 1]), edges[i + 1]];
    });
    return {
      /** Half kicks to the middle, with the force at the start. */
      openings: steps.map(([start, middle]) => this.kick(start, middle, start)),
      /** With the momentum of the middle. */
      drifts: steps.map(([start, middle, end]) => this.drift(start, end, middle)),
      /** Half kicks from the middle, with the force at the end. */
      closings: steps.map(([, middle, end]) => this.kick(middle, end, end)),
    };
  }
}

/** Edges of `count` steps [count + 1, scale factors]; first and last are exact. Throws "scenario" unless 0 < start < end. */
export function stepEdges(start: number, end: number, count: number, spacing: StepSpacing): Float64Array {
  requireOrder(start, end);
  if (!(Number.isInteger(count) && count > 0)) refuse("a whole number of steps above 0", count, "try 40");
  return Float64Array.from({ length: count + 1 }, (_, i) => {
    if (i === 0) return start;
    if (i === count) return end;
    const t = i / count;
    return spacing === "a" ? start + t * (end - start) : start * (end / start) ** t;
  });
}

function requireOrder(start: number, end: number): void {
  if (start > 0 && end > start && Number.isFinite(end)) return;
  refuse("scale factors with 0 < start < end", `${start} and ${end}`, "a = 1/(1 + z) grows with time");
}
