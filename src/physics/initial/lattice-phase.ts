/**
 * Where the lattice lies that displaced particles began from. Particles near its points x = (i + s) Δ have a mean e^{2πi
 * x/Δ} of phase 2π s as long as displacements are below about half of Δ. Codes differ in s: here it is ½, in others 0.
 */

/** Displaced any farther, particles have forgotten their lattice, and the mesh how it met them. */
const LEAST_COHERENCE = 0.1;
/** Lattices that are closer than this share of a cell count as the same. */
const SAME_PLACE = 0.1;
/** Own lattices: points at the centres of the lattice's cells. */
const OWN = 0.5;

/**
 * What moves the particles' lattice to this program's, as the mesh sees it, at most half a cell along each axis [length];
 * undefined where there is no lattice, or no need. `positions`: [3N, xyzxyz…] in [0, boxSize).
 */
export function latticeShift(positions: ArrayLike<number>, boxSize: number, cells: number): number[] | undefined {
  const count = positions.length / 3;
  const perSide = Math.round(Math.cbrt(count));
  if (perSide < 2 || perSide ** 3 !== count || cells % perSide !== 0) return undefined;
  const spacing = boxSize / perSide;
  const cell = boxSize / cells;
  const shift = [0, 1, 2].map((axis) => {
    const place = placeOf(positions, axis, spacing);
    if (place === undefined) return undefined;
    const way = (OWN - place) * spacing;
    return way - cell * Math.round(way / cell);
  });
  if (!shift.every((way) => way !== undefined)) return undefined;
  return shift.some((way) => Math.abs(way) > SAME_PLACE * cell) ? shift : undefined;
}

/** s of the lattice along an axis, in [−½, ½]; undefined where the particles aren't near one. */
function placeOf(positions: ArrayLike<number>, axis: number, spacing: number): number | undefined {
  const count = positions.length / 3;
  let [cosine, sine] = [0, 0];
  for (let i = axis; i < positions.length; i += 3) {
    const phase = (2 * Math.PI * positions[i]) / spacing;
    cosine += Math.cos(phase);
    sine += Math.sin(phase);
  }
  // Particles at random have a mean of about 1/√N.
  if (Math.hypot(cosine, sine) < Math.max(LEAST_COHERENCE * count, 5 * Math.sqrt(count))) return undefined;
  return Math.atan2(sine, cosine) / (2 * Math.PI);
}
