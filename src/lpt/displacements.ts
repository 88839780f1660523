/**
 * Displacement fields of a lattice in first and second order on the GPU:
 *   ψ₁ = −∇φ₁,  ∇²φ₁ = δ;   ψ₂ = ∇φ₂,  ∇²φ₂ = Σ_{i>j} (φ₁,ᵢᵢ φ₁,ⱼⱼ − φ₁,ᵢⱼ²)
 * (Bouchet et al. 1995; Scoccimarro 1998, appendix D), with the random modes of modes.ts. Three inverse transforms for ψ₁; for
 * ψ₂ six of the second derivatives of φ₁, a forward one of their products, and three back. One padded mesh for first order,
 * three for second. Products are taken at the points, without dealiasing.
 */

import gradientWgsl from "../../wgsl/lpt/gradient.wgsl";
import modesWgsl from "../../wgsl/lpt/modes.wgsl";
import sourceWgsl from "../../wgsl/lpt/source.wgsl";
import { meshSizes } from "../deck/mesh-sizes.ts";
import { GravmeshError } from "../errors.ts";
import { workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, mib, OutOfMemory, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel, Kernel } from "../gpu/kernel.ts";
import type { DisplacementMaker, DisplacementRequest } from "../initial/model.ts";
import { Fft3, paddedMeshBytes } from "../mesh/fft.ts";
import { MODE_STREAM, modeAmplitudes, requireDisplacements, seedKey } from "./modes.ts";

const GROUP = 64;
const TWO_32 = 2 ** 32;
/** Read back at a time, so that staging stays small beside the meshes. */
const SLAB_BYTES = 2 ** 26;
const STAGE = "displacements";

type Axis = 0 | 1 | 2;
type Vector = readonly [number, number, number];

/**
 * Makes displacements on this GPU. What it makes them with is released before the promise resolves. The maker throws
 * "usage" for a request that can't be met, "memory" where the meshes don't fit.
 */
export function gpuDisplacements(gpu: GpuContext): DisplacementMaker {
  return async (request) => {
    requireDisplacements(request);
    const { order, perSide } = request;
    requireBinding(gpu, perSide);
    const fields = new DisplacementFields(gpu, request);
    try {
      await fields.prepare();
      const first = await fields.firstOrder();
      return order === 1 ? { first } : { first, second: await fields.secondOrder() };
    } finally {
      fields.destroy();
    }
  };
}

class DisplacementFields {
  /** Cells per side. */
  readonly #n: number;
  /** L/2π [length] */
  readonly #unit: number;
  readonly #own: BufferPool;
  #fft!: Fft3;
  #modes!: Kernel;
  #tables!: GPUBuffer[];
  /** [n² rows × (n+2)] f32 */
  #work!: GPUBuffer;

  constructor(
    private readonly gpu: GpuContext,
    private readonly request: DisplacementRequest,
  ) {
    this.#own = gpu.buffers.pool();
    this.#n = request.perSide;
    this.#unit = request.boxSize / (2 * Math.PI);
  }

