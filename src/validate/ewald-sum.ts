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

/** Half of the modes q ≠ 0 (the other half are their negatives), and w_q of each. */
const modes: (readonly [qx: number, qy: number, qz: number])[] = [];
for (let qx = 0; qx <= MOST_Q; qx++) {
  for (let qy = -MOST_Q; qy <= MOST_Q; qy++) {
    for (let qz = -MOST_Q; qz <= MOST_Q; qz++) {
      const isHalf = qx > 0 || qy > 0 || (qy === 0 && qz > 0);
      if (isHalf && qx * qx + qy * qy + qz * qz <= MOST_Q2) modes.push([qx, qy, qz]);
    }
  }
}
const weights = Float64Array.from(modes, (q) => {
  const q2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  return Math.exp((-Math.PI * Math.PI * q2) / ALPHA ** 2) / q2;
});
const [QX, QY, QZ] = [0, 1, 2].map((axis) => Int8Array.from(modes, (q) => q[axis]));

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

/** e^{2πiqu} for q = −MOST_Q … MOST_Q; place MOST_Q + q. */
class Phases {
  readonly re = new Float64Array(2 * MOST_Q + 1);
  readonly im = new Float64Array(2 * MOST_Q + 1);

  set(u: number): void {
    const [c, s] = [Math.cos(2 * Math.PI * u), Math.sin(2 * Math.PI * u)];
    let [re, im] = [1, 0];
    for (let q = 0; q <= MOST_Q; q++) {
      this.re[MOST_Q + q] = this.re[MOST_Q - q] = re;
      this.im[MOST_Q + q] = im;
      this.im[MOST_Q - q] = -im;
      [re, im] = [c * re - s * im, c * im + s * re];
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
  /** C_q and S_q. */
  readonly #cosines = new Float64Array(modes.length);
  readonly #sines = new Float64Array(modes.length);
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
      for (let i = first; i < Math.min(masses.length, first + SOURCES_AT_ONCE); i++) {
        sum.#forModes(i, sum.#masses[i], (mode, cosine, sine) => {
          sum.#cosines[mode] += cosine;
          sum.#sines[mode] += sine;
        });
      }
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

  /** Tells cos and sin of 2πq·x for particle `i`, times `scale`, of each mode. */
  #forModes(i: number, scale: number, tell: (mode: number, cosine: number, sine: number) => void): void {
    const [px, py, pz] = this.#phases;
    px.set(this.#x[i]);
    py.set(this.#y[i]);
    pz.set(this.#z[i]);
    for (let mode = 0; mode < modes.length; mode++) {
      const [x, y, z] = [MOST_Q + QX[mode], MOST_Q + QY[mode], MOST_Q + QZ[mode]];
      const re = scale * (px.re[x] * py.re[y] - px.im[x] * py.im[y]);
      const im = scale * (px.re[x] * py.im[y] + px.im[x] * py.re[y]);
      tell(mode, re * pz.re[z] - im * pz.im[z], re * pz.im[z] + im * pz.re[z]);
    }
  }

  #modesAt(row: number, out: Float64Array, at: number): void {
    let [ax, ay, az] = [0, 0, 0];
    this.#forModes(row, 1, (mode, cosine, sine) => {
      const pull = 4 * weights[mode] * (sine * this.#cosines[mode] - cosine * this.#sines[mode]);
      ax -= pull * QX[mode];
      ay -= pull * QY[mode];
      az -= pull * QZ[mode];
    });
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
