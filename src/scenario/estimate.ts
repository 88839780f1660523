/**
 * Memory that the GPU pipeline will hold, before anything is allocated, and what would fit instead.
 * The constants follow the buffers of particles/ and mesh/.
 */

import { meshSizes } from "../deck/mesh-sizes.ts";
import { friendsBytes, spectrumBytes } from "../diagnostics/memory.ts";
import { DIRECT_BINDING_BYTES, DIRECT_BYTES } from "../direct/settings.ts";
import { massesDiffer, sampledCount } from "../initial/components.ts";
import { FIELD_BYTES, FORCE_BYTES, fieldPitch } from "../mesh/field.ts";
import { poissonMethods } from "../mesh/poisson-methods.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Positions 12, velocities 12 and ids 4, each twice; rank in the cell 4; where the ordering left the velocity 4.
 */
export const PARTICLE_BYTES = 64;
/** Of those, what a software adapter doesn't hold: there velocities aren't left. */
export const ORIGIN_BYTES = 4;
/** Box image of a particle in an isolated run, twice. */
export const IMAGE_BYTES = 8;
/** Mass by id, where masses differ. */
export const MASS_BYTES = 4;
/** What is read back lies in a buffer of at most this. */
export const STAGING_LIMIT = 64 * 2 ** 20;
/** Of it a particle takes [bytes] where they are few: its position, or its velocity. */
export const STAGING_BYTES = 12;
/** Cell start 4, high word of the density 4, acceleration 12; density, spectrum or potential come on top. */
export const CELL_BYTES = 8 + FORCE_BYTES;
/** Partial sums of the scan over the cells: one in 256, the most that a shape takes, and theirs. */
const SCAN_BYTES = 4 / 255;
/** Positions: the largest single binding of the particles. */
export const POSITION_BYTES = 12;
/** Twiddle tables, reductions, uniforms, timestamps. */
export const SMALL_BUFFERS = 2 ** 20;
/** What indices of 32 bits reach in 4-byte words, whatever an adapter binds. */
const INDEXED_BYTES = 4 * 2 ** 32;

export interface MemoryEstimate {
  /** [bytes] */
  particles: number;
  mesh: number;
  other: number;
  /** Held for a while by power spectra and by the search for haloes: the larger. */
  outputs: number;
  total: number;
  /** Largest storage binding that a kernel needs [bytes]. */
  largestBinding: number;
}

export interface MemoryLimits {
  /** Most that the run may hold [bytes]. */
  total?: number;
  /** The adapter's maxStorageBufferBindingSize and maxBufferSize, the smaller [bytes]. */
  binding?: number;
}

export interface EstimateOptions {
  /** Particles that snapshot components will bring; unknown until their files are read. */
  snapshotParticles?: number;
  /** As in MemoryLimits: hash tables make do with less where no more can be bound. */
  binding?: number;
}

/** Bytes per particle for this scenario. */
export function bytesPerParticle(scenario: Scenario): number {
  const images = scenario.box.boundary === "isolated" ? IMAGE_BYTES : 0;
  return PARTICLE_BYTES + images + (massesDiffer(scenario) ? MASS_BYTES : 0);
}

function meshBytes(n: number, scenario: Scenario): { all: number; binding: number } {
  const cells = n ** 3;
  const field = FIELD_BYTES * n * n * fieldPitch(n);
  const force = FORCE_BYTES * cells;
  const { mesh, box } = scenario;
  const solver = poissonMethods[mesh.poisson].bytes({ ...mesh, cells: n }, box.boundary);
  return { all: CELL_BYTES * cells + 8 + field + solver.all, binding: Math.max(force, field, solver.binding) };
}

/** What a run of `scenario` holds on the GPU. */
export function memoryEstimate(scenario: Scenario, options: EstimateOptions = {}): MemoryEstimate {
  const count = sampledCount(scenario) + (options.snapshotParticles ?? 0);
  return estimateFor(scenario, scenario.mesh.cells, count, options.binding);
}

function estimateFor(scenario: Scenario, n: number, count: number, limit?: number): MemoryEstimate {
  if (scenario.gravity === "direct") {
    const particles = count * DIRECT_BYTES;
    const total = particles + SMALL_BUFFERS;
    return {
      particles,
      mesh: 0,
      other: SMALL_BUFFERS,
      outputs: 0,
      total,
      largestBinding: count * DIRECT_BINDING_BYTES,
    };
  }
  const particles = count * bytesPerParticle(scenario);
  const mesh = meshBytes(n, scenario);
  const scan = Math.ceil(SCAN_BYTES * n ** 3);
  const other = SMALL_BUFFERS + scan + Math.min(STAGING_LIMIT, count * STAGING_BYTES);
  const outputs = outputBytes(scenario, n, count, limit);
  return {
    particles,
    mesh: mesh.all,
    other,
    outputs: outputs.all,
    total: particles + mesh.all + other + outputs.all,
    largestBinding: Math.max(mesh.binding, count * POSITION_BYTES, outputs.binding),
  };
}

