/** How a particle of a model is drawn. */
import type { ParticleRandom } from "./philox.ts";

/** x, y, z [length], vx, vy, vz [velocity], relative to the component's centre and bulk velocity. */
export type PhaseSpacePoint = Float64Array;

/** Draws the particle that `random` was moved to with seek(). */
export interface Draw {
  (random: ParticleRandom, point: PhaseSpacePoint): void;
  /** Share of the component's mass that each particle has, where they differ. */
  massShares?: readonly number[];
  /** Mass of the particles together [mass], where it isn't the component's key `mass`. */
  mass?: number;
}

/** Writes an isotropic vector of the given length to point[at … at+2]. */
export function setIsotropic(random: ParticleRandom, length: number, point: PhaseSpacePoint, at: 0 | 3): void {
  const cosine = 1 - 2 * random.uniform();
  const azimuth = 2 * Math.PI * random.uniform();
  const planar = length * Math.sqrt(1 - cosine * cosine);
  point[at] = planar * Math.cos(azimuth);
  point[at + 1] = planar * Math.sin(azimuth);
  point[at + 2] = length * cosine;
}

/** Writes x, y, vx and vy at an azimuth about the z axis, from R and the speeds along the radius and the azimuth. */
export function setPlanar(point: PhaseSpacePoint, R: number, azimuth: number, speeds: ArrayLike<number>): void {
  const [cosine, sine] = [Math.cos(azimuth), Math.sin(azimuth)];
  point[0] = R * cosine;
  point[1] = R * sine;
  point[3] = speeds[0] * cosine - speeds[1] * sine;
  point[4] = speeds[0] * sine + speeds[1] * cosine;
}
