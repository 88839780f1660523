/**
 * Mass to cells that are `ratio` times as long, and potential back, by B-splines: separable passes along the axes, with scratch
 * in the force mesh, which is not yet in use.
 */
import floats from "../../../../wgsl/engine/mesh/levels/between-floats.wgsl";
import massWords from "../../../../wgsl/engine/mesh/levels/between-mass.wgsl";
import prolongWgsl from "../../../../wgsl/engine/mesh/levels/between-prolong.wgsl";
import restrictWgsl from "../../../../wgsl/engine/mesh/levels/between-restrict.wgsl";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferRange, BufferSlice, Kernel } from "../../../foundation/gpu/kernel.ts";
import type { LineKernels } from "../fft/fft-kernel.ts";
import { FIELD_GHOSTS, type MeshBuffers, type MeshSlab, planesRead } from "../field.ts";
import { type Coarsening, coarseCells, splineWeights } from "../poisson/split-mesh.ts";

const GROUP = 64;
const FLOAT_BYTES = 4;
/** Parts of a buffer begin at multiples of so many bytes. */
const OFFSET_STEP = 256;

interface CoarseMesh {
  /** [coarseCells³] floats. */
  coarse: GPUBuffer;
  by: Coarsening;
}

/** WGSL's struct Axis (between-axis.wgsl); left out: points that follow one another, and all rows in one plane. */
interface Axis {
  outer: number;
  inner: number;
  first: number;
  count: number;
  start?: number;
  pitch?: number;
  rows?: number;
  plane?: number;
}

export class BetweenMeshes {
  private constructor(
    private readonly mesh: MeshBuffers,
    private readonly own: LineKernels,
    private readonly kernels: Record<"rows" | "restrict" | "prolong" | "add", Kernel>,
    private readonly to: CoarseMesh,
    /** Coarse cells that an invocation walks: an axis on processors, one on GPUs, where neighbours read together. */
    private readonly walk: { restricts: number; prolongs: number },
  ) {}

  /** Uniforms belong to `own`. */
  static async create(gpu: GpuContext, own: LineKernels, mesh: MeshBuffers, to: CoarseMesh): Promise<BetweenMeshes> {
    const { cells } = mesh;
    const { by } = to;
    const { software } = gpu.adapter;
    const [restricts, prolongs] = software ? [coarseCells(cells, by), cells / by.ratio] : [1, 1];
    const shared = {
      ...{ CELLS: cells, COARSE: coarseCells(cells, by), RATIO: `${by.ratio}u`, ORDER: `${by.order}u` },
      SPLINE: `array(${splineWeights(by).join(", ")})`,
    };
    const [rows, restrict, prolong, add] = await Promise.all([
      gpu.kernel({
        ...{ label: "restrict rows", sources: [restrictWgsl, massWords], entry: "restrictAxis" },
        constants: { ...shared, RUN: restricts },
      }),
      gpu.kernel({
        ...{ label: "restrict", sources: [restrictWgsl, floats], entry: "restrictAxis" },
        constants: { ...shared, RUN: restricts },
      }),
      ...[false, true].map((ADDS) =>
        gpu.kernel({
          ...{ label: "prolong", sources: [prolongWgsl], entry: "prolongAxis" },
          constants: { ...shared, RUN: prolongs, ADDS },
        }),
      ),
    ]);
    return new BetweenMeshes(mesh, own, { rows, restrict, prolong, add }, to, { restricts, prolongs });
  }

  /** Mass words of every slab, or of others like them → coarse mass: along x and y slab by slab, along z a slab's share after another's. */
  restriction(words: readonly Pick<MeshSlab, "field" | "high">[] = this.mesh.slabs): Pass[] {
    const { mesh, own, kernels } = this;
    const { cells, pitch } = mesh;
    const { coarse, by } = this.to;
    const n = coarseCells(cells, by);
    const runs = Math.ceil(n / this.walk.restricts);
    const mean = own.uniform("no mean mass", [0, 0]);
    return mesh.slabs.flatMap((slab, s) => {
      const { first, planes, cut } = slab;
      const rows = planes * cells;
      const { alongX, alongY } = this.#scratch(slab);
      const x = this.#axis("x", {
        outer: rows,
        inner: 1,
        first: 0,
        count: cells,
        start: cut ? FIELD_GHOSTS * cells * pitch : 0,
        pitch,
      });
      const y = this.#axis("y", { outer: planes, inner: n, first: 0, count: cells });
      const z = this.#axis("z", { outer: 1, inner: n ** 2, first, count: planes });
      const { field, high } = words[s];
      return [
        pass(kernels.rows, rows * runs, alongX, x, field, high, mean),
        pass(kernels.restrict, planes * n * runs, alongY, y, alongX),
        pass(kernels.restrict, n ** 2 * runs, coarse, z, alongY),
      ];
    });
  }

  /** Coarse potential, added to the cells' own where that is read. */
  prolongation(): Pass[] {
    const { mesh, kernels } = this;
    const { cells, pitch, read } = mesh;
    const { coarse, by } = this.to;
    const n = coarseCells(cells, by);
    const runs = (count: number) => Math.ceil(count / by.ratio / this.walk.prolongs);
    return mesh.slabs.flatMap((slab) => {
      const { alongX, alongY } = this.#scratch(slab);
      const { first, planes, before } = planesRead({ ...slab, before: slab.cut ? FIELD_GHOSTS : 0 }, read);
      const rows = planes * read.count;
      const start = (before * cells + read.first) * pitch + read.first;
      const x = this.#axis("x", {
        outer: rows,
        inner: 1,
        ...read,
        start,
        pitch,
        rows: read.count,
        plane: cells * pitch,
      });
      const y = this.#axis("y", { outer: planes, inner: n, ...read });
      const z = this.#axis("z", { outer: 1, inner: n ** 2, first, count: planes });
      return [
        pass(kernels.prolong, n ** 2 * runs(planes), coarse, alongY, z),
        pass(kernels.prolong, planes * n * runs(read.count), alongY, alongX, y),
        pass(kernels.add, rows * runs(read.count), alongX, slab.field, x),
      ];
    });
  }

  /** A slab's results after a pass along x and along y, in its force mesh. */
  #scratch({ force, planes }: MeshSlab) {
    const { cells } = this.mesh;
    const n = coarseCells(cells, this.to.by);
    const alongX: BufferRange = { buffer: force, offset: 0, size: FLOAT_BYTES * planes * cells * n };
    const offset = OFFSET_STEP * Math.ceil(alongX.size / OFFSET_STEP);
    return { alongX, alongY: { buffer: force, offset, size: FLOAT_BYTES * planes * n ** 2 } };
  }

  #axis(label: string, axis: Axis): GPUBuffer {
    const { outer, inner, first, count, start = 0, pitch = count, rows = outer, plane = 0 } = axis;
    return this.own.uniform(`along ${label}`, [outer, inner, first, count, start, pitch, rows, plane]);
  }
}

function pass(kernel: Kernel, runs: number, ...buffers: BufferSlice[]): Pass {
  return { kernel: kernel.bind(...buffers), groups: workgroups(runs, GROUP) };
}
