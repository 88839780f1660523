/**
 * Power spectrum of the particles in a periodic box, on the GPU:
 *   P(k) = V ⟨|δ_k|²⟩,  δ_k = n⁻³ Σ_cells δ e^{−ik·x},  δ = ρ/ρ̄ − 1,
 * averaged over the modes of each bin of |k|, deconvolved by the assignment window and, interlaced, free of aliases of odd
 * order (Hockney & Eastwood 1988, sect. 7-8; Sefusatti et al. 2016, MNRAS 460, 3624). Deposit and sums are integers: the
 * result doesn't depend on the order of the particles in memory.
 */

import binsWgsl from "../../../wgsl/engine/diagnostics/power-bins.wgsl";
import contrastWgsl from "../../../wgsl/engine/diagnostics/power-contrast.wgsl";
import depositWgsl from "../../../wgsl/engine/diagnostics/power-deposit.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslConstants, WgslSource } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { eachSolves } from "../../foundation/ranks/solving.ts";
import { assignments } from "../../physics/particles/assignments.ts";
import { cellConstants, wholeBoxGrid } from "../../physics/particles/grid.ts";
import { massConstants, type ParticleBuffers } from "../gpu-particles/buffers.ts";
import type { BothHalves } from "../gpu-particles/windows.ts";
import { SharedMass } from "../mesh/deposit/shared-mass.ts";
import { type BoundFft3, Fft3 } from "../mesh/fft/fft.ts";
import { createPaddedSlabs, type PaddedSlab } from "../mesh/fft/fft-slabs.ts";
import type { Assignment } from "../mesh/settings.ts";
import { greatestSum } from "./layout.ts";
import {
  type BinSpacing,
  inverseWindow,
  type ModeBins,
  modeBins,
  OFF_LATTICE,
  SPECTRUM_ASSIGNMENT,
} from "./power-spectrum-bins.ts";

const GROUP = 64;
/** Words of a bin on the GPU: bits of the greatest term, sum (low, high). */
const BIN_WORDS = 3;

export interface PowerSpectrumOptions {
  /** n, cells per side of the mesh: 2^k or 3·2^k from 16 up; spectra reach the Nyquist wavenumber πn/L. */
  cells: number;
  /** SPECTRUM_ASSIGNMENT unless given. */
  assignment?: Assignment;
  /** Two meshes half a cell apart, true unless given: twice the cost, aliases of odd order cancelled. */
  interlaced?: boolean;
  /** Shells one fundamental wide unless given. */
  bins?: BinSpacing;
}

/** A measured spectrum: plain arrays, one entry a bin, ascending in k. */
export interface Spectrum {
  /** Mean wavenumber of the bin's modes [1/length]. */
  k: Float64Array;
  /** Edges of the bin, low ≤ k < high [1/length]. */
  low: Float64Array;
  high: Float64Array;
  /** P(k) [length³]; less `shotNoise` where that was asked for. */
  power: Float64Array;
  /** Modes, k and −k both: of a Gaussian field P has the standard error P √(2/modes). */
  modes: Float64Array;
  /** What discreteness of Poisson-distributed particles adds, aliases included: V Σm²/(Σm)² and a little [length³]. */
  shotNoise: Float64Array;
  shotNoiseSubtracted: boolean;
  /** πn/L [1/length] */
  nyquist: number;
}

/** What a spectrum is taken of: the particles as the GPU holds them. */
export type SpectrumParticles = Pick<
  ParticleBuffers,
  | ("boxSize" | "boundary" | "massWindows" | "windows" | "ofWindow" | "phase" | "totalMassUnits" | "current")
  | ("inverseNumber" | "ranks")
>;

/** Contrast of the particles, shifted or not, in one of the meshes, and its transform. */
interface MeshPass {
  slabs: readonly PaddedSlab[];
  /** Deposits of each chunk of particles, into each slab. */
  deposit: readonly { count: number; kernels: readonly BothHalves[] }[];
  /** Adds up the deposits of several ranks. */
  shared: SharedMass | undefined;
  contrast: readonly BoundKernel[];
  transform: BoundFft3;
}

interface Parts {
  cells: number;
  modes: ModeBins;
  /** V Σm²/(Σm)² [length³] */
  noise: number;
  fft: Fft3;
  /** [planes·n²] u32 a slab: high words of the mass while a mesh is being filled. */
  high: readonly GPUBuffer[];
  bins: GPUBuffer;
  passes: readonly MeshPass[];
  /** One entry after the other over all slabs, once the meshes are transformed. */
  binning: readonly { kernel: BoundKernel; planes: number }[];
  own: BufferPool;
}

