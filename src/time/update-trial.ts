/**
 * Trial runs of the update for the choice of its shape: on a copy of the particles in the half of their buffers that
 * isn't in use, with steps of no length, so that no state is touched.
 */
import { workgroups } from "../gpu/batch.ts";
import { packUniform } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { MeshBuffers } from "../mesh/field.ts";
import type { ParticleBuffers } from "../particles/buffers.ts";

/** A kernel of the update by the half of the particles that is current. */
export type BothHalves = readonly [BoundKernel, BoundKernel];

/** Slots taken at most: enough to tell the shapes apart. */
const MOST_PARTICLES = 2 ** 19;
/** Slots read back to see how crowded the cells are. */
const SAMPLE = 4096;

export class UpdateTrial {
  readonly #gpu: GpuContext;
  readonly #particles: ParticleBuffers;
  readonly #mesh: MeshBuffers;
  readonly #stepSlots: GPUBuffer;
  readonly #count: number;
  #prepared = false;

  /** Uses the first of `stepSlots` for its steps. */
  constructor(gpu: GpuContext, particles: ParticleBuffers, mesh: MeshBuffers, stepSlots: GPUBuffer) {
    this.#gpu = gpu;
    this.#particles = particles;
    this.#mesh = mesh;
    this.#stepSlots = stepSlots;
    this.#count = Math.min(particles.count, MOST_PARTICLES);
  }

  /** Mean number of consecutive particles that share a cell, about the middle of their order. */
  async crowd(): Promise<number> {
    const { count, positions, current } = this.#particles;
    const length = Math.min(count, SAMPLE);
    const first = Math.floor((count - length) / 2);
    const words = new Uint32Array(await this.#gpu.read(positions[current], 12 * first, 12 * length));
    const cells = words.map((u) => Math.floor((u * this.#mesh.cells) / 2 ** 32));
    let runs = 1;
    for (let i = 3; i < cells.length; i += 3) {
      if (cells[i] !== cells[i - 3] || cells[i + 1] !== cells[i - 2] || cells[i + 2] !== cells[i - 1]) runs++;
    }
    return length / runs;
  }

  /** Runs `kernel` `times` on the copy, to completion; `run` particles an invocation. */
  async measure(kernel: BothHalves, run: number, group: number, times = 1): Promise<void> {
    if (!this.#prepared) await this.#prepare();
    const bound = kernel[this.#particles.current === 0 ? 1 : 0];
    const batch = this.#gpu.batch("measuring the update").stage("tuning");
    for (let k = 0; k < times; k++) batch.dispatch(bound, workgroups(Math.ceil(this.#count / run), group), 0);
    await batch.submit();
  }

  /** Leaves the counts at zero, the force too. */
  async cleanUp(): Promise<void> {
    if (this.#prepared) await this.#gpu.batch("measuring the update").clear(this.#mesh.cellStart).submit();
  }

  async #prepare(): Promise<void> {
    const { count, positions, velocities, images, current } = this.#particles;
    const other = current === 0 ? 1 : 0;
    const atRest = packUniform([
      ["u32", this.#count],
      ["f32", 0],
      ["f32", 0],
      ["u32", 0],
    ]);
    this.#gpu.device.queue.writeBuffer(this.#stepSlots, 0, atRest);
    const { cellStart, force } = this.#mesh;
    const batch = this.#gpu.batch("measuring the update").clear(cellStart).clear(force).clear(velocities[other]);
    // From the middle, where a concentrated system in cell order has its centre.
    const first = Math.floor((count - this.#count) / 2);
    batch.copy(positions[current], 12 * first, positions[other], 0, 12 * this.#count);
    if (images) batch.copy(images[current], 4 * first, images[other], 0, 4 * this.#count);
    await batch.submit();
    this.#prepared = true;
  }
}
