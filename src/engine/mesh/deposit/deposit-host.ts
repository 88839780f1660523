/**
 * Deposit by the host, the "mixed" histogram of AAD09 §2, for comparison with their table: the GPU finds the base cell of
 * each particle, the host accumulates the same integers as the other variants (lib/mass.wgsl).
 */

import locateKernel from "../../../../wgsl/engine/mesh/deposit/deposit-locate.wgsl";
import { workgroups } from "../../../foundation/gpu/batch.ts";
import { assignments, cellsBeside } from "../../../physics/particles/assignments.ts";
import { FIELD_BYTES, FIELD_GHOSTS } from "../field.ts";
import type { MeshSettings } from "../settings.ts";
import { type DepositStage, depositConstants } from "../stage.ts";
import { depositSums } from "./deposit-sums.ts";

const GROUP = 64;
const CHUNK = 2 ** 20;
const WORD = 2 ** 32;

export interface HostDeposit {
  /** Deposits the current half of the particles; resolves when the mass is on its way to the GPU. */
  run(): Promise<void>;
}

export async function hostDeposit(stage: DepositStage): Promise<HostDeposit> {
  const { gpu, particles, mesh, settings } = stage;
  const kernel = await gpu.kernel({
    label: "deposit/locate",
    sources: [locateKernel],
    entry: "locate",
    constants: depositConstants(stage),
  });
  // Cells and offsets go where the next ordering will put the particles: nothing is there until then.
  const locate = particles.windows.map((window) => ({
    bound: particles.ofWindow(window, ({ positions, images }, there) =>
      kernel.bind(positions, there.ids, there.positions, images),
    ),
    groups: workgroups(window.count, GROUP),
  }));
  const masses = await massesById(stage);
  const words = async (buffer: GPUBuffer, first: number, count: number) =>
    new Uint32Array(await gpu.read(buffer, 4 * first, 4 * count));

  /** [n³] mass units of each cell, exact integers below 2^53. */
  const accumulate = async (): Promise<Float64Array> => {
    const { current, windows, uniformMassUnits } = particles;
    const other = current === 0 ? 1 : 0;
    const sums = new Float64Array(mesh.cells ** 3);
    for (const { count, ids, positions } of windows)
      for (let first = 0; first < count; first += CHUNK) {
        const length = Math.min(CHUNK, count - first);
        const names = masses && (await words(ids[current], first, length));
        addChunk(sums, settings, {
          keys: await words(ids[other], first, length),
          offsets: await words(positions[other], 3 * first, 3 * length),
          massOf: (i) => (masses && names ? masses[names[i]] : uniformMassUnits),
        });
      }
    return sums;
  };

  return {
    async run() {
      const { cells, pitch, slabs } = mesh;
      const batch = gpu.batch("host deposit").stage("deposit");
      for (const { bound, groups } of locate) batch.dispatch(bound[particles.current], groups);
      await batch.submit();
      const sums = await accumulate();
      const plane = cells ** 2;
      for (const { first, planes, field, high, cut } of slabs) {
        const low = new Uint32Array(pitch * cells * planes);
        const carried = new Uint32Array(plane * planes);
        for (let cell = 0; cell < carried.length; cell++) {
          const sum = sums[first * plane + cell];
          low[Math.floor(cell / cells) * pitch + (cell % cells)] = sum % WORD;
          carried[cell] = Math.floor(sum / WORD);
        }
        gpu.device.queue.writeBuffer(field, cut ? FIELD_BYTES * pitch * cells * FIELD_GHOSTS : 0, low);
        gpu.device.queue.writeBuffer(high, 0, carried);
      }
    },
  };
}

/** [N] mass units by id, which never change; undefined where all are equal. */
async function massesById({ gpu, particles }: DepositStage): Promise<Uint32Array | undefined> {
  const { massWindows, windows, count } = particles;
  if (!massWindows) return undefined;
  const masses = new Uint32Array(count);
  for (const [w, { first }] of windows.entries()) masses.set(new Uint32Array(await gpu.read(massWindows[w])), first);
  return masses;
}

interface Located {
  /** Base cell, n³ outside. */
  keys: Uint32Array;
  /** [xyzxyz…] within it, in 2⁻²⁴ of a cell. */
  offsets: Uint32Array;
  massOf(i: number): number;
}

function addChunk(sums: Float64Array, { cells, assignment }: MeshSettings, { keys, offsets, massOf }: Located): void {
  const { split } = depositSums[assignment];
  const size = assignments[assignment].order;
  const low = cellsBeside(assignment).below;
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
