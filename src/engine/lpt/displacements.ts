/**
 * Displacement fields of a lattice in first and second order on the GPU, with the random modes of modes.ts:
 *   ψ₁ = −∇φ₁,  ∇²φ₁ = δ;   ψ₂ = ∇φ₂,  ∇²φ₂ = Σ_{i>j} (φ₁,ᵢᵢ φ₁,ⱼⱼ − φ₁,ᵢⱼ²)
 * (Bouchet et al. 1995; Scoccimarro 1998, appendix D). Three inverse transforms for ψ₁; for ψ₂ six of the second
 * derivatives of φ₁, a forward one of their products, taken at the points without dealiasing, and three back. Local
 * non-Gaussianity takes one there and back before, and one more mesh. Each
 * component stays on the GPU as a padded mesh, 4 to 4.5 bytes a point, in slabs where it is larger than a binding, and is
 * read plane by plane.
 */

import gradientWgsl from "../../../wgsl/engine/lpt/gradient.wgsl";
import localWgsl from "../../../wgsl/engine/lpt/local.wgsl";
import modesWgsl from "../../../wgsl/engine/lpt/modes.wgsl";
import sourceWgsl from "../../../wgsl/engine/lpt/source.wgsl";
import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, OutOfMemory, type UniformWord, u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { rangeLimits } from "../../foundation/gpu/windows.ts";
import type { DisplacementMaker, DisplacementRequest, LocalNonGaussianity } from "../../physics/initial/model.ts";
import { Fft3 } from "../mesh/fft/fft.ts";
import { createPaddedSlabs, type PaddedSlab, paddedBytes, paddedSlabRanges } from "../mesh/fft/fft-slabs.ts";
import { MODE_STREAM, modeAmplitudes, modeResponses, requireDisplacements, seedKey } from "./modes.ts";

const GROUP = 64;
const TWO_32 = 2 ** 32;
const STAGE = "displacements";
const AXES = [0, 1, 2] as const;

type Axis = (typeof AXES)[number];
type Vector = readonly [number, number, number];
type Mesh = readonly PaddedSlab[];
type Meshes = readonly [Mesh, Mesh, Mesh];
/** Kernels, one a slab. */
type ModesInto = (mesh: Mesh, first: Vector, imaginary: boolean, second: Vector, constant: number) => BoundKernel[];

