/** Random samples of a run's particles, always the same; a smaller sample is the beginning of a larger one. */
import { sum } from "d3-array";
import { meshHalfWidth } from "../../engine/mesh/settings.ts";
import { ParticleRandom } from "../../physics/initial/philox.ts";
import type { ComponentRange, ParticleSet } from "../../physics/particles/state.ts";
import type { Scenario } from "../../scenario/scenario.ts";

const SEED = 20_070_401;

/** `wanted` different numbers below `count`, in random order (Fisher & Yates 1938). */
export function sampleOf(count: number, wanted: number, stream = 0): Uint32Array {
  const random = new ParticleRandom(SEED, stream);
  const all = Uint32Array.from({ length: count }, (_, i) => i);
  const taken = Math.min(count, wanted);
  for (let i = 0; i < taken; i++) {
    random.seek(i);
    const j = i + Math.floor(random.uniform() * (count - i));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, taken);
}

/** About `wanted` particles by id, of every component in proportion, at least one; each component keeps its mass. */
export function subset(particles: ParticleSet, wanted: number): ParticleSet {
  if (wanted >= particles.count) return particles;
  const components: ComponentRange[] = [];
  const rows: number[] = [];
  const scales: number[] = [];
  particles.components.forEach((component, c) => {
    const { first, count } = component;
    if (count === 0) return;
    const share = Math.min(count, Math.max(1, Math.round((wanted * count) / particles.count)));
    const picked = sampleOf(count, share, c + 1).sort();
    const whole = sum(particles.masses.subarray(first, first + count));
    const sampled = sum(picked, (i) => particles.masses[first + i]);
    components.push({ ...component, first: rows.length, count: share });
    for (const i of picked) {
      rows.push(first + i);
      scales.push(sampled > 0 ? whole / sampled : 1);
    }
  });
  const vectors = (from: ArrayLike<number>) => (_: unknown, k: number) => from[3 * rows[Math.floor(k / 3)] + (k % 3)];
  return {
    count: rows.length,
    positions: Float64Array.from({ length: 3 * rows.length }, vectors(particles.positions)),
    velocities: Float32Array.from({ length: 3 * rows.length }, vectors(particles.velocities)),
    masses: Float64Array.from(rows, (row, i) => scales[i] * particles.masses[row]),
    components,
  };
}

/** The same particles, each displaced along every axis by a normal deviate times `size` [length]. */
export function perturbed(particles: ParticleSet, size: number): ParticleSet {
  const random = new ParticleRandom(SEED, 0xffff);
  const positions = particles.positions.slice();
  for (let i = 0; i < particles.count; i++) {
    random.seek(i);
    for (let axis = 0; axis < 3; axis++) positions[3 * i + axis] += size * random.normal();
  }
  return { ...particles, positions };
}

/** Whether an isolated mesh has lost sight of particle `id`; a direct sum and a periodic box see all. */
export function isOutside({ positions }: ParticleSet, id: number, scenario: Scenario): boolean {
  if (scenario.box.boundary === "periodic" || scenario.gravity === "direct") return false;
  const middle = scenario.box.size / 2;
  const reach = Math.max(...[0, 1, 2].map((k) => Math.abs(positions[3 * id + k] - middle)));
  return reach > meshHalfWidth(scenario);
}
