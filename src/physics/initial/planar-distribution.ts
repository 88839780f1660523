/**
 * Velocities in the plane of a warm disk, from a distribution function of energy E and angular momentum L, so that the disk
 * is a stationary solution however large its dispersion:
 *   f(E, L) = F(Rg) exp(−[E − Ec(Rg)]/σ²(Rg)),   F = 2Ω Σ̃/(κ · 2π σ²) at the guiding radius Rg of L.
 * Its moments at R are integrals over vφ = L/R, E − Ec = vR²/2 + Δ, Δ = φ(R) + vφ²/2 − Ec(L):
 *   Σ = ∫ √(2π) σ F e^{−Δ/σ²} dvφ,   Σσ_R² = ∫ √(2π) σ³ F e^{−Δ/σ²} dvφ.
 * Σ̃ and σ are changed until these are the surface density and the dispersion asked for; rotation, asymmetric drift and
 * with them the Jeans equation follow. |L| is drawn, then its sign: backwards in (1 − tanh(L/L0))/2 of all cases, which
 * matters within a small core only, and keeps the mean streaming continuous at the centre.
 * Sources: Shu 1969, ApJ 158, 505; Dehnen 1999, AJ 118, 1201 (the correction); Kuijken & Dubinski 1995, MNRAS 277, 1341.
 */
import type { ParticleRandom } from "./philox.ts";
import { cubic, placeBelow } from "./tables.ts";

export interface PlanarTargets {
  /** Σ(R) [mass/length²] */
  surfaceDensity(R: number): number;
  /** σ_R(R) [velocity] */
  radialDispersion(R: number): number;
  /** Σ and σ_R are fitted up to here [length]. */
  fitted: number;
  /** Within about this radius the disk turns both ways [length]. */
  core: number;
}

/** Cells of |v_φ| at a radius, most of them within so many dispersions of the circular speed. */
const SPEEDS = 200;
const WIDTH = 8;
/** How many of them are for stars that come from far inside. */
const SLOW_SPEEDS = 60;
const ITERATIONS = 25;
/** Cells with fewer stars don't count where all are gone through. */
const LEAST_SHARE = 1e-6;
/** How often means over neighbours are taken. */
const PASSES = 4;
/** σ may differ from the dispersion asked for by this much, in ln σ. */
const MOST_WARMING = 0.4;
const TWO_PI = 2 * Math.PI;

export type PlanarDistribution = ReturnType<typeof planarDistribution>;

/** Gives a star's v_R and v_φ at random, and moments. */
export function planarDistribution(plane: PlanarPotential, targets: PlanarTargets) {
  const grid = orbitGrid(plane, targets);
  return drawnFrom(grid, fitted(grid, targets), targets);
}

type OrbitGrid = ReturnType<typeof orbitGrid>;

/** Orbits by the radius where a star is and its |v_φ|: SPEEDS cells at each radius, with what their momenta say. */
function orbitGrid(plane: PlanarPotential, targets: PlanarTargets) {
  const { radii, depths } = plane;
  const count = radii.length;
  const speeds = radii.map((R) => Math.sqrt(plane.speedSquared(R)));
  const momenta = radii.map((R, i) => R * speeds[i]);
  const energies = depths.map((depth, i) => depth + 0.5 * speeds[i] ** 2);
  const gammas = radii.map((R, i) => (2 * speeds[i]) / R / Math.sqrt(plane.kappaSquared(R)));

  /** The place of L among the momenta: index and fraction; the fraction is below 0 or above 1 outside. */
  const place = (L: number): number => {
    const low = placeBelow(momenta, L, 0, count - 1);
    return low + Math.max(0, (L - momenta[low]) / (momenta[low + 1] - momenta[low]));
  };
  /** Ec(L): cubic Hermite, dEc/dL = Ω. */
  const circularEnergy = (L: number, position: number) => {
    const i = Math.min(count - 2, Math.floor(position));
    const rates = [speeds[i] / radii[i], speeds[i + 1] / radii[i + 1]];
    if (L < momenta[0]) return energies[0] - rates[0] * (momenta[0] - L);
    return cubic(position - i, momenta[i + 1] - momenta[i], energies.subarray(i), rates);
  };

  /** [count × (SPEEDS + 1)] [velocity] */
  const edges = new Float64Array(count * (SPEEDS + 1));
  /** Places of the guiding radii, and E − Ec of stars without v_R [count × SPEEDS]. */
  const positions = new Float64Array(count * SPEEDS);
  const excess = new Float64Array(count * SPEEDS);
  const middle = (i: number, n: number) => 0.5 * (edges[i * (SPEEDS + 1) + n] + edges[i * (SPEEDS + 1) + n + 1]);
  const width = (i: number, n: number) => edges[i * (SPEEDS + 1) + n + 1] - edges[i * (SPEEDS + 1) + n];
  for (let i = 0; i < count; i++) {
    edges.set(speedEdges(speeds[i], WIDTH * targets.radialDispersion(radii[i])), i * (SPEEDS + 1));
    for (let n = 0; n < SPEEDS; n++) {
      const speed = middle(i, n);
      const position = place(radii[i] * speed);
      positions[i * SPEEDS + n] = position;
      const energy = depths[i] + 0.5 * speed * speed;
      excess[i * SPEEDS + n] =
        position > count - 1
          ? Number.POSITIVE_INFINITY
          : Math.max(0, energy - circularEnergy(radii[i] * speed, position));
    }
  }
  return { radii, count, gammas, place, edges, positions, excess, middle, width };
}

