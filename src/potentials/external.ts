/** External potentials in float64, on the CPU: what they add to the particles' accelerations and potentials. */
import { convertedParameters, type ExternalPotential, type PotentialFormula } from "./potential.ts";
import { potentials } from "./potentials.ts";

/** What is added to. */
export interface ExternalField {
  /** [3N, xyzxyz…] [velocity/time] */
  accelerations: Float64Array;
  /** [N] [velocity²] */
  potential: Float64Array;
}

/** A potential's formula, its parameters with masses as G·M; `G` in deck units. Throws "usage" for an unknown kind. */
export function formulaOf(
  { kind, parameters }: Pick<ExternalPotential, "kind" | "parameters">,
  G: number,
): { formula: PotentialFormula<string>; p: Record<string, number> } {
  const record = potentials.get(kind);
  const p = Object.fromEntries(convertedParameters(record, parameters, { mass: (mass) => G * mass }));
  return { formula: record.formula, p };
}

/**
 * Adds acceleration and potential at the listed particles (all of them without a list), `positions` [3N] [length].
 * `period`: take the nearest image in a periodic box of that side [length].
 */
export function addExternalField(
  potential: ExternalPotential,
  G: number,
  positions: Float64Array,
  out: ExternalField,
  { particles, period }: { particles?: Uint32Array; period?: number | undefined } = {},
): void {
  const { formula, p } = formulaOf(potential, G);
  const { centre } = potential;
  const [x, acceleration] = [new Float64Array(3), new Float64Array(3)];
  const count = particles === undefined ? out.potential.length : particles.length;
  for (let n = 0; n < count; n++) {
    const i = particles === undefined ? n : particles[n];
    for (let k = 0; k < 3; k++) {
      x[k] = positions[3 * i + k] - centre[k];
      if (period !== undefined) x[k] -= period * Math.round(x[k] / period);
    }
    formula.acceleration(p, x, acceleration);
    for (let k = 0; k < 3; k++) out.accelerations[3 * i + k] += acceleration[k];
    out.potential[i] += formula.potential(p, x);
  }
}

/**
 * What a spherical potential stands for in an equilibrium: the mass M(r) = −f r³/G [mass] that would make it, its density
 * [mass/length³], and the depth ∫_r^∞ M/r² dr [mass/length] with no mass beyond `outermost` [length], since not every
 * potential vanishes at infinity. Undefined for one of another symmetry.
 */
export function sphericalMass(potential: ExternalPotential, G: number, outermost: number) {
  const { formula, p } = formulaOf(potential, G);
  const { spherical } = formula;
  if (!spherical) return undefined;
  const mass = (r: number) => (-spherical.strength(p, r * r) * r ** 3) / G;
  const edge = spherical.potential(p, outermost ** 2);
  return {
    mass,
    density(r: number) {
      const [f, slope] = spherical.rates(p, r * r, r, 0); // of a particle with ṙ = 1
      return -(3 * f + slope * r) / (4 * Math.PI * G);
    },
    depth: (r: number) => (edge - spherical.potential(p, r * r)) / G + mass(outermost) / outermost,
  };
}

/** Acceleration [3N] [velocity/time] and potential [N] [velocity²] of all of them, in open space. */
export function externalField(
  { G, externalPotentials }: { G: number; externalPotentials: readonly ExternalPotential[] },
  positions: Float64Array,
): ExternalField {
  const out = { accelerations: new Float64Array(positions.length), potential: new Float64Array(positions.length / 3) };
  for (const potential of externalPotentials) addExternalField(potential, G, positions, out);
  return out;
}
