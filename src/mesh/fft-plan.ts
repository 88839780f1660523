/**
 * Plans for Fourier transforms of lines on the GPU: the radices, the twiddles (float64 values rounded once), and the
 * two shapes of kernel: `line`, a line per invocation in a private array, for adapters that are CPUs; `workgroup`,
 * several lines a workgroup in workgroup memory, for GPUs.
 */
import { GravmeshError } from "../errors.ts";
import type { GpuContext } from "../gpu/context.ts";

export type FftShape = "line" | "workgroup";

/** Bytes of private memory that WGSL guarantees a shader. */
const PRIVATE_BYTES = 8192;
/** Workgroup memory beyond this costs more in workgroups in flight than longer runs of neighbours gain. */
const WORKGROUP_BYTES = 32768;
/** Invocations of a workgroup, unless one line needs more. */
const WORKGROUP_INVOCATIONS = 256;
/** Neighbouring strided lines in a workgroup: 16 complex numbers are 128 bytes, a cache line of a GPU. */
const MOST_LINES = 16;
/** Lines in a workgroup of the `line` shape. */
const PRIVATE_LINES = 32;
const COMPLEX_BYTES = 8;
const SHORTEST = 8;
const LONGEST = 4096;

/**
 * A·B·C = length, each 2, 3, 4, 6, 8, 12 or 16 (B is 1 up to 256), A even so that half of its points can be padding.
 * Throws "usage" for other lengths than 2^k and 3·2^k from 8 to 4096.
 */
export function radices(length: number): [number, number, number] {
  const three = length % 3 === 0 ? 3 : 1;
  const twos = Math.log2(length / three);
  if (!Number.isInteger(twos) || length < SHORTEST || length > LONGEST) {
    throw new GravmeshError(
      "usage",
      `transform length: expected 2^k or 3·2^k from ${SHORTEST} to ${LONGEST}, found ${length}`,
    );
  }
  const stages = length <= 256 ? 2 : 3;
  // The last radix takes the 3, with up to two factors of 2.
  const c = three === 3 ? 3 * 2 ** Math.min(2, Math.floor(twos / stages)) : 2 ** Math.floor(twos / stages);
  const a = stages === 2 ? length / c : 2 ** Math.ceil(Math.log2(length / c) / 2);
  return [a, length / (a * c), c];
}

/** [2·length] e^{−2πi j/length} as re, im: from float64, exact at quarter turns. */
export function twiddleTable(length: number): Float32Array<ArrayBuffer> {
  const table = new Float32Array(2 * length);
  for (let j = 0; j < length; j++) {
    const quarter = Math.round((4 * j) / length);
    const rest = (Math.PI * (4 * j - quarter * length)) / (2 * length);
    const c = Math.cos(rest);
    const s = Math.sin(rest);
    const turned = [
      [c, -s],
      [-s, -c],
      [-c, s],
      [s, c],
    ];
    table.set(turned[quarter % 4], 2 * j);
  }
  return table;
}

export interface LinePlan {
  radices: [number, number, number];
  /** Lines a workgroup. */
  lines: number;
  /** Invocations a line. */
  threads: number;
}

/** Null where the adapter's workgroup memory or invocations don't reach. */
function workgroupPlan(gpu: GpuContext, length: number, rows: boolean): LinePlan | null {
  const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } =
    gpu.device.limits;
  const [a, b, c] = radices(length);
  const threads = length / Math.max(a, b, c);
  const bytes = COMPLEX_BYTES * (rows ? length + length / c : length);
  const most = Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX);
  if (bytes > maxComputeWorkgroupStorageSize || threads > most) return null;
  const lines = Math.min(
    MOST_LINES,
    Math.min(WORKGROUP_BYTES, maxComputeWorkgroupStorageSize) / bytes,
    Math.min(WORKGROUP_INVOCATIONS, most) / threads,
  );
  return { radices: [a, b, c], lines: lines < 1 ? 1 : 2 ** Math.floor(Math.log2(lines)), threads };
}

/** The shapes in which the adapter can transform lines of all these lengths. Throws "memory" when there is none. */
export function shapesFor(gpu: GpuContext, lengths: readonly number[]): FftShape[] {
  const shapes: FftShape[] = [];
  if (lengths.every((length) => length * COMPLEX_BYTES <= PRIVATE_BYTES)) shapes.push("line");
  if (lengths.every((length) => workgroupPlan(gpu, length, true))) shapes.push("workgroup");
  if (shapes.length === 0) {
    const { maxComputeWorkgroupStorageSize } = gpu.device.limits;
    throw new GravmeshError(
      "memory",
      `Fourier transforms of ${Math.max(...lengths)} points need more than the adapter's ${maxComputeWorkgroupStorageSize} bytes of workgroup memory; try fewer mesh.cells`,
    );
  }
  return shapes;
}

/** The plan for lines of `length` complex points; for `rows` see LineKernelSpec. */
export function linePlan(
  gpu: GpuContext,
  { length, shape, rows }: { length: number; shape: FftShape; rows: boolean },
): LinePlan {
  if (shape === "line") return { radices: radices(length), lines: PRIVATE_LINES, threads: 1 };
  const plan = workgroupPlan(gpu, length, rows);
  if (!plan) throw new GravmeshError("memory", `a line of ${length} points doesn't fit the adapter's workgroup memory`);
  return plan;
}
