/**
 * The particle stages on the GPU with a given force mesh, and the same in float64: what the tests of the update, of
 * escaped particles and of the diagnostics stand on. Box side 1 unless given, so that positions are exact.
 */
import { DiagnosticSums } from "../../src/engine/diagnostics/energy.ts";
import { type ExactParticles, ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { type OrderOptions, ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { createMeshBuffers, type MeshBuffers } from "../../src/engine/mesh/field.ts";
import type { MeshSettings } from "../../src/engine/mesh/settings.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { type HostGrid, hostGridOf } from "../../src/engine/reference/mesh/cells.ts";
import { monopole, writeMonopoleField } from "../../src/engine/reference/mesh/escaped.ts";
import { interpolateForce } from "../../src/engine/reference/mesh/interpolate.ts";
import { EscapedParticles } from "../../src/engine/time/escaped.ts";
import { Leapfrog } from "../../src/engine/time/leapfrog.ts";
import type { LeapfrogShape } from "../../src/engine/time/leapfrog-shapes.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { fromFixedPoint, imageOnAxis } from "../../src/physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import type { Phase } from "../../src/physics/particles/phase.ts";
import { addExternalField } from "../../src/physics/potentials/external.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { keyOf, placeholders, randomWords } from "./exact-particles.ts";
import { writeForce } from "./mesh-mass.ts";

export interface StageCase {
  mesh: MeshSettings;
  boundary: Boundary;
  exact: ExactParticles;
  boxSize?: number;
  G?: number;
  /** By id; all 1/N unless given. */
  massOf?: (id: number) => number;
  externalPotentials?: ExternalPotential[];
  /** At which the reference takes them; 0 unless given. */
  time?: number;
  /** [4n³] ax|ay|az|φ; random unless given. */
  force?: Float32Array<ArrayBuffer>;
  /** The force on the mesh in vectors of four words. */
  vectors?: boolean;
  shape?: LeapfrogShape;
  order?: OrderOptions;
}

export interface ParticleStage {
  particles: ParticleBuffers;
  mesh: MeshBuffers;
  order: ParticleOrder;
  escaped: EscapedParticles;
  leapfrog: Leapfrog;
  diagnostics: DiagnosticSums;
  /** Orders by cell and finds the monopole: what comes before an update with the given force. */
  prepare(): Promise<void>;
  destroy(): void;
}

/** For counted or sorted particles whose force mesh the test has written itself, in whatever order they lie. */
export function forceIsGiven({ phase }: ParticleBuffers): void {
  const step: Phase[] = ["counted", "sorted", "deposited", "accelerated"];
  for (let at = step.indexOf(phase.now); at < 3; at++) phase.advance("the test", step[at], step[at + 1]);
}

/** [4n³] values in (−1, 1). */
export function randomForce(cells: number, seed = 5): Float32Array<ArrayBuffer> {
  const word = randomWords(seed);
  return Float32Array.from({ length: 4 * cells ** 3 }, () => word() / 2 ** 31 - 1);
}

export async function particleStage(gpu: GpuContext, given: StageCase): Promise<ParticleStage> {
  const { mesh: settings, boundary, exact, boxSize = 1, G = 1, externalPotentials = [] } = given;
  const count = exact.positions.length / 3;
  const set = placeholders(count, given.massOf ?? (() => 1 / count));
  const particles = await ParticleBuffers.create(gpu, set, { boxSize, boundary });
  await particles.restore(exact);
  const mesh = createMeshBuffers(gpu, wholeBoxGrid(settings.cells, boundary), { vectors: given.vectors ?? false });
  const pipeline = { mesh: settings, boundary, boxSize, G, externalPotentials };
  const order = await ParticleOrder.create(gpu, particles, mesh.starts, cellGrid(settings, mesh.grid), given.order);
  const on = { gpu, particles, mesh, settings: pipeline };
  const escaped = await EscapedParticles.create(on);
  const leapfrog = await Leapfrog.create(on, escaped, given.shape ?? { run: 8, texels: false });
  const diagnostics = DiagnosticSums.create(on, escaped.monopole);
  writeForce(gpu, mesh, given.force ?? randomForce(settings.cells));
  return {
    particles,
    mesh,
    order,
    escaped,
    leapfrog,
    diagnostics,
    async prepare() {
      const batch = gpu.batch("ordering");
      order.encodeCount(batch);
      order.encodeSort(batch);
      escaped.encode(batch);
      await batch.submit();
      forceIsGiven(particles);
    },
    destroy() {
      for (const part of [order, escaped, leapfrog, diagnostics, particles]) part.destroy();
      gpu.buffers.release(mesh.field, mesh.high, mesh.cellStart, mesh.force);
    },
  };
}

/** [3N] box coordinates of exact particles. */
export function coordinates({ positions, images }: ExactParticles, boxSize = 1): Float64Array {
  return Float64Array.from(positions, (u, i) =>
    fromFixedPoint(u, images ? imageOnAxis(images[Math.floor(i / 3)], i % 3) : 0, boxSize),
  );
}

export interface Forces {
  /** [3N] total. */
  accelerations: Float64Array;
  /** [N] of mesh or monopole. */
  meshPotential: Float64Array;
  /** [N] */
  externalPotential: Float64Array;
  /** Ids outside the mesh. */
  escaped: Uint32Array;
}

/** Accelerations and potentials in float64, in id order. */
export function referenceForces(given: StageCase): Forces {
  const { mesh: settings, boundary, exact, boxSize = 1, G = 1, externalPotentials = [] } = given;
  const count = exact.positions.length / 3;
  const n = settings.cells;
  const positions = coordinates(exact, boxSize);
  const masses = Float64Array.from({ length: count }, (_, id) => given.massOf?.(id) ?? 1 / count);
  const outside = (id: number) =>
    keyOf(exact.positions.subarray(3 * id, 3 * id + 3), exact.images?.[id] ?? 0, settings, boundary) === n ** 3;
  const all = Uint32Array.from({ length: count }, (_, id) => id);
  const inside = all.filter((id) => !outside(id));
  const escaped = all.filter(outside);
  const out = { accelerations: new Float64Array(3 * count), potential: new Float64Array(count) };
  const grid: HostGrid = hostGridOf(settings, boundary, boxSize);
  const force = Float64Array.from(given.force ?? randomForce(n));
  interpolateForce(grid, force, positions, inside, out);
  if (escaped.length > 0)
    writeMonopoleField(monopole(positions, masses, inside), { G, h: boxSize / n, boxSize }, positions, out, escaped);
  const externalPotential = new Float64Array(count);
  const external = { accelerations: out.accelerations, potential: externalPotential };
  const period = boundary === "periodic" ? boxSize : undefined;
  for (const field of externalPotentials)
    addExternalField(field, G, positions, external, { period, time: given.time ?? 0 });
  return { accelerations: out.accelerations, meshPotential: out.potential, externalPotential, escaped };
}

/** Largest |found − expected| over the largest |expected|. */
export function relativeError(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let error = 0;
  let size = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(found[i] - expected[i]);
    if (!(difference <= error)) error = difference; // keeps NaN
    size = Math.max(size, Math.abs(expected[i]));
  }
  return found.length === expected.length ? error / (size || 1) : Number.NaN;
}
