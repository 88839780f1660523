/**
 * Forces of a flat axisymmetric density ρ = Σ(R) ζ(z), by the Hankel transform of its potential (Binney & Tremaine 2008,
 * section 2.6.2):
 *   φ(R, z) = −2πG ∫₀^∞ J0(kR) S(k) I(k, z) dk,   S(k) = ∫ Σ(R) J0(kR) R dR,   I(k, z) = ∫ ζ(z') e^{−k|z−z'|} dz'.
 * I is the sum of what lies below and above z, P = ∫_{−∞}^z ζ e^{−k(z−z')} dz' and N = ∫_z^∞ ζ e^{−k(z'−z)} dz', both by
 * recursion from node to node, and ∂I/∂z = k (N − P):
 *   F_R = −2πG ∫ k J1(kR) S (P + N) dk,   F_z = −2πG ∫ k J0(kR) S (P − N) dk.
 */

/** How a disk's matter lies about its plane: ζ(z) = ζ(−z), ∫ζ dz = 1. */
export interface DiskLayer {
  /** [length]; 0: all of it in the plane. */
  scale: number;
  /** ζ(z), z ≥ 0 [1/length] */
  density(z: number): number;
}

export interface FlatDensity {
  /** S(k) [mass] */
  spectrum(k: number): number;
  /** Radius over which Σ changes [length] */
  scale: number;
  layer: DiskLayer;
}

/** Accelerations [velocity/time] at radius i and height j of a grid: [i · heights + j]. */
export type GridForces = Record<"radial" | "vertical", Float64Array>;

/** Steps of k, in inverse scales, and in radians of the Bessel functions at the largest radius. */
const WAVENUMBER_STEP = 0.05;
const PHASE_STEP = 0.3;
/** Wavenumbers go up to this many inverse scales, and where the layer is thin up to so many of its own, with a limit. */
const LAST_WAVENUMBER = 200;
const LAST_OF_LAYER = 12;
const MOST_WAVENUMBERS = 800;
/** Nodes of a layer to its scale, and where it ends. */
const NODES_TO_SCALE = 6;
const LAYER_END = 10;

/** `R` and `z` rising, z from 0 up [length]. One wavenumber is held at a time, however many there are. */
export function flatForces(
  { spectrum, scale, layer }: FlatDensity,
  R: Float64Array,
  z: Float64Array,
  G: number,
): GridForces {
  const step = Math.min(WAVENUMBER_STEP / scale, PHASE_STEP / R[R.length - 1]);
  const thin = layer.scale > 0 ? (LAST_OF_LAYER * scale) / layer.scale : 0;
  const count = 2 * Math.ceil(Math.min(MOST_WAVENUMBERS, Math.max(LAST_WAVENUMBER, thin)) / scale / step / 2);
  const heights = z.length;
  const weights = layerWeights(layer, z);
  const [sums, differences] = [0, 0].map(() => new Float64Array(heights));
  const [radial, vertical] = [0, 0].map(() => new Float64Array(R.length * heights));
  for (let j = 1; j <= count; j++) {
    const k = j * step;
    const simpson = (j === count ? 1 : j % 2 === 1 ? 4 : 2) * (step / 3);
    // A smooth end of the spectrum keeps the cut from ringing.
    const taper = 2 * j > count ? Math.sin((Math.PI * j) / count) ** 2 : 1;
    weights(k, 2 * Math.PI * G * simpson * k * spectrum(k) * taper, (at, below, above) => {
      sums[at] = below + above;
      differences[at] = below - above;
    });
    for (let i = 0; i < R.length; i++) {
      const [first, zeroth] = [besselJ1(k * R[i]), besselJ0(k * R[i])];
      for (let at = 0; at < heights; at++) {
        radial[i * heights + at] -= first * sums[at];
        vertical[i * heights + at] -= zeroth * differences[at];
      }
    }
  }
  return { radial, vertical };
}

/** Gives P and N, times `factor`, at every height z to `take`. */
type LayerWeights = (k: number, factor: number, take: (at: number, below: number, above: number) => void) => void;

