/**
 * How wrong the mesh force of a point mass is, by separation (Hockney & Eastwood 1988, sect. 8-3): a unit mass at
 * sub-cell offsets, test particles around it, compared with Ewald's sum (periodic) or −d/r³ (isolated).
 * The sample is fixed, so figures are reproducible: source offsets ((i + ½)/4, (j + ½)/4, (k + ½)/4) of a cell and
 * 200 directions on a Fibonacci sphere.
 */

import { ewaldField } from "../diagnostics/ewald.ts";
import type { Boundary } from "../particles/box.ts";

/**
 * Accelerations [3T] at `targets` [3T, box coordinates] of a unit mass at `source`, with G = 1 and a unit box.
 */
export type PointMassForces = (
  source: [number, number, number],
  targets: Float64Array,
) => Float64Array | Float32Array | Promise<Float64Array | Float32Array>;

export interface ForceErrorOptions {
  /** Cells per side. */
  cells: number;
  boundary: Boundary;
  /** [cells]; 2, 3, 4, 6, 8, 16 by default. */
  separations?: readonly number[];
  /** Source offsets per axis; 4. */
  offsetsPerAxis?: number;
  /** Directions of the test particles; 200. */
  directions?: number;
}

export interface ForceErrorRow {
  /** [cells] */
  separation: number;
  /** Mean error of the pull towards the source [%]; positive: the mesh pulls too hard. */
  meanRadial: number;
  /** Rms of the radial error about its mean and the tangential error together [%]. */
  scatter: number;
}

export const FORCE_ERROR_SEPARATIONS = [2, 3, 4, 6, 8, 16] as const;

/** [3·count] unit vectors: z = 1 − (2n + 1)/count, azimuth nπ(3 − √5). */
export function fibonacciSphere(count: number): Float64Array {
  const vectors = new Float64Array(3 * count);
  for (let n = 0; n < count; n++) {
    const z = 1 - (2 * n + 1) / count;
    const azimuth = n * Math.PI * (3 - Math.sqrt(5));
    const rho = Math.sqrt(1 - z * z);
    vectors.set([rho * Math.cos(azimuth), rho * Math.sin(azimuth), z], 3 * n);
  }
  return vectors;
}

/** Positions in the unit box: sub-cell offsets of the cell at the middle of a mesh of `cells`. */
export function subCellOffsets(cells: number, perAxis: number): [number, number, number][] {
  const at = (i: number) => (Math.floor(cells / 2) + (i + 0.5) / perAxis) / cells;
  const axis = Array.from({ length: perAxis }, (_, i) => at(i));
  return axis.flatMap((z) => axis.flatMap((y) => axis.map((x): [number, number, number] => [x, y, z])));
}

export async function pointMassForceError(
  forces: PointMassForces,
  options: ForceErrorOptions,
): Promise<ForceErrorRow[]> {
  const { cells, boundary } = options;
  const separations = options.separations ?? FORCE_ERROR_SEPARATIONS;
  const directions = fibonacciSphere(options.directions ?? 200);
  const perSeparation = directions.length / 3;
  const displacements = Float64Array.from(
    separations.flatMap((separation) => Array.from(directions, (component) => (component * separation) / cells)),
  );
  const truth = exactForces(displacements, boundary);
  const tallies = separations.map(() => ({ count: 0, radial: 0, square: 0 }));
  for (const source of subCellOffsets(cells, options.offsetsPerAxis ?? 4)) {
    const targets = displacements.map((d, j) => {
      const x = source[j % 3] + d;
      return boundary === "periodic" ? x - Math.floor(x) : x;
    });
    const found = await forces(source, targets);
    for (let t = 0; t < truth.length / 3; t++) {
      const tally = tallies[Math.floor(t / perSeparation)];
      const direction = 3 * (t % perSeparation);
      let [size, radial, square] = [0, 0, 0];
      for (let axis = 0; axis < 3; axis++) {
        const exact = truth[3 * t + axis];
        const error = found[3 * t + axis] - exact;
        size += exact * exact;
        radial -= error * directions[direction + axis];
        square += error * error;
      }
      tally.count++;
      tally.radial += radial / Math.sqrt(size);
      tally.square += square / size;
    }
  }
  return tallies.map(({ count, radial, square }, s) => {
    const mean = radial / count;
    return {
      separation: separations[s],
      meanRadial: 100 * mean,
      scatter: 100 * Math.sqrt(Math.max(square / count - mean * mean, 0)),
    };
  });
}

/** [3T] true accelerations at displacements [3T] from the unit mass. */
function exactForces(displacements: Float64Array, boundary: Boundary): Float64Array {
  const exact = new Float64Array(displacements.length);
  for (let j = 0; j < displacements.length; j += 3) {
    const [x, y, z] = displacements.subarray(j, j + 3);
    if (boundary === "periodic") {
      exact.set(ewaldField(x, y, z).acceleration, j);
    } else {
      const pull = -1 / (x * x + y * y + z * z) ** 1.5;
      exact.set([pull * x, pull * y, pull * z], j);
    }
  }
  return exact;
}
