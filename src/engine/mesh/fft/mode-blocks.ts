/**
 * A mesh's modes kx in blocks, each of which fits a buffer with all of its planes: a pass along y writes lines into a block,
 * another takes them back, lines along z are convolved in between.
 */
import between from "../../../../wgsl/engine/mesh/fft/fft-between.wgsl";
import derivative from "../../../../wgsl/engine/mesh/fft/fft-derivative.wgsl";
import inPlace from "../../../../wgsl/engine/mesh/fft/fft-in-place.wgsl";
import type { Pass } from "../../../foundation/gpu/batch.ts";
import type { WgslConstants, WgslSource } from "../../../foundation/gpu/compose.ts";
import type { BufferSlice } from "../../../foundation/gpu/kernel.ts";
import { type Range, ranges } from "../../../foundation/gpu/windows.ts";
import { planesRead } from "../field.ts";
import type { LineKernels, LineSet } from "./fft-kernel.ts";
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

/** The rows of a slab's own planes, of n a plane; of a range of cells those in it along y and z. */
export function slabRows(n: number, slab: Omit<SpectrumSlab, "buffer">, read: Range = { first: 0, count: n }): LineSet {
  const { row } = slab;
  const { planes, before } = planesRead(slab, read);
  const source = { start: (before * n + read.first) * row, run: n * row, lane: row, stride: 1 };
  return { count: read.count * planes, lanes: read.count, source };
}

/** Spectra of slabs beside the mesh: n rows of so many modes a plane, no ghosts. */
export function storedSpectra(
  kernels: LineKernels,
  label: string,
  slabs: readonly Pick<SpectrumSlab, "first" | "planes">[],
  { n, row }: { n: number; row: number },
): SpectrumSlab[] {
  return slabs.map(({ first, planes }) => {
    return { buffer: kernels.storage(label, COMPLEX_BYTES * row * n * planes), first, planes, before: 0, row };
  });
}

/** On GPUs a block that one pass writes and the next reads stays in the second-level cache [bytes]: 50 MB on an H100. */
const CACHED = 2 ** 25;
/** Fewer modes than these are less than a line of the cache in a run. */
const LEAST_MODES = 16;

/** As few blocks [n][period][modes] of about equal size as have room in so many bytes and, if they are to, stay in a cache. */
export function modeBlocks(n: number, period: number, room: number, cached = false): Range[] {
  const mode = COMPLEX_BYTES * n * period;
  const most = cached ? Math.min(room, Math.max(CACHED, LEAST_MODES * mode)) : room;
  return ranges(period / 2 + 1, Math.floor(most / mode));
}

/** Half-transformed rows, and where their blocks lie. */
export interface HalfSpectrum {
  /** Points a side, in a period of n or more along y and z. */
  n: number;
  period: number;
  slabs: readonly SpectrumSlab[];
  scratch: BufferSlice;
  /** Planes that are wanted back; all when left out. */
  read?: Range;
  /** [period] k, 0 at the Nyquist mode. */
  wavenumbers: GPUBuffer;
  /** For the spectral gradient: where −∂φ/∂y and −∂φ/∂z go, and room for a second block. */
  gradient?: { alongY: readonly SpectrumSlab[]; alongZ: readonly SpectrumSlab[]; scratch: BufferSlice } | undefined;
}

/** Green's function: its module and its table for a block of modes. */
export interface Transfer {
  wgsl: WgslSource;
  constants?: WgslConstants;
  table(block: Range): GPUBuffer;
}

/** × Green's function, a block of modes at a time: y forward, z convolved, y inverse. */
export async function convolution(
  kernels: LineKernels,
  label: string,
  { n, period, slabs, scratch, wavenumbers, gradient, read = { first: 0, count: n } }: HalfSpectrum,
  { wgsl, constants, table }: Transfer,
): Promise<Pass[]> {
  const blocks = modeBlocks(n, period, scratch.size, kernels.shape === "workgroup");
  const tables = blocks.map(table);
  await kernels.settle();
  const lines = { length: period, rows: false, filled: n };
  const convolve = (name: string, access: WgslSource, own: WgslConstants) =>
    kernels.kernel(name, "convolve", lines, [access, wgsl], { ...constants, ...own });
  const forward = await kernels.kernel(`${label} y`, "forward", lines, [between]);
  const z = await convolve(`${label} z`, inPlace, { TABLE: 3, DERIVATIVE: false });
  const inverse = await kernels.kernel(`inverse ${label} y`, "inverse", lines, [between]);
  const derived = gradient && {
    ...gradient,
    z: await convolve(`${label} z, derivative`, between, { TABLE: 4, DERIVATIVE: true }),
    inverse: await kernels.kernel(`inverse ${label} y, derivative`, "inverse", lines, [derivative]),
  };
  return blocks.flatMap(({ first, count }, b) => {
    const alongY = ({ before, row, first: plane, planes }: SpectrumSlab, back = false): LineSet => {
      const inSlab = { start: before * n * row + first, run: n * row, stride: row };
      const inBlock = { start: plane * period * count, run: period * count, stride: count };
      const [source, target] = back ? [inBlock, inSlab] : [inSlab, inBlock];
      return { count: count * planes, lanes: count, source, target };
    };
    // A run is a mode ky.
    const alongZ: LineSet = {
      ...{ count: count * period, lanes: count, firstMode: first },
      source: { run: count, stride: count * period },
    };
    const passes = slabs.map((slab) => forward.on(alongY(slab), slab.buffer, scratch));
    if (derived) passes.push(derived.z.on(alongZ, scratch, derived.scratch, tables[b], wavenumbers));
    passes.push(z.on(alongZ, scratch, tables[b], wavenumbers));
    for (const slab of derived?.alongY ?? [])
      passes.push(derived!.inverse.on(alongY(slab, true), scratch, slab.buffer, wavenumbers));
    for (const slab of derived?.alongZ ?? [])
      passes.push(inverse.on(alongY(slab, true), derived!.scratch, slab.buffer));
    for (const slab of slabs) {
      passes.push(inverse.on(alongY({ ...slab, ...planesRead(slab, read) }, true), scratch, slab.buffer));
    }
    return passes;
  });
}
