/**
 * Deposit by 64-bit integer atomics (deposit-atomic.wgsl): "direct", a particle an invocation, needs no order;
 * "runs-8" and "runs-32", an invocation sums a run of particles before it touches the mesh, for particles in order.
 */

import atomicKernel from "../../wgsl/mesh/deposit-atomic.wgsl";
import cicColumns from "../../wgsl/mesh/deposit-atomic-cic.wgsl";
import ngpColumns from "../../wgsl/mesh/deposit-atomic-ngp.wgsl";
import tscColumns from "../../wgsl/mesh/deposit-atomic-tsc.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { ParticleBuffers } from "../particles/buffers.ts";
import { type AtomicShapeName, type DepositShape, depositConstants } from "./deposit-shape.ts";
import type { MeshBuffers } from "./field.ts";
import type { MeshSettings } from "./settings.ts";

const GROUP = 64;
/** Particles that an invocation takes. */
const RUN = { direct: 1, "runs-8": 8, "runs-32": 32 } as const;
const COLUMNS = { ngp: ngpColumns, cic: cicColumns, tsc: tscColumns } as const;

export class AtomicDeposit implements DepositShape {
  readonly name: AtomicShapeName;
  readonly #kernels: readonly BoundKernel[];
  readonly #particles: ParticleBuffers;
  readonly #mesh: MeshBuffers;

  private constructor(
    name: AtomicShapeName,
    kernels: readonly BoundKernel[],
    particles: ParticleBuffers,
    mesh: MeshBuffers,
  ) {
    this.name = name;
    this.#kernels = kernels;
    this.#particles = particles;
    this.#mesh = mesh;
  }

  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    mesh: MeshBuffers,
    settings: MeshSettings,
    name: AtomicShapeName,
  ): Promise<AtomicDeposit> {
    const { positions, ids, images, massUnits } = particles;
    const kernel = await gpu.kernel({
      label: `deposit/${name} ${settings.assignment}`,
      sources: [atomicKernel, COLUMNS[settings.assignment]],
      entry: "deposit",
      bindings: ["read", "read", "read", "read-write", "read-write", "read"],
      constants: { ...depositConstants(settings, particles), RUN: RUN[name] },
    });
    const from = (half: 0 | 1) =>
      kernel.bind(
        ...[positions[half], ids[half], massUnits ?? ids[half], mesh.field, mesh.high],
        images?.[half] ?? ids[half],
      );
    return new AtomicDeposit(name, [from(0), from(1)], particles, mesh);
  }

  encode(batch: Batch): void {
    const { count, current } = this.#particles;
    batch.clear(this.#mesh.field).clear(this.#mesh.high);
    batch.dispatch(this.#kernels[current], workgroups(Math.ceil(count / RUN[this.name]), GROUP));
  }

  destroy(): void {}
}
