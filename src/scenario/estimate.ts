/**
 * Memory that the GPU pipeline will hold, before anything is allocated, and what would fit instead.
 * The constants follow the buffers of particles/ and mesh/.
 */

import { meshSizes } from "../deck/mesh-sizes.ts";
import { DIRECT_BINDING_BYTES, DIRECT_BYTES } from "../direct/settings.ts";
import { massesDiffer, sampledCount } from "../initial/components.ts";
import { FORCE_BYTES } from "../mesh/field.ts";
import { poissonMethods } from "../mesh/poisson-methods.ts";
import type { Scenario } from "./scenario.ts";

/** Positions 12, velocities 12 and ids 4, each twice; rank in the cell 4. */
export const PARTICLE_BYTES = 60;
/** Box image of a particle in an isolated run, twice. */
export const IMAGE_BYTES = 8;
/** Mass by id, where masses differ. */
export const MASS_BYTES = 4;
/** Read-back of positions and identity, in slabs of at most STAGING_LIMIT. */
export const STAGING_BYTES = 16;
export const STAGING_LIMIT = 64 * 2 ** 20;
/** Cell start 4, high word of the density 4, acceleration 12; density, spectrum or potential come on top. */
export const CELL_BYTES = 8 + FORCE_BYTES;
/** Density, potential or half spectrum: rows of n + 2 floats. */
export const SPECTRUM_BYTES = 4;
/** Positions: the largest single binding of the particles. */
export const POSITION_BYTES = 12;
/** Twiddle tables, reductions, uniforms, timestamps. */
export const SMALL_BUFFERS = 2 ** 20;

export interface MemoryEstimate {
  /** [bytes] */
  particles: number;
  mesh: number;
  other: number;
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
}

/** Bytes per particle for this scenario. */
export function bytesPerParticle(scenario: Scenario): number {
  const images = scenario.box.boundary === "isolated" ? IMAGE_BYTES : 0;
  return PARTICLE_BYTES + images + (massesDiffer(scenario) ? MASS_BYTES : 0);
}

function meshBytes(n: number, scenario: Scenario): { all: number; binding: number } {
  const cells = n ** 3;
  const spectrum = SPECTRUM_BYTES * n * n * (n + 2);
  const force = FORCE_BYTES * cells;
  const { mesh, box } = scenario;
  const solver = poissonMethods[mesh.poisson].bytes({ ...mesh, cells: n }, box.boundary);
  return { all: CELL_BYTES * cells + 8 + spectrum + solver.all, binding: Math.max(force, spectrum, solver.binding) };
}

/** What a run of `scenario` holds on the GPU. */
export function memoryEstimate(scenario: Scenario, options: EstimateOptions = {}): MemoryEstimate {
  return estimateFor(scenario, scenario.mesh.cells, sampledCount(scenario) + (options.snapshotParticles ?? 0));
}

function estimateFor(scenario: Scenario, n: number, count: number): MemoryEstimate {
  if (scenario.gravity === "direct") {
    const particles = count * DIRECT_BYTES;
    const total = particles + SMALL_BUFFERS;
    return { particles, mesh: 0, other: SMALL_BUFFERS, total, largestBinding: count * DIRECT_BINDING_BYTES };
  }
  const particles = count * bytesPerParticle(scenario);
  const mesh = meshBytes(n, scenario);
  const other = SMALL_BUFFERS + Math.min(STAGING_LIMIT, count * STAGING_BYTES);
  return {
    particles,
    mesh: mesh.all,
    other,
    total: particles + mesh.all + other,
    largestBinding: Math.max(mesh.binding, count * POSITION_BYTES),
  };
}

export interface FitAdvice {
  fits: boolean;
  estimate: MemoryEstimate;
  /** Largest mesh, below the one asked for, with which all particles fit. */
  cells?: number;
  /** Most particles that fit with the mesh asked for. */
  count?: number;
  /** For a person: what is needed, what there is, which setting would fit. Empty when it fits. */
  message: string;
}

/** Whether `scenario` fits into `limits`, and if not, what would. */
export function fitAdvice(scenario: Scenario, limits: MemoryLimits, options: EstimateOptions = {}): FitAdvice {
  const total = limits.total ?? Number.POSITIVE_INFINITY;
  const binding = limits.binding ?? Number.POSITIVE_INFINITY;
  const fits = (estimate: MemoryEstimate) => estimate.total <= total && estimate.largestBinding <= binding;
  const n = scenario.mesh.cells;
  const count = sampledCount(scenario) + (options.snapshotParticles ?? 0);
  const estimate = estimateFor(scenario, n, count);
  if (fits(estimate)) return { fits: true, estimate, message: "" };

  const cells = meshSizes.findLast((size) => size < n && fits(estimateFor(scenario, size, count)));
  const most = mostParticles(count, (some) => fits(estimateFor(scenario, n, some)));
  const ways = [
    ...(cells !== undefined ? [`mesh.cells=${cells}`] : []),
    ...(most > 0 ? [`at most ${most} particles (now ${count}) with mesh.cells=${n}`] : []),
  ];
  const fallback = ways.length > 0 ? undefined : smallerInBoth(scenario, count, fits);
  const advice =
    ways.length > 0 ? `${ways.join(", or ")} would fit` : (fallback ?? "No mesh of this program would fit");
  const needs = [
    ...(estimate.total > total ? [`${bytesText(estimate.total)} in all; there are ${bytesText(total)}`] : []),
    ...(estimate.largestBinding > binding
      ? [`one buffer of ${bytesText(estimate.largestBinding)}; the adapter binds at most ${bytesText(binding)}`]
      : []),
  ];
  return {
    fits: false,
    estimate,
    ...(cells !== undefined ? { cells } : {}),
    ...(most > 0 ? { count: most } : {}),
    message:
      `the run needs ${needs.join(", and ")} ` +
      `(${count} particles: ${bytesText(estimate.particles)}; mesh of ${n}^3: ${bytesText(estimate.mesh)}). ${advice}`,
  };
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
function smallerInBoth(
  scenario: Scenario,
  count: number,
  fits: (estimate: MemoryEstimate) => boolean,
): string | undefined {
  const size = meshSizes.findLast((n) => n < scenario.mesh.cells && fits(estimateFor(scenario, n, 1)));
  if (size === undefined) return undefined;
  const most = mostParticles(count, (some) => fits(estimateFor(scenario, size, some)));
  return `mesh.cells=${size} with at most ${most} particles (now ${count}) would fit`;
}

/** 1.5 GiB, 20.0 MiB, 512 B. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(power < 3 ? 0 : 1)} ${units[power]}`;
}
