/**
 * One level of the multigrid hierarchy in float64 and what is done on it: red–black Gauss–Seidel with over-relaxation,
 * residual, restriction, prolongation. The 7-point Laplacian is taken with a cell side of 1: the source holds h²f.
 *   relaxation    φ += ω[(Σ₆φ − F)/(6 + wall·faces) − φ], red cells, then black
 *   fourth order  Δ₁₉φ = (2Σ₆φ + Σ₁₂φ − 24φ)/6 against F + Δ₇F/12 (Collatz 1960, Mehrstellenverfahren), on the finest
 *                 level alone; four colours, as Δ₁₉ couples cells that differ in one or two coordinates
 *   restriction   F_H = 4·mean of the 8 residuals (h² becomes (2h)²)
 *   prolongation  trilinear: ¾ and ¼ on each axis
 * Periodic, or isolated with fixed ghost values one half finest cell outside the faces. Brandt 1977; Trottenberg,
 * Oosterlee & Schüller 2001, ch. 2; Aubert, Amini & David 2009, §2.
 */

/** Values with one layer of ghosts: [(n+2)³], x fastest, cell (x, y, z) at ((z+1)·(n+2) + y+1)·(n+2) + x+1. */
export interface GhostedLevel {
  /** n, cells per side. */
  cells: number;
  periodic: boolean;
  /** Order of the discretisation: 4 has wall 0. */
  order: 2 | 4;
  /** Ghosts of a correction are −wall times the cell inside; 0 on the finest level. */
  wall: number;
  potential: Float64Array;
  /** h²f, ghosts unused. */
  source: Float64Array;
  /**
   * [6, (n+2)²] of the finest isolated level: values at the ghost centres; faces −x, +x, −y, +y, −z, +z, the lower
   * of a face's axes along its rows, which begin and end with the ghosts beyond the edges.
   */
  boundary: Float64Array | undefined;
}

export function createLevel(cells: number, periodic: boolean, wall: number, order: 2 | 4 = 2): GhostedLevel {
  const size = (cells + 2) ** 3;
  return {
    cells,
    periodic,
    wall,
    order,
    potential: new Float64Array(size),
    source: new Float64Array(size),
    boundary: periodic || wall > 0 ? undefined : new Float64Array(6 * (cells + 2) ** 2),
  };
}

/** Strides of the three axes, and index of the first cell. */
function strides(n: number): { step: [number, number, number]; first: number } {
  const pitch = n + 2;
  return { step: [1, pitch, pitch * pitch], first: pitch * pitch + pitch + 1 };
}

/** Ghosts, edges and corners too: copies of the cells on the other side, or −wall times the cell inside. */
export function setGhosts(values: Float64Array, n: number, wall?: number): void {
  const { step, first } = strides(n);
  for (let axis = 0; axis < 3; axis++) {
    const [a, u, v] = facing(axis, step);
    // Axes done before have their ghosts, which this one carries on into edges and corners.
    const [reachU, reachV] = [axis > 0 ? 1 : 0, axis > 1 ? 1 : 0];
    for (let j = -reachV; j < n + reachV; j++) {
      for (let i = -reachU; i < n + reachU; i++) {
        const low = first + i * u + j * v;
        const high = low + (n - 1) * a;
        values[low - a] = wall === undefined ? values[high] : -wall * values[low];
        values[high + a] = wall === undefined ? values[low] : -wall * values[high];
      }
    }
  }
}

/** Isolated ghosts of the finest level: the boundary's values. Those of corrections are zero to the relaxation. */
export function setFixedGhosts(level: GhostedLevel): void {
  const { cells: n, potential, boundary } = level;
  if (!boundary) return;
  const { step, first } = strides(n);
  for (let axis = 0; axis < 3; axis++) {
    const [a, u, v] = facing(axis, step);
    for (let j = -1; j <= n; j++) {
      for (let i = -1; i <= n; i++) {
        const low = first + i * u + j * v;
        potential[low - a] = boundary[boundaryIndex(n, 2 * axis, i, j)];
        potential[low + n * a] = boundary[boundaryIndex(n, 2 * axis + 1, i, j)];
      }
    }
  }
}

/** Place of a boundary value, i and j from −1 to n. */
export function boundaryIndex(n: number, face: number, i: number, j: number): number {
  return (face * (n + 2) + j + 1) * (n + 2) + i + 1;
}

/** Strides along an axis and along the two others, the lower axis first: the order of a face's values. */
function facing(axis: number, step: readonly number[]): number[] {
  return [step[axis], ...step.filter((_, other) => other !== axis)];
}

/** One half sweep: the cells with (x + y + z) even (0) or odd (1). */
function halfSweep(level: GhostedLevel, colour: 0 | 1, omega: number): void {
  const { cells: n, potential: p, source: f, wall } = level;
  if (level.periodic) setGhosts(p, n);
  const [, sy, sz] = strides(n).step;
  forEachRow(n, (row, y, z) => {
    const faces = wall * (facesAt(y, n) + facesAt(z, n));
    for (let x = (colour + y + z) & 1; x < n; x += 2) {
      const i = row + x;
      p[i] += omega * ((around7(p, i, sy, sz) - f[i]) / (6 + faces + wall * facesAt(x, n)) - p[i]);
    }
  });
}

/** Calls `use` with the index of each row's first cell, and with y and z. */
export function forEachRow(n: number, use: (row: number, y: number, z: number) => void): void {
  const { step, first } = strides(n);
  for (let z = 0; z < n; z++) for (let y = 0; y < n; y++) use(first + z * step[2] + y * step[1], y, z);
}

const facesAt = (x: number, n: number) => (x === 0 ? 1 : 0) + (x === n - 1 ? 1 : 0);

