/**
 * Acceleration on the mesh by centred differences of the potential: field → force, vec4f (ax, ay, az, φ) per cell.
 *   2-point  a = −(φ(i+1) − φ(i−1))/2h,  4-point  a = −[8(φ(i+1) − φ(i−1)) − (φ(i+2) − φ(i−2))]/12h
 * (Hockney & Eastwood 1988, sect. 5-4). The spectral gradient belongs to the Poisson solver, which owns the transforms.
 */

import gradientWgsl from "../../wgsl/mesh/gradient.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { f32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import { fastest } from "../gpu/tune.ts";
import type { Boundary } from "../particles/box.ts";
import type { MeshBuffers } from "./field.ts";
import type { GradientScheme } from "./settings.ts";

const GROUP = 64;
const POINTS = { "2-point": 2, "4-point": 4 } as const;
/** Cells along x per invocation: a walk for CPU adapters, one cell (coalesced) for GPUs. */
const WALKS = [32, 16, 8];
/** Rows along y and along z that a walk takes at once. */
const WALKED_ROWS = 2;

export interface GradientSettings {
  gradient: Exclude<GradientScheme, "spectral">;
  boundary: Boundary;
  /** Side of the box [length]. */
  boxSize: number;
  /** Cells along x per invocation, a divisor of the mesh side; measured on the adapter by default. */
  run?: number;
}

function rowsOf(run: number): number {
  return run === 1 ? 1 : WALKED_ROWS;
}

export class MeshGradient {
  /** Cells along x per invocation. */
  readonly run: number;
  readonly #kernel: BoundKernel;
  readonly #groups: [number, number];

  readonly #gpu: GpuContext;
  readonly #spacing: GPUBuffer;

  private constructor(gpu: GpuContext, mesh: MeshBuffers, run: number, kernel: BoundKernel, spacing: GPUBuffer) {
    this.#gpu = gpu;
    this.#spacing = spacing;
    this.run = run;
    this.#kernel = kernel;
    this.#groups = workgroups(mesh.cells ** 3 / (run * rowsOf(run) ** 2), GROUP);
  }

  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: GradientSettings): Promise<MeshGradient> {
    const shapes: MeshGradient[] = [];
    const spacing = gpu.buffers.uniform("cells per length", f32(mesh.cells / settings.boxSize));
    const walk = WALKS.find((run) => mesh.cells % run === 0) ?? 1;
    for (const run of settings.run === undefined ? [1, walk] : [settings.run]) {
      const kernel = await gpu.kernel({
        label: `gradient/${settings.gradient}, ${run} in a run`,
        sources: [gradientWgsl],
        entry: "gradient",
        bindings: ["uniform", "read", "read-write"],
        constants: {
          CELLS: mesh.cells,
          PITCH: mesh.pitch,
          ISOLATED: settings.boundary === "isolated",
          POINTS: POINTS[settings.gradient],
          RUN: run,
          BLOCK: rowsOf(run),
        },
      });
      shapes.push(new MeshGradient(gpu, mesh, run, kernel.bind(spacing, mesh.field, mesh.force), spacing));
    }
    const winner = await fastest(
      gpu,
      `gradient ${settings.gradient}, ${mesh.cells}^3 cells`,
      shapes.map((shape) => ({ name: `run ${shape.run}`, run: (times: number) => shape.#measure(times) })),
    );
    return shapes.find(({ run }) => winner === `run ${run}`)!;
  }

  /** field [potential, velocity²] → force [velocity²/length and velocity²]. */
  encode(batch: Batch): Batch {
    return batch.stage("gradient").dispatch(this.#kernel, this.#groups);
  }

  async #measure(times: number): Promise<void> {
    const batch = this.#gpu.batch("measuring the gradient").stage("tuning");
    for (let k = 0; k < times; k++) batch.dispatch(this.#kernel, this.#groups);
    await batch.submit();
  }

  destroy(): void {
    this.#gpu.buffers.release(this.#spacing);
  }
}
