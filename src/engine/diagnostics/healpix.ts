/**
 * HEALPix in the ring scheme (Górski et al. 2005): 12 nside² pixels of equal area on 4 nside − 1 rings of equal latitude,
 * and the angular power of a map by sums along rings.
 */
import { isTransformLength, LineFft } from "../mesh/fft/line-fft.ts";

export const pixelCount = (nside: number): number => 12 * nside * nside;

/** The pixel of the direction (x, y, z) at the distance r > 0; section 4.1 and eqs 2 to 7 turned round, as in healpy. */
export function pixelOf(nside: number, x: number, y: number, z: number, r: number): number {
  const height = z / r;
  const size = Math.abs(height);
  // In quarters of a turn, [0, 4).
  let turn = Math.atan2(y, x) * (2 / Math.PI);
  if (turn < 0) turn += 4;
  if (turn >= 4) turn -= 4;
  if (size <= 2 / 3) {
    const [along, across] = [nside * (0.5 + turn), 0.75 * nside * height];
    const [rising, falling] = [Math.floor(along - across), Math.floor(along + across)];
    const ring = nside + 1 + rising - falling; // from 1 up, north of the belt
    const shift = 1 - (ring & 1);
    const place = Math.floor((rising + falling - nside + shift + 1) / 2);
    const within = ((place % (4 * nside)) + 4 * nside) % (4 * nside);
    return 2 * nside * (nside - 1) + (ring - 1) * 4 * nside + within;
  }
  const part = turn - Math.floor(turn);
  // nside √(3 (1 − |z|)), without the loss of 1 − |z| near the poles.
  const fall = nside * Math.sqrt((3 * (x * x + y * y)) / (r * r * (1 + size)));
  const [rising, falling] = [Math.floor(part * fall), Math.floor((1 - part) * fall)];
  const ring = rising + falling + 1;
  const within = Math.floor(turn * ring) % (4 * ring);
  return height > 0 ? 2 * ring * (ring - 1) + within : pixelCount(nside) - 2 * ring * (ring + 1) + within;
}

export interface Ring {
  /** Its first pixel and how many it has. */
  first: number;
  count: number;
  /** cos θ and sin θ, and the longitude of its first pixel's centre [rad]. */
  z: number;
  sine: number;
  longitude: number;
}

/** Ring 1 … 4 nside − 1 from the north pole (eqs 4 to 9). */
export function ringOf(nside: number, ring: number): Ring {
  const south = ring > 2 * nside;
  const i = south ? 4 * nside - ring : ring;
  const cap = i < nside;
  const count = 4 * Math.min(i, nside);
  const fall = cap ? (i * i) / (3 * nside * nside) : 0;
  const z = cap ? 1 - fall : 4 / 3 - (2 * i) / (3 * nside);
  const first = cap ? 2 * i * (i - 1) : 2 * nside * (nside - 1) + 4 * nside * (i - nside);
  return {
    ...{ count, z: south ? -z : z, sine: cap ? Math.sqrt(fall * (2 - fall)) : Math.sqrt(1 - z * z) },
    first: south ? pixelCount(nside) - first - count : first,
    longitude: (cap || (i - nside) % 2 === 0 ? Math.PI : 0) / count,
  };
}

/** The centre of each pixel, in order: a direction of length 1. */
export function eachPixel(nside: number, visit: (pixel: number, x: number, y: number, z: number) => void): void {
  for (let ring = 1; ring < 4 * nside; ring++) {
    const { first, count, z, sine, longitude } = ringOf(nside, ring);
    for (let j = 0; j < count; j++) {
      const phi = longitude + (2 * Math.PI * j) / count;
      visit(first + j, sine * Math.cos(phi), sine * Math.sin(phi), z);
    }
  }
}

/** Where scaled Legendre functions are brought back, and below which e^x they add nothing. */
const [LARGE, NOTHING] = [1e150, -650];

/**
 * C_ℓ of a map [12 nside²] for ℓ = 0 … lmax: a_ℓm = Σ_p (4π/N) f_p Y*_ℓm(p) (eq. 22), C_ℓ = Σ_m |a_ℓm|²/(2ℓ + 1). Errors of
 * the sum for the integral are below 1e-3 up to 1.5 nside.
 */
export function angularPower(map: ArrayLike<number>, nside: number, lmax: number): Float64Array {
  const rings = Array.from({ length: 4 * nside - 1 }, (_, i) => ringOf(nside, i + 1));
  const waves = rings.map((ring) => ringWaves(map, ring, lmax));
  const area = (4 * Math.PI) / pixelCount(nside);
  const power = new Float64Array(lmax + 1);
  // ln P̄_mm without its sin^m θ: √((2m + 1)/(4π) Π (2k − 1)/(2k)).
  let start = -0.5 * Math.log(4 * Math.PI);
  for (let m = 0; m <= lmax; m++) {
    if (m > 0) start += 0.5 * Math.log((2 * m + 1) / (2 * m));
    const [real, imaginary] = [new Float64Array(lmax + 1), new Float64Array(lmax + 1)];
    const up = Float64Array.from({ length: lmax + 1 }, (_, l) => Math.sqrt((4 * l * l - 1) / (l * l - m * m)));
    for (const [i, { z, sine }] of rings.entries()) {
      const [re, im] = [waves[i][2 * m], waves[i][2 * m + 1]];
      let scale = start + m * Math.log(sine);
      let factor = scale > NOTHING ? Math.exp(scale) : 0;
      let [before, value] = [0, 1];
      for (let l = m; l <= lmax; l++) {
        if (l > m) [before, value] = [value, up[l] * (z * value - (l > m + 1 ? before / up[l - 1] : 0))];
        if (Math.abs(value) > LARGE) {
          [before, value, scale] = [before / LARGE, value / LARGE, scale + Math.log(LARGE)];
          factor = scale > NOTHING ? Math.exp(scale) : 0;
        }
        if (factor === 0) continue;
        real[l] += factor * value * re;
        imaginary[l] += factor * value * im;
      }
    }
    for (let l = m; l <= lmax; l++) {
      power[l] += ((m === 0 ? 1 : 2) * area * area * (real[l] ** 2 + imaginary[l] ** 2)) / (2 * l + 1);
    }
  }
  return power;
}

/** Σ_j f_j e^{−imφ_j} of a ring for m = 0 … lmax [2 (lmax + 1)]; frequencies repeat after its number of pixels. */
function ringWaves(map: ArrayLike<number>, { first, count: n, longitude }: Ring, lmax: number): Float64Array {
  const input = new Float64Array(2 * n);
  for (let j = 0; j < n; j++) input[2 * j] = map[first + j];
  const found = new Float64Array(2 * n);
  if (isTransformLength(n)) new LineFft(n).forward(found, input);
  else {
    const [cosines, sines] = [Math.cos, Math.sin].map((of) =>
      Float64Array.from(input.subarray(n), (_, k) => of((2 * Math.PI * k) / n)),
    );
    for (let m = 0; m < n; m++) {
      for (let j = 0; j < n; j++) {
        const turn = (m * j) % n;
        found[2 * m] += input[2 * j] * cosines[turn];
        found[2 * m + 1] -= input[2 * j] * sines[turn];
      }
    }
  }
  return Float64Array.from({ length: 2 * (lmax + 1) }, (_, k) => {
    const m = k >> 1;
    const [re, im] = [found[2 * (m % n)], found[2 * (m % n) + 1]];
    const [c, s] = [Math.cos(m * longitude), Math.sin(m * longitude)];
    return k % 2 === 0 ? re * c + im * s : im * c - re * s;
  });
}
