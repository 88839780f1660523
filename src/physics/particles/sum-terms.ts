/**
 * The sums Σ m q over the particles, each by its term q in float64 (sums.ts) and in WGSL (engine/diagnostics/energy.ts). Another one
 * is a record here and a column that shows it (diagnostics/columns).
 */

export type MutableVector = [number, number, number];

/** A particle as float64 terms see it. */
export interface SummedParticle {
  /** From the centre of the box [length]. */
  d: MutableVector;
  /** [velocity] */
  v: MutableVector;
  /** ½ φ_mesh + φ_external [velocity²] */
  potential: number;
}

/** `wgsl`: the same of p.d, p.v, p.a and p.potential. */
export interface GpuTerm {
  components: 1 | 3;
  wgsl: string;
  /** What no component exceeds, in WGSL, of the largest `speed`, `acceleration`, `potential` and `distance`. */
  bound: string;
}

interface SumTerm extends GpuTerm {
  of(particle: SummedParticle): number | MutableVector;
}

export const SUM_TERMS = {
  /** Σ ½ m v² */
  kinetic: {
    components: 1,
    of: ({ v: [x, y, z] }) => 0.5 * (x * x + y * y + z * z),
    wgsl: "0.5 * dot(p.v, p.v)",
    bound: "0.5 * speed * speed",
  },
  /** ½ Σ m φ_mesh + Σ m φ_external (+ Σ m φ of the escaped in the monopole of the rest). */
  potential: { components: 1, of: ({ potential }) => potential, wgsl: "p.potential", bound: "potential" },
  momentum: { components: 3, of: ({ v }) => v, wgsl: "p.v", bound: "speed" },
  /** About the centre of the box. */
  angularMomentum: {
    components: 3,
    of: ({ d, v }) => [d[1] * v[2] - d[2] * v[1], d[2] * v[0] - d[0] * v[2], d[0] * v[1] - d[1] * v[0]],
    wgsl: "cross(p.d, p.v)",
    bound: "speed * distance",
  },
} as const satisfies Record<string, SumTerm>;

export type TermSums = {
  -readonly [N in keyof typeof SUM_TERMS]: (typeof SUM_TERMS)[N]["components"] extends 3 ? MutableVector : number;
};

export const TERM_NAMES = Object.keys(SUM_TERMS) as (keyof TermSums)[];

export function termSums(component: (name: keyof TermSums, axis: number) => number): TermSums {
  const sums = TERM_NAMES.map((name) => {
    const [x, ...others] = Array.from({ length: SUM_TERMS[name].components }, (_, axis) => component(name, axis));
    return [name, others.length > 0 ? [x, ...others] : x];
  });
  return Object.fromEntries(sums);
}
