/**
 * Particles that left an isolated mesh: they deposit nothing, fall in the monopole of the mass that is inside,
 *   a = −GM (x − xc)/(|x − xc|² + h²)^{3/2},
 * and may come back in. This file keeps M and xc up to date on the GPU; with nobody outside that costs three
 * dispatches that return at once. Its field is in wgsl/potentials/field.wgsl.
 */

import escapedWgsl from "../../wgsl/time/escaped.wgsl";
import { type Batch, type HostStage, workgroups } from "../gpu/batch.ts";
import { type BufferPool, USAGE, u32 } from "../gpu/buffers.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { externalFieldSources, externalForcesBuffer } from "../mesh/external-forces.ts";
import { type MeshStage, meshConstants } from "../mesh/field.ts";
import { massConstants } from "../particles/buffers.ts";
import type { BothHalves } from "../particles/windows.ts";
import { sumTotals } from "../ranks/totals.ts";

const RUN = 16;
const GROUP = 64;
/** Mass and mass times position. */
const QUANTITIES = 4;
/** Words of the WGSL struct Monopole: centre (u32 fixed point, 3), G M (f32). */
const MONOPOLE_WORDS = 4;

interface Kernels {
  arm: BoundKernel;
  /** Of every window. */
  sum: readonly BothHalves[];
  finish: BoundKernel;
}

export class EscapedParticles implements HostStage {
  private constructor(
    private readonly stage: MeshStage,
    /** WGSL struct Monopole of the mass inside; meaningful while somebody is outside. */
    readonly monopole: GPUBuffer,
    private readonly parts: { sumGroups: GPUBuffer; totals: GPUBuffer; own: BufferPool },
    private readonly kernels: Kernels | undefined,
  ) {}

  static async create(stage: MeshStage): Promise<EscapedParticles> {
    const { gpu, particles, mesh, settings } = stage;
    const own = gpu.buffers.pool();
    const monopole = own.storage("monopole inside the mesh", 4 * MONOPOLE_WORDS, "other", USAGE.UNIFORM);
    const sumGroups = own.storage("monopole dispatch", 12, "other", USAGE.INDIRECT);
    const totals = own.storage("monopole sums", 4 * 3 * QUANTITIES, "other");
    if (settings.boundary !== "isolated") {
      return new EscapedParticles(stage, monopole, { sumGroups, totals, own }, undefined);
    }
    const fieldSources = externalFieldSources(settings.externalPotentials);
    const externalForces = externalForcesBuffer(own, settings, particles.heaviestSource);
    const { slabs } = mesh.starts;
    const { planes, starts } = slabs[slabs.length - 1];
    const kernel = async (entry: string, ...more: GPUBuffer[]) => {
      const compiled = await gpu.kernel({
        label: `escaped/${entry}`,
        sources: [...fieldSources, escapedWgsl],
        entry,
        constants: {
          ...meshConstants(settings.mesh, settings.boundary),
          ...{ RUN, OUTSIDE: planes * mesh.cells ** 2, ...massConstants(particles) },
        },
      });
      return particles.windows.map((window) => {
        const slots = own.uniform("window of slots", u32(window.first, window.count));
        return particles.ofWindow(window, ({ positions, ids, massUnits }) =>
          compiled.bind(
            ...[externalForces, starts, positions, ids, massUnits, totals, monopole],
            ...[more[0] ?? totals, slots],
          ),
        );
      });
    };
    const [[[arm]], sum, [[finish]]] = await Promise.all([kernel("arm", sumGroups), kernel("sum"), kernel("finish")]);
    return new EscapedParticles(stage, monopole, { sumGroups, totals, own }, { arm, sum, finish });
  }

  /** Other ranks hold particles, too: the sums go over all of them. */
  get needsHost(): boolean {
    return this.kernels !== undefined && this.stage.particles.ranks.size > 1;
  }

  /** Brings the monopole up to date, for particles in cell order. */
  encode(batch: Batch): Batch {
    if (!this.#expectsKernels()) return batch;
    const { arm, sum, finish } = this.kernels!;
    batch.stage("update").dispatch(arm, [1]);
    for (const ofWindow of sum) batch.dispatchIndirect(ofWindow[this.stage.particles.current], this.parts.sumGroups);
    return batch.dispatch(finish, [1]);
  }

  /** The same of all ranks, in submissions of its own. */
  async run(): Promise<void> {
    if (!this.#expectsKernels()) return;
    const { gpu, particles, mesh } = this.stage;
    const { arm, sum, finish } = this.kernels!;
    const { slabs } = mesh.starts;
    const { planes, starts } = slabs[slabs.length - 1];
    const outside = new BigInt64Array(1);
    await gpu
      .batch("particles outside the mesh")
      .stage("update")
      .dispatch(arm, [1])
      .read(starts, 4 * planes * mesh.cells ** 2, 8, (data) => {
        const [inside, all] = new Uint32Array(data);
        outside[0] = BigInt(all - inside);
      })
      .submit();
    await particles.ranks.sum(outside);
    const last = gpu.batch("monopole of all ranks").stage("update");
    if (outside[0] > 0n) {
      const sums = gpu.batch("monopole of this rank").stage("update");
      for (const [w, { count }] of particles.windows.entries()) {
        sums.dispatch(sum[w][particles.current], workgroups(Math.ceil(count / RUN), GROUP));
      }
      let words = new Uint32Array(0);
      await sums.read(this.parts.totals, 0, this.parts.totals.size, (data) => (words = new Uint32Array(data))).submit();
      await sumTotals(particles.ranks, words, [{ at: 0, count: QUANTITIES, width: 3 }]);
      last.write(this.parts.totals, 0, words.buffer);
    }
    await last.dispatch(finish, [1]).submit();
  }

  #expectsKernels(): boolean {
    this.stage.particles.phase.expect("escaped particles", "sorted", "deposited", "accelerated");
    return this.kernels !== undefined;
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }
}
