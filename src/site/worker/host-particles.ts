/** A run's particles in arrays of the host, as a picture takes them: fixed point and images, in id order. */
import { ExactBlocks } from "../../particles/upload.ts";
import type { Simulation } from "../../simulation.ts";
import type { HostParticles } from "./exhibit.ts";

export async function hostParticles(simulation: Simulation): Promise<HostParticles> {
  const { particleCount: count, components, weights } = simulation;
  const { size: boxSize, boundary } = simulation.scenario.box;
  const positions = new Uint32Array(3 * count);
  const velocities = new Float32Array(3 * count);
  const images = boundary === "isolated" ? new Uint32Array(count) : undefined;
  const exact = new ExactBlocks(boxSize, boundary);
  for await (const block of simulation.readBlocks({ reuse: true })) {
    const { first, ...arrays } = exact.of(block);
    positions.set(arrays.positions, 3 * first);
    velocities.set(arrays.velocities, 3 * first);
    if (arrays.images) images?.set(arrays.images, first);
  }
  const ids = Uint32Array.from({ length: count }, (_, i) => i);
  return { boxSize, periodic: boundary === "periodic", components, weights, positions, velocities, ids, images };
}
