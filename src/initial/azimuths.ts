/** Directions in the plane for means over azimuth, in equal steps. */

/** Exact for patterns of up to this many arms but for multiples of it. */
export const AZIMUTHS = 16;

/** Unit vectors, the first `phase` steps from the x axis. */
export function azimuths(phase = 0): { cosine: number; sine: number }[] {
  return Array.from({ length: AZIMUTHS }, (_, k) => {
    const azimuth = (2 * Math.PI * (k + phase)) / AZIMUTHS;
    return { cosine: Math.cos(azimuth), sine: Math.sin(azimuth) };
  });
}
