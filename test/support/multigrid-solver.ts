/** A multigrid solver on meshes of deposited mass, in slabs where its context says so, for the tests. */

import { createMeshBuffers, FIELD_GHOSTS, type MeshBuffers } from "../../src/engine/mesh/field.ts";
import { Multigrid } from "../../src/engine/mesh/multigrid/multigrid.ts";
import { type MultigridSettings, multigridPresets } from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { poison } from "./poison.ts";

export const BOX = 2;
export const G = 1.5;
const MASS_UNIT = 1e-9;

/** Share of n² that float32Reach takes, by boundary: about 1.5 times what the hardest sources were measured to leave. */
const FLOAT32_REACH = { periodic: 1.5e-8, isolated: 6e-8 } as const;

/**
 * Residual that float32 reaches for every source, over the source's rms. The potential is rounded to 2⁻²⁴ of itself, and the
 * Laplacian of that noise is largest beside a source without small scales: one long wave, an evenly filled isolated box.
 */
export function float32Reach(cells: number, boundary: Boundary): number {
  return FLOAT32_REACH[boundary] * cells ** 2;
}

/** Mean mass of a cell, whatever the seed [units]. */
export const MEAN = 3e9;

/** Deposited mass: words as the mesh buffers hold them, and the density in float64. */
export interface Mass {
  low: Uint32Array<ArrayBuffer>;
  high: Uint32Array<ArrayBuffer>;
  density: Float64Array;
}

/** [n³] integers → words and density. */
export function massOf(n: number, units: Float64Array): Mass {
  const low = new Uint32Array(n * n * (n + 2)).fill(0xdeadbeef);
  const high = new Uint32Array(n ** 3);
  units.forEach((unit, i) => {
    low[Math.floor(i / n) * (n + 2) + (i % n)] = unit % 2 ** 32;
    high[i] = Math.floor(unit / 2 ** 32);
  });
  return { low, high, density: units.map((unit) => (unit * MASS_UNIT) / (BOX / n) ** 3) };
}

/** Random masses up to 20·2³⁰ units, so that the high word counts, and MEAN·n³ in all. */
export function randomMass(n: number, seed: number): Mass {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const units = new Float64Array(n ** 3).map(() => Math.floor(random() * 2 ** 30) * (random() < 0.2 ? 20 : 1));
  const missing = MEAN * n ** 3 - units.reduce((sum, v) => sum + v, 0);
  const each = Math.floor(missing / n ** 3);
  units.forEach((_, i) => {
    units[i] += each;
  });
  units[0] += missing - each * n ** 3;
  return massOf(n, units);
}

export type Use = (
  solve: (mass: Mass) => Promise<Float32Array>,
  multigrid: Multigrid,
  mesh: MeshBuffers,
) => Promise<void>;

interface Given {
  cells: number;
  boundary: Boundary;
  /** From the default preset. */
  changes: Partial<MultigridSettings>;
  /** Cells along x per invocation; measured when left out. */
  run?: number;
}

/** `solve` yields [n³] f32 of the field; all that the solver is to write, ghosts included, is poisoned before. */
export async function withMultigrid(gpu: GpuContext, { cells: n, boundary, changes, run }: Given, use: Use) {
  const mesh = createMeshBuffers(gpu, wholeBoxGrid(n, boundary));
  for (const { force } of mesh.slabs) poison(gpu, force);
  const multigrid = await Multigrid.create(gpu, mesh, {
    ...{ boundary, boxSize: BOX, G, massUnit: MASS_UNIT, totalUnits: MEAN * n ** 3 },
    multigrid: { ...multigridPresets.default, ...changes },
    ...(run !== undefined && { run }),
  });
  const plane = n * mesh.pitch;
  const solve = async ({ low, high }: Mass) => {
    const { queue } = gpu.device;
    for (const { first, planes, field, high: words, force, cut } of mesh.slabs) {
      poison(gpu, field);
      poison(gpu, force);
      queue.writeBuffer(field, cut ? 4 * plane * FIELD_GHOSTS : 0, low, first * plane, planes * plane);
      queue.writeBuffer(words, 0, high, first * n * n, planes * n * n);
    }
    if (multigrid.needsHost) await multigrid.run();
    else await multigrid.encode(gpu.batch("solve")).submit();
    const rows = new Float32Array(n * plane);
    for (const { first, planes, field, cut } of mesh.slabs) {
      const words = await gpu.read(field, cut ? 4 * plane * FIELD_GHOSTS : 0, 4 * planes * plane);
      rows.set(new Float32Array(words), first * plane);
    }
    return Float32Array.from({ length: n ** 3 }, (_, i) => rows[Math.floor(i / n) * mesh.pitch + (i % n)]);
  };
  try {
    await use(solve, multigrid, mesh);
  } finally {
    multigrid.destroy();
    for (const { field, high, force } of mesh.slabs) gpu.buffers.release(field, high, force);
    for (const { starts } of mesh.starts.slabs) gpu.buffers.release(starts);
    gpu.buffers.release(mesh.starts.planeStarts);
  }
}
