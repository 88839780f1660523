/**
 * Plans for Fourier transforms of lines on the GPU: the radices, the twiddles (float64 values rounded once), and the
 * two variants of kernel: `line`, a line per invocation in a private array, for adapters that are CPUs; `workgroup`,
 * several lines a workgroup in workgroup memory, for GPUs.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";

export type FftShape = "line" | "workgroup";

/**
 * Points of a line in a private array: WGSL guarantees room for 1024, but drivers that clear it element by element
 * take 10 s to compile that.
 */
const MOST_PRIVATE_POINTS = 512;
/** Workgroup memory beyond this costs more in workgroups in flight than longer runs of neighbours gain. */
const WORKGROUP_BYTES = 32768;
/** Invocations of a workgroup, unless one line needs more. */
const WORKGROUP_INVOCATIONS = 256;
/** Neighbouring strided lines in a workgroup: 16 complex numbers are 128 bytes, a cache line of a GPU. */
const MOST_LINES = 16;
/** Fewer than 64 bytes side by side waste a GPU's bandwidth: up to that, as much as the adapter allows. */
const WORTHWHILE_LINES = 8;
/** Lines in a workgroup of the `line` variant. */
const PRIVATE_LINES = 32;
/** A complex number of two float32. */
export const COMPLEX_BYTES = 8;

/** Radices of two stages, ascending: one exchange between registers and memory. */
const TWO_STAGES: Record<number, [number, number]> = {
  8: [2, 4],
  12: [2, 6],
  16: [4, 4],
  18: [2, 9],
  24: [4, 6],
  30: [3, 10],
  32: [4, 8],
  36: [6, 6],
  40: [4, 10],
  48: [6, 8],
  54: [6, 9],
  60: [6, 10],
  64: [8, 8],
  72: [8, 9],
  80: [8, 10],
  96: [8, 12],
  108: [9, 12],
  128: [8, 16],
  144: [12, 12],
  192: [12, 16],
  256: [16, 16],
};

/** Radices of three stages, ascending: two exchanges, fewer registers. */
const THREE_STAGES: Record<number, [number, number, number]> = {
  128: [4, 4, 8],
  192: [4, 6, 8],
  200: [2, 10, 10],
  216: [6, 6, 6],
  256: [4, 8, 8],
  288: [4, 6, 12],
  384: [6, 8, 8],
  400: [4, 10, 10],
  432: [6, 6, 12],
  512: [8, 8, 8],
  576: [6, 8, 12],
  768: [8, 8, 12],
  800: [8, 10, 10],
  864: [6, 12, 12],
  1024: [8, 8, 16],
  1152: [8, 12, 12],
  1536: [8, 12, 16],
  1600: [10, 10, 16],
  2048: [8, 16, 16],
  2304: [12, 12, 16],
  3072: [12, 16, 16],
  4096: [16, 16, 16],
};

/** Lengths that there are plans for, ascending. */
export const LENGTHS: readonly number[] = [TWO_STAGES, THREE_STAGES]
  .flatMap((plans) => Object.keys(plans).map(Number))
  .filter((length, i, all) => all.indexOf(length) === i)
  .sort((a, b) => a - b);

/** The algorithm of a kernel: its entry point. */
export type LineAlgorithm = "forward" | "inverse" | "convolve" | "realForward" | "realInverse";

/** The lines of a kernel. */
export interface LineShape {
  /** Complex points of a line. */
  length: number;
  /** Consecutive points of a line are neighbours in memory; otherwise consecutive lines are. */
  rows: boolean;
  /** Points of a line that hold something; the rest is zero padding, neither read nor written. */
  filled?: number;
}

export interface LineRequest extends LineShape {
  algorithm: LineAlgorithm;
}

/**
 * A·B·C = length (B = 1: two stages), half of A's points are skipped where they are padding and A is even. Which of several ways is
 * quickest was measured on a CPU adapter, whose few registers decide: the larger radix where lines are written (a
 * padded first stage works with half of its radix at a time), and soon three stages in place of two. GPUs have the
 * registers and take two stages up to 256.
 * Throws "usage" for other lengths than 2^k and 3·2^k from 8 to 4096, and a few with factors of 9, 27 and 5.
 */
