/**
 * Field of a point mass in a periodic unit box with a neutralising background, by Ewald's sum (Ewald 1921;
 * Hernquist, Bouchet & Suto 1991, eqs. 2.14): G = m = L = 1. Near the source φ + 1/r → 2.837297479258.
 *   φ(d) = −Σ_n erfc(α r_n)/r_n − (1/π) Σ_{q≠0} e^{−π²q²/α²}/q² cos(2π q·d) + π/α²,  r_n = |d + n|
 * Absolute error about 1e-14 of the largest term.
 */

import { erfc } from "../../foundation/base/erfc.ts";

const ALPHA = 2;
const ALPHA_R_MAX = 6.2;
const IMAGES = 3;
const MODES = 4;
const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** Half of the modes q ≠ 0 (the other half are their negatives): qx, qy, qz, e^{−π²q²/α²}/q². */
const modes = (() => {
  const list: [number, number, number, number][] = [];
  for (let qx = 0; qx <= MODES; qx++) {
    for (let qy = -MODES; qy <= MODES; qy++) {
      for (let qz = -MODES; qz <= MODES; qz++) {
        const positive = qx > 0 || qy > 0 || (qy === 0 && qz > 0);
        const q2 = qx * qx + qy * qy + qz * qz;
        if (positive && !(qx === 0 && qy < 0) && q2 <= MODES * MODES) {
          list.push([qx, qy, qz, Math.exp((-Math.PI * Math.PI * q2) / ALPHA ** 2) / q2]);
        }
      }
    }
  }
  return list;
})();

export interface PointField {
  acceleration: [number, number, number];
  potential: number;
}

/** Field at displacement (dx, dy, dz) from the unit point mass, in units of the box side. */
export function ewaldField(dx: number, dy: number, dz: number): PointField {
  const x = dx - Math.round(dx);
  const y = dy - Math.round(dy);
  const z = dz - Math.round(dz);
  let ax = 0;
  let ay = 0;
  let az = 0;
  let potential = Math.PI / ALPHA ** 2;
  for (let nx = -IMAGES; nx <= IMAGES; nx++) {
    for (let ny = -IMAGES; ny <= IMAGES; ny++) {
      for (let nz = -IMAGES; nz <= IMAGES; nz++) {
        const [rx, ry, rz] = [x + nx, y + ny, z + nz];
        const r = Math.sqrt(rx * rx + ry * ry + rz * rz);
        const s = ALPHA * r;
        if (s > ALPHA_R_MAX) continue;
        const screened = erfc(s);
        const strength = (screened + TWO_OVER_ROOT_PI * s * Math.exp(-s * s)) / r ** 3;
        potential -= screened / r;
        ax -= strength * rx;
        ay -= strength * ry;
        az -= strength * rz;
      }
    }
  }
  for (const [qx, qy, qz, weight] of modes) {
    const phase = 2 * Math.PI * (qx * x + qy * y + qz * z);
    const amplitude = 4 * weight * Math.sin(phase);
    potential -= (2 / Math.PI) * weight * Math.cos(phase);
    ax -= amplitude * qx;
    ay -= amplitude * qy;
    az -= amplitude * qz;
  }
  return { acceleration: [ax, ay, az], potential };
}
