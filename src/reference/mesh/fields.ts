/**
 * Forces that don't come from the mesh: rigid components, and the pull on particles outside an isolated mesh.
 *   Plummer 1911    φ = −GM/√(r² + a²),  acceleration −GM d/(r² + a²)^{3/2}
 *   Hernquist 1990  φ = −GM/(r + a),     acceleration −GM d/(r (r + a)²)
 *   escaped         the Plummer form with the monopole (M, centre of mass) of the mass on the mesh and a = h,
 *                   the cell side.
 */
import type { ExternalField } from "../../particles/state.ts";
import type { Interpolated } from "./interpolate.ts";

/**
 * Adds a field's acceleration and potential at the listed particles (all of them without a list).
 * `period`: take the nearest image in a periodic box of that side [length].
 */
export function addExternalField(
  field: ExternalField,
  G: number,
  positions: Float64Array,
  out: Interpolated,
  particles?: Uint32Array,
  period?: number,
): void {
  const count = particles === undefined ? out.potential.length : particles.length;
  const { mass, scale, centre } = field;
  const gm = G * mass;
  for (let p = 0; p < count; p++) {
    const i = particles === undefined ? p : particles[p];
    let dx = positions[3 * i] - centre[0];
    let dy = positions[3 * i + 1] - centre[1];
    let dz = positions[3 * i + 2] - centre[2];
    if (period !== undefined) {
      dx -= period * Math.round(dx / period);
      dy -= period * Math.round(dy / period);
      dz -= period * Math.round(dz / period);
    }
    const r2 = dx * dx + dy * dy + dz * dz;
    let pull: number;
    if (field.kind === "plummer") {
      const s2 = r2 + scale * scale;
      const s = Math.sqrt(s2);
      pull = gm / (s2 * s);
      out.potential[i] -= gm / s;
    } else {
      const r = Math.sqrt(r2);
      // At the centre the force has a size but no direction: none.
      pull = r === 0 ? 0 : gm / (r * (r + scale) ** 2);
      out.potential[i] -= gm / (r + scale);
    }
    out.accelerations[3 * i] -= pull * dx;
    out.accelerations[3 * i + 1] -= pull * dy;
    out.accelerations[3 * i + 2] -= pull * dz;
  }
}

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

/** Writes the pull of the mass on the mesh on the particles outside it. */
export function pullEscaped(
  inside: Monopole,
  G: number,
  h: number,
  positions: Float64Array,
  out: Interpolated,
  escaped: Uint32Array,
): void {
  for (const i of escaped) {
    out.accelerations.fill(0, 3 * i, 3 * i + 3);
    out.potential[i] = 0;
  }
  addExternalField({ kind: "plummer", mass: inside.mass, centre: inside.centre, scale: h }, G, positions, out, escaped);
}
