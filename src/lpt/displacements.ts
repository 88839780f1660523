/**
 * Displacement fields of a lattice in first and second order on the GPU, with the random modes of modes.ts:
 *   ψ₁ = −∇φ₁,  ∇²φ₁ = δ;   ψ₂ = ∇φ₂,  ∇²φ₂ = Σ_{i>j} (φ₁,ᵢᵢ φ₁,ⱼⱼ − φ₁,ᵢⱼ²)
 * (Bouchet et al. 1995; Scoccimarro 1998, appendix D). Three inverse transforms for ψ₁; for ψ₂ six of the second
 * derivatives of φ₁, a forward one of their products, taken at the points without dealiasing, and three back. Each
 * component stays on the GPU as a padded mesh, 4 to 4.5 bytes a point, in slabs where it is larger than a binding, and is
 * read plane by plane.
 */

import gradientWgsl from "../../wgsl/lpt/gradient.wgsl";
import modesWgsl from "../../wgsl/lpt/modes.wgsl";
import sourceWgsl from "../../wgsl/lpt/source.wgsl";
import { bytesText } from "../base/bytes.ts";
import { GravmeshError } from "../base/errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, OutOfMemory, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel, Kernel } from "../gpu/kernel.ts";
import { rangeLimits } from "../gpu/windows.ts";
import type { DisplacementMaker, DisplacementRequest } from "../initial/model.ts";
import { Fft3 } from "../mesh/fft.ts";
import { createPaddedSlabs, type PaddedSlab, paddedBytes, paddedSlabRanges } from "../mesh/fft-slabs.ts";
import { MODE_STREAM, modeAmplitudes, requireDisplacements, seedKey } from "./modes.ts";

const GROUP = 64;
const TWO_32 = 2 ** 32;
const STAGE = "displacements";
const AXES = [0, 1, 2] as const;

type Axis = (typeof AXES)[number];
type Vector = readonly [number, number, number];
type Mesh = readonly PaddedSlab[];
/** The components of a field. */
type Meshes = readonly [Mesh, Mesh, Mesh];

/** Makes displacements that stay on this GPU. The maker throws "usage" for a wrong request, "memory" without room. */
export function gpuDisplacements(gpu: GpuContext): DisplacementMaker {
  return async (request) => {
    requireDisplacements(request);
    paddedSlabRanges(rangeLimits(gpu), request.perSide); // throws before tables are made
    const held = gpu.buffers.pool();
    const maker = new FieldMaker(gpu, request, held);
    try {
      await maker.prepare();
      const first = await maker.firstOrder();
      const second = request.order === 2 ? await maker.secondOrder() : undefined;
      const read = (meshes: Meshes, z: number, planes: number) =>
        readPlanes(gpu, meshes, request.perSide, { z, planes });
      return {
        read: async (z, planes) => ({
          first: await read(first, z, planes),
          ...(second && { second: await read(second, z, planes) }),
        }),
        destroy: () => held.destroyAll(),
      };
    } catch (error) {
      held.destroyAll();
      throw error;
    } finally {
      maker.destroy();
    }
  };
}

/** [3·planes·n², xyzxyz…] of the planes from `z` on, of components in meshes of n cells a side. */
async function readPlanes(gpu: GpuContext, meshes: Meshes, n: number, { z, planes }: { z: number; planes: number }) {
  const pitch = n + 2;
  const vectors = new Float32Array(3 * n ** 2 * planes);
  const batch = gpu.batch("reading displacements").stage("reading");
  for (const [axis, slabs] of meshes.entries()) {
    for (const { first, planes: height, buffer } of slabs) {
      const [from, to] = [Math.max(z, first), Math.min(z + planes, first + height)];
      if (from >= to) continue;
      const rows = n * (to - from);
      const target = 3 * n ** 2 * (from - z) + axis;
      batch.read(buffer, 4 * pitch * n * (from - first), 4 * pitch * rows, (data) => {
        const words = new Float32Array(data);
        for (let row = 0, at = target; row < rows; row++) {
          for (let k = row * pitch; k < row * pitch + n; k++, at += 3) vectors[at] = words[k];
        }
      });
    }
  }
  await batch.submit();
  return vectors;
}

class FieldMaker {
  /** Cells per side. */
  readonly #n: number;
  /** L/2π [length] */
  readonly #unit: number;
  readonly #own: BufferPool;
  #fft!: Fft3;
  #modes!: Kernel;
  #tables!: GPUBuffer[];

  constructor(
    private readonly gpu: GpuContext,
    private readonly request: DisplacementRequest,
    /** What the fields lie in. */
    private readonly held: BufferPool,
  ) {
    this.#own = gpu.buffers.pool();
    this.#n = request.perSide;
    this.#unit = request.boxSize / (2 * Math.PI);
  }

  async prepare(): Promise<void> {
    const n = this.#n;
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
    const constants = { STREAM: `${MODE_STREAM}u`, FIXED: this.request.fixedAmplitudes };
    this.#modes = await this.#kernel("modes", modesWgsl, { CELLS: n, ...constants });
  }

  /** ψ₁ */
  async firstOrder(): Promise<Meshes> {
    const meshes = await this.#meshes("first");
    for (const axis of AXES) {
      await this.#transformed(meshes[axis], this.#modesInto(meshes[axis], unitVector(axis), true, [0, 0, 0], 1));
    }
    return meshes;
  }

