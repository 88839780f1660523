/** What phantom matter beyond an isolated box adds to the potential inside, in float64 (equations: physics/mond/beyond-box.ts). */
import { beyondBox, CUBES_PER_SIDE, FIELD_STEP, seriesTerms } from "../../../physics/mond/beyond-box.ts";
import { phantomShare } from "../../../physics/mond/interpolation.ts";
import { mondReferenceSoftening, newtonianExternal } from "../../../physics/mond/reference-field.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";

/** A Plummer sphere: its centre from the box's in units of the side, G·M and softening in that unit as well. */
interface Sphere {
  centre: readonly number[];
  strength: number;
  softening: number;
}

/** Adds it to `potential` [n³]. */
export function addBeyondBox(
  potential: Float64Array,
  density: Float64Array,
  { cells: n, boxSize, G, mond }: { cells: number; boxSize: number; G: number; mond: MondSettings },
): void {
  const { points, weights } = beyondBox(n, boxSize);
  const count = points.length / 4;
  const { mass, centre } = massOf(density, n, 1 / n);
  const unit = G * boxSize;
  const softening = mondReferenceSoftening(n);
  const reference = [{ centre: centre.map((x) => x - 0.5), strength: unit * mass, softening }];
  const blocks = blocksOf(density, n, unit);
  const sources = Float64Array.from({ length: count }, (_, p) => {
    const at = points.subarray(4 * p, 4 * p + 3);
    return sourceAt(at, blocks, mond) - sourceAt(at, reference, mond);
  });
  const coefficients = seriesTerms.map((_, k) => sources.reduce((sum, s, p) => sum + s * weights[k * count + p], 0));
  forEachCell(n, (i, ...cell) => {
    const [x, y, z] = cell.map((at) => (at + 0.5) / n - 0.5);
    for (const [k, [a, b, c]] of seriesTerms.entries()) potential[i] += coefficients[k] * x ** a * y ** b * z ** c;
  });
}

/** BLOCKS³ of the mesh as points at their centres of mass. */
function blocksOf(density: Float64Array, n: number, unit: number): Sphere[] {
  const sums = Array.from({ length: CUBES_PER_SIDE ** 3 }, () => [0, 0, 0, 0]);
  forEachCell(n, (i, ...cell) => {
    const [x, y, z] = cell.map((at) => Math.floor((at * CUBES_PER_SIDE) / n));
    const sum = sums[(z * CUBES_PER_SIDE + y) * CUBES_PER_SIDE + x];
    for (let axis = 0; axis < 3; axis++) sum[axis] += density[i] * ((cell[axis] + 0.5) / n - 0.5);
    sum[3] += density[i];
  });
  return sums
    .filter((sum) => sum[3] > 0)
    .map((sum) => ({ centre: sum.map((moment) => moment / sum[3]), strength: (unit * sum[3]) / n ** 3, softening: 0 }));
}

/** −∇·F at a place [acceleration], lengths in sides of the box: −(ν − 1) ∇·g − dν/d ln g (g·∇g·g)/g². */
function sourceAt(at: Float64Array, spheres: readonly Sphere[], mond: MondSettings): number {
  const g = newtonianExternal(mond);
  const tide = new Float64Array(9);
  for (const { centre, strength, softening } of spheres) {
    const d = centre.slice(0, 3).map((x, axis) => x - at[axis]);
    const square = d.reduce((sum, x) => sum + x * x, softening ** 2);
    const weight = strength / square ** 1.5;
    for (let i = 0; i < 3; i++) {
      g[i] += weight * d[i];
      for (let j = 0; j < 3; j++) tide[3 * i + j] += weight * ((3 * d[i] * d[j]) / square - (i === j ? 1 : 0));
    }
  }
  const size = Math.hypot(...g);
  if (size === 0) return 0;
  const share = (factor: number) => phantomShare(mond.interpolation, mond.a0, factor * size);
  const slope = (share(1 + FIELD_STEP) - share(1 - FIELD_STEP)) / (2 * FIELD_STEP);
  const along = tide.reduce((sum, value, k) => sum + (value * g[Math.floor(k / 3)] * g[k % 3]) / size ** 2, 0);
  return -(share(1) * (tide[0] + tide[4] + tide[8]) + slope * along);
}

export function massOf(density: Float64Array, n: number, h: number): { mass: number; centre: number[] } {
  let mass = 0;
  const moments = [0, 0, 0];
  forEachCell(n, (i, x, y, z) => {
    mass += density[i];
    moments[0] += density[i] * (x + 0.5);
    moments[1] += density[i] * (y + 0.5);
    moments[2] += density[i] * (z + 0.5);
  });
  return { mass: mass * h ** 3, centre: moments.map((moment) => (mass === 0 ? 0 : (moment / mass) * h)) };
}

export function forEachCell(n: number, use: (i: number, x: number, y: number, z: number) => void): void {
  for (let z = 0, i = 0; z < n; z++) for (let y = 0; y < n; y++) for (let x = 0; x < n; x++, i++) use(i, x, y, z);
}
