/**
 * Acceleration on the mesh by centred differences of the potential: field → force.
 *   2-point  a = −(φ(i+1) − φ(i−1))/2h,  4-point  a = −[8(φ(i+1) − φ(i−1)) − (φ(i+2) − φ(i−2))]/12h
 * (Hockney & Eastwood 1988, sect. 5-4). The spectral gradient belongs to the Poisson solver, which owns the transforms.
 */

import gradientWgsl from "../../../../wgsl/engine/mesh/force/gradient.wgsl";
import { type Batch, type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32 } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferRange } from "../../../foundation/gpu/kernel.ts";
import { shapeByKind } from "../../../foundation/gpu/shapes.ts";
import { gridSide } from "../../../physics/particles/grid.ts";
import { sectionConstants, sectionUniform } from "../../gpu-particles/sections.ts";
import { walkLength } from "../deposit/walk.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers, type MeshSlab } from "../field.ts";
import type { GradientScheme } from "../settings.ts";
import { type ForcePiece, forcePieces, forceSink } from "./force-mesh.ts";

const GROUP = 64;
export const GRADIENT_POINTS = { "2-point": 2, "4-point": 4 } as const;
/** Rows along y and along z that a walk takes at once. */
const WALKED_ROWS = 2;
const SECTION = 4;
const NO_PARTICLES = { windows: [], fewBindings: false };
const NO_SLOTS = { first: 0, count: 0 };

export interface GradientSettings {
  gradient: Exclude<GradientScheme, "spectral">;
  /** Side of the box [length]. */
  boxSize: number;
  /** Cells along x per invocation, a divisor of the mesh side; by the kind of adapter when left out. */
  run?: number;
}

const nameOf = (run: number) => `run ${run}`;
const rowsOf = (run: number) => (run === 1 ? 1 : WALKED_ROWS);

/** The potential of a piece of a slab, with as many ghosts as a slab has. */
function fieldAround(
  { cells, pitch }: MeshBuffers,
  { field, cut }: MeshSlab,
  { first, planes }: ForcePiece,
): BufferRange {
  const plane = FIELD_BYTES * pitch * cells;
  return { buffer: field, offset: plane * first, size: plane * (planes + (cut ? 2 * FIELD_GHOSTS : 0)) };
}

export class MeshGradient {
  private constructor(
    /** Cells along x per invocation. */
    readonly run: number,
    private readonly passes: readonly Pass[],
    private readonly own: BufferPool,
  ) {}

  static async create(gpu: GpuContext, mesh: MeshBuffers, settings: GradientSettings): Promise<MeshGradient> {
    const own = gpu.buffers.pool();
    const spacing = own.uniform("cells per length", f32(mesh.cells / gridSide(mesh.grid, settings.boxSize)));
    // A walk for processors, one cell (coalesced) for GPUs.
    const { first, count: read } = mesh.read;
    const walk = walkLength(read);
    const kinds = { processor: nameOf(walk), gpu: nameOf(1) };
    const byKind = () => shapeByKind(gpu, "gradient", [nameOf(1), nameOf(walk)], kinds);
    const run = settings.run ?? (byKind() === nameOf(walk) ? walk : 1);
    const kernel = await gpu.kernel({
      label: `gradient/${settings.gradient}, ${run} in a run`,
      sources: [gradientWgsl, forceSink(mesh)],
      entry: "gradient",
      constants: {
        ...{ CELLS: mesh.cells, PITCH: mesh.pitch, WRAPS: mesh.grid.boundary.wraps },
        ...{ READ_FIRST: `${first}u`, READ: `${read}u` },
        ...{ POINTS: GRADIENT_POINTS[settings.gradient], RUN: run, BLOCK: rowsOf(run) },
        ...sectionConstants(NO_PARTICLES, mesh.starts, SECTION),
      },
    });
    const passes = mesh.slabs.flatMap((slab) =>
      forcePieces(slab, mesh.cells).map((piece) => {
        const { planes } = piece;
        const taken = Math.min(planes, read);
        const here = { first: slab.first + piece.first, planes };
        const section = sectionUniform(own, NO_SLOTS, here, { from: 0, to: 0 });
        const [force, rest = force] = piece.parts;
        return {
          kernel: kernel.bind(spacing, fieldAround(mesh, slab, piece), force, rest, section),
          groups: workgroups((taken * read ** 2) / (run * rowsOf(run) ** 2), GROUP),
        };
      }),
    );
    return new MeshGradient(run, passes, own);
  }

  /** field [potential, velocity²] → force [velocity²/length]; of a mesh in slabs the field with its ghosts, the force without. */
  encode(batch: Batch, stage = "gradient"): Batch {
    return batch.stage(stage).passes(this.passes);
  }

  destroy(): void {
    this.own.destroyAll();
  }
}
