/**
 * Particles in exact fixed point for the tests of ordering and deposit, and where they belong by plain arithmetic:
 * u·n < 2^53 is exact in float64.
 */

import type { ExactParticles } from "../../src/engine/gpu-particles/buffers.ts";
import { stencilReach } from "../../src/engine/mesh/deposit/stencil.ts";
import type { Assignment, GradientScheme, MeshSettings } from "../../src/engine/mesh/settings.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { MASS_UNITS } from "../../src/physics/particles/fixed-point.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";

/** A small reproducible generator (mulberry32): u32. */
export function randomWords(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

export function meshSettings(
  cells: number,
  assignment: Assignment,
  gradient: GradientScheme = "2-point",
): MeshSettings {
  return {
    cells,
    assignment,
    gradient,
    deposit: "auto",
    poisson: "fft",
    green: "exact",
    kernel: "truncated",
    softenedModels: false,
  };
}

/** A set of `count` particles at the origin, to make room for exact positions; masses by `massOf` id. */
export function placeholders(count: number, massOf: (id: number) => number = () => 1): ParticleSet {
  return {
    count,
    positions: new Float64Array(3 * count),
    velocities: new Float32Array(3 * count),
    masses: Float64Array.from({ length: count }, (_, id) => massOf(id)),
    components: [],
  };
}

/** Exact state from positions; velocities are random bits that must travel unchanged. */
export function exactState(
  positions: Uint32Array<ArrayBuffer>,
  boundary: Boundary,
  imageOf: (id: number) => number = () => 0,
): ExactParticles {
  const word = randomWords(99);
  const count = positions.length / 3;
  return {
    positions,
    velocities: Float32Array.from({ length: 3 * count }, () => word() / 2 ** 31 - 1),
    ...(boundary === "isolated" && { images: Uint32Array.from({ length: count }, (_, id) => imageOf(id)) }),
  };
}

export function randomPositions(count: number, seed: number): Uint32Array<ArrayBuffer> {
  const word = randomWords(seed);
  return Uint32Array.from({ length: 3 * count }, word);
}

/** Positions on cell faces and centres, a unit beside them, and at the edges of the box, mixed over the axes. */
export function edgePositions(count: number, cells: number, seed: number): Uint32Array<ArrayBuffer> {
  const word = randomWords(seed);
  const edges = [0, 1, 2 ** 32 - 1, 2 ** 31, 2 ** 31 - 1];
  for (const cell of [1, 2, cells >> 1, cells - 2, cells - 1]) {
    const face = Math.ceil((cell * 2 ** 32) / cells);
    const centre = Math.ceil(((cell + 0.5) * 2 ** 32) / cells);
    edges.push(face - 1, face, face + 1, centre - 1, centre, centre + 1);
  }
  return Uint32Array.from({ length: 3 * count }, () => edges[word() % edges.length]);
}

/** Base cell on an axis, wrapped, and the offset from it in units of 2^-32 cell. */
export function baseOnAxis(u: number, cells: number, assignment: Assignment): { cell: number; offset: number } {
  const half = assignment === "cic" ? 2 ** 31 : 0;
  const product = u * cells - half;
  const cell = Math.floor(product / 2 ** 32);
  return { cell: (cell + cells) % cells, offset: product - cell * 2 ** 32 };
}

/** Place of a cell in the order of particles: pencils of 2 × 2 rows along x, by z and y, with the four cells of each x. */
export function cellPlace(x: number, y: number, z: number, n: number): number {
  const pencil = Math.floor(z / 2) * (n / 2) + Math.floor(y / 2);
  return 4 * (pencil * n + x) + 2 * (z % 2) + (y % 2);
}

/** The sorting key of a particle: the place of its base cell, or n³ outside an isolated mesh. */
export function keyOf(u: ArrayLike<number>, image: number, settings: MeshSettings, boundary: Boundary): number {
  const n = settings.cells;
  const reach = stencilReach(settings);
  const base = [0, 1, 2].map((axis) => baseOnAxis(u[axis], n, settings.assignment).cell);
  const inside = image === 0 && base.every((cell) => cell >= reach && cell <= n - 1 - reach);
  if (boundary === "isolated" && !inside) return n ** 3;
  return cellPlace(base[0], base[1], base[2], n);
}

/** Mass units of a mass beside the heaviest. */
export function massUnits(mass: number, heaviest: number): number {
  return Math.round((mass / heaviest) * MASS_UNITS);
}
