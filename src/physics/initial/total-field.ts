/**
 * The field about a centre in which a disk is set up, in float64: flat components by Hankel transform (flat-field.ts),
 * spheres by F = −GM(r)/r², external potentials as the mean over azimuth and both sides of the plane.
 */
import { addExternalField } from "../potentials/external.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { type FlatDensity, flatForces, type GridForces } from "./flat-field.ts";
import type { GravityLaw } from "./modified-law.ts";
import { AZIMUTHS, azimuths } from "./monopole.ts";
import type { SphericalProfile } from "./profiles.ts";

export type TotalField = ReturnType<typeof totalField>;

/** `G` in deck units; `nu`: ν of the field's strength, in modified gravity. */
export function totalField(
  sources: {
    flat: readonly FlatDensity[];
    spheres: readonly SphericalProfile[];
    external: readonly ExternalPotential[];
  },
  G: number,
  nu?: GravityLaw,
) {
  const { flat, spheres, external } = sources;
  return {
    /** On radii `R` > 0 and heights `z` ≥ 0, both rising [length]. */
    forces(R: Float64Array, z: Float64Array): GridForces {
      const total: GridForces = {
        radial: new Float64Array(R.length * z.length),
        vertical: new Float64Array(R.length * z.length),
      };
      const add = ({ radial, vertical }: GridForces) => {
        for (let k = 0; k < radial.length; k++) {
          total.radial[k] += radial[k];
          total.vertical[k] += vertical[k];
        }
      };
      for (const one of flat) add(flatForces(one, R, z, G));
      for (const one of external) add(externalForces(one, R, z, G));
      for (let i = 0; i < R.length; i++) {
        for (let j = 0; j < z.length; j++) {
          const r = Math.hypot(R[i], z[j]);
          let mass = 0;
          for (const sphere of spheres) mass += sphere.mass(r);
          const strength = (G * mass) / r ** 3;
          total.radial[i * z.length + j] -= strength * R[i];
          total.vertical[i * z.length + j] -= strength * z[j];
        }
      }
      return nu ? modified(total, nu) : total;
    },
  };
}

function modified({ radial, vertical }: GridForces, nu: GravityLaw): GridForces {
  const factors = radial.map((force, k) => nu(Math.hypot(force, vertical[k])));
  return { radial: radial.map((force, k) => factors[k] * force), vertical: vertical.map((f, k) => factors[k] * f) };
}

/** Means over azimuth of the force along R, and of the force towards the plane on both its sides. */
function externalForces(potential: ExternalPotential, R: Float64Array, z: Float64Array, G: number): GridForces {
  const count = R.length * z.length;
  const out: GridForces = { radial: new Float64Array(count), vertical: new Float64Array(count) };
  const positions = new Float64Array(3 * count);
  for (const { cosine, sine } of azimuths()) {
    for (const side of [1, -1]) {
      for (let k = 0; k < count; k++) {
        const radius = R[Math.floor(k / z.length)];
        positions[3 * k] = potential.centre[0] + radius * cosine;
        positions[3 * k + 1] = potential.centre[1] + radius * sine;
        positions[3 * k + 2] = potential.centre[2] + side * z[k % z.length];
      }
      const field = { accelerations: new Float64Array(3 * count), potential: new Float64Array(count) };
      addExternalField(potential, G, positions, field);
      for (let k = 0; k < count; k++) {
        const [x, y, up] = field.accelerations.subarray(3 * k, 3 * k + 3);
        out.radial[k] += (x * cosine + y * sine) / (2 * AZIMUTHS);
        out.vertical[k] += (side * up) / (2 * AZIMUTHS);
      }
    }
  }
  return out;
}
