/** Mass in the pixels of a map, in float64. */
import { pixelAxes, pixelOf } from "./map-grid.ts";
import type { Box, MapView } from "./reductions.ts";

const TURN = 2 ** 32;

export class MapSums {
  /** [width·height], rows from the top [mass] */
  readonly mass: Float64Array;
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
    this.mass = new Float64Array(view.width * view.height);
  }

  /** Particle i of positions [3N]. */
  add(positions: Float64Array, mass: number, i: number): void {
    const [right, up] = this.#axes;
    const column = this.#pixel(right, positions[3 * i + right.axis]);
    if (column < 0) return;
    const row = this.#pixel(up, positions[3 * i + up.axis]);
    if (row >= 0) this.mass[(this.view.height - 1 - row) * this.view.width + column] += mass;
  }

  /** −1 outside the map. */
  #pixel(axis: ReturnType<typeof pixelAxes>[0], x: number): number {
    let units = Math.round(x * this.#perLength) - axis.start;
    if (this.#periodic) units -= TURN * Math.floor(units / TURN);
    return units >= 0 && units <= axis.last[axis.last.length - 1] ? pixelOf(axis, units) : -1;
  }
}
