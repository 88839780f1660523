/** Particles that a program brings, as it has them, made into the set that a simulation takes. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { ComponentRange, ParticleSet } from "../particles/state.ts";

/** Particles to start from, in deck units. Arrays of a ParticleSet's kinds are taken as they are, others copied. */
export interface GivenParticles {
  /** N; what the positions say when left out. */
  count?: number;
  /** [3N, xyzxyz…] box coordinates [length]. */
  positions: ArrayLike<number>;
  /** [3N, xyzxyz…] [velocity]; at rest when left out. */
  velocities?: ArrayLike<number>;
  /** [N], or one for all [mass]. */
  masses: ArrayLike<number> | number;
  /** Runs of particles of one kind, in the order of their ids; one of all, of the species stars, when left out. */
  components?: readonly ComponentRange[];
}

/** Throws "usage" for arrays that are missing or of the wrong length, and for components that don't fit them. */
export function givenParticles(given: GivenParticles): ParticleSet {
  const positions = real(given.positions, "positions [3N]");
  const { count = positions.length / 3 } = given;
  if (!(Number.isInteger(count) && count > 0)) throw wrong("positions [3N] of one particle or more", positions.length);
  if (positions.length !== 3 * count) throw wrong(`positions [3·${count}]`, positions.length);
  const { velocities = new Float32Array(3 * count) } = given;
  requireNumbers(velocities, `velocities [3·${count}]`, 3 * count);
  return {
    ...{ count, positions },
    velocities: velocities instanceof Float32Array ? velocities : real(velocities, "velocities"),
    masses:
      typeof given.masses === "number"
        ? new Float64Array(count).fill(given.masses)
        : real(given.masses, `masses [${count}] or one for all`, count),
    components: componentsOf(given.components, count),
  };
}

function wrong(expected: string, found: unknown): GravmeshError {
  const what = typeof found === "number" ? `${found} numbers` : String(found);
  return new GravmeshError("usage", `the option particles: expected ${expected}, found ${what}`);
}

/** The numbers as float64, or as they are where they are that already. */
function real(values: ArrayLike<number> | undefined, expected: string, length = values?.length): Float64Array {
  requireNumbers(values, expected, length);
  return values instanceof Float64Array ? values : Float64Array.from(values);
}

function requireNumbers(
  values: ArrayLike<number> | undefined,
  expected: string,
  length: number | undefined,
): asserts values is ArrayLike<number> {
  if (typeof values !== "object" || typeof values.length !== "number") throw wrong(expected, values);
  if (values.length !== length) throw wrong(expected, values.length);
}

function componentsOf(given: readonly ComponentRange[] | undefined, count: number): ComponentRange[] {
  if (given === undefined) return [{ name: "particles", species: "stars", first: 0, count }];
  let next = 0;
  for (const { name, first, count: n } of given) {
    if (first !== next) throw wrong(`component "${name}" to begin with particle ${next}`, `first = ${first}`);
    next += n;
  }
  if (next !== count) throw wrong(`components of ${count} particles in all`, `${next}`);
  return [...given];
}