type Fitted = ReturnType<typeof fitted>;

/** ln σ at the guiding radii, stars in the cells, and ⟨σ²⟩ at the radii, when Σ̃ and σ are such that Σ and σ_R are those asked for. */
function fitted(grid: OrbitGrid, targets: PlanarTargets) {
  const { radii, count, gammas, positions, excess, width } = grid;
  const wantedDensity = radii.map(targets.surfaceDensity);
  const wanted = radii.map(targets.radialDispersion);
  const firstFitted = radii.findIndex((R) => R >= 2 * targets.core);
  const isFitted = (R: number) => R <= targets.fitted;
  const lastFitted = Math.max(1, radii.findLastIndex(isFitted));
  const logDensity = wantedDensity.map(Math.log);
  const logSigma = wanted.map(Math.log);
  const weights = new Float64Array(count * SPEEDS);
  const density = new Float64Array(count);
  const square = new Float64Array(count);
  const logF = new Float64Array(count);
  const evaluate = () => {
    for (let i = 0; i < count; i++) logF[i] = logDensity[i] + Math.log(gammas[i] / TWO_PI) - 2 * logSigma[i];
    for (let i = 0; i < count; i++) {
      let [sum, hot] = [0, 0];
      for (let at = i * SPEEDS; at < (i + 1) * SPEEDS; at++) {
        const j = Math.min(count - 2, Math.floor(positions[at]));
        const t = positions[at] - j;
        const sigma = Math.exp(logSigma[j] + t * (logSigma[j + 1] - logSigma[j]));
        const f = Math.exp(logF[j] + t * (logF[j + 1] - logF[j]) - excess[at] / (sigma * sigma));
        weights[at] = excess[at] < Number.POSITIVE_INFINITY ? sigma * f * width(i, at - i * SPEEDS) : 0;
        sum += weights[at];
        hot += weights[at] * sigma * sigma;
      }
      density[i] = Math.sqrt(TWO_PI) * sum;
      square[i] = sum > 0 ? hot / sum : wanted[i] ** 2;
    }
  };
  // Richardson and Lucy: the deficit at R is distributed over the guiding radii as the stars there come from them.
  const [sent, denser, hotter] = [0, 0, 0].map(() => new Float64Array(count));
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    evaluate();
    for (const sums of [sent, denser, hotter]) sums.fill(0);
    for (let i = 0; i <= lastFitted; i++) {
      const area = radii[i] * (radii[Math.min(count - 1, i + 1)] - (i > 0 ? radii[i - 1] : 0));
      const wanting = wantedDensity[i] / density[i];
      const colder = wanted[i] ** 2 / square[i];
      for (let at = i * SPEEDS; at < (i + 1) * SPEEDS; at++) {
        const j = Math.min(count - 2, Math.floor(positions[at]));
        const t = positions[at] - j;
        const outer = Math.max(0, t) * weights[at] * area;
        const inner = Math.max(0, 1 - t) * weights[at] * area;
        sent[j] += inner;
        denser[j] += inner * wanting;
        hotter[j] += inner * colder;
        sent[j + 1] += outer;
        denser[j + 1] += outer * wanting;
        hotter[j + 1] += outer * colder;
      }
    }
    const correction = (asked: Float64Array) => {
      const logs = asked.map((sum, j) => (sent[j] > 0 ? Math.log(sum / sent[j]) : 0));
      return smoothed(logs.fill(logs[firstFitted], 0, firstFitted));
    };
    const [denserBy, warmerBy] = [denser, hotter].map(correction);
    for (let j = 0; j < count; j++) {
      logDensity[j] += denserBy[j];
      const warming = logSigma[j] + 0.5 * warmerBy[j] - Math.log(wanted[j]);
      logSigma[j] = Math.log(wanted[j]) + Math.min(MOST_WARMING, Math.max(-MOST_WARMING, warming));
    }
  }
  evaluate();
  return { logSigma, weights, square };
}

