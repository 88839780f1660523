/**
 * Kernels that transform the lines of a mesh, and what they hold on the GPU: twiddles, line sets, tables, work space.
 * A kernel joins an algorithm (wgsl/mesh/fft-forward, -inverse, -convolve, -real-forward, -real-inverse) with a module
 * that says how a line's points are read and written.
 */

import convolve from "../../../../wgsl/engine/mesh/fft/fft-convolve.wgsl";
import forward from "../../../../wgsl/engine/mesh/fft/fft-forward.wgsl";
import inverse from "../../../../wgsl/engine/mesh/fft/fft-inverse.wgsl";
import privateMemory from "../../../../wgsl/engine/mesh/fft/fft-private.wgsl";
import realForward from "../../../../wgsl/engine/mesh/fft/fft-real-forward.wgsl";
import realInverse from "../../../../wgsl/engine/mesh/fft/fft-real-inverse.wgsl";
import workgroupMemory from "../../../../wgsl/engine/mesh/fft/fft-workgroup.wgsl";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, type MemoryPurpose, u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslConstants, WgslSource } from "../../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferRange, BufferSlice } from "../../../foundation/gpu/kernel.ts";
import { bindable } from "../../../foundation/gpu/windows.ts";
import { type FftShape, type LineAlgorithm, type LineShape, linePlan, shapesFor, twiddleTable } from "./fft-plan.ts";

/** Where lines lie in a buffer, in complex numbers: line l starts at start + (l mod lanes)·lane + ⌊l/lanes⌋·run. */
export interface Layout {
  start?: number;
  run: number;
  /** 1 when left out: neighbours in memory. */
  lane?: number;
  /** Between consecutive points of a line. */
  stride: number;
}

/** The lines of one dispatch. */
export interface LineSet {
  /** Lines in all. */
  count: number;
  /** Neighbouring lines in a run. */
  lanes: number;
  /** Mode kx of a run's first line. */
  firstMode?: number;
  source: Layout;
  /** Where the lines are written; as the source when left out. */
  target?: Layout;
}

const ALGORITHMS: Record<LineAlgorithm, WgslSource> = { forward, inverse, convolve, realForward, realInverse };

/** The short transforms of the stages: a call that might mean one of any radix would be compiled for all. */
function butterflies([a, b, c]: readonly [number, number, number]): WgslSource {
  const body = (radix: number) => {
    if (radix === 1 || !Number.isInteger(radix)) return ""; // a stage, or a half, that there isn't
    const places = radix > 5 ? [] : Array.from({ length: radix }, (_, i) => `${i}u`);
    return `butterfly${radix}(${["p", ...places].join(", ")});`;
  };
  const text = Object.entries({ A: a, HalfA: a / 2, B: b, C: c })
    .map(([name, radix]) => `fn butterfly${name}(p: ptr<function, Points>) { ${body(radix)} }`)
    .join("\n");
  return { path: "src/engine/mesh/fft/fft-kernel.ts", text };
}

export interface LineKernel {
  on(set: LineSet, ...buffers: BufferSlice[]): Pass;
}

/** Makes kernels of one variant and owns their buffers. */
export class LineKernels {
  readonly #twiddles = new Map<number, GPUBuffer>();
  readonly #own: BufferPool;

  constructor(
    private readonly gpu: GpuContext,
    readonly shape: FftShape,
  ) {
    this.#own = gpu.buffers.pool();
  }

  /**
   * `modules`: reading and writing, and a transfer function; their bindings come after the line set and the twiddles.
   */
  async kernel(
    label: string,
    algorithm: LineAlgorithm,
    line: LineShape,
    modules: readonly WgslSource[],
    constants: WgslConstants = {},
  ): Promise<LineKernel> {
    const { length, rows, filled = length } = line;
    const { shape } = this;
    const plan = linePlan(this.gpu, shape, { ...line, algorithm });
    const [a, b, c] = plan.radices;
    const kernel = await this.gpu.kernel({
      label: `${label}/${shape}`,
      sources: [
        ...[...modules, ALGORITHMS[algorithm], butterflies(plan.radices)],
        shape === "line" ? privateMemory : workgroupMemory,
      ],
      entry: algorithm,
      constants: {
        ...{ LENGTH: length, FILLED: filled, RADIX_A: a, RADIX_B: b, RADIX_C: c },
        ...{ TWIDDLE_STEP: rows ? 2 : 1, LINES: plan.lines },
        ...(shape === "workgroup" && { THREADS: plan.threads, ROWS: rows, PITCH: plan.pitch }),
        ...constants,
      },
    });
    // Rows of real numbers need the roots of twice their complex length.
    const twiddles = this.#twiddlesOf(rows ? 2 * length : length);
    return {
      on: (set, ...buffers) => ({
        kernel: kernel.bind(this.#lines(label, set), twiddles, ...buffers),
        groups: workgroups(set.count, plan.lines),
      }),
    };
  }

  /** Uploads a table; float64 values are rounded to float32. */
  table(label: string, values: Float64Array | Float32Array<ArrayBuffer>, purpose: MemoryPurpose = "other"): GPUBuffer {
    const data = values instanceof Float64Array ? Float32Array.from(values) : values;
    return this.#own.upload(label, data, purpose);
  }

  uniform(label: string, words: readonly number[]): GPUBuffer {
    return this.#own.uniform(label, u32(...words));
  }

  /** As much of a buffer as the device binds. */
  bindable(buffer: GPUBuffer): BufferRange {
    return bindable(this.gpu.device, buffer);
  }

  /** Work space on the mesh. */
  storage(label: string, bytes: number): GPUBuffer {
    return this.#own.storage(label, bytes, "mesh");
  }

  /** Throws "memory" where tables or work space found no room; to be awaited before they are bound. */
  settle(): Promise<void> {
    return this.#own.settle();
  }

  /** Bytes held by tables, uniforms and work space. */
  get bytes(): number {
    return this.#own.bytes().total;
  }

  destroy(): void {
    this.#own.destroyAll();
  }

  #twiddlesOf(length: number): GPUBuffer {
    const buffer = this.#twiddles.get(length) ?? this.table(`twiddles of ${length}`, twiddleTable(length));
    this.#twiddles.set(length, buffer);
    return buffer;
  }

  #lines(label: string, set: LineSet): GPUBuffer {
    const words = [set.count, set.lanes, set.firstMode ?? 0];
    for (const { start = 0, run, lane = 1, stride } of [set.source, set.target ?? set.source]) {
      words.push(start, run, lane, stride);
    }
    return this.uniform(`${label}, lines`, [...words, 0]);
  }
}

/**
 * The variant that transforms lines of these lengths: each invocation has a line on processors, a workgroup several on GPUs (where private
 * arrays of such size lie in memory). They round differently, so they can't be pinned.
 */
export function shapeForLines(gpu: GpuContext, lengths: readonly number[]): FftShape {
  const shapes = shapesFor(gpu, lengths);
  const usual = gpu.adapter.software ? "line" : "workgroup";
  return shapes.includes(usual) ? usual : shapes[0];
}
