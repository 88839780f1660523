/** AMUSE's stopping conditions, of which two end an evolution here: a time by the clock, and a number of steps. */

/** By AMUSE's numbers. */
export const TIMEOUT = 3;
export const NUMBER_OF_STEPS = 4;
const SUPPORTED: readonly number[] = [TIMEOUT, NUMBER_OF_STEPS];

/** What AMUSE sets and asks for again: name, type (protocol.ts) and its default. */
export const PARAMETERS = [
  ["timeout", "d", 4],
  ["number_of_steps", "i", 1],
  ["out_of_box", "d", 0],
  ["minimum_density", "d", -1],
  ["maximum_density", "d", -1],
  ["minimum_internal_energy", "d", -1],
  ["maximum_internal_energy", "d", -1],
  ["out_of_box_use_center_of_mass", "b", 0],
] as const;
type Parameter = (typeof PARAMETERS)[number][0];

export class StoppingConditions {
  readonly #enabled = new Set<number>();
  readonly #met: number[] = [];
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

  /** Types of those that ended the last evolution. */
  get met(): readonly number[] {
    return this.#met;
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
    this.#met.length = 0;
    const { number_of_steps: steps, timeout } = this.parameters;
    return {
      steps: this.isEnabled(NUMBER_OF_STEPS) ? steps : Number.POSITIVE_INFINITY,
      until: this.isEnabled(TIMEOUT) ? now + 1000 * timeout : Number.POSITIVE_INFINITY,
    };
  }

  meet(type: number): void {
    this.#met.push(type);
  }
}
