/**
 * Particles that left an isolated mesh deposit nothing, fall in the monopole of the mass inside
 * (wgsl/physics/potentials/field.wgsl),
 *   a = −GM (x − xc)/(|x − xc|² + h²)^{3/2},
 * and may come back in. This file keeps M and xc up to date; with no particle outside its dispatches return at once. They are
 * direct ones: for an indirect dispatch Dawn allocates memory that the host sees, about a millisecond each on NVIDIA.
 */

import escapedWgsl from "../../../wgsl/engine/time/escaped.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, USAGE, u32 } from "../../foundation/gpu/buffers.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { timedTogether } from "../../foundation/ranks/ranks.ts";
import { sumTotals } from "../../foundation/ranks/totals.ts";
import { massConstants } from "../gpu-particles/buffers.ts";
import type { BothHalves } from "../gpu-particles/windows.ts";
import { externalFieldSources, externalForcesBuffer } from "../mesh/force/external-forces.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";

const RUN = 16;
const GROUP = 64;
/** Mass and mass times position. */
const QUANTITIES = 4;
/** Words of a sum, and of all. */
const WIDTH = 3;
const TOTAL_WORDS = WIDTH * QUANTITIES;

interface Kernels {
  /** One for every window. */
  sum: readonly BothHalves[];
  finish: BoundKernel;
}

export class EscapedParticles {
  /** With several ranks: how many of this one's are outside and its sums, and the sums of all while anybody is outside. */
  readonly #own = new Uint32Array(WIDTH + TOTAL_WORDS);
  #ofAll: Uint32Array<ArrayBuffer> | undefined;

  private constructor(
    private readonly stage: MeshStage,
    /** WGSL struct Monopole of the mass inside; meaningful while a particle is outside. */
    readonly monopole: GPUBuffer,
    private readonly parts: { totals: GPUBuffer; own: BufferPool },
    private readonly kernels: Kernels | undefined,
  ) {}

  static async create(stage: MeshStage): Promise<EscapedParticles> {
    const { gpu, particles, mesh, settings } = stage;
    const own = gpu.buffers.pool();
    const monopole = own.storage("monopole inside the mesh", 16, "other", USAGE.UNIFORM);
    const totals = own.storage("monopole sums", 4 * TOTAL_WORDS, "other");
    if (settings.boundary !== "isolated") {
      return new EscapedParticles(stage, monopole, { totals, own }, undefined);
    }
    const fieldSources = externalFieldSources(settings);
    const externalForces = externalForcesBuffer(own, settings, particles.heaviestSource);
    const { slabs } = mesh.starts;
    const { planes, starts } = slabs[slabs.length - 1];
    const kernel = async (entry: string) => {
      const compiled = await gpu.kernel({
        label: `escaped/${entry}`,
        sources: [...fieldSources, escapedWgsl],
        entry,
        constants: {
          ...meshConstants(stage, settings.mesh),
          ...{ RUN, OUTSIDE: planes * mesh.cells ** 2, ...massConstants(particles) },
          // Others may have particles outside where this rank has none.
          ALONE: particles.ranks.size === 1,
        },
      });
      return particles.windows.map((window) => {
        const slots = own.uniform("window of slots", u32(window.first, window.count));
        return particles.ofWindow(window, ({ positions, ids, massUnits }) =>
          compiled.bind(...[externalForces, starts, positions, ids, massUnits, totals, monopole, slots]),
        );
      });
    };
    const [sum, [[finish]]] = await Promise.all([kernel("sum"), kernel("finish")]);
    return new EscapedParticles(stage, monopole, { totals, own }, { sum, finish });
  }

  /** Brings the monopole up to date, for particles in cell order. */
  encode(batch: Batch): Batch {
    if (!this.#expectsKernels()) return batch;
    return this.#encodeSums(batch.stage("update")).dispatch(this.kernels!.finish, [1]);
  }

  /** With several ranks: records what this one has outside and, while any of them has, its sums, both to be read back. */
  encodeOwn(batch: Batch): Batch {
    if (!this.#expectsKernels()) return batch;
    const { slabs } = this.stage.mesh.starts;
    const { planes, starts } = slabs[slabs.length - 1];
    batch.stage("update").read(starts, 4 * planes * this.stage.mesh.cells ** 2, 8, (data) => {
      const [inside, all] = new Uint32Array(data);
      this.#own[0] = all - inside;
    });
    return this.#ofAll ? this.#encodeOwnSums(batch) : batch;
  }

  #encodeSums(batch: Batch): Batch {
    const { windows, current } = this.stage.particles;
    for (const [w, { count }] of windows.entries()) {
      batch.dispatch(this.kernels!.sum[w][current], workgroups(Math.ceil(count / RUN), GROUP));
    }
    return batch;
  }

  #encodeOwnSums(batch: Batch): Batch {
    const { totals } = this.parts;
    return this.#encodeSums(batch).read(totals, 0, totals.size, (data) => this.#own.set(new Uint32Array(data), WIDTH));
  }

  /** Adds up over the ranks what `encodeOwn` has had read back; all of them call it. */
  async addUp(): Promise<void> {
    if (!this.kernels) return;
    const { gpu, particles } = this.stage;
    const addUp = async () => {
      const words = this.#own.slice();
      await timedTogether(particles.ranks, gpu.timer, () =>
        sumTotals(particles.ranks, words, [{ at: 0, count: 1 + QUANTITIES, width: WIDTH }]),
      );
      return words;
    };
    let words = await addUp();
    const anyOutside = words.subarray(0, WIDTH).some((word) => word > 0);
    if (anyOutside && !this.#ofAll) {
      await this.#encodeOwnSums(gpu.batch("monopole of this rank").stage("update")).submit();
      words = await addUp();
    }
    this.#ofAll = anyOutside ? words.slice(WIDTH) : undefined;
  }

  encodeOfAll(batch: Batch): Batch {
    if (!this.#expectsKernels()) return batch;
    if (this.#ofAll) batch.write(this.parts.totals, 0, this.#ofAll.buffer);
    return batch.stage("update").dispatch(this.kernels!.finish, [1]);
  }

  #expectsKernels(): boolean {
    this.stage.particles.phase.expect("escaped particles", "sorted", "deposited", "accelerated");
    return this.kernels !== undefined;
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }
}
