/** The grid of a picture counted on the host, bit for bit as the kernel counts it (wgsl/studio/view/count.wgsl). */
import { imageOnAxis } from "../../physics/particles/fixed-point.ts";
import { DEPTH_ONE, type Projection, SPEED_BIAS, SPEED_BITS } from "./camera.ts";
import { type LayerPlan, layerWeights } from "./layers.ts";
import type { SceneContent } from "./scene.ts";

/** Particles on the host; ids are 0 … N − 1, or multiples of `thinned`, where they are left out. */
export interface HostParticles extends SceneContent {
  /** [3N, xyzxyz…] fixed point, x = L·u/2³². */
  positions: Uint32Array;
  /** [3N, xyzxyz…] [velocity] */
  velocities: Float32Array;
  /** [N] */
  ids?: Uint32Array | undefined;
  /** [N] packed images of the box; isolated only. */
  images?: Uint32Array | undefined;
}

/** Sums of each pixel [layers · height · width], rows from the top. */
export interface GridCounts {
  counts: Uint32Array;
  /** Σ w (v + 2^16) and Σ w v² along the line of sight, away from the observer [speedUnit]; of motion only. */
  first?: BigUint64Array;
  second?: BigUint64Array;
  /** [velocity] */
  speedUnit: number;
}

const TURN = 2 ** 32;
const HALF = 2 ** 31;
const HALF_WORD = 2 ** 16;

/** Counts as the kernel does. `moments`: sums of velocities wanted. */
export function countOnHost(
  particles: HostParticles,
  projection: Projection,
  plan: LayerPlan,
  moments: number,
): GridCounts {
  const { width, height } = projection;
  const cells = plan.layers.length * width * height;
  const counts = new Uint32Array(cells);
  const first = new BigUint64Array(moments > 0 ? cells : 0);
  const second = new BigUint64Array(moments > 1 ? cells : 0);
  const { velocities } = particles;
  const scale = moments > 0 ? speedScale(velocities) : 1;
  const place = placing(particles, plan);
  const pixel = pixels(particles, projection);
  const n = particles.positions.length / 3;
  for (let i = 0; i < n; i++) {
    const { layer, weight } = place(i);
    const at = layer < 0 ? -1 : pixel(i);
    if (at < 0) continue;
    const cell = layer * width * height + at;
    counts[cell] += weight;
    if (moments === 0) continue;
    const v = speed(velocities, i, scale, projection);
    first[cell] += BigInt(weight * (v + SPEED_BIAS));
    if (moments > 1) second[cell] += BigInt(weight * v * v);
  }
  return { counts, ...(moments > 0 && { first }), ...(moments > 1 && { second }), speedUnit: 1 / scale };
}

/** Units of a velocity: the power of two that takes the largest component below 2^SPEED_BITS. */
function speedScale(velocities: Float32Array): number {
  let most = 0;
  for (const v of velocities) most = Math.max(most, Math.abs(v));
  const exponent = new Uint32Array(new Float32Array([most]).buffer)[0] >>> 23;
  return 2 ** (SPEED_BITS - Math.min(100, Math.max(-100, exponent - 126)));
}

/** Along the line of sight, as the kernel rounds it. */
function speed(velocities: Float32Array, i: number, scale: number, { away }: Projection): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) sum += away[k] * Math.floor(Math.fround(velocities[3 * i + k] * scale + 0.5));
  return Math.floor(sum / DEPTH_ONE);
}

/** The layer of particle i and what it adds there; −1 of one that isn't drawn. */
function placing(particles: HostParticles, plan: LayerPlan): (i: number) => { layer: number; weight: number } {
  const { ids, thinned = 1, weights } = particles;
  const { ranges, every, weightUnit } = plan;
  const all = weightUnit > 0 ? layerWeights(weights, weightUnit, { first: 0, count: weights.count }) : undefined;
  const place = { layer: -1, weight: 0 };
  let at = 0;
  return (i) => {
    const id = ids ? ids[i] : thinned * i;
    place.layer = -1;
    if (id % every !== 0) return place;
    if (!(ranges[at] && id >= ranges[at].first && id < ranges[at].end)) {
      at = ranges.findIndex(({ first, end }) => id >= first && id < end);
    }
    if (!ranges[at]) return place;
    place.layer = ranges[at].layer;
    place.weight = ranges[at].weighted ? all![id] : 1;
    return place;
  };
}

/** Number of the pixel of particle i, rows from the top; −1 outside the picture. */
function pixels({ positions, images, periodic }: HostParticles, projection: Projection): (i: number) => number {
  const { right, down, centre, boxes, shift, low, width, height } = projection;
  const unit = 2 ** shift;
  const middle = centre.map((u, k) => boxes[k] * TURN + u);
  const d = [0, 0, 0];
  const separate = (i: number): boolean => {
    for (let k = 0; k < 3; k++) {
      const u = positions[3 * i + k];
      if (periodic) d[k] = ((u - centre[k]) | 0) >> shift;
      else {
        d[k] = Math.floor((imageOnAxis(images?.[i] ?? 0, k) * TURN + u - middle[k]) / unit);
        if (d[k] < -HALF || d[k] >= HALF) return false;
      }
    }
    return true;
  };
  /** ⌊(⌊Σ A d / 2^(30 + low)⌋ + n) / 2⌋: parts of d, so that float64 has all of it. */
  const along = (axis: readonly number[], n: number): number => {
    let [above, below] = [0, 0];
    for (let k = 0; k < 3; k++) {
      const part = d[k] & (HALF_WORD - 1);
      above += axis[k] * ((d[k] - part) / HALF_WORD);
      below += axis[k] * part;
    }
    const sum = Math.floor((above + Math.floor(below / HALF_WORD)) / 2 ** (14 + low));
    return Math.floor((sum + n) / 2);
  };
  return (i) => {
    if (!separate(i)) return -1;
    const column = along(right, width);
    if (column < 0 || column >= width) return -1;
    const row = along(down, height);
    return row < 0 || row >= height ? -1 : row * width + column;
  };
}
