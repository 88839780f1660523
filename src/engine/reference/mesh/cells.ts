/**
 * Where particles fall on the mesh: base cells, the touched cells and their weights (physics/particles/assignments.ts), cell
 * keys and the order by cell.
 */

import { type Assignment, assignments, cellsBeside, offsetOrigin } from "../../../physics/particles/assignments.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import { type GridBoundary, gridCorner, gridSide, wholeBoxGrid } from "../../../physics/particles/grid.ts";
import { stencilReach } from "../../mesh/deposit/stencil.ts";
import type { MeshSettings } from "../../mesh/settings.ts";

/** A grid as every stage needs it. */
export interface HostGrid {
  /** Cells per side. */
  cells: number;
  /** Lower corner in box coordinates [length]. */
  corner: readonly [number, number, number];
  /** [length] */
  side: number;
  boundary: GridBoundary;
  assignment: Assignment;
  /** Cells that assignment and gradient reach past the base cell; what particles keep from faces that have an outside. */
  reach: number;
}

/** The grid of a box of side `boxSize` [length], or another one in it. */
export function hostGridOf(
  mesh: MeshSettings,
  boundary: Boundary,
  boxSize: number,
  grid = wholeBoxGrid(mesh.cells, boundary),
): HostGrid {
  return {
    ...{ cells: grid.cells, corner: gridCorner(grid, boxSize), side: gridSide(grid, boxSize) },
    ...{ boundary: grid.boundary, assignment: mesh.assignment, reach: stencilReach(mesh) },
  };
}

/** Base cell on one axis of a coordinate s in cell units, not wrapped. */
function baseCell(scheme: Assignment, s: number): number {
  return Math.floor(s - offsetOrigin(scheme));
}

/** The cells that a particle touches and their weights, three slots an axis: x at 0 …, y at 3 …, z at 6 …. */
export interface Stencil {
  weights: Float64Array;
  cells: Int32Array;
}

export function emptyStencil(): Stencil {
  return { weights: new Float64Array(9), cells: new Int32Array(9) };
}

/** Fills slots at … of a stencil for a coordinate s in cell units; cells are wrapped into [0, n). */
export function setAxis(stencil: Stencil, at: number, scheme: Assignment, s: number, n: number): void {
  const { weights, cells } = stencil;
  const { order, setWeights } = assignments[scheme];
  const base = baseCell(scheme, s);
  setWeights(weights, at, s - offsetOrigin(scheme) - base);
  const first = base - cellsBeside(scheme).below;
  for (let i = 0; i < order; i++) cells[at + i] = wrap(first + i, n);
}

/** i wrapped into [0, n). */
export function wrap(i: number, n: number): number {
  if (i >= 0 && i < n) return i;
  return i - n * Math.floor(i / n);
}

/**
 * [N] the memory index of each particle's base cell, x fastest; n³ for a particle outside and for one
 * whose position is not a number.
 */
export function cellKeys(grid: HostGrid, positions: Float64Array): Uint32Array {
  const { cells: n, assignment, reach, corner } = grid;
  const { hasOutside } = grid.boundary;
  const perCell = n / grid.side;
  const low = reach;
  const high = n - 1 - reach;
  const outside = n * n * n;
  const keys = new Uint32Array(positions.length / 3);
  for (let i = 0; i < keys.length; i++) {
    const x = baseCell(assignment, (positions[3 * i] - corner[0]) * perCell);
    const y = baseCell(assignment, (positions[3 * i + 1] - corner[1]) * perCell);
    const z = baseCell(assignment, (positions[3 * i + 2] - corner[2]) * perCell);
    if (hasOutside) {
      const inside = x >= low && x <= high && y >= low && y <= high && z >= low && z <= high;
      keys[i] = inside ? (z * n + y) * n + x : outside;
    } else {
      const key = (wrap(z, n) * n + wrap(y, n)) * n + wrap(x, n);
      keys[i] = Number.isNaN(key) ? outside : key;
    }
  }
  return keys;
}

export interface CellOrder {
  /** [N] particle numbers sorted by cell, within a cell by number; those outside last. */
  order: Uint32Array;
  /** [n³ + 1] where each cell's particles start in `order`; the last entry counts the particles inside. */
  cellStart: Uint32Array;
}

/** Counting sort of the keys, stable, so the order depends on positions alone. */
export function orderByCell(keys: Uint32Array, cellCount: number): CellOrder {
  const start = new Uint32Array(cellCount + 2);
  for (let i = 0; i < keys.length; i++) start[keys[i] + 1]++;
  for (let c = 0; c <= cellCount; c++) start[c + 1] += start[c];
  const cellStart = start.slice(0, cellCount + 1);
  const order = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[start[keys[i]]++] = i;
  return { order, cellStart };
}
