/**
 * A disk with a pattern that is known: at rest in a frame that turns, density Σ(R) [1 + ε cos 2(φ − φ₀)] within a radius, even
 * beyond. Places are spread by a low-discrepancy sequence, so that what is measured is not the noise of the particles.
 */
import type { ParticleSet } from "../../src/physics/particles/state.ts";

export interface Pattern {
  /** ε */
  contrast: number;
  /** φ₀ at time 0 [rad], and how fast it turns [rad/time]. */
  phase: number;
  speed: number;
  /** Up to there [length]. */
  length: number;
  /** z = warp · cos 2(φ − φ₀) [length] */
  warp: number;
  /** Radius of the disk [length]. */
  radius: number;
  centre: readonly [number, number, number];
  /** Angular speed of its circular orbits, at any radius: accelerations are those [1/time]. */
  omega: number;
  /** Dispersion of v_R: half of the particles go in, half out at that speed [velocity]. */
  sigma: number;
}

/** At a time; disk masses are 1/count each. */
export function patternAt(
  time: number,
  count: number,
  pattern: Pattern,
): ParticleSet & { accelerations: Float32Array } {
  const { contrast, phase, speed, length, warp, radius, centre, omega, sigma } = pattern;
  const positions = new Float64Array(3 * count);
  const velocities = new Float32Array(3 * count);
  const accelerations = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    // Even in R²; angles by the golden ratio (Kronecker sequences), then squeezed towards the arms.
    const R = radius * Math.sqrt((i + 0.5) / count);
    const even = 2 * Math.PI * ((i * 0.6180339887498949) % 1);
    const epsilon = R < length ? contrast : 0;
    let own = even;
    for (let step = 0; step < 60; step++) own = even - (epsilon / 2) * Math.sin(2 * own);
    const phi = own + phase + speed * time;
    const [x, y] = [R * Math.cos(phi), R * Math.sin(phi)];
    const out = i % 4 < 2 ? sigma : -sigma;
    positions.set([centre[0] + x, centre[1] + y, centre[2] + warp * Math.cos(2 * own)], 3 * i);
    velocities.set([(out * x) / R - omega * y, (out * y) / R + omega * x, 0], 3 * i);
    accelerations.set([-omega * omega * x, -omega * omega * y, 0], 3 * i);
  }
  const masses = new Float64Array(count).fill(1 / count);
  const components = [{ name: "disk", species: "disk" as const, first: 0, count }];
  return { count, positions, velocities, masses, components, accelerations };
}
