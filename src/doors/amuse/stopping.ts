/**
 * AMUSE's stopping conditions, of which four end an evolution here: particles that touch, a time by the clock, a number of
 * steps, a particle that leaves a sphere.
 */

/** By AMUSE's numbers. */
export const COLLISION = 0;
export const TIMEOUT = 3;
export const NUMBER_OF_STEPS = 4;
export const OUT_OF_BOX = 5;
const SUPPORTED: readonly number[] = [COLLISION, TIMEOUT, NUMBER_OF_STEPS, OUT_OF_BOX];

/** A condition that ended an evolution, and the particles that it is about, if it is about any. */
export interface Met {
  type: number;
  particles: readonly number[];
}

/** What AMUSE sets and asks for again: name, type (protocol.ts), its default and the least that it may be. */
export const PARAMETERS = [
  ["timeout", "d", 4, 0],
  ["number_of_steps", "i", 1, 0],
  ["out_of_box", "d", 0, 0],
  ["minimum_density", "d", -1],
  ["maximum_density", "d", -1],
  ["minimum_internal_energy", "d", -1],
  ["maximum_internal_energy", "d", -1],
  ["out_of_box_use_center_of_mass", "b", 0],
] as const;
type Parameter = (typeof PARAMETERS)[number][0];

export class StoppingConditions {
  readonly #enabled = new Set<number>();
  /** Those that ended the last evolution. */
  readonly met: Met[] = [];
  readonly parameters = Object.fromEntries(PARAMETERS.map(([name, , value]) => [name, value])) as Record<
    Parameter,
    number
  >;

  isSupported(type: number): boolean {
    return SUPPORTED.includes(type);
  }

  isEnabled(type: number): boolean {
    return this.#enabled.has(type);
  }

  /** Says whether there is such a condition. */
  enable(type: number, enabled: boolean): boolean {
    if (!this.isSupported(type)) return false;
    if (enabled) this.#enabled.add(type);
    else this.#enabled.delete(type);
    return true;
  }

  /** An evolution begins, `now` [ms]: how many steps it may take, and until when. */
  begin(now: number): { steps: number; until: number } {
    this.met.length = 0;
    const { number_of_steps: steps, timeout } = this.parameters;
    return {
      steps: this.isEnabled(NUMBER_OF_STEPS) ? steps : Number.POSITIVE_INFINITY,
      until: this.isEnabled(TIMEOUT) ? now + 1000 * timeout : Number.POSITIVE_INFINITY,
    };
  }

  meet(type: number, particles: readonly number[] = []): void {
    this.met.push({ type, particles });
  }
}
