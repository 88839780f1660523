/** Particles read back and put into id order on the host: what the tests of kernels look at. */
import type { DiagnosticSums } from "../../src/engine/diagnostics/energy.ts";
import type { ExactParticles, ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import type { ParticleWindow } from "../../src/engine/gpu-particles/windows.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import { boxCoordinates } from "../../src/physics/particles/fixed-point.ts";

/** [words·N] what a buffer of each chunk holds, `words` of 4 bytes a slot of the current half. */
export async function readInIdOrder(
  gpu: GpuContext,
  particles: ParticleBuffers,
  bufferOf: (window: ParticleWindow) => GPUBuffer,
  words: number,
): Promise<Uint32Array<ArrayBuffer>> {
  const ids = await particles.readIds();
  const ordered = new Uint32Array(words * ids.length);
  for (const window of particles.windows) {
    const bySlot = new Uint32Array(await gpu.read(bufferOf(window), 0, 4 * words * window.count));
    for (let i = 0; i < window.count; i++) {
      ordered.set(bySlot.subarray(words * i, words * (i + 1)), words * ids[window.first + i]);
    }
  }
  return ordered;
}

export async function readExact(gpu: GpuContext, particles: ParticleBuffers): Promise<ExactParticles> {
  const { current, boundary } = particles;
  const column = (name: "positions" | "velocities" | "images", words: number) =>
    readInIdOrder(gpu, particles, (window) => window[name]![current], words);
  const velocities = new Float32Array((await column("velocities", 3)).buffer);
  const positions = await column("positions", 3);
  return { positions, velocities, ...(boundary === "isolated" && { images: await column("images", 1) }) };
}

/** Positions [3N, box coordinates, length] and velocities [3N, velocity]. */
export async function readInBox(gpu: GpuContext, particles: ParticleBuffers) {
  const { positions, velocities, images } = await readExact(gpu, particles);
  return { positions: boxCoordinates(positions, images, particles.boxSize), velocities };
}

/** Accelerations [3N, velocity/time] and potential [N, velocity²], external potentials included. */
export async function perParticle(gpu: GpuContext, particles: ParticleBuffers, diagnostics: DiagnosticSums) {
  const bySlot = await diagnostics.perSlot();
  const [accelerations, potential] = [
    await readInIdOrder(gpu, particles, bySlot.accelerations, 3),
    await readInIdOrder(gpu, particles, bySlot.potential, 1),
  ];
  return { accelerations: new Float32Array(accelerations.buffer), potential: new Float32Array(potential.buffer) };
}
