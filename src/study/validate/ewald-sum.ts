/**
 * Exact forces between many particles of a periodic box, by Ewald's sum (Ewald 1921; Hernquist, Bouchet & Suto 1991,
 * eqs. 2.14) with the lattice sum over modes taken of the density's Fourier coefficients, so that a target costs one
 * pass over the sources and one over the modes. With the box as unit of length, d = x − x_j by the shortest way:
 *   a(x) = −Σ_j Gm_j d [(d²+ε²)^{−3/2} + g(d²)]_{d < ½} − Σ_q 4 w_q q [sin(2πq·x) C_q − cos(2πq·x) S_q]
 *   g(d²) = −erf(αd)/d³ + (2α/√π) e^{−α²d²}/d²,  w_q = e^{−π²q²/α²}/q²,  C_q + iS_q = Σ_j Gm_j e^{2πiq·x_j}
 * over half of the modes. α is large enough that pairs beyond half a box, and modes beyond the last, don't count: about
 * 1e-6 of the force of a body at half a box, or more where a quick sum is asked for. ε softens the nearest image alone, with the
 * spline (engine/direct/softening.ts) in place of Plummer's law where that is asked for.
 */

import { pairLaw, type Softening, splineRadius } from "../../engine/direct/softening.ts";
import type { EvaluationControl } from "../../engine/direct-summation.ts";
import { erfc } from "../../foundation/base/erfc.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";

const REACH2 = 0.25;
const TABLE = 2 ** 15;
const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);
/** Sources, or pairs, between two turns of the event loop. */
const SOURCES_AT_ONCE = 2 ** 13;
const PAIRS_AT_ONCE = 2 ** 22;

/**
 * How finely the force is split: "fine" is exact to 1e-6 of the force of a body at half a box, "quick" to 5e-4 with a
 * seventh of the modes, enough to tell how wrong a mesh is.
 */
const FINENESS = { fine: { alpha: 8, mostQ2: 112 }, quick: { alpha: 5.6, mostQ2: 30 } } as const;
export type Fineness = keyof typeof FINENESS;

/** What follows from α and the last mode: of all sums alike. */
function splitWith({ alpha, mostQ2 }: (typeof FINENESS)[Fineness]) {
  const mostQ = Math.floor(Math.sqrt(mostQ2));
  const modes: (readonly [qx: number, qy: number, qz: number])[] = [];
  for (let qx = 0; qx <= mostQ; qx++) {
    for (let qy = -mostQ; qy <= mostQ; qy++) {
      for (let qz = -mostQ; qz <= mostQ; qz++) {
        const isHalf = qx > 0 || qy > 0 || (qy === 0 && qz > 0);
        if (isHalf && qx * qx + qy * qy + qz * qz <= mostQ2) modes.push([qx, qy, qz]);
      }
    }
  }
  /** Half of the modes q ≠ 0 (the other half are their negatives), and w_q of each. */
  const [qx, qy, qz] = [0, 1, 2].map((axis) => Int8Array.from(modes, (q) => q[axis]));
  const weights = Float64Array.from(modes, ([x, y, z]) => {
    const q2 = x * x + y * y + z * z;
    return Math.exp((-Math.PI * Math.PI * q2) / alpha ** 2) / q2;
  });
  /** screening() by d² from 0 to REACH2, for linear interpolation. */
  const table = Float64Array.from({ length: TABLE + 2 }, (_, i) => screening(alpha, (REACH2 * i) / TABLE));
  return { mostQ, qx, qy, qz, weights, table };
}

type Split = ReturnType<typeof splitWith>;
const splits = new Map<Fineness, Split>();

function splitOf(fineness: Fineness): Split {
  const made = splits.get(fineness) ?? splitWith(FINENESS[fineness]);
  splits.set(fineness, made);
  return made;
}

/** What softening and images change of an unsoftened pair's pull, over the distance, at d². */
function screening(alpha: number, square: number): number {
  const s2 = alpha * alpha * square;
  if (s2 < 0.25) {
    // Series of both terms together: they cancel to the leading order.
    let [sum, power] = [0, -1];
    for (let n = 1; n <= 16; n++) {
      sum += power * ((2 * n) / (2 * n + 1));
      power *= -s2 / (n + 1);
    }
    return alpha ** 3 * TWO_OVER_ROOT_PI * sum;
  }
  const s = Math.sqrt(s2);
  const d3 = square * Math.sqrt(square);
  return (erfc(s) - 1 + TWO_OVER_ROOT_PI * s * Math.exp(-s2)) / d3;
}

/** e^{2πiqu} for q = −most … most; place most + q. */
class Phases {
  readonly re: Float64Array;
  readonly im: Float64Array;

  constructor(private readonly most: number) {
    this.re = new Float64Array(2 * most + 1);
    this.im = new Float64Array(2 * most + 1);
  }

  set(u: number): void {
    const [c, s] = [Math.cos(2 * Math.PI * u), Math.sin(2 * Math.PI * u)];
    let [re, im] = [1, 0];
    const { most } = this;
    for (let q = 0; q <= most; q++) {
      this.re[most + q] = this.re[most - q] = re;
      this.im[most + q] = im;
      this.im[most - q] = -im;
      [re, im] = [c * re - s * im, c * im + s * re];
    }
  }
}

