/**
 * Acceleration on the mesh by centred differences of the potential: field → force.
 *   2-point  a = −(φ(i+1) − φ(i−1))/2h,  4-point  a = −[8(φ(i+1) − φ(i−1)) − (φ(i+2) − φ(i−2))]/12h
 * (Hockney & Eastwood 1988, sect. 5-4). The spectral gradient belongs to the Poisson solver, which owns the transforms.
 */

import gradientWgsl from "../../wgsl/mesh/gradient.wgsl";
import pairsPart from "../../wgsl/mesh/gradient-pairs.wgsl";
import vectorsPart from "../../wgsl/mesh/gradient-vectors.wgsl";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { contenders, fastest, recorded } from "../gpu/tune.ts";
import type { Boundary } from "../particles/box.ts";
import { sectionConstants, sectionSource, sectionUniform } from "../particles/sections.ts";
import { type MeshBuffers, ownForceParts } from "./field.ts";
import type { GradientScheme } from "./settings.ts";
import { walkLength } from "./walk.ts";

const GROUP = 64;
const POINTS = { "2-point": 2, "4-point": 4 } as const;
/** Rows along y and along z that a walk takes at once. */
const WALKED_ROWS = 2;
/** Binding of the section. */
const SECTION = 4;
const NO_PARTICLES = { first: 0, count: 0 };

export interface GradientSettings {
  gradient: Exclude<GradientScheme, "spectral">;
  boundary: Boundary;
  /** Side of the box [length]. */
  boxSize: number;
  /** Cells along x per invocation, a divisor of the mesh side; measured on the adapter by default. */
  run?: number;
}

function nameOf(run: number): string {
  return `run ${run}`;
}

function rowsOf(run: number): number {
  return run === 1 ? 1 : WALKED_ROWS;
}

export class MeshGradient {
  private constructor(
    /** Cells along x per invocation. */
    readonly run: number,
    private readonly passes: readonly Pass[],
    private readonly own: BufferPool,
  ) {}

  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: GradientSettings): Promise<MeshGradient> {
    const shapes: MeshGradient[] = [];
    const own = gpu.buffers.pool();
    const parts = mesh.slabs.length > 1;
    const spacing = own.uniform("cells per length", f32(mesh.cells / settings.boxSize));
    // A walk for CPU adapters, one cell (coalesced) for GPUs.
    const walk = walkLength(mesh.cells);
    const question = {
      stage: "gradient" as const,
      purpose: `gradient ${settings.gradient}, ${mesh.cells}^3 cells`,
      elements: mesh.cells ** 3,
      usual: { software: nameOf(walk), hardware: nameOf(1) },
    };
    const runs = settings.run === undefined ? contenders(gpu, question, [1, walk], nameOf) : [settings.run];
    for (const run of runs) {
      const kernel = await gpu.kernel({
        label: `gradient/${settings.gradient}, ${run} in a run`,
        sources: [gradientWgsl, mesh.slabs[0].vectors ? vectorsPart : pairsPart, sectionSource(parts)],
        entry: "gradient",
        constants: {
          CELLS: mesh.cells,
          PITCH: mesh.pitch,
          ISOLATED: settings.boundary === "isolated",
          POINTS: POINTS[settings.gradient],
          RUN: run,
          BLOCK: rowsOf(run),
          ...(parts && sectionConstants(mesh.starts, SECTION)),
        },
      });
      const passes = mesh.slabs.map((slab) => {
        const { xy, z } = ownForceParts(slab, mesh.cells);
        const section = parts ? [sectionUniform(own, NO_PARTICLES, slab, { from: 0, to: 0 })] : [];
        return {
          kernel: kernel.bind(spacing, slab.field, xy, z, ...section),
          groups: workgroups((slab.planes * mesh.cells ** 2) / (run * rowsOf(run) ** 2), GROUP),
        };
      });
      shapes.push(new MeshGradient(run, passes, own));
    }
    const winner = await fastest(
      gpu,
      question,
      shapes.map((shape) => recorded("the gradient", nameOf(shape.run), (batch) => batch.passes(shape.passes))),
    );
    return shapes.find(({ run }) => winner === nameOf(run))!;
  }

  /** field [potential, velocity²] → force [velocity²/length]; of a mesh in slabs the field with its ghosts, the force without. */
  encode(batch: Batch): Batch {
    return batch.stage("gradient").passes(this.passes);
  }

  destroy(): void {
    this.own.destroyAll();
  }
}
