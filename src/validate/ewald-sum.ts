/**
 * Exact forces between many particles of a periodic box, by Ewald's sum (Ewald 1921; Hernquist, Bouchet & Suto 1991,
 * eqs. 2.14) with the lattice sum over modes taken of the density's Fourier coefficients, so that a target costs one
 * pass over the sources and one over the modes. With the box as unit of length, d = x − x_j by the shortest way:
 *   a(x) = −Σ_j Gm_j d [(d²+ε²)^{−3/2} + g(d²)]_{d < ½} − Σ_q 4 w_q q [sin(2πq·x) C_q − cos(2πq·x) S_q]
 *   g(d²) = −erf(αd)/d³ + (2α/√π) e^{−α²d²}/d²,  w_q = e^{−π²q²/α²}/q²,  C_q + iS_q = Σ_j Gm_j e^{2πiq·x_j}
 * over half of the modes. α is large enough that pairs beyond half a box, and modes beyond MOST_Q2, don't count: about
 * 1e-6 of the force of a body at half a box. ε softens the nearest image alone.
 */

import { erfc } from "../diagnostics/ewald.ts";
import { GravmeshError } from "../errors.ts";

const ALPHA = 8;
const MOST_Q2 = 112;
const MOST_Q = Math.floor(Math.sqrt(MOST_Q2));
const REACH2 = 0.25;
const TABLE = 2 ** 15;
const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);
/** Sources, or pairs, between two turns of the event loop. */
const SOURCES_AT_ONCE = 2 ** 13;
const PAIRS_AT_ONCE = 2 ** 22;

/** Modes of one q_x and q_y: q_z = first … last. */
interface ModeRow {
  qx: number;
  qy: number;
  first: number;
  last: number;
  /** Number of its first mode. */
  start: number;
}

const modes = (() => {
  const rows: ModeRow[] = [];
  let count = 0;
  for (let qx = 0; qx <= MOST_Q; qx++) {
    for (let qy = -MOST_Q; qy <= MOST_Q; qy++) {
      const room = MOST_Q2 - qx * qx - qy * qy;
      if (room < 0 || (qx === 0 && qy < 0)) continue;
      const last = Math.floor(Math.sqrt(room));
      const first = qx === 0 && qy === 0 ? 1 : -last;
      rows.push({ qx, qy, first, last, start: count });
      count += last - first + 1;
    }
  }
  const weights = new Float64Array(count);
  for (const { qx, qy, first, last, start } of rows) {
    for (let qz = first; qz <= last; qz++) {
      const q2 = qx * qx + qy * qy + qz * qz;
      weights[start + qz - first] = Math.exp((-Math.PI * Math.PI * q2) / ALPHA ** 2) / q2;
    }
  }
  return { rows, count, weights };
})();

/** What softening and images change of an unsoftened pair's pull, over the distance, at d². */
function screening(square: number): number {
  const s2 = ALPHA * ALPHA * square;
  if (s2 < 0.25) {
    // Series of both terms together: they cancel to the leading order.
    let [sum, power] = [0, -1];
    for (let n = 1; n <= 16; n++) {
      sum += power * ((2 * n) / (2 * n + 1));
      power *= -s2 / (n + 1);
    }
    return ALPHA ** 3 * TWO_OVER_ROOT_PI * sum;
  }
  const s = Math.sqrt(s2);
  const d3 = square * Math.sqrt(square);
  return (erfc(s) - 1 + TWO_OVER_ROOT_PI * s * Math.exp(-s2)) / d3;
}

/** By d² from 0 to REACH2, for linear interpolation. */
const table = Float64Array.from({ length: TABLE + 2 }, (_, i) => screening((REACH2 * i) / TABLE));

/** e^{2πiqu} for q = 0 … MOST_Q. */
class Phases {
  readonly re = new Float64Array(MOST_Q + 1);
  readonly im = new Float64Array(MOST_Q + 1);

  set(u: number): void {
    const [c, s] = [Math.cos(2 * Math.PI * u), Math.sin(2 * Math.PI * u)];
    this.re[0] = 1;
    this.im[0] = 0;
    for (let q = 1; q <= MOST_Q; q++) {
      this.re[q] = c * this.re[q - 1] - s * this.im[q - 1];
      this.im[q] = c * this.im[q - 1] + s * this.re[q - 1];
    }
  }
}

export interface EwaldControl {
  /** Fraction done. */
  onProgress?: (fraction: number) => void;
  signal?: AbortSignal;
}

/** Particles of a periodic box, and the exact forces on any of them. */
export class EwaldSum {
  readonly #size: number;
  /** In units of the box, [N] each; masses contain G. */
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #z: Float64Array;
  readonly #masses: Float64Array;
  readonly #cosines = new Float64Array(modes.count);
  readonly #sines = new Float64Array(modes.count);
  readonly #phases = [new Phases(), new Phases(), new Phases()] as const;