export class PowerSpectrum {
  private constructor(
    private readonly gpu: GpuContext,
    private readonly particles: SpectrumParticles,
    private readonly parts: Parts,
  ) {}

  /**
   * Compiles, and holds 12 bytes a cell (8 without interlacing) until `destroy`. Throws "usage" for an isolated box,
   * cells that can't be transformed or bins without sense; "memory".
   */
  static async create(
    gpu: GpuContext,
    particles: SpectrumParticles,
    options: PowerSpectrumOptions,
  ): Promise<PowerSpectrum> {
    const { cells, assignment = SPECTRUM_ASSIGNMENT, interlaced = true, bins = { kind: "linear" } } = options;
    if (particles.boundary !== "periodic") {
      throw new GravmeshError("usage", "power spectrum: expected a periodic box, found an isolated one");
    }
    const fft = await Fft3.create(gpu, cells);
    const modes = modeBins({ cells, assignment, interlaced, bins });
    const own = gpu.buffers.pool();
    const mesh = (label: string) => createPaddedSlabs(gpu, own, cells, { label });
    const first = mesh("power spectrum, mesh");
    const second = interlaced ? mesh("power spectrum, shifted mesh") : undefined;
    const high = first.map(({ planes }) =>
      own.storage("power spectrum, mass, high word", 4 * planes * cells ** 2, "mesh"),
    );
    try {
      await own.settle();
      await fft.reserve(first);
    } catch (error) {
      own.destroyAll();
      fft.destroy();
      throw error;
    }
    const binSums = own.storage("power spectrum, bins", 4 * BIN_WORDS * modes.k.length, "other");
    const tables = spectrumTables(own, cells, assignment, modes);
    const meanUnits = particles.totalMassUnits / BigInt(cells) ** 3n;
    const mean = own.uniform("power spectrum, mean mass", [
      ...u32(Number(meanUnits & 0xffffffffn), Number(meanUnits >> 32n)),
      ...f32(cells ** 3 / Number(particles.totalMassUnits)),
    ]);
    const shifts = [OFF_LATTICE, OFF_LATTICE + 0.5].map((share) => Math.round((share * 2 ** 32) / cells));
    const depositConstants = cellConstants(
      { ...wholeBoxGrid(cells, "periodic"), support: assignments[assignment].order, reach: 0 },
      "periodic",
    );
    const made = (name: string, source: WgslSource, entry: string, constants: WgslConstants = {}) =>
      gpu.kernel({
        ...{ label: `power spectrum/${name}`, sources: [source], entry },
        constants: { CELLS: cells, ...constants },
      });
    const [deposit, contrast, ...kernels] = await Promise.all([
      made(`deposit ${assignment}`, depositWgsl, "deposit", { ...depositConstants, ...massConstants(particles) }),
      made("contrast", contrastWgsl, "contrast"),
      ...["largest", "sums"].map((entry) => made(entry, binsWgsl, entry, { INTERLACED: interlaced })),
    ]);
    const { ranks } = particles;
    const massOfRanks = async (slabs: readonly PaddedSlab[]) => {
      if (ranks.size === 1) return undefined;
      const planes = slabs.map(({ buffer, planes }, s) => ({
        ...{ field: buffer, high: high[s], planes, ghostRows: 0 },
      }));
      return SharedMass.create(gpu, eachSolves(ranks), { cells, pitch: cells + 2, slabs: planes, pool: own });
    };
    const passOn = async (slabs: readonly PaddedSlab[], shift: number): Promise<MeshPass> => {
      const onto = slabs.map(({ first, planes }) => own.uniform("power spectrum, target", u32(shift, first, planes)));
      return {
        slabs,
        deposit: particles.windows.map((window) => ({
          count: window.count,
          kernels: slabs.map(({ buffer }, s) =>
            particles.ofWindow(window, ({ positions, ids, massUnits }) =>
              deposit.bind(onto[s], positions, ids, massUnits, buffer, high[s]),
            ),
          ),
        })),
        shared: await massOfRanks(slabs),
        contrast: slabs.map(({ buffer }, s) => contrast.bind(mean, buffer, high[s])),
        transform: fft.bind(slabs),
      };
    };
    const passes = [await passOn(first, shifts[0]), ...(second ? [await passOn(second, shifts[1])] : [])];
    const binning = kernels.flatMap((kernel) =>
      first.map(({ first: plane, planes, buffer }, s) => {
        const slab = own.uniform("power spectrum, planes", u32(plane, planes));
        return { planes, kernel: kernel.bind(buffer, (second ?? first)[s].buffer, ...tables, binSums, slab) };
      }),
    );
    const noise = particles.boxSize ** 3 * particles.inverseNumber();
    const parts = { cells, modes, noise, fft, high, bins: binSums, passes, binning, own };
    return new PowerSpectrum(gpu, particles, parts);
  }