/** Σ₆ of the neighbours across faces. */
function around7(p: Float64Array, i: number, sy: number, sz: number): number {
  return p[i - 1] + p[i + 1] + (p[i - sy] + p[i + sy]) + (p[i - sz] + p[i + sz]);
}

/** 2Σ₆ + Σ₁₂ of the neighbours across faces and edges. */
function around19(p: Float64Array, i: number, sy: number, sz: number): number {
  const inRow = p[i - sy - 1] + p[i + sy - 1] + p[i - sz - 1] + p[i + sz - 1];
  const outRow = p[i - sy + 1] + p[i + sy + 1] + p[i - sz + 1] + p[i + sz + 1];
  return (
    2 * around7(p, i, sy, sz) + (inRow + outRow) + (p[i - sy - sz] + p[i + sy - sz] + (p[i - sy + sz] + p[i + sy + sz]))
  );
}

/** A quarter of a fourth-order sweep: the cells with y + z and x + y of the parities that the colour's two bits say. */
function quarterSweep(level: GhostedLevel, colour: number, omega: number): void {
  const { cells: n, potential: p, source: f } = level;
  if (level.periodic) setGhosts(p, n);
  const [, sy, sz] = strides(n).step;
  forEachRow(n, (row, y, z) => {
    if (((y + z) & 1) !== colour >> 1) return;
    for (let x = (colour + y) & 1; x < n; x += 2) {
      const i = row + x;
      p[i] += omega * ((around19(p, i, sy, sz) - 6 * f[i]) / 24 - p[i]);
    }
  });
}

export function relax(level: GhostedLevel, sweeps: number, omega: number): void {
  for (let s = 0; s < sweeps; s++) {
    if (level.order === 4) for (let colour = 0; colour < 4; colour++) quarterSweep(level, colour, omega);
    else for (const colour of [0, 1] as const) halfSweep(level, colour, omega);
  }
}

/** The source of the fourth-order scheme, F + Δ₇F/12; nothing lies outside an isolated mesh. */
export function compactSource(level: GhostedLevel): void {
  const { cells: n, source: f, periodic } = level;
  if (periodic) setGhosts(f, n);
  const given = f.slice();
  const [, sy, sz] = strides(n).step;
  forEachRow(n, (row) => {
    for (let i = row; i < row + n; i++) f[i] = (6 * given[i] + around7(given, i, sy, sz)) / 12;
  });
}

/** Calls `use` with the residual F − Δφ of every cell, x fastest. */
function forEachResidual(level: GhostedLevel, use: (residual: number, x: number, y: number, z: number) => void): void {
  const { cells: n, potential: p, source: f, wall } = level;
  if (level.periodic) setGhosts(p, n);
  const [, sy, sz] = strides(n).step;
  forEachRow(n, (row, y, z) => {
    const faces = wall * (facesAt(y, n) + facesAt(z, n));
    for (let x = 0; x < n; x++) {
      const i = row + x;
      if (level.order === 4) use(f[i] - (around19(p, i, sy, sz) - 24 * p[i]) / 6, x, y, z);
      else use(f[i] - around7(p, i, sy, sz) + (6 + faces + wall * facesAt(x, n)) * p[i], x, y, z);
    }
  });
}

/** Root of the mean square of the residual. */
export function residualNorm(level: GhostedLevel): number {
  let sum = 0;
  forEachResidual(level, (r) => {
    sum += r * r;
  });
  return Math.sqrt(sum / level.cells ** 3);
}

/** Residual of `fine` into the source of `coarse`, whose potential becomes 0: a correction to be found. */
export function restrictResidual(fine: GhostedLevel, coarse: GhostedLevel): void {
  coarse.source.fill(0);
  coarse.potential.fill(0);
  const pitch = coarse.cells + 2;
  forEachResidual(fine, (r, x, y, z) => {
    coarse.source[(((z >> 1) + 1) * pitch + (y >> 1) + 1) * pitch + (x >> 1) + 1] += r / 2;
  });
}

/** Adds the trilinear interpolation of a correction to the potential of `fine`. */
export function prolongate({ cells, potential, periodic, wall }: GhostedLevel, fine: GhostedLevel): void {
  setGhosts(potential, cells, periodic ? undefined : wall);
  addInterpolated(potential, fine.potential, fine.cells);
}

/** Trilinear, from the values of a level to those of one of n cells a side, the next finer. */
export function addInterpolated(c: Float64Array, to: Float64Array, n: number): void {
  const [, sy, sz] = strides(n / 2).step;
  forEachRow(n, (row, y, z) => {
    const dz = z & 1 ? sz : -sz;
    const dy = y & 1 ? sy : -sy;
    for (let x = 0; x < n; x++) {
      const dx = x & 1 ? 1 : -1;
      const i = ((z >> 1) + 1) * sz + ((y >> 1) + 1) * sy + (x >> 1) + 1;
      const near = 3 * (3 * c[i] + c[i + dy]) + (3 * c[i + dz] + c[i + dy + dz]);
      const far = 3 * (3 * c[i + dx] + c[i + dx + dy]) + (3 * c[i + dx + dz] + c[i + dx + dy + dz]);
      to[row + x] += (3 * near + far) / 64;
    }
  });
}

/** Takes the mean off the source or the potential of a periodic level: neither has a meaning there. */
export function removeMean(level: GhostedLevel, values: Float64Array): void {
  const { cells: n } = level;
  let sum = 0;
  forEachRow(n, (row) => {
    for (let i = row; i < row + n; i++) sum += values[i];
  });
  const mean = sum / n ** 3;
  forEachRow(n, (row) => {
    for (let i = row; i < row + n; i++) values[i] -= mean;
  });
}
