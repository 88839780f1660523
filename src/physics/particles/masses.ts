/** Masses of particles in id order, in little room: one number for a run of ids of equal mass, an array where they differ. */
interface Ids {
  first: number;
  count: number;
}

export interface MassRun extends Ids {
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
  static of(masses: Float64Array, ranges: readonly Ids[]): ParticleMasses {
    return new ParticleMasses(
      ranges.map(({ first, count }) => {
        const part = masses.subarray(first, first + count);
        return { first, count, mass: part.every((mass) => mass === part[0]) ? (part[0] ?? 0) : part };
      }),
    );
  }

  /** The masses of ids first … first + count − 1, numbered from 0. */
  range({ first, count }: Ids): ParticleMasses {
    if (first === 0 && count === this.count) return this;
    return new ParticleMasses([...this.runsOf({ first, count })].map((run) => ({ ...run, first: run.first - first })));
  }

  /** What the runs have of some ids. */
  *runsOf({ first, count }: Ids): Generator<MassRun> {
    for (const { first: begin, count: length, mass } of this.runs) {
      const [from, to] = [Math.max(first, begin), Math.min(first + count, begin + length)];
      if (from >= to) continue;
      yield {
        ...{ first: from, count: to - from },
        mass: typeof mass === "number" ? mass : mass.subarray(from - begin, to - begin),
      };
    }
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

  /** The weight of each particle in sums: its mass, or 1/N where none has mass, for means over the tracers. */
  get weights(): ParticleMasses {
    const { count } = this;
    return this.heaviest === 0 && count > 0 ? new ParticleMasses([{ first: 0, count, mass: 1 / count }]) : this;
  }

  /** Σ m of some ids, added in their order [mass]. */
  within(ids: Ids): number {
    let sum = 0;
    for (const { count, mass } of this.runsOf(ids)) {
      if (typeof mass === "number") sum += count * mass;
      else for (const one of mass) sum += one;
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
    for (const { first: from, count, mass } of this.runsOf({ first, count: out.length })) {
      if (typeof mass === "number") out.fill(mass, from - first, from - first + count);
      else out.set(mass, from - first);
    }
  }

  /** The masses of ids every·first, every·(first + 1), … [count] */
  every(every: number, { first, count }: Ids): Float64Array<ArrayBuffer> {
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

  /** [N] */
  toArray(): Float64Array<ArrayBuffer> {
    const masses = new Float64Array(this.count);
    this.fill(masses, 0);
    return masses;
  }

  /** One mass for each component when it is the same for all its particles, else those of all particles. */
  byComponent(components: readonly Ids[]): number[] | Float64Array {
    const common = components.map((range) => this.common(range));
    return common.every((mass) => mass !== undefined) ? common : this.toArray();
  }

  /** The mass of each of some ids; undefined where they differ. */
  common(ids: Ids): number | undefined {
    let common: number | undefined;
    for (const { mass } of this.runsOf(ids)) {
      const here = typeof mass === "number" ? mass : mass[0];
      common ??= here;
      if (here !== common || (typeof mass !== "number" && mass.some((one) => one !== common))) return undefined;
    }
    return common;
  }
}

/** The same of masses in an array [N]. */
export function weightsOf(masses: Float64Array): Float64Array {
  return masses.every((mass) => mass === 0) ? new Float64Array(masses.length).fill(1 / masses.length) : masses;
}