  async prepare(): Promise<void> {
    const n = this.#n;
    [this.#work] = await this.#meshes("work");
    const amplitudes = modeAmplitudes(this.request);
    const potentials = Float32Array.from(amplitudes, (amplitude, square) =>
      square === 0 ? 0 : (amplitude * this.#unit) / square,
    );
    const turns = Uint32Array.from({ length: 2 * n }, (_, j) => Math.round((j * TWO_32) / (2 * n)));
    const [low, high] = seedKey(this.request.seed);
    this.#tables = [
      this.#own.uniform("displacement seed", u32(low, high)),
      this.#own.upload("displacement amplitudes", potentials, "other"),
      this.#own.upload("displacement phases", turns, "other"),
    ];
    this.#fft = await Fft3.create(this.gpu, n);
    this.#modes = await this.gpu.kernel({
      label: "displacements/modes",
      sources: [modesWgsl],
      entry: "modes",
      constants: { CELLS: n, STREAM: `${MODE_STREAM}u`, FIXED: this.request.fixedAmplitudes },
    });
  }

  /** ψ₁ [3n³] */
  firstOrder(): Promise<Float32Array> {
    return this.#interleaved((axis) => this.#modesInto(this.#work, unitVector(axis), true, [0, 0, 0], 1));
  }

  /** ψ₂ [3n³] */
  async secondOrder(): Promise<Float32Array> {
    const n = this.#n;
    const [derivative, source] = await this.#meshes("second derivative", "second-order source");
    await this.#makeSource(derivative, source);
    const kernel = await this.gpu.kernel({
      label: "displacements/gradient",
      sources: [gradientWgsl],
      entry: "gradient",
      constants: { CELLS: n },
    });
    return this.#interleaved((axis) => {
      const component = this.#own.uniform("displacement component", f32(...unitVector(axis), this.#unit / n ** 3));
      return kernel.bind(component, source, this.#work);
    });
  }

  destroy(): void {
    this.#fft?.destroy();
    this.#own.destroyAll();
  }

  /** Spectrum of Σ_{i>j} (φ,ii φ,jj − φ,ij²) → `source`; the work mesh is used up. */
  async #makeSource(derivative: GPUBuffer, source: GPUBuffer): Promise<void> {
    const n = this.#n;
    const bound = async (entry: "firstPair" | "otherPairs" | "mixed") => {
      const kernel = await this.gpu.kernel({
        label: `displacements/${entry}`,
        sources: [sourceWgsl],
        entry,
        constants: { CELLS: n },
      });
      return kernel.bind(this.#work, derivative, source);
    };
    const [firstPair, otherPairs, mixed] = await Promise.all([bound("firstPair"), bound("otherPairs"), bound("mixed")]);
    const transforms = new Map([this.#work, derivative, source].map((mesh) => [mesh, this.#fft.bind(mesh)]));
    // A submission a transform: short enough for adapters that are reset after long ones.
    const add = async (i: Axis, j: Axis, mesh: GPUBuffer, then?: BoundKernel) => {
      const slope = unitVector(i).map((component) => component / this.#unit);
      const batch = this.gpu.batch(STAGE).stage(STAGE);
      batch.dispatch(this.#modesInto(mesh, slope as unknown as Vector, false, unitVector(j), 0), this.#modeGroups());
      transforms.get(mesh)!.inverse(batch);
      if (then) batch.dispatch(then, workgroups(n * n * (n + 2), GROUP));
      await batch.submit();
    };
    await add(0, 0, this.#work);
    await add(1, 1, derivative, firstPair);
    await add(2, 2, derivative, otherPairs);
    await add(0, 1, derivative, mixed);
    await add(0, 2, derivative, mixed);
    await add(1, 2, derivative, mixed);
    await transforms.get(source)!.forward(this.gpu.batch(STAGE).stage(STAGE)).submit();
  }

  /** The kernel that writes the spectrum of f(m) A g: f = (first·m)(second·m + constant), times i if imaginary. */
  #modesInto(mesh: GPUBuffer, first: Vector, imaginary: boolean, second: Vector, constant: number): BoundKernel {
    const words = [...f32(...first), ...u32(imaginary ? 1 : 0), ...f32(...second, constant)];
    const functional = this.#own.uniform("displacement functional", words);
    return this.#modes.bind(functional, ...this.#tables, mesh);
  }

  /** Three components, each a spectrum that a kernel writes to the work mesh, transformed and read back. */
  async #interleaved(spectrum: (axis: Axis) => BoundKernel): Promise<Float32Array> {
    const n = this.#n;
    const result = hostArray(3 * n ** 3);
    const transform = this.#fft.bind(this.#work);
    for (const axis of [0, 1, 2] as const) {
      const batch = this.gpu.batch(STAGE).stage(STAGE).dispatch(spectrum(axis), this.#modeGroups());
      await transform.inverse(batch).submit();
      await this.#readInto(result, axis);
    }
    return result;
  }

  /** The work mesh → one component of `result`, a slab of planes at a time. */
  async #readInto(result: Float32Array, axis: Axis): Promise<void> {
    const n = this.#n;
    const pitch = n + 2;
    const planeBytes = 4 * pitch * n;
    const planes = Math.max(1, Math.floor(SLAB_BYTES / planeBytes));
    for (let z = 0; z < n; z += planes) {
      const rows = n * Math.min(planes, n - z);
      const slab = new Float32Array(await this.gpu.read(this.#work, z * planeBytes, 4 * pitch * rows));
      for (let row = 0; row < rows; row++) {
        let to = 3 * n * (z * n + row) + axis;
        for (let from = row * pitch; from < row * pitch + n; from++, to += 3) result[to] = slab[from];
      }
    }
  }

  #modeGroups(): [number, number] {
    const n = this.#n;
    return workgroups(n * n * (n / 2 + 1), GROUP);
  }

  /** Meshes of n + 2 words a row. Throws "memory" where the device has no room for them. */
  async #meshes(...names: string[]): Promise<GPUBuffer[]> {
    const bytes = paddedMeshBytes(this.#n);
    const meshes = names.map((name) => this.#own.storage(`displacement ${name}`, bytes, "mesh"));
    try {
      await this.#own.settle();
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const needed = mib(bytes * (this.request.order === 1 ? 1 : 3));
      fail(this.#n, `the device has no room for ${needed}; try fewer points, or the CPU`);
    }
    return meshes;
  }
}

function unitVector(axis: Axis): Vector {
  return [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
}

/** Throws "memory" where a mesh is more than the adapter binds, naming the largest lattice that isn't. */
function requireBinding(gpu: GpuContext, n: number): void {
  const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
  const limit = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  if (paddedMeshBytes(n) <= limit) return;
  const largest = meshSizes.findLast((size) => paddedMeshBytes(size) <= limit);
  const needs = `a mesh needs ${mib(paddedMeshBytes(n))} and the adapter binds at most ${mib(limit)} at a time`;
  fail(n, `${needs}; try perSide = ${largest}, or the CPU`);
}

/** Throws "memory" where the host has no room. */
function hostArray(length: number): Float32Array {
  try {
    return new Float32Array(length);
  } catch (cause) {
    throw new GravmeshError("memory", `displacements: the host has no room for ${mib(4 * length)}; try fewer points`, {
      cause,
    });
  }
}

function fail(n: number, message: string): never {
  throw new GravmeshError("memory", `displacements of a lattice of ${n}³ points: ${message}`);
}
