/**
 * Mass assignment: ρ(cell) = Σ m W(cell − x)/h³ with the NGP, CIC and TSC weights of cells.ts
 * (Hockney & Eastwood 1988, sect. 5-3), in float64 and in the integer form that the GPU accumulates.
 */
import { SUPPORT } from "../../mesh/stencil.ts";
import { emptyStencil, type Grid, setAxis } from "./cells.ts";

/**
 * [n³, x fastest] density [mass/length³] of the particles in `order`: those inside of an isolated mesh. Sums run in that
 * order, so the same positions give the same bits. `density` is overwritten.
 */
export function depositMass(
  grid: Grid,
  positions: Float64Array,
  masses: Float64Array,
  order: Uint32Array,
  density: Float64Array = new Float64Array(grid.cells ** 3),
): Float64Array {
  const { cells: n, assignment, corner } = grid;
  const perCell = n / grid.side;
  const perVolume = perCell ** 3;
  const support = SUPPORT[assignment];
  const stencil = emptyStencil();
  const { weights, cells } = stencil;
  density.fill(0);
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

/**
 * [n³] mass in integer units: each particle's units are split by the same weights, each weighted mass rounded
 * to the nearest integer, and the last (highest cell on every axis) is what is left, so the total is exact.
 * The weights are float32 products of offsets with 24 bits, as on the GPU; sums stay exact up to 2^53.
 */
export function depositMassUnits(
  grid: Grid,
  positions: Float64Array,
  massUnits: Uint32Array,
  order: Uint32Array,
): Float64Array {
  const { cells: n, assignment, corner } = grid;
  const perCell = n / grid.side;
  const support = SUPPORT[assignment];
  const touched = support ** 3;
  const stencil = emptyStencil();
  const { weights, cells } = stencil;
  const units = new Float64Array(n * n * n);
  for (const i of order) {
    for (let axis = 0; axis < 3; axis++) {
      setAxis(stencil, 3 * axis, assignment, offset24((positions[3 * i + axis] - corner[axis]) * perCell), n);
    }
    for (let w = 0; w < 9; w++) weights[w] = Math.fround(weights[w]);
    let left = massUnits[i];
    for (let k = 0; k < touched; k++) {
      const a = k % support;
      const b = Math.floor(k / support) % support;
      const c = Math.floor(k / support ** 2);
      const wyz = Math.fround(weights[3 + b] * weights[6 + c]);
      const product = Math.fround(Math.fround(wyz * weights[a]) * massUnits[i]);
      const weighted = k === touched - 1 ? left : roundHalfEven(product);
      left -= weighted;
      units[(cells[6 + c] * n + cells[3 + b]) * n + cells[a]] += weighted;
    }
  }
  return units;
}

/** A coordinate in cell units cut to 24 bits below the point. */
function offset24(s: number): number {
  return Math.floor(s * 0x1000000) / 0x1000000;
}

function roundHalfEven(x: number): number {
  const r = Math.round(x);
  return r - x === 0.5 && r % 2 !== 0 ? r - 1 : r;
}