/** Makes displacements that stay on this GPU. The maker throws "usage" for a wrong request, "memory" without room. */
export function gpuDisplacements(gpu: GpuContext): DisplacementMaker {
  return async (request) => {
    requireDisplacements(request);
    const n = request.perSide;
    paddedSlabRanges(rangeLimits(gpu), n); // throws before tables are made
    const [held, own] = [gpu.buffers.pool(), gpu.buffers.pool()];
    try {
      const [first, second] = await madeFields(gpu, request, held, own);
      const read = (meshes: Meshes, z: number, planes: number) => readPlanes(gpu, meshes, n, { z, planes });
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
      own.destroyAll();
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

/** ψ₁, and for second order ψ₂. They lie in `held`; `own` holds all else. */
async function madeFields(gpu: GpuContext, request: DisplacementRequest, held: BufferPool, own: BufferPool) {
  const { perSide: n, boxSize, order, seed, fixedAmplitudes, local } = request;
  /** L/2π [length] */
  const unit = boxSize / (2 * Math.PI);
  const amplitudes = modeAmplitudes(request);
  /** Of φ₁ [length], up to the gradient's unit, from that of δ. */
  const ofPotential = (amplitude: number, square: number) => (square === 0 ? 0 : (amplitude * unit) / square);
  const turns = Uint32Array.from({ length: 2 * n }, (_, j) => Math.round((j * TWO_32) / (2 * n)));
  const seedWords = own.uniform("displacement seed", u32(...seedKey(seed)));
  const phases = own.upload("displacement phases", turns, "other");
  const byMode = (name: string, values: Float64Array) => own.upload(name, Float32Array.from(values), "other");
  const potentials = byMode("displacement amplitudes", amplitudes.map(ofPotential));
  const compiled = (entry: string, source: WgslSource, constants: Record<string, number | string | boolean> = {}) =>
    gpu.kernel({ label: `displacements/${entry}`, sources: [source], entry, constants });
  const constants = { CELLS: n, STREAM: `${MODE_STREAM}u`, FIXED: fixedAmplitudes };
  const fft = await Fft3.create(gpu, n);

  const modeCount = (planes: number) => planes * n * (n / 2 + 1);
  /** The last words of the kernels' uniforms: first mode of a slab, and how many. */
  const modesOf = ({ first, planes }: PaddedSlab) => u32(modeCount(first), modeCount(planes));
  /** Kernels, one a slab, that write a spectrum from a table of A: f(m) (A g + what is added to it), or A g alone. */
  const spectrumOf = async (entry: "modes" | "gaussian", table: GPUBuffer, added?: Mesh) => {
    const kernel = await compiled(entry, modesWgsl, { ...constants, ADDED: added !== undefined });
    return (mesh: Mesh, functional: readonly UniformWord[]) =>
      mesh.map((slab, k) => {
        const words = own.uniform("displacement functional", [...functional, ...modesOf(slab)]);
        return kernel.bind(words, seedWords, table, phases, slab.buffer, ...(added ? [added[k].buffer] : []));
      });
  };
  /** Writes a mesh's spectrum and transforms it: a submission, short enough for adapters that are reset after long ones. */
  const transformed = async (mesh: Mesh, spectrum: readonly BoundKernel[], then?: readonly BoundKernel[]) => {
    const batch = gpu.batch(STAGE).stage(STAGE);
    for (const [k, { planes }] of mesh.entries()) batch.dispatch(spectrum[k], workgroups(modeCount(planes), GROUP));
    fft.bind(mesh).inverse(batch);
    for (const [k, kernel] of (then ?? []).entries()) {
      batch.dispatch(kernel, workgroups(n * (n + 2) * mesh[k].planes, GROUP));
    }
    await batch.submit();
  };
  /** Meshes of n + 2 words a row. Throws "memory" where the device has no room for them. */
  const meshesOf = async (name: string): Promise<Meshes> => {
    const made = (axis: string) => createPaddedSlabs(gpu, held, n, { label: `displacements, ${name} order, ${axis}` });
    const meshes = [made("x"), made("y"), made("z")] as const;
    try {
      await held.settle();
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const needed = bytesText(3 * order * paddedBytes(n, n));
      const message = `the device has no room for ${needed}; try fewer points, or the CPU`;
      throw new GravmeshError("memory", `displacements of a lattice of ${n}³ points: ${message}`);
    }
    return meshes;
  };
  /** What local non-Gaussianity adds to the spectrum of φ₁. */
  const makeLocal = async ({ fNL, response }: LocalNonGaussianity) => {
    const M = modeResponses(request, response);
    const mesh = createPaddedSlabs(gpu, own, n, { label: "displacements, local" });
    await own.settle();
    const gaussian = await spectrumOf(
      "gaussian",
      byMode(
        "primordial amplitudes",
        amplitudes.map((a, i) => a / M[i]),
      ),
    );
    const factors = byMode(
      "primordial responses",
      M.map((m, i) => ofPotential((fNL * m) / n ** 3, i)),
    );
    const bound = async (entry: "square" | "scale") => {
      const kernel = await compiled(entry, localWgsl, { CELLS: n });
      return mesh.map((slab) => kernel.bind(own.uniform("displacement slab", modesOf(slab)), factors, slab.buffer));
    };
    await transformed(mesh, gaussian(mesh, f32(...new Array(8).fill(0))), await bound("square"));
    const batch = fft.bind(mesh).forward(gpu.batch(STAGE).stage(STAGE));
    const scaled = await bound("scale");
    for (const [k, { planes }] of mesh.entries()) batch.dispatch(scaled[k], workgroups(modeCount(planes), GROUP));
    await batch.submit();
    return mesh;
  };
  /** Spectrum of Σ_{i>j} (φ,ii φ,jj − φ,ij²) → `source`; the other meshes are used up. */
  const makeSource = async ([work, derivative, source]: Meshes, modesInto: ModesInto) => {
    const bound = async (entry: "pairs" | "mixed") => {
      const kernel = await compiled(entry, sourceWgsl);
      return work.map(({ buffer }, k) => kernel.bind(buffer, derivative[k].buffer, source[k].buffer));
    };
    const [pairs, mixed] = await Promise.all([bound("pairs"), bound("mixed")]);
    const add = (i: Axis, j: Axis, mesh: Mesh, then?: readonly BoundKernel[]) => {
      const slope = unitVector(i).map((component) => component / unit) as unknown as Vector;
      return transformed(mesh, modesInto(mesh, slope, false, unitVector(j), 0), then);
    };
    await add(0, 0, work);
    await add(1, 1, derivative, pairs);
    await add(2, 2, derivative, pairs);
    await add(0, 1, derivative, mixed);
    await add(0, 2, derivative, mixed);
    await add(1, 2, derivative, mixed);
    await fft.bind(source).forward(gpu.batch(STAGE).stage(STAGE)).submit();
  };

  try {
    const modes = await spectrumOf("modes", potentials, local && (await makeLocal(local)));
    /** f = (first·m)(second·m + constant), times i if imaginary. */
    const modesInto: ModesInto = (mesh, first, imaginary, second, constant) =>
      modes(mesh, [...f32(...first), ...u32(imaginary ? 1 : 0), ...f32(...second, constant)]);
    const first = await meshesOf("first");
    for (const axis of AXES) {
      await transformed(first[axis], modesInto(first[axis], unitVector(axis), true, [0, 0, 0], 1));
    }
    if (order === 1) return [first] as const;
    const second = await meshesOf("second");
    await makeSource(second, modesInto);
    const [work, derivative, source] = second;
    const copies = gpu.batch(STAGE);
    for (const mesh of [work, derivative])
      for (const [k, { buffer }] of mesh.entries()) copies.copy(source[k].buffer, 0, buffer, 0, buffer.size);
    await copies.submit();
    const gradient = await compiled("gradient", gradientWgsl, { CELLS: n });
    for (const axis of AXES) {
      const words = f32(...unitVector(axis), unit / n ** 3);
      const kernels = second[axis].map((slab) =>
        gradient.bind(own.uniform("displacement component", [...words, ...modesOf(slab)]), slab.buffer),
      );
      await transformed(second[axis], kernels);
    }
    return [first, second] as const;
  } finally {
    fft.destroy();
  }
}

function unitVector(axis: Axis): Vector {
  return [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
}
