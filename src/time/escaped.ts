/**
 * Particles that left an isolated mesh: they deposit nothing, fall in the monopole of the mass that is inside,
 *   a = −GM (x − xc)/(|x − xc|² + h²)^{3/2},
 * and may come back in. This file keeps M and xc up to date on the GPU; with nobody outside that costs three
 * dispatches that return at once. Its field is in wgsl/potentials/field.wgsl.
 */

import escapedWgsl from "../../wgsl/time/escaped.wgsl";
import type { Batch } from "../gpu/batch.ts";
import { type BufferPool, USAGE, u32 } from "../gpu/buffers.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { externalFieldSources, externalForcesBuffer } from "../mesh/external-forces.ts";
import { type MeshStage, meshConstants } from "../mesh/field.ts";
import { massConstants } from "../particles/buffers.ts";
import type { BothHalves } from "../particles/windows.ts";

const RUN = 16;
/** Words of the WGSL struct Monopole: centre (u32 fixed point, 3), G M (f32). */
const MONOPOLE_WORDS = 4;

interface Kernels {
  arm: BoundKernel;
  /** Of every window. */
  sum: readonly BothHalves[];
  finish: BoundKernel;
}

export class EscapedParticles {
  private constructor(
    private readonly stage: MeshStage,
    /** WGSL struct Monopole of the mass inside; meaningful while somebody is outside. */
    readonly monopole: GPUBuffer,
    private readonly sumGroups: GPUBuffer,
    private readonly own: BufferPool,
    private readonly kernels: Kernels | undefined,
  ) {}

  static async create(stage: MeshStage): Promise<EscapedParticles> {
    const { gpu, particles, mesh, settings } = stage;
    const own = gpu.buffers.pool();
    const monopole = own.storage("monopole inside the mesh", 4 * MONOPOLE_WORDS, "other", USAGE.UNIFORM);
    const sumGroups = own.storage("monopole dispatch", 12, "other", USAGE.INDIRECT);
    if (settings.boundary !== "isolated") return new EscapedParticles(stage, monopole, sumGroups, own, undefined);
    const fieldSources = externalFieldSources(settings.externalPotentials);
    const externalForces = externalForcesBuffer(own, settings, particles.heaviestSource);
    const totals = own.storage("monopole sums", 4 * 3 * 4, "other");
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
    return new EscapedParticles(stage, monopole, sumGroups, own, { arm, sum, finish });
  }

  /** Brings the monopole up to date, for particles in cell order. */
  encode(batch: Batch): Batch {
    const { particles } = this.stage;
    particles.phase.expect("escaped particles", "sorted", "deposited", "accelerated");
    if (!this.kernels) return batch;
    const { arm, sum, finish } = this.kernels;
    batch.stage("update").dispatch(arm, [1]);
    for (const ofWindow of sum) batch.dispatchIndirect(ofWindow[particles.current], this.sumGroups);
    return batch.dispatch(finish, [1]);
  }

  destroy(): void {
    this.own.destroyAll();
  }
}