  /** ψ₂ */
  async secondOrder(): Promise<Meshes> {
    const n = this.#n;
    const [work, derivative, source] = await this.#meshes("second");
    await this.#makeSource(work, derivative, source);
    const copies = this.gpu.batch(STAGE);
    for (const mesh of [work, derivative])
      for (const [k, { buffer }] of mesh.entries()) copies.copy(source[k].buffer, 0, buffer, 0, buffer.size);
    await copies.submit();
    const gradient = await this.#kernel("gradient", gradientWgsl, { CELLS: n });
    for (const [axis, mesh] of [work, derivative, source].entries()) {
      const words = f32(...unitVector(axis as Axis), this.#unit / n ** 3);
      const kernels = mesh.map((slab) => {
        const component = this.#own.uniform("displacement component", [...words, ...this.#modesOf(slab)]);
        return gradient.bind(component, slab.buffer);
      });
      await this.#transformed(mesh, kernels);
    }
    return [work, derivative, source];
  }

  destroy(): void {
    this.#fft?.destroy();
    this.#own.destroyAll();
  }

  /** Spectrum of Σ_{i>j} (φ,ii φ,jj − φ,ij²) → `source`; the other meshes are used up. */
  async #makeSource(work: Mesh, derivative: Mesh, source: Mesh): Promise<void> {
    const n = this.#n;
    const bound = async (entry: "firstPair" | "otherPairs" | "mixed") => {
      const kernel = await this.#kernel(entry, sourceWgsl, {});
      return work.map(({ buffer }, k) => kernel.bind(buffer, derivative[k].buffer, source[k].buffer));
    };
    const [firstPair, otherPairs, mixed] = await Promise.all([bound("firstPair"), bound("otherPairs"), bound("mixed")]);
    const add = async (i: Axis, j: Axis, mesh: Mesh, then?: readonly BoundKernel[]) => {
      const slope = unitVector(i).map((component) => component / this.#unit);
      const spectrum = this.#modesInto(mesh, slope as unknown as Vector, false, unitVector(j), 0);
      await this.#transformed(mesh, spectrum, (batch) => {
        then?.forEach((kernel, k) => {
          batch.dispatch(kernel, workgroups(n * (n + 2) * work[k].planes, GROUP));
        });
      });
    };
    await add(0, 0, work);
    await add(1, 1, derivative, firstPair);
    await add(2, 2, derivative, otherPairs);
    await add(0, 1, derivative, mixed);
    await add(0, 2, derivative, mixed);
    await add(1, 2, derivative, mixed);
    await this.#fft.bind(source).forward(this.gpu.batch(STAGE).stage(STAGE)).submit();
  }

  /** The kernels, one a slab, that write the spectrum of f(m) A g: f = (first·m)(second·m + constant), times i if imaginary. */
  #modesInto(mesh: Mesh, first: Vector, imaginary: boolean, second: Vector, constant: number): BoundKernel[] {
    const words = [...f32(...first), ...u32(imaginary ? 1 : 0), ...f32(...second, constant)];
    return mesh.map((slab) => {
      const functional = this.#own.uniform("displacement functional", [...words, ...this.#modesOf(slab)]);
      return this.#modes.bind(functional, ...this.#tables, slab.buffer);
    });
  }

  /** Writes a mesh's spectrum and transforms it: a submission, short enough for adapters that are reset after long ones. */
  async #transformed(mesh: Mesh, spectrum: readonly BoundKernel[], then?: (batch: Batch) => void): Promise<void> {
    const batch = this.gpu.batch(STAGE).stage(STAGE);
    for (const [k, kernel] of spectrum.entries()) batch.dispatch(kernel, workgroups(this.#modeCount(mesh[k]), GROUP));
    this.#fft.bind(mesh).inverse(batch);
    then?.(batch);
    await batch.submit();
  }

  #modeCount({ planes }: Pick<PaddedSlab, "planes">): number {
    return planes * this.#n * (this.#n / 2 + 1);
  }

  /** The last words of the kernels' uniforms: first mode of a slab, and how many. */
  #modesOf(slab: PaddedSlab) {
    return u32(this.#modeCount({ planes: slab.first }), this.#modeCount(slab));
  }

  #kernel(entry: string, source: typeof modesWgsl, constants: Record<string, number | string | boolean>) {
    return this.gpu.kernel({ label: `displacements/${entry}`, sources: [source], entry, constants });
  }

  /** Meshes of n + 2 words a row, which are held. Throws "memory" where the device has no room for them. */
  async #meshes(order: string): Promise<Meshes> {
    const made = (axis: string) =>
      createPaddedSlabs(this.gpu, this.held, this.#n, { label: `displacements, ${order} order, ${axis}` });
    const meshes = [made("x"), made("y"), made("z")] as const;
    try {
      await this.held.settle();
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const needed = bytesText(3 * this.request.order * paddedBytes(this.#n, this.#n));
      fail(this.#n, `the device has no room for ${needed}; try fewer points, or the CPU`);
    }
    return meshes;
  }
}

function unitVector(axis: Axis): Vector {
  return [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
}

function fail(n: number, message: string): never {
  throw new GravmeshError("memory", `displacements of a lattice of ${n}³ points: ${message}`);
}
