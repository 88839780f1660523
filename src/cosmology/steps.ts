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
 * Momenta are known in the middle of a step. With standard factors that is the middle of the variable that steps are equal
 * in; with growth-corrected ones always the geometric mean, as in FastPM: steps equal in a then have 0.4 of the
 * arithmetic mean's error in P(k), while standard ones would have twice as much (docs/cosmology.md).
 */
import type { Background } from "./background.ts";
import { HUBBLE } from "./constants.ts";
import { Growth } from "./growth.ts";
import { refuse } from "./refusal.ts";

/** How steps are spread: equal in a, or in ln a. */
export type StepSpacing = "a" | "log-a";

interface BothVariants {
  standard: number;
  growthCorrected: number;
}

/** One kick or drift in both variants [Mpc/h/(km/s)]. */
export type StepFactor = BothVariants;

/** A kick–drift–kick step. */
export interface ComovingStep {
  /** Scale factors at which positions are known (start, end) and momenta (middle, of either variant). */
  start: number;
  middle: BothVariants;
  end: number;
  /** Half kick from start to middle, with the force at start. */
  opening: StepFactor;
  /** From start to end, with the momentum at middle. */
  drift: StepFactor;
  /** Half kick from middle to end, with the force at end. */
  closing: StepFactor;
  /** `closing` and the next step's `opening` in one, for steps with nothing read out between; of the last step, `closing`. */
  merged: StepFactor;
}

export class ComovingClock {
  /** (3/2) Ωm H0² */
  readonly #poissonFactor: number;

  constructor(
    readonly background: Background,
    readonly growth = new Growth(background),
  ) {
    this.#poissonFactor = 1.5 * background.today.matter * HUBBLE * HUBBLE;
  }

  /** x += p·drift from a to a, with the momentum at the scale factor `at`. */
  drift(from: number, to: number, at: number): StepFactor {
    const { background, growth } = this;
    return {
      standard: background.integralOver((a) => 1 / (a * a * a * background.hubble(a)), from, to),
      growthCorrected: (growth.D1(to) - growth.D1(from)) / growth.momentum1(at),
    };
  }

  /** p += −∇φ·kick from a to a, with the force at the scale factor `at`. */
  kick(from: number, to: number, at: number): StepFactor {
    const { background, growth } = this;
    return {
      standard: background.integralOver((a) => 1 / (a * a * background.hubble(a)), from, to),
      growthCorrected: (growth.momentum1(to) - growth.momentum1(from)) / (this.#poissonFactor * growth.D1(at)),
    };
  }

  /** One step from a to a. Throws "scenario" unless 0 < start < end. */
  step(start: number, end: number, spacing: StepSpacing): ComovingStep {
    requireOrder(start, end);
    const geometric = Math.sqrt(start * end);
    const middle = { standard: spacing === "a" ? 0.5 * (start + end) : geometric, growthCorrected: geometric };
    const both = (factorFor: (middle: number) => StepFactor): StepFactor => ({
      standard: factorFor(middle.standard).standard,
      growthCorrected: factorFor(middle.growthCorrected).growthCorrected,
    });
    const opening = both((a) => this.kick(start, a, start));
    const closing = both((a) => this.kick(a, end, end));
    return { start, middle, end, opening, drift: both((a) => this.drift(start, end, a)), closing, merged: closing };
  }

  /**
   * The steps between consecutive `edges` [n + 1, scale factors, ascending], which need not be evenly spread.
   * Throws "scenario" for edges out of order.
   */
  steps(edges: ArrayLike<number>, spacing: StepSpacing): ComovingStep[] {
    const steps: ComovingStep[] = [];
    for (let i = 0; i + 1 < edges.length; i++) {
      const step = this.step(edges[i], edges[i + 1], spacing);
      const previous = steps.at(-1);
      if (previous) previous.merged = sum(previous.closing, step.opening);
      steps.push(step);
    }
    return steps;
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

function sum(first: StepFactor, second: StepFactor): StepFactor {
  return {
    standard: first.standard + second.standard,
    growthCorrected: first.growthCorrected + second.growthCorrected,
  };
}

function requireOrder(start: number, end: number): void {
  if (start > 0 && end > start && Number.isFinite(end)) return;
  refuse("scale factors with 0 < start < end", `${start} and ${end}`, "a = 1/(1 + z) grows with time");
}