/** One after the other, so that the larger counts. */
function outputBytes({ output, box }: Scenario, n: number, count: number, limit?: number) {
  const none = { all: 0, binding: 0 };
  if (box.boundary !== "periodic") return none;
  const haloes = output.haloes ? friendsBytes(count, output.leastMembers, limit) : none;
  const spectrum = output.powerSpectra ? spectrumBytes(n) : none;
  return { all: Math.max(haloes.all, spectrum.all), binding: Math.max(haloes.binding, spectrum.binding) };
}

export interface FitAdvice {
  fits: boolean;
  estimate: MemoryEstimate;
  /** Largest mesh, below the one asked for, with which all particles fit. */
  cells?: number;
  /** Most particles that fit with the mesh asked for. */
  count?: number;
  /** What would fit, as a person would set it: "mesh.cells=192". */
  ways: string[];
  /** For a person: what is needed, what there is, which setting would fit. Empty when it fits. */
  message: string;
}

/** Whether `scenario` fits into `limits`, and if not, what would. */
export function fitAdvice(scenario: Scenario, limits: MemoryLimits, options: EstimateOptions = {}): FitAdvice {
  const total = limits.total ?? Number.POSITIVE_INFINITY;
  const binding = Math.min(limits.binding ?? Number.POSITIVE_INFINITY, INDEXED_BYTES);
  const fits = (estimate: MemoryEstimate) => estimate.total <= total && estimate.largestBinding <= binding;
  const n = scenario.mesh.cells;
  const count = sampledCount(scenario) + (options.snapshotParticles ?? 0);
  const estimateOf = (size: number, some: number, of = scenario) => estimateFor(of, size, some, binding);
  const estimate = estimateOf(n, count);
  if (fits(estimate)) return { fits: true, estimate, ways: [], message: "" };

  const cells = meshSizes.findLast((size) => size < n && fits(estimateOf(size, count)));
  const most = mostParticles(count, (some) => fits(estimateOf(n, some)));
  const ways = [
    ...withLess(scenario).flatMap(({ keys, without }) => (fits(estimateOf(n, count, without)) ? [keys] : [])),
    ...(cells !== undefined ? [`mesh.cells=${cells}`] : []),
    ...(most > 0 ? [`at most ${most} particles (now ${count}) with mesh.cells=${n}`] : []),
  ];
  const fallback = ways.length > 0 ? undefined : smallerInBoth(n, count, (size, some) => fits(estimateOf(size, some)));
  const advice =
    ways.length > 0 ? `${ways.join(", or ")} would fit` : (fallback ?? "No mesh of this program would fit");
  const bound = binding === INDEXED_BYTES ? "indices of 32 bits reach" : "the adapter binds at most";
  const needs = [
    ...(estimate.total > total ? [`${bytesText(estimate.total)} in all; there are ${bytesText(total)}`] : []),
    ...(estimate.largestBinding > binding
      ? [`one buffer of ${bytesText(estimate.largestBinding)}; ${bound} ${bytesText(binding)}`]
      : []),
  ];
  const parts = [
    `${count} particles: ${bytesText(estimate.particles)}`,
    `mesh of ${n}^3: ${bytesText(estimate.mesh)}`,
    ...(estimate.outputs > 0 ? [`power spectra and haloes: ${bytesText(estimate.outputs)}`] : []),
  ];
  return {
    fits: false,
    estimate,
    ways,
    ...(cells !== undefined ? { cells } : {}),
    ...(most > 0 ? { count: most } : {}),
    message: `the run needs ${needs.join(", and ")} (${parts.join("; ")}). ${advice}`,
  };
}

/** The scenario without what it could do without at the same size. */
function withLess(scenario: Scenario): { keys: string; without: Scenario }[] {
  const { output, mesh } = scenario;
  return [
    ...(output.haloes
      ? [{ keys: "output.haloes=false", without: { ...scenario, output: { ...output, haloes: false } } }]
      : []),
    ...(output.powerSpectra
      ? [{ keys: "output.powerSpectra=false", without: { ...scenario, output: { ...output, powerSpectra: false } } }]
      : []),
    ...(mesh.gradient === "spectral"
      ? [{ keys: "mesh.gradient=4-point", without: { ...scenario, mesh: { ...mesh, gradient: "4-point" as const } } }]
      : []),
  ];
}

/** Largest number up to `count` that fits; fitting is monotonic. */
function mostParticles(count: number, fits: (count: number) => boolean): number {
  let fitting = 0;
  let tooMany = count;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}

/** Neither fewer cells nor fewer particles is enough alone: the largest mesh that leaves room for any. */
function smallerInBoth(n: number, count: number, fits: (cells: number, count: number) => boolean): string | undefined {
  const size = meshSizes.findLast((cells) => cells < n && fits(cells, 1));
  if (size === undefined) return undefined;
  const most = mostParticles(count, (some) => fits(size, some));
  return `mesh.cells=${size} with at most ${most} particles (now ${count}) would fit`;
}

/** 1.5 GiB, 20.0 MiB, 512 B. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(power < 3 ? 0 : 1)} ${units[power]}`;
}
