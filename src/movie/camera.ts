/** A camera far away that looks at a point, with the axes of src/view/camera.ts. */
import { cameraAxes } from "../view/camera.ts";

export interface Camera {
  /** [degree] */
  azimuth: number;
  elevation: number;
  /** What it looks at [length]. */
  centre: readonly [number, number, number];
  /** What the picture's width spans [length]; pixels are square. */
  span: number;
  width: number;
  height: number;
  /** Side of a periodic box, of which the nearest images are seen [length]. */
  period?: number | undefined;
}

/** Sums the mass that a camera sees. */
export class CameraSums {
  /** [width·height], rows from the top [mass] */
  readonly mass: Float64Array;
  readonly #right: readonly [number, number, number];
  readonly #up: readonly [number, number, number];

  constructor(private readonly camera: Camera) {
    const { width, height } = camera;
    const { right, up } = cameraAxes(camera);
    this.#right = right;
    this.#up = up;
    this.mass = new Float64Array(width * height);
  }

  /** Particles [from, to) of positions [3N] and masses [N]. */
  add(positions: Float64Array, masses: Float64Array, from: number, to: number): void {
    const { centre, span, width, height, period } = this.camera;
    const [right, up, mass] = [this.#right, this.#up, this.mass];
    const perLength = width / span;
    for (let i = from; i < to; i++) {
      let [x, y] = [0, 0];
      for (let k = 0; k < 3; k++) {
        let d = positions[3 * i + k] - centre[k];
        if (period !== undefined) d -= period * Math.round(d / period);
        x += right[k] * d;
        y += up[k] * d;
      }
      const column = Math.floor(x * perLength + width / 2);
      const row = Math.floor(height / 2 - y * perLength);
      if (column >= 0 && column < width && row >= 0 && row < height) mass[row * width + column] += masses[i];
    }
  }

  /** [width·height] [mass/length²] */
  density(): Float32Array {
    const { span, width } = this.camera;
    const area = (span / width) ** 2;
    const density = new Float32Array(this.mass.length);
    for (let i = 0; i < density.length; i++) density[i] = this.mass[i] / area;
    return density;
  }
}
