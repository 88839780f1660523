/** Pictures without WebGPU, onto a 2D canvas: the GPU's grid and colours, for some ten thousand particles. */
import { encoded } from "../../run/page/colours.ts";
import { type PictureSize, projectionOf } from "./camera.ts";
import { type HostMaps, mapsOnHost } from "./host-blur.ts";
import { countOnHost, type HostParticles } from "./host-counts.ts";
import { layerPlan, MOMENTS } from "./layers.ts";
import {
  type Drawn,
  type DrawOptions,
  PACE,
  type Picture,
  type PictureGrid,
  requireScene,
  requireSize,
} from "./picture.ts";
import { fewestParticles, levelCount, particlesWanted } from "./picture-levels.ts";
import {
  type ColourRange,
  colourTable,
  contrastOf,
  lightOf,
  SATURATED,
  sampleStride,
  stretchedTo,
  TABLE_COLOURS,
} from "./tone.ts";
import type { Quantity, View } from "./view.ts";

export class HostRenderer {
  #particles: HostParticles | undefined;
  #last: PictureGrid | undefined;
  #steady: { of: string; brightest: number[] } | undefined;

  show(particles: HostParticles | undefined): void {
    this.#particles = particles;
  }

  /** Draws onto a 2D canvas, as large as that is. */
  async draw(
    view: View,
    target: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
    options: DrawOptions = {},
  ): Promise<Drawn> {
    const { width, height } = target.canvas;
    const { rgba, ...drawn } = await this.picture(view, { width, height }, options);
    target.putImageData(new ImageData(rgba, width, height), 0, 0);
    return drawn;
  }

  async picture(view: View, size: PictureSize, { steady = false }: DrawOptions = {}): Promise<Picture> {
    const particles = requireScene(this.#particles);
    requireSize(size);
    const { width, height } = size;
    const { quantity, stretch } = view;
    const smoothing = particlesWanted(view);
    const plan = layerPlan(particles, view);
    const projection = projectionOf(view.camera, size, particles);
    const grid = countOnHost(particles, projection, plan, MOMENTS[quantity]);
    this.#last = { width, height, view, layers: plan.layers.map(({ name }) => name), ...grid };
    const maps = mapsOnHost(grid, { size, plan, smoothing, area: projection.pixel ** 2 });
    const fewest = fewestParticles(levelCount(size, smoothing), smoothing);
    const given = view.brightest;
    const values = given === "auto" ? valuesOf(maps, quantity, fewest) : [];
    const found = plan.maps.map((_, i) => (given === "auto" ? brightestOf(values[i], SATURATED[quantity]) : given));
    const brightest = steady ? this.#steadied(`${quantity} ${plan.maps.join(" ")}`, found) : found;
    const range = { quantity, stretch, contrast: contrastOf(view), brightest, maps: plan.maps };
    const rgba = colouredOnHost(maps, size, range, fewest);
    return { width, height, view, pixel: projection.pixel, range, rgba };
  }

  /** The integer grid of the last picture; undefined before the first. */
  async counts(): Promise<PictureGrid | undefined> {
    return this.#last;
  }

  destroy(): void {
    this.#particles = undefined;
    this.#last = undefined;
  }

  #steadied(of: string, found: readonly number[]): number[] {
    const before = this.#steady?.of === of ? this.#steady.brightest : undefined;
    const brightest = found.map((value, i) => {
      const old = before?.[i] ?? 0;
      return old > 0 && value > 0 ? old * (value / old) ** PACE : value || old;
    });
    this.#steady = { of, brightest };
    return brightest;
  }
}

/** The histogram of wgsl/studio/view/range.wgsl, which tells a sixteenth of an octave: bits below its bins. */
const BINS = 4096;
const BIN_BITS = 19;

/** Value of each pixel that the brightness goes by; 0 where there is nothing. */
function valuesOf({ maps, particles, first, second }: HostMaps, quantity: Quantity, fewest: number): Float64Array[] {
  if (!particles || !first) return maps;
  const [mass] = maps;
  return [
    mass.map((_, i) => (particles[i] >= fewest ? Math.abs(moment(mass[i], first[i], second?.[i] ?? 0, quantity)) : 0)),
  ];
}

function moment(mass: number, first: number, second: number, quantity: Quantity): number {
  if (!(mass > 0)) return 0;
  const mean = first / mass;
  return quantity === "velocity" ? mean : Math.sqrt(Math.max(0, second / mass - mean ** 2));
}

/** The value that only a small share of the pixels exceeds; 0 of an empty map. */
function brightestOf(values: Float64Array, share: number): number {
  const stride = sampleStride(values.length);
  const histogram = new Uint32Array(BINS);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  let all = 0;
  for (let i = 0; i < values.length; i += stride) {
    float[0] = values[i];
    if (!(float[0] > 0)) continue;
    histogram[bits[0] >>> BIN_BITS]++;
    all++;
  }
  if (all === 0) return 0;
  const above = share * all;
  let [bin, seen] = [BINS - 1, 0];
  while (bin > 0 && seen + histogram[bin] <= above) seen += histogram[bin--];
  const within = Math.min(1, Math.max(0, 1 - (above - seen) / Math.max(1, histogram[bin])));
  bits[0] = (bin << BIN_BITS) + Math.floor(within * (2 ** BIN_BITS - 1));
  return float[0];
}

/** [height · width · 4] */
function colouredOnHost(
  maps: HostMaps,
  { width, height }: PictureSize,
  range: ColourRange,
  fewest: number,
): Uint8ClampedArray<ArrayBuffer> {
  const rgba = new Uint8ClampedArray(4 * width * height);
  const { quantity, stretch, contrast, brightest } = range;
  const table = quantity === "species" ? undefined : colourTable(quantity);
  const lights = range.maps.map(lightOf);
  const colour = [0, 0, 0];
  const fromTable = (t: number, strength: number) => {
    const at = Math.floor(Math.min(1, Math.max(0, t)) * (TABLE_COLOURS - 1) + 0.5);
    for (let k = 0; k < 3; k++) colour[k] = (strength * table![4 * at + k]) / 255;
  };
  const { maps: masses, particles, first, second } = maps;
  const paint: (i: number) => void =
    particles && first
      ? (i) => {
          const value = moment(masses[0][i], first[i], second?.[i] ?? 0, quantity) / brightest[0];
          fromTable((quantity === "velocity" ? 0.5 + 0.5 * value : value) || 0, Math.min(1, particles[i] / fewest));
        }
      : quantity === "species"
        ? (i) => {
            colour.fill(0);
            for (const [m, mass] of masses.entries()) {
              const light = stretchedTo(stretch, contrast, mass[i] / brightest[m]) ** 2.2;
              for (let k = 0; k < 3; k++) colour[k] += light * lights[m][k];
            }
            for (let k = 0; k < 3; k++) colour[k] = encoded(Math.min(1, colour[k]));
          }
        : (i) => fromTable(stretchedTo(stretch, contrast, masses[0][i] / brightest[0]), 1);
  for (let i = 0; i < width * height; i++) {
    paint(i);
    for (let k = 0; k < 3; k++) rgba[4 * i + k] = 255 * colour[k];
    rgba[4 * i + 3] = 255;
  }
  return rgba;
}
