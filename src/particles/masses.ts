/**
 * Masses of particles in id order, in little room: one number for a run of ids whose particles weigh the same, an array
 * where they differ.
 */
import type { ComponentRange } from "./state.ts";

/** Consecutive ids. */
export interface MassRun {
  first: number;
  count: number;
  /** One mass for every particle, or [count] one for each [mass]. */
  mass: number | Float64Array;
}

export class ParticleMasses {
  /** N */
  readonly count: number;

  /** `runs` follow each other from id 0. */
  constructor(readonly runs: readonly MassRun[]) {
    let next = 0;
    for (const { first, count, mass } of runs) {
      if (first !== next || (typeof mass !== "number" && mass.length !== count)) {
        throw new RangeError(`masses of the particles from ${first}: expected ${count} of them from ${next}`);
      }
      next += count;
    }
    this.count = next;
  }

  /** Holds `masses` [N]: one number where those of a range are equal; where they differ the array is kept, not copied. */
  static of(masses: Float64Array, ranges: readonly Pick<ComponentRange, "first" | "count">[]): ParticleMasses {
    return new ParticleMasses(
      ranges.map(({ first, count }) => {
        const part = masses.subarray(first, first + count);
        return { first, count, mass: part.every((mass) => mass === part[0]) ? (part[0] ?? 0) : part };
      }),
    );
  }

  /** The masses of ids first … first + count − 1, numbered from 0. */
  range({ first, count }: { first: number; count: number }): ParticleMasses {
    if (first === 0 && count === this.count) return this;
    const runs = this.runs.flatMap((run): MassRun[] => {
      const [from, to] = [Math.max(first, run.first), Math.min(first + count, run.first + run.count)];
      if (from >= to) return [];
      const mass = typeof run.mass === "number" ? run.mass : run.mass.subarray(from - run.first, to - run.first);
      return [{ first: from - first, count: to - from, mass }];
    });
    return new ParticleMasses(runs);
  }

  /** Σ m, added in id order [mass]. */
  get total(): number {
    let sum = 0;
    for (const { count, mass } of this.runs) {
      if (typeof mass === "number") for (let i = 0; i < count; i++) sum += mass;
      else for (let i = 0; i < count; i++) sum += mass[i];
    }
    return sum;
  }

  /**
   * What particles count with in sums, pictures and profiles: their masses, and where none has any 1/N each, so that sums
   * are means over the tracers, per unit mass.
   */
  get weights(): ParticleMasses {
    const { count } = this;
    return this.heaviest === 0 && count > 0 ? new ParticleMasses([{ first: 0, count, mass: 1 / count }]) : this;
  }

  /** Σ m of a range, added in id order [mass]. */
  sum({ first, count }: Pick<ComponentRange, "first" | "count">): number {
    let sum = 0;
    for (const run of this.runs) {
      const [from, to] = [Math.max(first, run.first), Math.min(first + count, run.first + run.count)];
      const { mass } = run;
      if (typeof mass === "number") sum += Math.max(0, to - from) * mass;
      else for (let i = from; i < to; i++) sum += mass[i - run.first];
    }
    return sum;
  }

  /** [mass]; no number where one of them is none. */
  get heaviest(): number {
    let most = 0;
    for (const { mass } of this.runs) {
      if (typeof mass === "number") most = Math.max(most, mass);
      else for (let i = 0; i < mass.length; i++) most = Math.max(most, mass[i]);
    }
    return most;
  }

  /** Puts the masses of ids first, first + 1, … into `out`. */
  fill(out: Float64Array, first: number): void {
    for (const run of this.runs) {
      const [from, to] = [Math.max(first, run.first), Math.min(first + out.length, run.first + run.count)];
      if (from >= to) continue;
      if (typeof run.mass === "number") out.fill(run.mass, from - first, to - first);
      else out.set(run.mass.subarray(from - run.first, to - run.first), from - first);
    }
  }

  /** The masses of ids every·first, every·(first + 1), … [count] */
  every(every: number, { first, count }: { first: number; count: number }): Float64Array<ArrayBuffer> {
    const masses = new Float64Array(count);
    if (every === 1) {
      this.fill(masses, first);
      return masses;
    }
    let run = 0;
    for (let i = 0; i < count; i++) {
      const id = every * (first + i);
      while (id >= this.runs[run].first + this.runs[run].count) run++;
      const { mass, first: begin } = this.runs[run];
      masses[i] = typeof mass === "number" ? mass : mass[id - begin];
    }
    return masses;
  }

  /** The mass of a range of ids together [mass]. */
  within({ first, count }: Pick<ComponentRange, "first" | "count">): number {
    return this.runs.reduce((sum, { first: begin, count: n, mass }) => {
      const [from, to] = [Math.max(first, begin), Math.min(first + count, begin + n)];
      if (from >= to) return sum;
      if (typeof mass === "number") return sum + mass * (to - from);
      return mass.subarray(from - begin, to - begin).reduce((all, one) => all + one, sum);
    }, 0);
  }

  /** [N] */
  toArray(): Float64Array<ArrayBuffer> {
    const masses = new Float64Array(this.count);
    this.fill(masses, 0);
    return masses;
  }

  /** One mass for each component when it is the same for all its particles, else those of all particles. */
  byComponent(components: readonly Pick<ComponentRange, "first" | "count">[]): number[] | Float64Array {
    const common = components.map((range) => this.common(range));
    return common.every((mass) => mass !== undefined) ? common : this.toArray();
  }

  /** The mass of every particle of a range; undefined where they differ. */
  common({ first, count }: Pick<ComponentRange, "first" | "count">): number | undefined {
    let common: number | undefined;
    for (const run of this.runs) {
      const [from, to] = [Math.max(first, run.first), Math.min(first + count, run.first + run.count)];
      if (from >= to) continue;
      const { mass } = run;
      const here = typeof mass === "number" ? mass : mass[from - run.first];
      common ??= here;
      if (here !== common) return undefined;
      if (typeof mass === "number") continue;
      for (let i = from - run.first; i < to - run.first; i++) if (mass[i] !== common) return undefined;
    }
    return common;
  }
}

/** The same of masses in an array [N]. */
export function weightsOf(masses: Float64Array): Float64Array {
  return masses.every((mass) => mass === 0) ? new Float64Array(masses.length).fill(1 / masses.length) : masses;
}
