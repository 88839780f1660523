/**
 * A camera far away that looks at a point: at azimuth α about z and elevation ε above the x–y plane a picture's axes are
 *   right = (cos α, sin α, 0),  up = (−sin α sin ε, cos α sin ε, cos ε),
 * so that 0°, 90° is face-on (x right, y up) and 0°, 0° is edge-on along y (x right, z up).
 */
export interface Camera {
  /** [degree] */
  azimuth: number;
  elevation: number;
  /** What it looks at [length]. */
  centre: readonly [number, number, number];
  /** Of the picture's width [length]; pixels are square. */
  span: number;
  width: number;
  height: number;
  /** Side of a periodic box, of which the nearest images are seen [length]. */
  period?: number | undefined;
}

/** Adds up what a camera sees. */
export class CameraSums {
  /** [width·height], rows from the top [mass] */
  readonly mass: Float64Array;
  readonly #right: readonly [number, number, number];
  readonly #up: readonly [number, number, number];

  constructor(private readonly camera: Camera) {
    const { azimuth, elevation, width, height } = camera;
    const [a, e] = [azimuth, elevation].map((degrees) => (degrees * Math.PI) / 180);
    this.#right = [Math.cos(a), Math.sin(a), 0];
    this.#up = [-Math.sin(a) * Math.sin(e), Math.cos(a) * Math.sin(e), Math.cos(e)];
    this.mass = new Float64Array(width * height);
  }

  /** Particle i of positions [3N]. */
  add(positions: Float64Array, mass: number, i: number): void {
    const { centre, span, width, height, period } = this.camera;
    let [x, y] = [0, 0];
    for (let k = 0; k < 3; k++) {
      let d = positions[3 * i + k] - centre[k];
      if (period !== undefined) d -= period * Math.round(d / period);
      x += this.#right[k] * d;
      y += this.#up[k] * d;
    }
    const perLength = width / span;
    const column = Math.floor(x * perLength + width / 2);
    const row = Math.floor(height / 2 - y * perLength);
    if (column >= 0 && column < width && row >= 0 && row < height) this.mass[row * width + column] += mass;
  }
}
