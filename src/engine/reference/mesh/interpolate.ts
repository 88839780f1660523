/**
 * Mesh values at the particles with the weights of the deposit, a(x) = Σ_cells W(cell − x) a(cell): the same
 * weights both ways conserve momentum and leave no self-force (Hockney & Eastwood 1988, sect. 5-3-3).
 */
import { assignments } from "../../../physics/particles/assignments.ts";
import { emptyStencil, type HostGrid, setAxis } from "./cells.ts";

export interface Interpolated {
  /** [3N] [velocity/time] */
  accelerations: Float64Array;
  /** [N] [velocity²] */
  potential: Float64Array;
}

/** Writes acceleration and potential of the particles in `order` into `out`. `force` [n³·4, ax|ay|az|φ]. */
export function interpolateForce(
  grid: HostGrid,
  force: Float64Array,
  positions: Float64Array,
  order: Uint32Array,
  out: Interpolated,
): void {
  const { cells: n, assignment, corner } = grid;
  const perCell = n / grid.side;
  const support = assignments[assignment].order;
  const stencil = emptyStencil();
  const { weights, cells } = stencil;
  for (const i of order) {
    for (let axis = 0; axis < 3; axis++) {
      setAxis(stencil, 3 * axis, assignment, (positions[3 * i + axis] - corner[axis]) * perCell, n);
    }
    let ax = 0;
    let ay = 0;
    let az = 0;
    let phi = 0;
    for (let c = 0; c < support; c++) {
      const wz = weights[6 + c];
      for (let b = 0; b < support; b++) {
        const row = (cells[6 + c] * n + cells[3 + b]) * n;
        const wyz = wz * weights[3 + b];
        for (let a = 0; a < support; a++) {
          const cell = 4 * (row + cells[a]);
          const w = wyz * weights[a];
          ax += w * force[cell];
          ay += w * force[cell + 1];
          az += w * force[cell + 2];
          phi += w * force[cell + 3];
        }
      }
    }
    out.accelerations[3 * i] = ax;
    out.accelerations[3 * i + 1] = ay;
    out.accelerations[3 * i + 2] = az;
    out.potential[i] = phi;
  }
}
