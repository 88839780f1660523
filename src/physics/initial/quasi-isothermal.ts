/**
 * Heights of a disk's stars that swing far in radius: a star keeps its vertical action J = E_z/ν while the pull to the plane
 * changes along its orbit, so that its vertical motion depends on its guiding radius Rg:
 *   f ∝ exp(−E_z/s²),   s²(R, Rg) = ν(R) A(Rg),   ζ(z) ∝ Σ over Rg of its share at R times exp(−Δφ(R, z)/s²)/Z.
 * A is found so that the mean |z| at every R is that of sech²(z/z0), z0 ln 2. A layer that knew R alone would mix within
 * an epicycle: in a disk of Q = 2 heights would grow by a tenth, and inner and outer parts swing against each other.
 * ν² = ⟨z ∂φ/∂z⟩/⟨z²⟩ of an isothermal layer at R by itself.
 * Source: Binney 2010, MNRAS 401, 2318, section 3 (quasi-isothermal disks; J in the adiabatic approximation).
 */
import type { ParticleRandom } from "./philox.ts";
import type { PlanarDistribution } from "./planar-distribution.ts";
import { placeBelow } from "./tables.ts";
import type { Pull, VerticalColumn } from "./vertical-structure.ts";

/** Dispersions for which layers are tabulated: ln s against that of the isothermal layer, even steps. */
const WARMTHS = 25;
const WIDEST = 1.5;
const ITERATIONS = 12;

/** `base`: isothermal layers by themselves, in the potential that `pulls` gives at each radius; `height`: z0 ln 2. */
export function quasiIsothermal(
  base: readonly VerticalColumn[],
  pulls: readonly Pull[],
  heights: Float64Array,
  { stars, meanHeight }: { stars: PlanarDistribution; meanHeight: number },
) {
  const count = base.length;
  const last = heights.length - 1;
  const step = heights[1];
  const shares = new Float64Array(count * WARMTHS * (last + 1));
  const means = new Float64Array(count * WARMTHS);
  const frequencies = new Float64Array(count);
  const warmthOf = (k: number) => WIDEST * ((2 * k) / (WARMTHS - 1) - 1);
  for (let i = 0; i < count; i++) {
    const depths = new Float64Array(last + 1);
    for (let j = 1; j <= last; j++) depths[j] = depths[j - 1] + 0.5 * step * (pulls[i][j - 1] + pulls[i][j]);
    const square = base[i].dispersions[0] ** 2;
    for (let k = 0; k < WARMTHS; k++) {
      const warm = square * Math.exp(2 * warmthOf(k));
      const at = (i * WARMTHS + k) * (last + 1);
      let [moment, energy, second] = [0, 0, 0];
      let near = 1;
      for (let j = 1; j <= last; j++) {
        const far = Math.exp(-depths[j] / warm);
        const part = 0.5 * (near + far);
        const z = heights[j] - 0.5 * step;
        shares[at + j] = shares[at + j - 1] + part;
        moment += part * z;
        second += part * z * z;
        energy += part * z * 0.5 * (pulls[i][j - 1] + pulls[i][j]);
        near = far;
      }
      const whole = shares[at + last];
      for (let j = 1; j <= last; j++) shares[at + j] /= whole;
      means[i * WARMTHS + k] = moment / whole;
      if (k === (WARMTHS - 1) / 2) frequencies[i] = Math.sqrt(energy / second);
    }
  }

  /** ln A at the radii. */
  const logs = base.map(({ dispersions }, i) => 2 * Math.log(dispersions[0]) - Math.log(frequencies[i]));
  const logAt = (position: number) => {
    const i = Math.min(count - 2, Math.max(0, Math.floor(position)));
    return logs[i] + Math.min(1, Math.max(0, position - i)) * (logs[i + 1] - logs[i]);
  };
  /** Place among the tabulated dispersions at node i of a star with that guiding radius. */
  const warmth = (i: number, guiding: number) => {
    const logSigma = 0.5 * (logAt(guiding) + Math.log(frequencies[i])) - Math.log(base[i].dispersions[0]);
    return Math.min(WARMTHS - 1.001, Math.max(0, ((logSigma / WIDEST + 1) / 2) * (WARMTHS - 1)));
  };
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const found = base.map((_, i) => {
      let mean = 0;
      stars.guidingRadii(i, (guiding, share) => {
        const k = warmth(i, guiding);
        const low = i * WARMTHS + Math.floor(k);
        mean += share * (means[low] + (k - Math.floor(k)) * (means[low + 1] - means[low]));
      });
      return Math.log(meanHeight / mean);
    });
    for (let i = 0; i < count; i++) {
      logs[i] += 0.25 * (found[Math.max(0, i - 1)] + 2 * found[i] + found[Math.min(count - 1, i + 1)]);
    }
  }

  const sigmaAt = (i: number, guiding: number) => Math.sqrt(Math.exp(logAt(guiding)) * frequencies[i]);
  const columns = base.map((_, i): VerticalColumn => {
    const mixed = new Float64Array(last + 1);
    const [matter, stress] = [new Float64Array(last), new Float64Array(last)];
    stars.guidingRadii(i, (guiding, share) => {
      const at = (i * WARMTHS + Math.round(warmth(i, guiding))) * (last + 1);
      const square = sigmaAt(i, guiding) ** 2;
      for (let j = 0; j <= last; j++) mixed[j] += share * shares[at + j];
      for (let j = 0; j < last; j++) {
        const part = share * (shares[at + j + 1] - shares[at + j]);
        matter[j] += part;
        stress[j] += part * square;
      }
    });
    const cells = stress.map((sum, j) => Math.sqrt(sum / matter[j]));
    // From the cells to the heights between them.
    const dispersions = heights.map((_z, j) =>
      j === 0 || j === last ? cells[Math.min(j, last - 1)] : 0.5 * (cells[j - 1] + cells[j]),
    );
    return { dispersions, shares: mixed };
  });

  /** Height of a share of the stars, on one side, for a tabulated dispersion at node i. */
  const tabulated = (i: number, k: number, share: number) => {
    const at = (i * WARMTHS + k) * (last + 1);
    const low = placeBelow(shares, share, at, at + last);
    const part = shares[low + 1] - shares[low];
    return heights[low - at] + (part > 0 ? (share - shares[low]) / part : 0) * step;
  };
  const heightOf = (i: number, guiding: number, share: number) => {
    const k = warmth(i, guiding);
    const low = Math.floor(k);
    return (1 - k + low) * tabulated(i, low, share) + (k - low) * tabulated(i, low + 1, share);
  };
  return {
    /** What the mixture is at each radius. */
    columns,
    /** Writes z and v_z of a star at the place `at` among the radii, whose guiding radius has the place `guiding`. */
    draw(random: ParticleRandom, at: number, guiding: number, out: Float64Array): void {
      const i = Math.min(count - 2, Math.floor(at));
      const t = at - i;
      const u = random.uniform();
      const share = Math.abs(2 * u - 1);
      const z = (1 - t) * heightOf(i, guiding, share) + t * heightOf(i + 1, guiding, share);
      const sigma = (1 - t) * sigmaAt(i, guiding) + t * sigmaAt(i + 1, guiding);
      out[0] = u < 0.5 ? -z : z;
      out[1] = sigma * random.normal();
    },
  };
}
