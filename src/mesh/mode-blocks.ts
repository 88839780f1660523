/**
 * A mesh's modes kx in blocks, each of which fits a buffer with all of its planes: a pass along y writes lines into a block,
 * another takes them back, lines along z are transformed in between.
 */
import type { Pass } from "../gpu/batch.ts";
import type { BufferSlice } from "../gpu/kernel.ts";
import { type Range, ranges } from "../gpu/windows.ts";
import type { Layout, LineKernel, LineSet } from "./fft-kernel.ts";
import { COMPLEX_BYTES } from "./fft-plan.ts";

/** A slab's part of a mesh whose rows hold complex numbers. */
export interface SpectrumSlab {
  buffer: BufferSlice;
  /** Planes: the first, how many, and how many lie before it in the buffer. */
  first: number;
  planes: number;
  before: number;
  row: number;
}

/** The rows of a slab's own planes, of n a plane. */
export function slabRows(n: number, { before, row, planes }: Omit<SpectrumSlab, "buffer" | "first">): LineSet {
  return { count: n * planes, lanes: 1, source: { start: before * n * row, run: row, stride: 1 } };
}

interface BlockedMesh {
  n: number;
  /** Points of a line along y in a block: n, or 2n where the slabs hold half of them. */
  points: number;
  modes: number;
  room: number;
}

/** Modes [first, first + count): [n][points][count] complex. */
export class ModeBlock {
  readonly first: number;
  readonly count: number;

  constructor(
    modes: Range,
    private readonly n: number,
    private readonly points: number,
  ) {
    this.first = modes.first;
    this.count = modes.count;
  }

  /** Lines along y, from the slab into the block. */
  into(slab: SpectrumSlab): LineSet {
    const [source, target] = [this.#inSlab(slab), this.#inBlock(slab)];
    return { count: this.count * slab.planes, lanes: this.count, source, target };
  }

  /** And back. */
  outOf(slab: SpectrumSlab): LineSet {
    const [source, target] = [this.#inBlock(slab), this.#inSlab(slab)];
    return { count: this.count * slab.planes, lanes: this.count, source, target };
  }

  /** Lines along z in the block; a run is a mode ky. */
  get alongZ(): LineSet {
    const { count, points, first } = this;
    return { count: count * points, lanes: count, firstMode: first, source: { run: count, stride: count * points } };
  }

  #inSlab({ before, row }: SpectrumSlab): Layout {
    const { n, first } = this;
    return { start: before * n * row + first, run: n * row, stride: row };
  }

  #inBlock({ first }: SpectrumSlab): Layout {
    const { points, count } = this;
    return { start: first * points * count, run: points * count, stride: count };
  }
}

/** As few blocks of about equal size as the room allows. */
export function modeBlocks({ n, points, modes, room }: BlockedMesh): ModeBlock[] {
  const most = Math.floor(room / (COMPLEX_BYTES * n * points));
  return ranges(modes, most).map((range) => new ModeBlock(range, n, points));
}

export interface BlockSteps {
  slabs: readonly SpectrumSlab[];
  scratch: BufferSlice;
  forward: LineKernel;
  inverse: LineKernel;
  /** × Green's function along z. */
  convolve(block: ModeBlock, index: number): Pass;
  gradient?: BlockGradient | undefined;
}

/** For the spectral gradient: where −∂φ/∂y and −∂φ/∂z go, and room for a second block. */
interface BlockGradient {
  scratch: BufferSlice;
  alongY: readonly SpectrumSlab[];
  alongZ: readonly SpectrumSlab[];
  /** From one block to the other, the z component of −ik φ̂. */
  convolve(block: ModeBlock, index: number): Pass;
  /** Inverse with −ik along y. */
  inverse: LineKernel;
  wavenumbers: GPUBuffer;
}

/** y forward, z convolved, y inverse. */
export function blockPasses(blocks: readonly ModeBlock[], steps: BlockSteps): Pass[] {
  const { slabs, scratch, forward, inverse, convolve, gradient } = steps;
  return blocks.flatMap((block, index) => {
    const passes = slabs.map((slab) => forward.on(block.into(slab), slab.buffer, scratch));
    if (gradient) passes.push(gradient.convolve(block, index));
    passes.push(convolve(block, index));
    if (gradient) {
      const { alongY, alongZ, wavenumbers } = gradient;
      for (const slab of alongY) passes.push(gradient.inverse.on(block.outOf(slab), scratch, slab.buffer, wavenumbers));
      for (const slab of alongZ) passes.push(inverse.on(block.outOf(slab), gradient.scratch, slab.buffer));
    }
    for (const slab of slabs) passes.push(inverse.on(block.outOf(slab), scratch, slab.buffer));
    return passes;
  });
}
