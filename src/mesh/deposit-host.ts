/**
 * Deposit by the host, the "mixed" histogram of AAD09 §2: the GPU finds the base cell of each particle, the host
 * accumulates, and the mesh goes back to the GPU. Kept for comparison with their table; the same integers as the
 * other shapes, with the same splits (lib/mass.wgsl).
 */

import locateKernel from "../../wgsl/mesh/deposit-locate.wgsl";
import { workgroups } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel } from "../gpu/kernel.ts";
import type { ParticleBuffers } from "../particles/buffers.ts";
import { depositConstants } from "./deposit-shape.ts";
import type { MeshBuffers } from "./field.ts";
import type { MeshSettings } from "./settings.ts";

const GROUP = 64;
/** Particles read back at a time. */
const CHUNK = 2 ** 20;
/** One in the fixed point of weights. */
const ONE = 2 ** 24;
/** Values of a 32-bit word. */
const WORD = 2 ** 32;

/** Masses of the cells that a stencil reaches on one axis, from the base cell's `low`-th predecessor on. */
type Split = (mass: number, offset: number, parts: Float64Array) => void;

/** round(mass · weight / 2^24), exact: the product is below 2^53. */
function share(mass: number, weight: number): number {
  return Math.floor((mass * weight + ONE / 2) / ONE);
}

const SPLITS: Record<MeshSettings["assignment"], { low: number; size: number; split: Split }> = {
  ngp: {
    low: 0,
    size: 1,
    split: (mass, _offset, parts) => {
      parts[0] = mass;
    },
  },
  cic: {
    low: 0,
    size: 2,
    split: (mass, offset, parts) => {
      parts[1] = share(mass, offset);
      parts[0] = mass - parts[1];
    },
  },
  tsc: {
    low: 1,
    size: 3,
    split: (mass, offset, parts) => {
      const outer = Math.floor((offset * offset + ONE) / (2 * ONE)); // o²/2, rounded
      parts[0] = share(mass, ONE / 2 - offset + outer);
      parts[2] = share(mass, outer);
      parts[1] = mass - parts[0] - parts[2];
    },
  },
};

export class HostDeposit {
  readonly name = "host";
  readonly #gpu: GpuContext;
  readonly #particles: ParticleBuffers;
  readonly #mesh: MeshBuffers;
  readonly #settings: MeshSettings;
  readonly #locate: readonly BoundKernel[];
  #massUnits: Uint32Array | undefined;

  private constructor(
    gpu: GpuContext,
    particles: ParticleBuffers,
    mesh: MeshBuffers,
    settings: MeshSettings,
    locate: readonly BoundKernel[],
  ) {
    this.#gpu = gpu;
    this.#particles = particles;
    this.#mesh = mesh;
    this.#settings = settings;
    this.#locate = locate;
  }

  static async create(
    gpu: GpuContext,
    particles: ParticleBuffers,
    mesh: MeshBuffers,
    settings: MeshSettings,
  ): Promise<HostDeposit> {
    const { positions, ids, images } = particles;
    const kernel = await gpu.kernel({
      label: "deposit/locate",
      sources: [locateKernel],
      entry: "locate",
      bindings: ["read", "read-write", "read-write", "read"],
      constants: depositConstants(settings, particles),
    });
    // Cells and offsets go where the next ordering will put the particles: nothing is there until then.
    const from = (half: 0 | 1, other: 0 | 1) =>
      kernel.bind(positions[half], ids[other], positions[other], images?.[half] ?? ids[half]);
    return new HostDeposit(gpu, particles, mesh, settings, [from(0, 1), from(1, 0)]);
  }

  /** Deposits the current half of the particles; resolves when the mass is on its way to the GPU. */
  async run(): Promise<void> {
    const gpu = this.#gpu;
    const { count, current } = this.#particles;
    const { cells, pitch, field, high } = this.#mesh;
    await gpu.batch("host deposit").stage("deposit").dispatch(this.#locate[current], workgroups(count, GROUP)).submit();
    const sums = await this.#accumulate();
    const low = new Uint32Array(pitch * cells ** 2);
    const carried = new Uint32Array(cells ** 3);
    sums.forEach((sum, cell) => {
      low[Math.floor(cell / cells) * pitch + (cell % cells)] = sum % WORD;
      carried[cell] = Math.floor(sum / WORD);
    });
    gpu.device.queue.writeBuffer(field, 0, low);
    gpu.device.queue.writeBuffer(high, 0, carried);
  }

  destroy(): void {}

  /** [n³] mass units of each cell, exact integers below 2^53. */
  async #accumulate(): Promise<Float64Array> {
    const gpu = this.#gpu;
    const { count, current, positions, ids, uniformMassUnits } = this.#particles;
    const other = current === 0 ? 1 : 0;
    const masses = await this.#masses();
    const { cells } = this.#mesh;
    const sums = new Float64Array(cells ** 3);
    for (let first = 0; first < count; first += CHUNK) {
      const length = Math.min(CHUNK, count - first);
      const keys = new Uint32Array(await gpu.read(ids[other], 4 * first, 4 * length));
      const offsets = new Uint32Array(await gpu.read(positions[other], 12 * first, 12 * length));
      const names = masses && new Uint32Array(await gpu.read(ids[current], 4 * first, 4 * length));
      this.#addChunk(sums, keys, offsets, (i) => (masses && names ? masses[names[i]] : uniformMassUnits));
    }
    return sums;
  }

  #addChunk(sums: Float64Array, keys: Uint32Array, offsets: Uint32Array, massOf: (i: number) => number): void {
    const { cells } = this.#mesh;
    const { low, size, split } = SPLITS[this.#settings.assignment];
    const outside = cells ** 3;
    const [alongX, alongY, alongZ] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (key === outside) continue;
      const x = (key % cells) + cells - low;
      const y = (Math.floor(key / cells) % cells) + cells - low;
      const z = Math.floor(key / cells ** 2) + cells - low;
      split(massOf(i), offsets[3 * i + 2], alongZ);
      for (let dz = 0; dz < size; dz++) {
        split(alongZ[dz], offsets[3 * i + 1], alongY);
        for (let dy = 0; dy < size; dy++) {
          split(alongY[dy], offsets[3 * i], alongX);
          const row = (((z + dz) % cells) * cells + ((y + dy) % cells)) * cells;
          for (let dx = 0; dx < size; dx++) sums[row + ((x + dx) % cells)] += alongX[dx];
        }
      }
    }
  }

  /** Masses by id, read once: they never change. */
  async #masses(): Promise<Uint32Array | undefined> {
    const { massUnits } = this.#particles;
    if (massUnits) this.#massUnits ??= new Uint32Array(await this.#gpu.read(massUnits));
    return this.#massUnits;
  }
}