function drawnFrom(
  { radii, count, place, edges, positions, middle }: OrbitGrid,
  { logSigma, weights, square }: Fitted,
  { core, radialDispersion }: PlanarTargets,
) {
  const outermost = radii[count - 1];
  // Rows of the cumulative distribution of |v_φ|, and its moments with the signs of L.
  const coreMomentum = core * radialDispersion(radii[0]);
  const cumulative = new Float64Array(count * (SPEEDS + 1));
  const means = new Float64Array(count);
  const azimuthal = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let [sum, mean, squares] = [0, 0, 0];
    for (let n = 0; n < SPEEDS; n++) {
      const weight = weights[i * SPEEDS + n];
      const speed = middle(i, n);
      sum += weight;
      mean += weight * speed * Math.tanh((radii[i] * speed) / coreMomentum);
      squares += weight * speed * speed;
      cumulative[i * (SPEEDS + 1) + n + 1] = sum;
    }
    for (let n = 1; n <= SPEEDS; n++) cumulative[i * (SPEEDS + 1) + n] /= sum;
    means[i] = mean / sum;
    azimuthal[i] = Math.sqrt(Math.max(0, squares / sum - means[i] ** 2));
  }
  /** |v_φ| below which a share u of the stars at a node is. */
  const quantile = (i: number, u: number) => {
    const first = i * (SPEEDS + 1);
    const below = placeBelow(cumulative, u, first, first + SPEEDS);
    const start = cumulative[below];
    return edges[below] + ((u - start) / (cumulative[below + 1] - start)) * (edges[below + 1] - edges[below]);
  };

  const table = (values: Float64Array) => tableOverRoot(outermost, values);
  return {
    /** σ_R, σ_φ and v̄_φ of f [velocity] */
    radialDispersion: table(square.map(Math.sqrt)),
    azimuthalDispersion: table(azimuthal),
    meanRotation: table(means),
    /** Gives the guiding radii of the stars at node i, as places among the radii, and their shares to `take`. */
    guidingRadii(i: number, take: (place: number, share: number) => void): void {
      const first = i * (SPEEDS + 1);
      for (let n = 0; n < SPEEDS; n++) {
        const share = cumulative[first + n + 1] - cumulative[first + n];
        if (share > LEAST_SHARE) take(positions[i * SPEEDS + n], share);
      }
    },
    /** Writes v_R and v_φ of a star at R, and the place of its guiding radius among the radii. */
    draw(random: ParticleRandom, R: number, out: Float64Array): void {
      const index = Math.min(count - 1, Math.max(0, Math.sqrt(R / outermost) * count - 1));
      const i = Math.min(count - 2, Math.floor(index));
      const u = random.uniform();
      const speed = quantile(i, u) + (index - i) * (quantile(i + 1, u) - quantile(i, u));
      const L = R * speed;
      const position = Math.min(count - 1, place(L));
      const j = Math.min(count - 2, Math.floor(position));
      const sigma = Math.exp(logSigma[j] + (position - j) * (logSigma[j + 1] - logSigma[j]));
      out[0] = sigma * random.normal();
      out[1] = random.uniform() < 0.5 * (1 - Math.tanh(L / coreMomentum)) ? -speed : speed;
      out[2] = position;
    },
  };
}

