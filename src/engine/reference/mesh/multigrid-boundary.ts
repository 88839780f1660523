/**
 * Potential at the ghost centres of an isolated mesh, in float64: −Σ F/(4π r) of the sources on a coarse mesh, with 1/r as
 * a sum of Gaussians that factor over the axes (engine/mesh/multigrid/multigrid-boundary-tables.ts):
 *   spread   sources to the coarse mesh: sums of 8, then linearly, which keeps mass and centre
 *   normal   along the axis across the face, two faces at a time
 *   along    along the two axes of the face, at coarse points
 *   ghosts   cubic interpolation to the ghost centres
 */
import {
  type BoundaryTables,
  boundaryTables,
  cubicWeights,
  SOURCE_MARGIN,
  TARGET_MARGIN,
} from "../../mesh/multigrid/multigrid-boundary-tables.ts";
import { boundaryIndex } from "./multigrid-levels.ts";

export class BoundaryPotential {
  private readonly tables: BoundaryTables;

  constructor(readonly cells: number) {
    this.tables = boundaryTables(cells);
  }

  /** `source`: h²·4πGρ with ghosts [(n+2)³]; `out`: [6, (n+2)²] potentials, laid out as a Level's boundary. */
  fill(source: Float64Array, out: Float64Array): void {
    const { cells: n, tables } = this;
    const spread = spreadSources(source, n, tables);
    for (let axis = 0; axis < 3; axis++) {
      for (const high of [false, true]) {
        const face = facePotential(spread, axis, high, tables);
        interpolateFace(face, tables, n, out.subarray(boundaryIndex(n, 2 * axis + (high ? 1 : 0), -1, -1)));
      }
    }
  }
}

/** [sources³] on the coarse mesh with its margin. */
function spreadSources(source: Float64Array, n: number, { coarse, factor, sources }: BoundaryTables): Float64Array {
  // Sums of 8 down to cells of half a coarse cell.
  const side = 2 * coarse;
  const step = factor / 2;
  const halved = new Float64Array(side ** 3);
  const at = (v: number) => Math.floor(v / step);
  for (let z = 0; z < n; z++) {
    for (let y = 0; y < n; y++) {
      const row = ((z + 1) * (n + 2) + y + 1) * (n + 2) + 1;
      for (let x = 0; x < n; x++) halved[(at(z) * side + at(y)) * side + at(x)] += source[row + x];
    }
  }
  const result = new Float64Array(sources ** 3);
  for (let z = 0; z < side; z++) {
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        const f = halved[(z * side + y) * side + x];
        for (const [cz, wz] of shares(z)) {
          for (const [cy, wy] of shares(y)) {
            for (const [cx, wx] of shares(x)) result[(cz * sources + cy) * sources + cx] += wx * wy * wz * f;
          }
        }
      }
    }
  }
  return result;
}

/** The two coarse values that share half a coarse cell, with the margin counted. */
function shares(half: number): [number, number][] {
  const own = (half >> 1) + SOURCE_MARGIN;
  return [
    [own, 0.75],
    [half & 1 ? own + 1 : own - 1, 0.25],
  ];
}

/** [targets²] potential in a face's ghost plane at coarse points −2 … coarse + 1, lower axis first. */
function facePotential(spread: Float64Array, axis: number, high: boolean, tables: BoundaryTables): Float64Array {
  const { terms, weights, normal, along, sources, targets } = tables;
  const stride = [1, sources, sources * sources];
  const a = stride[axis];
  const u = stride[axis === 0 ? 1 : 0];
  const v = stride[axis === 2 ? 1 : 2];
  const face = new Float64Array(targets * targets);
  const plane = new Float64Array(sources * sources);
  const half = new Float64Array(sources * targets);
  const distance = (target: number, s: number) => Math.abs(target - TARGET_MARGIN - (s - SOURCE_MARGIN));
  for (let q = 0; q < terms; q++) {
    for (let j = 0; j < sources; j++) {
      for (let i = 0; i < sources; i++) {
        let sum = 0;
        for (let s = 0; s < sources; s++) {
          sum += normal[q * sources + (high ? sources - 1 - s : s)] * spread[s * a + i * u + j * v];
        }
        plane[j * sources + i] = sum;
      }
    }
    const row = q * (targets + 1);
    for (let j = 0; j < sources; j++) {
      for (let t = 0; t < targets; t++) {
        let sum = 0;
        for (let i = 0; i < sources; i++) sum += along[row + distance(t, i)] * plane[j * sources + i];
        half[j * targets + t] = sum;
      }
    }
    const weight = -weights[q] / (4 * Math.PI);
    for (let t2 = 0; t2 < targets; t2++) {
      for (let t = 0; t < targets; t++) {
        let sum = 0;
        for (let j = 0; j < sources; j++) sum += along[row + distance(t2, j)] * half[j * targets + t];
        face[t2 * targets + t] += weight * sum;
      }
    }
  }
  return face;
}

/** [(n+2)²] at the ghost centres from [targets²]. */
function interpolateFace(face: Float64Array, { factor, targets }: BoundaryTables, n: number, out: Float64Array): void {
  const place = (i: number) => {
    const t = (i + 0.5) / factor - 0.5 + TARGET_MARGIN;
    return { first: Math.floor(t) - 1, weights: cubicWeights(t - Math.floor(t)) };
  };
  for (let j = -1; j <= n; j++) {
    const v = place(j);
    for (let i = -1; i <= n; i++) {
      const u = place(i);
      let sum = 0;
      for (let b = 0; b < 4; b++) {
        for (let a = 0; a < 4; a++) {
          sum += v.weights[b] * u.weights[a] * face[(v.first + b) * targets + u.first + a];
        }
      }
      out[(j + 1) * (n + 2) + i + 1] = sum;
    }
  }
}
