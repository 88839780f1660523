/**
 * A trial of the update kernel for the choice of its shape: a cell-sorted sample at rest in the half of the particle
 * buffers that isn't in use, so that no state is touched.
 */
import { workgroups } from "../gpu/batch.ts";
import { packUniform } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { MeshBuffers } from "../mesh/field.ts";
import type { ParticleBuffers } from "../particles/buffers.ts";

/** Kernels of the update, each by the half of the particles that is current. */
export interface UpdateKernels {
  kickAndDrift: [BoundKernel, BoundKernel];
  kick: [BoundKernel, BoundKernel];
}

const MOST_PARTICLES = 2 ** 18;

export class UpdateTrial {
  readonly #gpu: GpuContext;
  readonly #particles: ParticleBuffers;
  readonly #mesh: MeshBuffers;
  readonly #stepSlots: GPUBuffer;
  readonly #count: number;
  #prepared = false;

  constructor(gpu: GpuContext, particles: ParticleBuffers, mesh: MeshBuffers, stepSlots: GPUBuffer) {
    this.#gpu = gpu;
    this.#particles = particles;
    this.#mesh = mesh;
    this.#stepSlots = stepSlots;
    this.#count = Math.min(particles.count, MOST_PARTICLES);
  }

  /** One update of the sample, to completion. */
  async measure(run: number, kernels: UpdateKernels, group: number): Promise<void> {
    if (!this.#prepared) this.#prepare();
    const kernel = kernels.kickAndDrift[this.#particles.current === 0 ? 1 : 0];
    const groups = workgroups(Math.ceil(this.#count / run), group);
    await this.#gpu.batch("tuning the update").stage("update").dispatch(kernel, groups, 0).submit();
  }

  /** Leaves the counts as they were found, at zero. */
  async cleanUp(): Promise<void> {
    if (this.#prepared) await this.#gpu.batch("tuning the update").clear(this.#mesh.cellStart).submit();
  }

  #prepare(): void {
    const { positions, velocities, current } = this.#particles;
    const other = current === 0 ? 1 : 0;
    const n = this.#mesh.cells;
    const words = new Uint32Array(3 * this.#count);
    for (let i = 0; i < this.#count; i++) {
      // Evenly over the cells in memory order, at places in the cell that scatter.
      const cell = Math.floor((i / this.#count) * n ** 3);
      const place = (Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32;
      const onAxis = [cell % n, Math.floor(cell / n) % n, Math.floor(cell / (n * n))];
      onAxis.forEach((c, axis) => {
        words[3 * i + axis] = ((c + ((place * (axis + 1)) % 1)) / n) * 2 ** 32;
      });
    }
    const { queue } = this.#gpu.device;
    queue.writeBuffer(positions[other], 0, words);
    queue.writeBuffer(velocities[other], 0, new Float32Array(3 * this.#count));
    const atRest = packUniform([
      ["u32", this.#count],
      ["f32", 0],
      ["f32", 0],
      ["u32", 0],
    ]);
    queue.writeBuffer(this.#stepSlots, 0, atRest);
    this.#prepared = true;
  }
}