/** `positions` [3N, xyzxyz…] [length], `masses` [N], `size`: side of the box. */
export interface EwaldParticles {
  positions: ArrayLike<number>;
  masses: ArrayLike<number>;
  G: number;
  size: number;
}

/** Particles of a periodic box, and the exact forces on any of them. */
export class EwaldSum {
  readonly method = "Ewald sum";
  readonly precision = "double";
  readonly #size: number;
  /** x, y and z in units of the box, [N] each; masses contain G. */
  readonly #places: readonly Float64Array[];
  readonly #masses: Float64Array;
  /** C_q and S_q. */
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #split: Split;
  readonly #phases: readonly Phases[];

  private constructor({ positions, masses, G, size }: EwaldParticles, fineness: Fineness) {
    this.#split = splitOf(fineness);
    const { weights, mostQ } = this.#split;
    [this.#cosines, this.#sines] = [new Float64Array(weights.length), new Float64Array(weights.length)];
    this.#phases = [0, 1, 2].map(() => new Phases(mostQ));
    this.#size = size;
    this.#places = [0, 1, 2].map((k) => Float64Array.from(masses, (_, i) => positions[3 * i + k] / size));
    this.#masses = Float64Array.from(masses, (mass) => G * mass);
  }

  /** Throws "aborted". */
  static async create(
    particles: EwaldParticles,
    control: EvaluationControl = {},
    fineness: Fineness = "fine",
  ): Promise<EwaldSum> {
    const { masses } = particles;
    const sum = new EwaldSum(particles, fineness);
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
  async accelerations(
    rows: ArrayLike<number>,
    softened: number | Softening,
    control: EvaluationControl = {},
  ): Promise<Float64Array> {
    const { softening, softeningKernel } = typeof softened === "number" ? { softening: softened } : softened;
    const inBoxes: Softening = { softening: softening / this.#size, softeningKernel };
    const out = new Float64Array(3 * rows.length);
    const atOnce = Math.max(1, Math.floor(PAIRS_AT_ONCE / this.#masses.length));
    for (let k = 0; k < rows.length; k++) {
      if (k % atOnce === 0) await pause(control, k / rows.length);
      const [pairs, modes] = [this.#pairsAt(rows[k], inBoxes), this.#modesAt(rows[k])];
      for (let axis = 0; axis < 3; axis++) out[3 * k + axis] = (pairs[axis] + modes[axis]) / this.#size ** 2;
    }
    control.onProgress?.(1);
    return out;
  }

  /** It has nothing but arrays. */
  destroy(): void {}

  /** Tells cos and sin of 2πq·x for particle `i`, times `scale`, of each mode. */
  #forModes(i: number, scale: number, tell: (mode: number, cosine: number, sine: number) => void): void {
    const [px, py, pz] = this.#phases;
    const { qx, qy, qz, mostQ } = this.#split;
    for (const [k, phases] of this.#phases.entries()) phases.set(this.#places[k][i]);
    for (let mode = 0; mode < qx.length; mode++) {
      const [x, y, z] = [mostQ + qx[mode], mostQ + qy[mode], mostQ + qz[mode]];
      const re = scale * (px.re[x] * py.re[y] - px.im[x] * py.im[y]);
      const im = scale * (px.re[x] * py.im[y] + px.im[x] * py.re[y]);
      tell(mode, re * pz.re[z] - im * pz.im[z], re * pz.im[z] + im * pz.re[z]);
    }
  }

  #modesAt(row: number): [number, number, number] {
    const { qx, qy, qz, weights } = this.#split;
    let [ax, ay, az] = [0, 0, 0];
    this.#forModes(row, 1, (mode, cosine, sine) => {
      const pull = 4 * weights[mode] * (sine * this.#cosines[mode] - cosine * this.#sines[mode]);
      ax -= pull * qx[mode];
      ay -= pull * qy[mode];
      az -= pull * qz[mode];
    });
    return [ax, ay, az];
  }

  #pairsAt(row: number, inBoxes: Softening): [number, number, number] {
    const spline2 = splineRadius(inBoxes) ** 2;
    const plummer2 = spline2 > 0 ? 0 : inBoxes.softening ** 2;
    const { table } = this.#split;
    const [xs, ys, zs] = this.#places;
    const masses = this.#masses;
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
      const soft = square + plummer2;
      const f = square < spline2 ? pairLaw(square, inBoxes).f : 1 / (soft * Math.sqrt(soft));
      const pull = masses[j] * (f + screen);
      ax -= pull * dx;
      ay -= pull * dy;
      az -= pull * dz;
    }
    return [ax, ay, az];
  }
}

/** Lets the event loop run; throws "aborted". */
async function pause({ onProgress, signal }: EvaluationControl, fraction: number): Promise<void> {
  onProgress?.(fraction);
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (signal?.aborted) throw new GravmeshError("aborted", "Ewald's sum: the caller's signal ended it");
}
