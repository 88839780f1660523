/**
 * Phantom matter, which Newton's gravity would need in the place of the modified one, on the mesh at the present time:
 *   QUMOND   ρ_ph = ∇·[(ν − 1) ∇Φ_N]/4πG               AQUAL   ρ_ph = ∇·[(1 − μ) ∇Φ]/4πG
 * by the faces of cells as their solvers have them; none in the outermost cells of an isolated mesh.
 */
import type { ModifiedPotentials } from "../../engine/backend/backend.ts";
import { forEachCell } from "../../engine/reference/mesh/beyond-box.ts";
import { wrap } from "../../engine/reference/mesh/cells.ts";
import { phantomDensity } from "../../engine/reference/mesh/qumond.ts";
import type { MondSettings } from "../../physics/mond/settings.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { axesOf } from "../../physics/particles/map-grid.ts";
import type { MapView, Vector } from "../../physics/particles/reductions.ts";

/** Directions in which the field of a ring is taken. */
const POINTS = 24;

interface PhantomMesh {
  cells: number;
  boxSize: number;
  G: number;
  boundary: Boundary;
  mond: MondSettings;
}

export class PhantomMatter {
  /** [n³, x fastest] [mass/length³] */
  readonly density: Float64Array;

  constructor(
    readonly mesh: PhantomMesh,
    private readonly potentials: ModifiedPotentials,
  ) {
    const { newton, modified } = potentials;
    const { formulation } = mesh.mond;
    this.density = phantomDensity(mesh, formulation === "aqual" ? modified : newton, formulation);
  }

  get #h(): number {
    return this.mesh.boxSize / this.mesh.cells;
  }

  /** Means over the cells whose centres are in shells between `edges` [length]; NaN where there is none. */
  shells(edges: readonly number[], centre: Vector): { density: number[] } {
    const { cells: n, boxSize, boundary } = this.mesh;
    const h = this.#h;
    const [count, sum] = [0, 1].map(() => new Array<number>(edges.length - 1).fill(0));
    forEachCell(n, (i, ...cell) => {
      const d = cell.map((k, axis) => (k + 0.5) * h - centre[axis]);
      const r = Math.hypot(...(boundary === "periodic" ? d.map((x) => x - boxSize * Math.round(x / boxSize)) : d));
      const shell = edges.findLastIndex((edge) => edge <= r);
      if (shell < 0 || shell >= edges.length - 1) return;
      count[shell] += 1;
      sum[shell] += this.density[i];
    });
    return { density: sum.map((total, shell) => total / count[shell]) };
  }

  /** Mass in the pixels of a map [height·width, rows from the top], each cell spread evenly over its square. */
  map({ axis, centre, span, width, height }: MapView): Float64Array {
    const { cells: n, boundary } = this.mesh;
    const h = this.#h;
    const [right, up] = axesOf(axis);
    const pixel = span / width;
    const columns = overlaps(centre[right] - span / 2, pixel, width, h);
    const rows = overlaps(centre[up] - (pixel * height) / 2, pixel, height, h);
    const projected = new Float64Array(n * n);
    forEachCell(n, (i, ...cell) => {
      projected[cell[up] * n + cell[right]] += this.density[i] * h ** 3;
    });
    const inside = (k: number) => boundary === "periodic" || (k >= 0 && k < n);
    const found = new Float64Array(width * height);
    for (const [fromBelow, parts] of rows.entries()) {
      for (const { cell: v, share: tall } of parts) {
        if (!inside(v)) continue;
        for (const [column, { length }] of columns.entries()) {
          for (let k = 0; k < length; k++) {
            const { cell: u, share } = columns[column][k];
            if (!inside(u)) continue;
            found[(height - 1 - fromBelow) * width + column] += tall * share * projected[wrap(v, n) * n + wrap(u, n)];
          }
        }
      }
    }
    return found;
  }

  /** √(−⟨R a_R⟩) on rings about the z axis [velocity] in Newton's gravity and in that of phantom matter; NaN at the mesh's edge. */
  circularSpeeds(centre: Vector, radii: readonly number[]): { newton: number[]; phantom: number[] } {
    const { newton, modified } = this.potentials;
    const squares = (potential: Float32Array | Float64Array) => radii.map((R) => this.#square(potential, centre, R));
    const [own, whole] = [squares(newton), squares(modified)];
    const speed = (square: number) => Math.sqrt(Math.max(0, square));
    return { newton: own.map(speed), phantom: whole.map((square, i) => speed(square - own[i])) };
  }

  /** Mean of R ∂φ/∂R on a ring, by 4-point differences of cells' width. */
  #square(potential: Float32Array | Float64Array, centre: Vector, R: number): number {
    const h = this.#h;
    let sum = 0;
    for (let i = 0; i < POINTS; i++) {
      const angle = (2 * Math.PI * i) / POINTS;
      const at = (r: number) =>
        this.#potentialAt(potential, [centre[0] + r * Math.cos(angle), centre[1] + r * Math.sin(angle), centre[2]]);
      sum += (8 * (at(R + h) - at(R - h)) - (at(R + 2 * h) - at(R - 2 * h))) / (12 * h);
    }
    return (R * sum) / POINTS;
  }

  /** Trilinear between the centres of cells; NaN outside an isolated mesh. */
  #potentialAt(potential: Float32Array | Float64Array, place: Vector): number {
    const { cells: n, boundary } = this.mesh;
    const s = place.map((x) => x / this.#h - 0.5);
    const low = s.map(Math.floor);
    if (boundary === "isolated" && low.some((k) => k < 0 || k > n - 2)) return Number.NaN;
    let sum = 0;
    for (let corner = 0; corner < 8; corner++) {
      const up = [corner & 1, (corner >> 1) & 1, corner >> 2];
      const weight = up.reduce((product, one, axis) => product * Math.abs(1 - one - (s[axis] - low[axis])), 1);
      const [x, y, z] = low.map((k, axis) => wrap(k + up[axis], n));
      sum += weight * potential[(z * n + y) * n + x];
    }
    return sum;
  }
}

/** Of each pixel in a row the cells under it, and the share of each that it covers. */
function overlaps(from: number, pixel: number, count: number, h: number): { cell: number; share: number }[][] {
  return Array.from({ length: count }, (_, i) => {
    const [low, high] = [(from + i * pixel) / h, (from + (i + 1) * pixel) / h];
    const first = Math.floor(low);
    return Array.from({ length: Math.ceil(high) - first }, (__, k) => {
      const cell = first + k;
      return { cell, share: Math.max(0, Math.min(high, cell + 1) - Math.max(low, cell)) };
    });
  });
}