  private constructor(positions: ArrayLike<number>, masses: ArrayLike<number>, G: number, size: number) {
    const axis = (k: number) => Float64Array.from(masses, (_, i) => positions[3 * i + k] / size);
    this.#size = size;
    [this.#x, this.#y, this.#z] = [axis(0), axis(1), axis(2)];
    this.#masses = Float64Array.from(masses, (mass) => G * mass);
  }

  /** `positions` [3N, xyzxyz…] [length], `masses` [N], `size`: side of the box. Throws "aborted". */
  static async create(
    particles: { positions: ArrayLike<number>; masses: ArrayLike<number>; G: number; size: number },
    control: EwaldControl = {},
  ): Promise<EwaldSum> {
    const { positions, masses, G, size } = particles;
    const sum = new EwaldSum(positions, masses, G, size);
    for (let first = 0; first < masses.length; first += SOURCES_AT_ONCE) {
      await pause(control, first / masses.length);
      sum.#addModes(first, Math.min(masses.length, first + SOURCES_AT_ONCE));
    }
    return sum;
  }

  /** [3K] accelerations of the particles in `rows`, with the nearest images softened by ε [length]. Throws "aborted". */
  async accelerations(rows: ArrayLike<number>, softening: number, control: EwaldControl = {}): Promise<Float64Array> {
    const out = new Float64Array(3 * rows.length);
    const atOnce = Math.max(1, Math.floor(PAIRS_AT_ONCE / this.#masses.length));
    for (let k = 0; k < rows.length; k++) {
      if (k % atOnce === 0) await pause(control, k / rows.length);
      this.#pairsAt(rows[k], (softening / this.#size) ** 2, out, 3 * k);
      this.#modesAt(rows[k], out, 3 * k);
      for (let axis = 0; axis < 3; axis++) out[3 * k + axis] /= this.#size ** 2;
    }
    control.onProgress?.(1);
    return out;
  }

  #addModes(first: number, end: number): void {
    const [px, py, pz] = this.#phases;
    const [cosines, sines] = [this.#cosines, this.#sines];
    for (let i = first; i < end; i++) {
      px.set(this.#x[i]);
      py.set(this.#y[i]);
      pz.set(this.#z[i]);
      const mass = this.#masses[i];
      for (const { qx, qy, first: low, last, start } of modes.rows) {
        const [yr, yi] = qy < 0 ? [py.re[-qy], -py.im[-qy]] : [py.re[qy], py.im[qy]];
        const re = mass * (px.re[qx] * yr - px.im[qx] * yi);
        const im = mass * (px.re[qx] * yi + px.im[qx] * yr);
        for (let qz = low, mode = start; qz <= last; qz++, mode++) {
          const zr = qz < 0 ? pz.re[-qz] : pz.re[qz];
          const zi = qz < 0 ? -pz.im[-qz] : pz.im[qz];
          cosines[mode] += re * zr - im * zi;
          sines[mode] += re * zi + im * zr;
        }
      }
    }
  }

  #modesAt(row: number, out: Float64Array, at: number): void {
    const [px, py, pz] = this.#phases;
    px.set(this.#x[row]);
    py.set(this.#y[row]);
    pz.set(this.#z[row]);
    let [ax, ay, az] = [0, 0, 0];
    for (const { qx, qy, first, last, start } of modes.rows) {
      const [yr, yi] = qy < 0 ? [py.re[-qy], -py.im[-qy]] : [py.re[qy], py.im[qy]];
      const re = px.re[qx] * yr - px.im[qx] * yi;
      const im = px.re[qx] * yi + px.im[qx] * yr;
      for (let qz = first, mode = start; qz <= last; qz++, mode++) {
        const zr = qz < 0 ? pz.re[-qz] : pz.re[qz];
        const zi = qz < 0 ? -pz.im[-qz] : pz.im[qz];
        const cosine = re * zr - im * zi;
        const sine = re * zi + im * zr;
        const pull = 4 * modes.weights[mode] * (sine * this.#cosines[mode] - cosine * this.#sines[mode]);
        ax -= pull * qx;
        ay -= pull * qy;
        az -= pull * qz;
      }
    }
    out[at] += ax;
    out[at + 1] += ay;
    out[at + 2] += az;
  }

  #pairsAt(row: number, softening2: number, out: Float64Array, at: number): void {
    const [xs, ys, zs, masses] = [this.#x, this.#y, this.#z, this.#masses];
    const [x, y, z] = [xs[row], ys[row], zs[row]];
    const perEntry = TABLE / REACH2;
    let [ax, ay, az] = [0, 0, 0];
    for (let j = 0; j < masses.length; j++) {
      let dx = x - xs[j];
      let dy = y - ys[j];
      let dz = z - zs[j];
      dx -= dx > 0.5 ? 1 : dx < -0.5 ? -1 : 0;
      dy -= dy > 0.5 ? 1 : dy < -0.5 ? -1 : 0;
      dz -= dz > 0.5 ? 1 : dz < -0.5 ? -1 : 0;
      const square = dx * dx + dy * dy + dz * dz;
      if (square >= REACH2 || square === 0) continue;
      const place = square * perEntry;
      const entry = place | 0;
      const screen = table[entry] + (place - entry) * (table[entry + 1] - table[entry]);
      const soft = square + softening2;
      const pull = masses[j] * (1 / (soft * Math.sqrt(soft)) + screen);
      ax -= pull * dx;
      ay -= pull * dy;
      az -= pull * dz;
    }
    out[at] += ax;
    out[at + 1] += ay;
    out[at + 2] += az;
  }
}

/** Lets the event loop run; throws "aborted". */
async function pause({ onProgress, signal }: EwaldControl, fraction: number): Promise<void> {
  onProgress?.(fraction);
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (signal?.aborted) throw new GravmeshError("aborted", "Ewald's sum: the caller's signal ended it");
}
