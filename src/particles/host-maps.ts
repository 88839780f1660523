/** Mass in the pixels of a map, and how it moves along the line of sight, in float64. */
import { pixelAxes, pixelOf } from "./map-grid.ts";
import { type Box, MAP_AXES, type MapView, type Vector, type VelocityMap } from "./reductions.ts";

const TURN = 2 ** 32;

/** Which pixel a particle is in. */
class MapPixels {
  readonly #axes: ReturnType<typeof pixelAxes>;
  readonly #perLength: number;
  readonly #periodic: boolean;

  constructor(
    private readonly view: MapView,
    { size, boundary }: Box,
  ) {
    this.#axes = pixelAxes(view, { size });
    this.#perLength = TURN / size;
    this.#periodic = boundary === "periodic";
  }

  /** The pixel of particle i of positions [3N]; −1 outside the map. */
  of(positions: Float64Array, i: number): number {
    const [right, up] = this.#axes;
    const column = this.#pixel(right, positions[3 * i + right.axis]);
    if (column < 0) return -1;
    const row = this.#pixel(up, positions[3 * i + up.axis]);
    return row < 0 ? -1 : (this.view.height - 1 - row) * this.view.width + column;
  }

  #pixel(axis: ReturnType<typeof pixelAxes>[0], x: number): number {
    let units = Math.round(x * this.#perLength) - axis.start;
    if (this.#periodic) units -= TURN * Math.floor(units / TURN);
    return units >= 0 && units <= axis.last[axis.last.length - 1] ? pixelOf(axis, units) : -1;
  }
}

export class MapSums {
  /** [width·height], rows from the top [mass] */
  readonly mass: Float64Array;
  readonly #pixels: MapPixels;

  constructor(view: MapView, box: Box) {
    this.#pixels = new MapPixels(view, box);
    this.mass = new Float64Array(view.width * view.height);
  }

  /** Particle i of positions [3N]. */
  add(positions: Float64Array, mass: number, i: number): void {
    const pixel = this.#pixels.of(positions, i);
    if (pixel >= 0) this.mass[pixel] += mass;
  }
}

export class VelocityMapSums {
  readonly #pixels: MapPixels;
  readonly #axis: number;
  readonly #frame: number;
  readonly #sums: readonly [Float64Array, Float64Array, Float64Array];

  /** `velocity`: what the map's are relative to. */
  constructor(view: MapView, velocity: Vector, box: Box) {
    this.#pixels = new MapPixels(view, box);
    this.#axis = MAP_AXES.indexOf(view.axis);
    this.#frame = velocity[this.#axis];
    const sums = () => new Float64Array(view.width * view.height);
    this.#sums = [sums(), sums(), sums()];
  }

  add(positions: Float64Array, velocities: ArrayLike<number>, mass: number, i: number): void {
    const pixel = this.#pixels.of(positions, i);
    if (pixel < 0) return;
    const v = velocities[3 * i + this.#axis] - this.#frame;
    const [masses, first, second] = this.#sums;
    masses[pixel] += mass;
    first[pixel] += mass * v;
    second[pixel] += mass * v * v;
  }

  get map(): VelocityMap {
    return velocityMapOf(...this.#sums);
  }
}

/** Means and dispersions from Σ m, Σ m v and Σ m v² of each pixel. */
export function velocityMapOf(mass: Float64Array, first: Float64Array, second: Float64Array): VelocityMap {
  const mean = first.map((sum, i) => sum / mass[i]);
  const dispersion = second.map((sum, i) => Math.sqrt(Math.max(0, sum / mass[i] - mean[i] ** 2)));
  return { mass, mean, dispersion };
}
