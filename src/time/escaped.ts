/**
 * Particles that left an isolated mesh: they deposit nothing, fall in the monopole of the mass that is inside,
 *   a = −GM (x − xc)/(|x − xc|² + h²)^{3/2},
 * and may come back in. This file keeps M and xc up to date on the GPU; with nobody outside that costs three
 * dispatches that return at once. Its field is in wgsl/potentials/field.wgsl.
 */

import escapedWgsl from "../../wgsl/time/escaped.wgsl";
import type { Batch } from "../gpu/batch.ts";
import { USAGE } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { externalFieldSources, externalForcesBuffer } from "../mesh/external-forces.ts";
import { type MeshBuffers, type MeshStage, meshConstants } from "../mesh/field.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import { massConstants, type ParticleBuffers } from "../particles/buffers.ts";

const RUN = 16;
/** Words of the WGSL struct Monopole: centre (u32 fixed point, 3), G M (f32). */
const MONOPOLE_WORDS = 4;

interface Kernels {
  arm: BoundKernel;
  /** By the half of the particles that is current. */
  sum: [BoundKernel, BoundKernel];
  finish: BoundKernel;
}

export class EscapedParticles {
  /** WGSL struct Monopole of the mass inside; meaningful while somebody is outside. */
  readonly monopole: GPUBuffer;
  readonly #gpu: GpuContext;
  readonly #particles: ParticleBuffers;
  readonly #sumGroups: GPUBuffer;
  readonly #owned: GPUBuffer[];
  #kernels: Kernels | undefined;

  private constructor(gpu: GpuContext, particles: ParticleBuffers) {
    this.#gpu = gpu;
    this.#particles = particles;
    this.monopole = gpu.buffers.storage("monopole inside the mesh", 4 * MONOPOLE_WORDS, "other");
    this.#sumGroups = gpu.buffers.storage("monopole dispatch", 12, "other", USAGE.INDIRECT);
    this.#owned = [this.monopole, this.#sumGroups];
  }

  static async create({ gpu, particles, mesh, settings }: MeshStage): Promise<EscapedParticles> {
    const self = new EscapedParticles(gpu, particles);
    if (settings.boundary === "isolated") self.#kernels = await self.#create(mesh, settings);
    return self;
  }

  /** Brings the monopole up to date, for particles in cell order. */
  encode(batch: Batch): Batch {
    this.#particles.phase.expect("escaped particles", "sorted", "deposited", "accelerated");
    if (!this.#kernels) return batch;
    const { arm, sum, finish } = this.#kernels;
    return batch
      .stage("update")
      .dispatch(arm, [1])
      .dispatchIndirect(sum[this.#particles.current], this.#sumGroups)
      .dispatch(finish, [1]);
  }

  destroy(): void {
    this.#gpu.buffers.release(...this.#owned);
  }

  async #create(mesh: MeshBuffers, settings: PipelineSettings): Promise<Kernels> {
    const gpu = this.#gpu;
    const { positions, ids, massUnits, heaviest } = this.#particles;
    const fieldSources = externalFieldSources(settings.externalPotentials);
    const externalForces = externalForcesBuffer(gpu, settings, heaviest);
    const totals = gpu.buffers.storage("monopole sums", 4 * 3 * 4, "other");
    this.#owned.push(externalForces, totals);
    const kernel = (entry: string, dispatchArguments: boolean) =>
      gpu.kernel({
        label: `escaped/${entry}`,
        sources: [...fieldSources, escapedWgsl],
        entry,
        bindings: [
          "uniform",
          ...(["read", "read", "read", "read"] as const),
          ...(["read-write", "read-write"] as const),
          ...(dispatchArguments ? (["read-write"] as const) : []),
        ],
        constants: {
          ...meshConstants(settings.mesh, settings.boundary),
          RUN,
          ...massConstants(this.#particles),
        },
      });
    const [arm, sum, finish] = await Promise.all([kernel("arm", true), kernel("sum", false), kernel("finish", false)]);
    const buffers = (half: 0 | 1) => [
      ...[externalForces, mesh.cellStart, positions[half], ids[half], massUnits ?? ids[half]],
      ...[totals, this.monopole],
    ];
    return {
      arm: arm.bind(...buffers(0), this.#sumGroups),
      sum: [sum.bind(...buffers(0)), sum.bind(...buffers(1))],
      finish: finish.bind(...buffers(0)),
    };
  }
}