/** Edges of the cells of |v_φ|: fine about 0, where a cell holds a wide range of guiding radii, and about the circular speed. */
function speedEdges(circular: number, most: number): Float64Array {
  const gap = circular - most;
  const edges = new Float64Array(SPEEDS + 1);
  for (let n = 0; n <= SPEEDS; n++) {
    if (gap <= 0) edges[n] = (circular + most) * (n / SPEEDS) ** 2;
    else if (n < SLOW_SPEEDS) edges[n] = gap * (n / SLOW_SPEEDS) ** 2;
    else edges[n] = gap + (2 * most * (n - SLOW_SPEEDS)) / (SPEEDS - SLOW_SPEEDS);
  }
  return edges;
}

/** Weighted means over a few neighbours: without, noise from node to node grows where stars come from far away. */
function smoothed(values: Float64Array): Float64Array {
  const last = values.length - 1;
  for (let pass = 0; pass < PASSES; pass++) {
    const before = values;
    values = before.map((value, j) => 0.25 * (before[Math.max(0, j - 1)] + 2 * value + before[Math.min(last, j + 1)]));
  }
  return values;
}

/** Step of centred differences, as a fraction of the radius. */
const SLOPE_STEP = 0.02;
/** φ between two nodes: Gauss and Legendre's three points. */
const GAUSS = [
  [0.5 - Math.sqrt(0.15), 5 / 18],
  [0.5, 8 / 18],
  [0.5 + Math.sqrt(0.15), 5 / 18],
];

/** `count` radii up to `outermost`, even in s = √(R/outermost), in which curves are smooth. */
export function planarRadii(outermost: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => outermost * ((i + 1) / count) ** 2);
}

export type PlanarPotential = ReturnType<typeof planarPotential>;

/**
 * Motion in the plane of a disk, from `squares`: vc² at planarRadii(); negative ones, where the mean force is outwards, count
 * as none. Ω = vc/R, φ(R) = ∫ vc²/R dR, κ² = dvc²/R dR + 2Ω².
 */
export function planarPotential(radii: Float64Array, squares: Float64Array) {
  const count = radii.length;
  const values = squares.map((square) => Math.max(0, square));
  const at = tableOverRoot(radii[count - 1], values);
  const speedSquared = (R: number) => Math.max(0, at(R));
  const depths = new Float64Array(count);
  for (let i = count - 2; i >= 0; i--) {
    // dφ = vc² dR/R = 2 vc² ds/s
    let sum = 0;
    for (const [x, weight] of GAUSS) {
      const s = (i + 1 + x) / count;
      sum += (weight * 2 * speedSquared(radii[count - 1] * s * s)) / (i + 1 + x);
    }
    depths[i] = depths[i + 1] - sum;
  }
  return {
    radii,
    /** φ at the radii [velocity²]; 0 at the last. */
    depths,
    /** vc² [velocity²] */
    speedSquared,
    /** κ² [1/time²] */
    kappaSquared(R: number) {
      const step = SLOPE_STEP * R;
      const slope = (speedSquared(R + step) - speedSquared(R - step)) / (2 * step);
      return Math.max(0, slope / R + (2 * speedSquared(R)) / (R * R));
    },
  };
}

/** Cubic through four values at planarRadii(outermost, values.length), constant beyond them. */
function tableOverRoot(outermost: number, values: Float64Array): (R: number) => number {
  const count = values.length;
  return (R) => {
    const position = Math.min(count - 1, Math.max(0, Math.sqrt(R / outermost) * count - 1));
    const i = Math.min(count - 3, Math.max(1, Math.floor(position)));
    const t = position - i;
    return (
      (-t * (t - 1) * (t - 2) * values[i - 1] + 3 * (t + 1) * (t - 1) * (t - 2) * values[i]) / 6 +
      (-3 * (t + 1) * t * (t - 2) * values[i + 1] + (t + 1) * t * (t - 1) * values[i + 2]) / 6
    );
  };
}
