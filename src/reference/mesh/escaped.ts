/**
 * Particles outside an isolated mesh: they fall in the monopole (M, centre of mass) of the mass on it, softened by the
 * cell side h: a Plummer sphere, φ = −GM/√(d² + h²).
 */
import { addExternalField, type ExternalField } from "../../potentials/external.ts";

export interface Monopole {
  mass: number;
  centre: [number, number, number];
}

/** Total mass and centre of mass of the listed particles; mass 0 and the origin for none. */
export function monopole(positions: Float64Array, masses: Float64Array, particles: Uint32Array): Monopole {
  let mass = 0;
  let x = 0;
  let y = 0;
  let z = 0;
  for (const i of particles) {
    mass += masses[i];
    x += masses[i] * positions[3 * i];
    y += masses[i] * positions[3 * i + 1];
    z += masses[i] * positions[3 * i + 2];
  }
  return mass === 0 ? { mass: 0, centre: [0, 0, 0] } : { mass, centre: [x / mass, y / mass, z / mass] };
}

/** Writes acceleration and potential of the mass on the mesh at the particles outside it. */
export function writeMonopoleField(
  { mass, centre }: Monopole,
  { G, h }: { G: number; h: number },
  positions: Float64Array,
  out: ExternalField,
  escaped: Uint32Array,
): void {
  for (const i of escaped) {
    out.accelerations.fill(0, 3 * i, 3 * i + 3);
    out.potential[i] = 0;
  }
  addExternalField({ kind: "plummer", centre, parameters: { mass, scale: h } }, G, positions, out, {
    particles: escaped,
  });
}
