/**
 * Particles that left an isolated mesh: they deposit nothing, fall in the monopole of the mass that is inside,
 *   a = −GM (x − xc)/(|x − xc|² + h²)^{3/2},
 * and may come back in. This file keeps M and xc up to date on the GPU; with nobody outside that costs three
 * dispatches that return at once. Its field is in wgsl/potentials/field.wgsl.
 */

import escapedWgsl from "../../wgsl/time/escaped.wgsl";
import type { Batch } from "../gpu/batch.ts";
import { USAGE } from "../gpu/buffers.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { externalFieldSources, externalForcesBuffer } from "../mesh/external-forces.ts";
import { type MeshStage, meshConstants } from "../mesh/field.ts";
import { massConstants } from "../particles/buffers.ts";

const RUN = 16;
/** Words of the WGSL struct Monopole: centre (u32 fixed point, 3), G M (f32). */
const MONOPOLE_WORDS = 4;

interface Kernels {
  arm: BoundKernel;
  /** By the half of the particles that is current. */
  sum: readonly [BoundKernel, BoundKernel];
  finish: BoundKernel;
}

export class EscapedParticles {
  /** WGSL struct Monopole of the mass inside; meaningful while somebody is outside. */
  readonly monopole: GPUBuffer;
  readonly #stage: MeshStage;
  readonly #sumGroups: GPUBuffer;
  readonly #owned: GPUBuffer[];
  #kernels: Kernels | undefined;

  private constructor(stage: MeshStage) {
    const { buffers } = stage.gpu;
    this.#stage = stage;
    this.monopole = buffers.storage("monopole inside the mesh", 4 * MONOPOLE_WORDS, "other");
    this.#sumGroups = buffers.storage("monopole dispatch", 12, "other", USAGE.INDIRECT);
    this.#owned = [this.monopole, this.#sumGroups];
  }

  static async create(stage: MeshStage): Promise<EscapedParticles> {
    const self = new EscapedParticles(stage);
    if (stage.settings.boundary === "isolated") self.#kernels = await self.#create();
    return self;
  }

  /** Brings the monopole up to date, for particles in cell order. */
  encode(batch: Batch): Batch {
    const { particles } = this.#stage;
    particles.phase.expect("escaped particles", "sorted", "deposited", "accelerated");
    if (!this.#kernels) return batch;
    const { arm, sum, finish } = this.#kernels;
    return batch
      .stage("update")
      .dispatch(arm, [1])
      .dispatchIndirect(sum[particles.current], this.#sumGroups)
      .dispatch(finish, [1]);
  }

  destroy(): void {
    this.#stage.gpu.buffers.release(...this.#owned);
  }

  async #create(): Promise<Kernels> {
    const { gpu, particles, mesh, settings } = this.#stage;
    const fieldSources = externalFieldSources(settings.externalPotentials);
    const externalForces = externalForcesBuffer(gpu, settings, particles.heaviest);
    const totals = gpu.buffers.storage("monopole sums", 4 * 3 * 4, "other");
    this.#owned.push(externalForces, totals);
    const kernel = async (entry: string, ...more: GPUBuffer[]) => {
      const compiled = await gpu.kernel({
        label: `escaped/${entry}`,
        sources: [...fieldSources, escapedWgsl],
        entry,
        bindings: [
          ...(["uniform", "read", "read", "read", "read", "read-write", "read-write"] as const),
          ...more.map(() => "read-write" as const),
        ],
        constants: { ...meshConstants(settings.mesh, settings.boundary), RUN, ...massConstants(particles) },
      });
      return particles.eachHalf(({ positions, ids, massUnits }) =>
        compiled.bind(externalForces, mesh.cellStart, positions, ids, massUnits, totals, this.monopole, ...more),
      );
    };
    const [[arm], sum, [finish]] = await Promise.all([kernel("arm", this.#sumGroups), kernel("sum"), kernel("finish")]);
    return { arm, sum, finish };
  }
}
