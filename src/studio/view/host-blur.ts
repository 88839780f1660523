/** The adaptive blur in float64 on the host: what wgsl/studio/view/pyramid.wgsl does, and why, stands there. */
import { type PictureSize, SPEED_BIAS } from "./camera.ts";
import type { GridCounts } from "./host-counts.ts";
import type { LayerPlan } from "./layers.ts";
import { levelCount, pyramidSizes } from "./picture-levels.ts";

/** What a picture shows by pixel [height, width each], rows from the top. */
export interface HostMaps {
  /** Densities [mass/length²]; pictures of motion have one map, of mass alike. */
  maps: Float64Array[];
  /** Particles, Σ m v and Σ m v² a pixel; of motion only. */
  particles?: Float64Array;
  first?: Float64Array;
  second?: Float64Array;
}

interface MapsRequest {
  size: PictureSize;
  plan: LayerPlan;
  smoothing: number;
  /** The area of a pixel [length²]. */
  area: number;
}

export function mapsOnHost(grid: GridCounts, { size, plan, smoothing, area }: MapsRequest): HostMaps {
  const cells = size.width * size.height;
  const room = () => new Float64Array(cells);
  const { layers } = plan;
  const maps = Array.from({ length: Math.max(1, plan.maps.length) }, room);
  const motion = grid.first && { particles: room(), first: room(), second: room() };
  const levels = levelCount(size, smoothing);
  for (const [l, layer] of layers.entries()) {
    const planes = planesOf(grid, l * cells, cells);
    if (levels > 0) blur(planes, pyramidSizes(size, levels), { particles: layer.particles, few: smoothing });
    const [counts, first, second] = planes;
    const map = maps[layer.map];
    const mass = layer.mass / area;
    for (let i = 0; i < cells; i++) {
      map[i] += mass * counts[i];
      if (!motion) continue;
      motion.particles[i] += layer.particles * counts[i];
      motion.first[i] += mass * first[i];
      if (second) motion.second[i] += mass * second[i];
    }
  }
  return { maps, ...motion };
}

/** Counts, Σ w v and Σ w v² of a layer. */
function planesOf({ counts, first, second, speedUnit }: GridCounts, at: number, cells: number): Float64Array[] {
  const planes = [Float64Array.from(counts.subarray(at, at + cells))];
  const bias = BigInt(SPEED_BIAS);
  const of = (sums: BigUint64Array, unit: number, offset: bigint) =>
    Float64Array.from({ length: cells }, (_, i) => unit * Number(sums[at + i] - offset * BigInt(counts[at + i])));
  if (first) planes.push(of(first, speedUnit, bias));
  if (second) planes.push(of(second, speedUnit ** 2, 0n));
  return planes;
}

/** Share of a cell's content that stays, of the particles in blocks about it. */
const staying = (number: number, few: number) => Math.min(1, Math.max(0, (number / few - 1) / 3));

/** Blurs planes in place; `few` as in the kernel. */
function blur(
  planes: Float64Array[],
  sizes: readonly PictureSize[],
  { particles, few }: { particles: number; few: number },
): void {
  const [picture] = sizes;
  const counts = planes[0].map((count) => count * particles);
  const numbers: Float64Array[] = [counts];
  const shares: Float64Array[] = [];
  const contents = [planes];
  for (let l = 0; l + 1 < sizes.length; l++) {
    const [below, above] = [sizes[l], sizes[l + 1]];
    numbers.push(blockSums(numbers[l], below, above));
    const share = spread(numbers[l + 1], below, above).map((number) => staying(number, few));
    const [pixels, pixelsAbove] = [pixelsOf(picture, below, 2 ** l), pixelsOf(picture, above, 2 ** (l + 1))];
    shares.push(share);
    contents.push(
      contents[l].map((plane) => {
        const going = plane.map((content, i) => (1 - share[i]) * pixels[i] * content);
        return blockSums(going, below, above).map((sum, i) => sum / pixelsAbove[i]);
      }),
    );
  }
  for (let l = sizes.length - 2; l >= 0; l--) {
    for (const [p, plane] of contents[l].entries()) {
      const more = spread(kept(contents[l + 1][p], picture, sizes[l + 1], 2 ** l), sizes[l], sizes[l + 1]);
      for (let i = 0; i < plane.length; i++) plane[i] = more[i] + shares[l][i] * plane[i];
    }
  }
}

/** Pixels of the cells of a level that lie in the picture. */
function pixelsOf(picture: PictureSize, { width, height }: PictureSize, scale: number): Float64Array {
  const within = (cell: number, all: number) => Math.min((cell + 1) * scale, all) - cell * scale;
  return Float64Array.from(
    { length: width * height },
    (_, i) => within(i % width, picture.width) * within(Math.floor(i / width), picture.height),
  );
}

/** A level's cells less or more where the border cuts those below, of `scale` pixels, so that spreading keeps sums. */
function kept(plane: Float64Array, picture: PictureSize, { width, height }: PictureSize, scale: number): Float64Array {
  const along = (cells: number, all: number) => {
    const pixels = (cell: number) => Math.max(0, Math.min((cell + 1) * scale, all) - cell * scale);
    return Float64Array.from({ length: cells }, (_, cell) => {
      const own = pixels(2 * cell) + pixels(2 * cell + 1);
      const before = pixels(cell === 0 ? 0 : 2 * cell - 1);
      const after = pixels(cell + 1 === cells ? 2 * cell + 1 : 2 * cell + 2);
      return own / (0.75 * own + 0.25 * (before + after));
    });
  };
  const [wide, high] = [along(width, picture.width), along(height, picture.height)];
  return plane.map((content, i) => content * wide[i % width] * high[Math.floor(i / width)]);
}

function blockSums(values: Float64Array, below: PictureSize, above: PictureSize): Float64Array {
  const sums = new Float64Array(above.width * above.height);
  for (let y = 0; y < below.height; y++) {
    for (let x = 0; x < below.width; x++) {
      sums[(y >> 1) * above.width + (x >> 1)] += values[y * below.width + x];
    }
  }
  return sums;
}

/** What the cells of the level above spread over those below. */
function spread(from: Float64Array, below: PictureSize, { width, height }: PictureSize): Float64Array {
  const fine = new Float64Array(below.width * below.height);
  for (let y = 0; y < below.height; y++) {
    const row = (y >> 1) * width;
    const other = Math.min(height - 1, Math.max(0, (y >> 1) + (y & 1 ? 1 : -1))) * width;
    for (let x = 0; x < below.width; x++) {
      const column = x >> 1;
      const beside = Math.min(width - 1, Math.max(0, column + (x & 1 ? 1 : -1)));
      const near = 9 * from[row + column] + 3 * (from[row + beside] + from[other + column]) + from[other + beside];
      fine[y * below.width + x] = near / 16;
    }
  }
  return fine;
}