  /** The spectrum of the particles as they lie now, in any order; of several ranks, which all measure, that of all. */
  async measure({ subtractShotNoise = false }: { subtractShotNoise?: boolean } = {}): Promise<Spectrum> {
    const { boxSize, phase, massWindows, windows } = this.particles;
    const { cells: n, modes: binned, noise: one, passes, binning, bins } = this.parts;
    if (massWindows && windows.length > 1) {
      phase.expect("power spectrum of windows of unequal masses", "sorted", "deposited", "accelerated");
    }
    let batch = this.gpu.batch("power spectrum").stage("power spectrum");
    for (const pass of passes) batch = await this.#encodeMesh(batch, pass);
    batch.clear(bins);
    for (const { kernel, planes } of binning) batch.dispatch(kernel, workgroups((n * planes) / 2, GROUP));
    await batch.submit();
    const words = new Uint32Array(await this.gpu.read(bins));
    const { modes, k, low, high: above, noise } = binned;
    const volume = boxSize ** 3;
    const shotNoise = noise.map((factor) => factor * one);
    // |Σ δ e^{−ik·x}|² to |δ_k|².
    const unit = volume / n ** 6;
    const power = modes.map((count, bin) => {
      const measured = (unit * greatestSum(words, BIN_WORDS * bin)) / count;
      return subtractShotNoise ? measured - shotNoise[bin] : measured;
    });
    const fundamental = (2 * Math.PI) / boxSize;
    const scaled = (values: Float64Array) => values.map((value) => fundamental * value);
    return {
      k: scaled(k),
      low: scaled(low),
      high: scaled(above),
      power,
      modes: modes.slice(),
      shotNoise,
      shotNoiseSubtracted: subtractShotNoise,
      nyquist: (fundamental * n) / 2,
    };
  }

  /** Fills a mesh and transforms it; of several chunks of particles each goes into a submission of its own. */
  async #encodeMesh(given: Batch, { slabs, deposit, shared, contrast, transform }: MeshPass): Promise<Batch> {
    const { current } = this.particles;
    const { high } = this.parts;
    let batch = given;
    for (const { buffer } of slabs) batch.clear(buffer);
    for (const slab of high) batch.clear(slab);
    for (const [w, { count, kernels }] of deposit.entries()) {
      for (const kernel of kernels) batch.dispatch(kernel[current], workgroups(count, GROUP));
      if (w === deposit.length - 1) continue;
      await batch.submit();
      batch = this.gpu.batch("power spectrum").stage("power spectrum");
    }
    if (shared) {
      await shared.encode(batch).submit();
      batch = (await shared.sum()).stage("power spectrum");
    }
    for (const [s, kernel] of contrast.entries()) batch.dispatch(kernel, workgroups(high[s].size / 4, GROUP));
    return transform.forward(batch);
  }

  destroy(): void {
    this.parts.fft.destroy();
    this.parts.own.destroyAll();
  }
}

/** Phases, windows and bins by |k|², as power-bins.wgsl binds them. */
function spectrumTables(own: BufferPool, n: number, assignment: Assignment, modes: ModeBins): GPUBuffer[] {
  const phases = new Float32Array(4 * n);
  for (let m = 0; m < 2 * n; m++) {
    phases[2 * m] = Math.cos((Math.PI * m) / n);
    phases[2 * m + 1] = Math.sin((Math.PI * m) / n);
  }
  const windows = Float32Array.from({ length: n / 2 }, (_, k) => inverseWindow(k, n, assignment));
  return [
    own.upload("power spectrum, phases", phases, "other"),
    own.upload("power spectrum, windows", windows, "other"),
    own.upload("power spectrum, bins by |k|²", modes.binOf, "other"),
  ];
}