export function radices(shape: FftShape, request: LineRequest): [number, number, number] {
  const { length, algorithm } = request;
  const padded = mostlyPadding(request);
  const two = TWO_STAGES[length];
  const three = THREE_STAGES[length];
  if (!two && !three) {
    throw new GravmeshError("usage", `transform length: expected one of ${LENGTHS.join(", ")}, found ${length}`);
  }
  const real = algorithm === "realForward" || algorithm === "realInverse";
  const ascending = algorithm === "forward" || algorithm === "convolve";
  if (two && (!three || shape === "workgroup" || length <= longestOfTwoStages(request))) {
    const [small, large] = two;
    if (shape === "line" && algorithm === "realInverse" && length === 64) return [16, 1, 4];
    return ascending && !padded ? [small, 1, large] : [large, 1, small];
  }
  const [small, middle, large] = three;
  if (real) return [middle, large, small];
  return ascending && !padded ? [small, middle, large] : [large, middle, small];
}

function mostlyPadding({ length, filled = length }: LineShape): boolean {
  return 2 * filled <= length;
}

/** Longest line that a CPU adapter transforms in two stages; measured. */
function longestOfTwoStages(request: LineRequest): number {
  const { algorithm } = request;
  const real = algorithm === "realForward" || algorithm === "realInverse";
  if (mostlyPadding(request)) return real || algorithm === "convolve" ? 256 : 128;
  return real ? 96 : 128;
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
  /** Complex numbers of memory a line. */
  pitch: number;
}

/** Null where the adapter's workgroup memory or invocations don't reach. */
function workgroupPlan(gpu: GpuContext, request: LineRequest): LinePlan | null {
  const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } =
    gpu.device.limits;
  const { length, rows } = request;
  const [a, b, c] = radices("workgroup", request);
  const threads = length / Math.max(a, b, c);
  const pitch = rows ? length + length / c : length;
  const bytes = COMPLEX_BYTES * pitch;
  const most = Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX);
  if (bytes > maxComputeWorkgroupStorageSize || threads > most) return null;
  const fitting = (memory: number, invocations: number) => Math.floor(Math.min(memory / bytes, invocations / threads));
  const usual = Math.min(
    MOST_LINES,
    fitting(Math.min(WORKGROUP_BYTES, maxComputeWorkgroupStorageSize), Math.min(WORKGROUP_INVOCATIONS, most)),
  );
  const possible = Math.min(WORTHWHILE_LINES, fitting(maxComputeWorkgroupStorageSize, most));
  const lines = rows ? usual : Math.max(usual, possible);
  return { radices: [a, b, c], lines: lines < 1 ? 1 : 2 ** Math.floor(Math.log2(lines)), threads, pitch };
}

/** The variants in which the adapter can transform lines of all these lengths. Throws "memory" when there is none. */
export function shapesFor(gpu: GpuContext, lengths: readonly number[]): FftShape[] {
  const shapes: FftShape[] = [];
  if (lengths.every((length) => length <= MOST_PRIVATE_POINTS)) shapes.push("line");
  const request = { algorithm: "realForward", rows: true } as const;
  if (lengths.every((length) => workgroupPlan(gpu, { ...request, length }))) shapes.push("workgroup");
  if (shapes.length === 0) {
    const { maxComputeWorkgroupStorageSize } = gpu.device.limits;
    throw new GravmeshError(
      "memory",
      `Fourier transforms of ${Math.max(...lengths)} points need more than the adapter's ${maxComputeWorkgroupStorageSize} bytes of workgroup memory; try fewer mesh.cells`,
    );
  }
  return shapes;
}

/** Throws "memory" where a line doesn't fit the adapter's workgroup memory. */
export function linePlan(gpu: GpuContext, shape: FftShape, request: LineRequest): LinePlan {
  if (shape === "line") {
    return { radices: radices(shape, request), lines: PRIVATE_LINES, threads: 1, pitch: request.length };
  }
  const plan = workgroupPlan(gpu, request);
  if (!plan) {
    throw new GravmeshError("memory", `a line of ${request.length} points doesn't fit the adapter's workgroup memory`);
  }
  return plan;
}
