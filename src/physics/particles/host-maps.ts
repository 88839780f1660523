/** Mass in the pixels of a map, and how it moves along the line of sight, in float64. */
import { pixelAxes, pixelOf } from "./map-grid.ts";
import { type Box, MAP_AXES, type MapView, type Vector, type VelocityMap } from "./reductions.ts";

const TURN = 2 ** 32;

/** Which pixel particle i of positions [3N] is in; −1 outside the map. */
function pixelIn(view: MapView, { size, boundary }: Box): (positions: Float64Array, i: number) => number {
  const [right, up] = pixelAxes(view, { size });
  const perLength = TURN / size;
  const pixelOn = (axis: typeof right, x: number): number => {
    let units = Math.round(x * perLength) - axis.start;
    if (boundary === "periodic") units -= TURN * Math.floor(units / TURN);
    return units >= 0 && units <= axis.last[axis.last.length - 1] ? pixelOf(axis, units) : -1;
  };
  return (positions, i) => {
    const column = pixelOn(right, positions[3 * i + right.axis]);
    if (column < 0) return -1;
    const row = pixelOn(up, positions[3 * i + up.axis]);
    return row < 0 ? -1 : (view.height - 1 - row) * view.width + column;
  };
}

const pixelsOf = ({ width, height }: MapView) => new Float64Array(width * height);

/** [width·height] mass, rows from the top, and what adds a particle to it [mass]. */
export function massMap(view: MapView, box: Box) {
  const [mass, pixel] = [pixelsOf(view), pixelIn(view, box)];
  const add = (positions: Float64Array, m: number, i: number) => {
    const at = pixel(positions, i);
    if (at >= 0) mass[at] += m;
  };
  return { mass, add };
}

/** The same of velocities relative to one. */
export function velocityMap(view: MapView, velocity: Vector, box: Box) {
  const pixel = pixelIn(view, box);
  const axis = MAP_AXES.indexOf(view.axis);
  const [mass, first, second] = [pixelsOf(view), pixelsOf(view), pixelsOf(view)];
  const add = (positions: Float64Array, velocities: ArrayLike<number>, m: number, i: number) => {
    const at = pixel(positions, i);
    if (at < 0) return;
    const v = velocities[3 * i + axis] - velocity[axis];
    mass[at] += m;
    first[at] += m * v;
    second[at] += m * v * v;
  };
  return { add, map: () => velocityMapOf(mass, first, second) };
}

/** Means and dispersions from Σ m, Σ m v and Σ m v² of each pixel. */
export function velocityMapOf(mass: Float64Array, first: Float64Array, second: Float64Array): VelocityMap {
  const mean = first.map((sum, i) => sum / mass[i]);
  const dispersion = second.map((sum, i) => Math.sqrt(Math.max(0, sum / mass[i] - mean[i] ** 2)));
  return { mass, mean, dispersion };
}
