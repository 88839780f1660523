/**
 * Acceleration −∇φ on the mesh by centred differences (Hockney & Eastwood 1988, sect. 5-4; Aubert, Amini & David
 * 2009, sect. 2.3), together with φ:
 *   2-point  −[φ(i+1) − φ(i−1)] / 2h
 *   4-point  −[8(φ(i+1) − φ(i−1)) − (φ(i+2) − φ(i−2))] / 12h
 *   spectral −ikφ̂, left to the Poisson solver.
 * On a mesh that doesn't wrap indices stop at the faces: no particle inside the mesh reads the cells there.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { GradientScheme } from "../../mesh/settings.ts";
import { wrap } from "./cells.ts";
import type { PoissonSolver } from "./poisson-solver.ts";

/** [n³·4, ax|ay|az|φ] from a potential [n³] with cells of side h [length]. */
export function differenceGradient(
  potential: Float64Array,
  { n, h, scheme, wraps }: { n: number; h: number; scheme: "2-point" | "4-point"; wraps: boolean },
  out: Float64Array = new Float64Array(4 * n ** 3),
): Float64Array {
  const near = scheme === "2-point" ? -1 / (2 * h) : -8 / (12 * h);
  const far = scheme === "2-point" ? 0 : 1 / (12 * h);
  const stop = (i: number) => (wraps ? wrap(i, n) : Math.min(Math.max(i, 0), n - 1));
  const shift = (by: number, pitch: number) => Int32Array.from({ length: n }, (_, i) => stop(i + by) * pitch);
  /** Offsets of the neighbours at −2, −1, 1, 2 along an axis of the given pitch. */
  const neighbours = (pitch: number) => [-2, -1, 1, 2].map((by) => shift(by, pitch));
  const [xm2, xm1, xp1, xp2] = neighbours(1);
  const [ym2, ym1, yp1, yp2] = neighbours(n);
  const [zm2, zm1, zp1, zp2] = neighbours(n * n);
  for (let z = 0, o = 0; z < n; z++) {
    for (let y = 0; y < n; y++) {
      const row = (z * n + y) * n;
      const plane = z * n * n;
      const line = y * n;
      for (let x = 0; x < n; x++, o += 4) {
        const inPlane = plane + x;
        const inLine = line + x;
        let ax = near * (potential[row + xp1[x]] - potential[row + xm1[x]]);
        let ay = near * (potential[inPlane + yp1[y]] - potential[inPlane + ym1[y]]);
        let az = near * (potential[inLine + zp1[z]] - potential[inLine + zm1[z]]);
        if (far !== 0) {
          ax += far * (potential[row + xp2[x]] - potential[row + xm2[x]]);
          ay += far * (potential[inPlane + yp2[y]] - potential[inPlane + ym2[y]]);
          az += far * (potential[inLine + zp2[z]] - potential[inLine + zm2[z]]);
        }
        out[o] = ax;
        out[o + 1] = ay;
        out[o + 2] = az;
        out[o + 3] = potential[row + x];
      }
    }
  }
  return out;
}

/** [n³·4, ax|ay|az|φ] by differentiation in Fourier space, from the density [n³] and its potential [n³]. */
export function spectralGradient(
  solver: Required<Pick<PoissonSolver, "acceleration">>,
  density: Float64Array,
  potential: Float64Array,
  out: Float64Array = new Float64Array(4 * potential.length),
): Float64Array {
  for (let i = 0; i < potential.length; i++) out[4 * i + 3] = potential[i];
  for (const axis of [0, 1, 2] as const) {
    const component = solver.acceleration(density, axis);
    for (let i = 0; i < component.length; i++) out[4 * i + axis] = component[i];
  }
  return out;
}

/** Either of the two, as the scheme asks; h: cell side [length]. */
export function meshGradient(
  { gradient: scheme, h }: { gradient: GradientScheme; h: number },
  solver: PoissonSolver,
  density: Float64Array,
  potential: Float64Array,
  out: Float64Array = new Float64Array(4 * potential.length),
): Float64Array {
  if (scheme !== "spectral")
    return differenceGradient(potential, { n: solver.cells, h, scheme, wraps: solver.boundary === "periodic" }, out);
  const acceleration = solver.acceleration?.bind(solver);
  if (acceleration) return spectralGradient({ acceleration }, density, potential, out);
  throw new GravmeshError("scenario", 'mesh.gradient = "spectral" needs mesh.poisson = "fft"');
}
