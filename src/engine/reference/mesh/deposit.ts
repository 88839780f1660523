/** Mass assignment: ρ(cell) = Σ m W(cell − x)/h³ with the weights of cells.ts (Hockney & Eastwood 1988, sect. 5-3). */
import { assignments } from "../../../physics/particles/assignments.ts";
import { emptyStencil, type HostGrid, setAxis } from "./cells.ts";

/** [n³, x fastest] density [mass/length³] of the particles in `order`, in which the sums run; into `density`. */
export function depositMass(
  grid: HostGrid,
  positions: Float64Array,
  masses: Float64Array,
  order: Uint32Array,
  density: Float64Array = new Float64Array(grid.cells ** 3),
): Float64Array {
  density.fill(0);
  return addMass(grid, positions, masses, order, density);
}

/** The same on top of what `density` has, of particles that come in blocks. */
export function addMass(
  grid: HostGrid,
  positions: Float64Array,
  masses: Float64Array,
  order: Iterable<number>,
  density: Float64Array,
): Float64Array {
  const { cells: n, assignment, corner } = grid;
  const perCell = n / grid.side;
  const perVolume = perCell ** 3;
  const support = assignments[assignment].order;
  const stencil = emptyStencil();
  const { weights, cells } = stencil;
  for (const i of order) {
    for (let axis = 0; axis < 3; axis++) {
      setAxis(stencil, 3 * axis, assignment, (positions[3 * i + axis] - corner[axis]) * perCell, n);
    }
    const mass = masses[i] * perVolume;
    for (let c = 0; c < support; c++) {
      const wz = mass * weights[6 + c];
      for (let b = 0; b < support; b++) {
        const row = (cells[6 + c] * n + cells[3 + b]) * n;
        const wyz = wz * weights[3 + b];
        for (let a = 0; a < support; a++) density[row + cells[a]] += wyz * weights[a];
      }
    }
  }
  return density;
}