function layerWeights(layer: DiskLayer, z: Float64Array): LayerWeights {
  if (layer.scale === 0) {
    return (k, factor, take) => {
      for (let at = 0; at < z.length; at++) {
        if (z[at] === 0) take(at, 0.5 * factor, 0.5 * factor);
        else take(at, factor * Math.exp(-k * z[at]), 0);
      }
    };
  }
  const own = Array.from({ length: NODES_TO_SCALE * LAYER_END + 1 }, (_, i) => (i * layer.scale) / NODES_TO_SCALE);
  const nodes = [...new Set([...own, ...z])].sort((a, b) => a - b);
  const asked = nodes.map((node) => z.indexOf(node));
  const last = nodes.length - 1;
  const width = Float64Array.from({ length: last }, (_, i) => nodes[i + 1] - nodes[i]);
  const at = Float64Array.from(nodes, layer.density);
  const middle = Float64Array.from(width, (h, i) => layer.density(nodes[i] + 0.5 * h));
  const [above, decay, upward] = [0, 0, 0].map(() => new Float64Array(nodes.length));
  const moments = new Float64Array(3);
  return (k, factor, take) => {
    above[last] = 0;
    for (let i = last - 1; i >= 0; i--) {
      const h = width[i];
      decay[i] = exponentialMoments(k * h, moments);
      const [near, half, far] = moments;
      // Seen from the lower node, and from the upper one.
      above[i] = above[i + 1] * decay[i] + h * (near * at[i] + half * middle[i] + far * at[i + 1]);
      upward[i] = h * (near * at[i + 1] + half * middle[i] + far * at[i]);
    }
    let below = above[0];
    for (let i = 0; i <= last; i++) {
      if (asked[i] >= 0) take(asked[i], factor * below, factor * above[i]);
      below = below * decay[i] + upward[i];
    }
  };
}

/**
 * Weights of ζ at s = 0, ½ and 1 in ∫₀¹ ζ(s) e^{−as} ds, exact for parabolas; returns e^{−a}.
 * With m_n = ∫ sⁿ e^{−as} ds: m0 − 3m1 + 2m2, 4m1 − 4m2, 2m2 − m1.
 */
function exponentialMoments(a: number, out: Float64Array): number {
  const decay = Math.exp(-a);
  let [m0, m1, m2] = [0, 0, 0];
  if (a < 0.05) {
    m0 = 1 - a * (1 / 2 - a * (1 / 6 - a / 24));
    m1 = 1 / 2 - a * (1 / 3 - a * (1 / 8 - a / 30));
    m2 = 1 / 3 - a * (1 / 4 - a * (1 / 10 - a / 36));
  } else {
    m0 = (1 - decay) / a;
    m1 = (m0 - decay) / a;
    m2 = (2 * m1 - decay) / a;
  }
  out[0] = m0 - 3 * m1 + 2 * m2;
  out[1] = 4 * m1 - 4 * m2;
  out[2] = 2 * m2 - m1;
  return decay;
}

/** J0, x ≥ 0, as J1 with an error below 1e-7 (Abramowitz & Stegun 1964, 9.4.1, 9.4.3, 9.4.4 and 9.4.6). */
export function besselJ0(x: number): number {
  if (x < 3) {
    const y = (x * x) / 9;
    return 1 + y * (-2.2499997 + y * (1.2656208 + y * (-0.3163866 + y * (0.0444479 + y * (-0.0039444 + y * 0.00021)))));
  }
  const y = 3 / x;
  const amplitude =
    0.79788456 +
    y * (-0.00000077 + y * (-0.0055274 + y * (-0.00009512 + y * (0.00137237 + y * (-0.00072805 + y * 0.00014476)))));
  const phase =
    x -
    0.78539816 +
    y * (-0.04166397 + y * (-0.00003954 + y * (0.00262573 + y * (-0.00054125 + y * (-0.00029333 + y * 0.00013558)))));
  return (amplitude * Math.cos(phase)) / Math.sqrt(x);
}

export function besselJ1(x: number): number {
  if (x < 3) {
    const y = (x * x) / 9;
    const even =
      0.5 +
      y * (-0.56249985 + y * (0.21093573 + y * (-0.03954289 + y * (0.00443319 + y * (-0.00031761 + y * 0.00001109)))));
    return x * even;
  }
  const y = 3 / x;
  const amplitude =
    0.79788456 +
    y * (0.00000156 + y * (0.01659667 + y * (0.00017105 + y * (-0.00249511 + y * (0.00113653 - y * 0.00020033)))));
  const phase =
    x -
    2.35619449 +
    y * (0.12499612 + y * (0.0000565 + y * (-0.00637879 + y * (0.00074348 + y * (0.00079824 - y * 0.00029166)))));
  return (amplitude * Math.cos(phase)) / Math.sqrt(x);
}
